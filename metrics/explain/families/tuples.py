"""Which tuples of meaning match, and which only one side has."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import Explanation, Part, largest_first
from tercet.metrics.explain.f_measure import slopes
from tercet.metrics.tuples import tuples_in
from tercet.metrics.tuples.extraction import Tuple

if TYPE_CHECKING:
    from tercet.metrics.tuples.matching import SynsetsOf

KINDS = {1: "object", 2: "attribute", 3: "relation"}
_CONSENSUS = "tuple-C"


class Matched(NamedTuple):
    """A candidate's tuples held against those of its references.

    candidate: its tuples. held: how many references have each tuple of theirs.
    matches: the tuples of references that say the same as each matched one of the candidate.
    """

    candidate: Sequence[Tuple]
    held: Mapping[Tuple, int]
    matches: Mapping[Tuple, Sequence[Tuple]]


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain tuple-F or tuple-C of the only candidate of a corpus."""
    from tercet.metrics.tuples.matching import meteor_synsets

    references, (candidate,) = tuples_in(corpus)

    return explain_tuples(name, score, references, candidate, meteor_synsets)


def explain_tuples(
    name: str,
    score: float,
    references: Sequence[Collection[Tuple]],
    candidate: Collection[Tuple],
    synsets_of: "SynsetsOf",
) -> Explanation:
    """Explain a score by the tuples of a candidate and of its references.

    Parameters
    ----------
    name : str
        The metric.
    score : float
    references : sequence of collections of tuples
        The tuples of each reference.
    candidate : collection of tuples
    synsets_of : callable
        Returns the synsets of words, ragged.

    Returns
    -------
    Explanation
        A matched tuple of the candidate adds its share of the precision, and that of the recall
        of the tuples of references that it matches; what several match is divided equally.
    """
    matched = _match(references, candidate, synsets_of)
    weights = _weights(matched.held, name)
    recalled = set().union(*matched.matches.values())

    figures = {
        "precision": _share(len(matched.matches), len(candidate)),
        "recall": _share(
            sum(weights[each] for each in recalled), sum(weights.values())
        ),
    }

    return Explanation(
        name,
        score,
        "shares",
        figures,
        largest_first(_matched(matched, weights, references, figures)),
        _parts(each for each in matched.candidate if each not in matched.matches),
        _missing(matched.held, recalled, references),
    )


def _match(
    references: Sequence[Collection[Tuple]],
    candidate: Collection[Tuple],
    synsets_of: "SynsetsOf",
) -> Matched:
    from tercet.metrics.tuples.matching import Numbering, matches

    held = Counter(each for reference in references for each in reference)
    ours, theirs = sorted(candidate), sorted(held)

    numbering = Numbering()
    left, right = numbering.intern([ours]), numbering.intern([theirs])
    found = matches(left, right, numbering.described(synsets_of))

    pairs: defaultdict[Tuple, list[Tuple]] = defaultdict(list)
    for one, other in zip(*(each.tolist() for each in found), strict=True):
        pairs[ours[one]].append(theirs[other])

    return Matched(ours, held, pairs)


def _weights(held: Mapping[Tuple, int], name: str) -> dict[Tuple, int]:
    """How much each tuple of the references counts in the recall."""
    return {each: count if name == _CONSENSUS else 1 for each, count in held.items()}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _matched(
    matched: Matched,
    weights: Mapping[Tuple, int],
    references: Sequence[Collection[Tuple]],
    figures: Mapping[str, float],
) -> list[Part]:
    slope = slopes(figures["precision"], figures["recall"], 1.0)
    claims = Counter(each for same in matched.matches.values() for each in same)
    whole = sum(weights.values())

    parts = []
    for ours, same in matched.matches.items():
        recall = sum(weights[each] / claims[each] / whole for each in same)
        precision = 1 / len(matched.candidate)
        added = precision * slope.precision + recall * slope.recall
        others = [spelled(each) for each in same if each != ours]
        details = {"recall": recall, "matches": "; ".join(others)}
        parts.append(_part(ours, _having(references, same), added, details))

    return parts


def _missing(
    held: Mapping[Tuple, int],
    recalled: Collection[Tuple],
    references: Sequence[Collection[Tuple]],
) -> tuple[Part, ...]:
    """The tuples that only references have, those of the most references first."""
    lacking = [each for each in held if each not in recalled]
    lacking.sort(key=lambda each: (-held[each], len(each), each))

    return tuple(_part(each, _having(references, [each])) for each in lacking)


def _having(
    references: Sequence[Collection[Tuple]], tuples: Iterable[Tuple]
) -> tuple[int, ...]:
    """The references that have one of the tuples."""
    wanted = set(tuples)
    return tuple(
        number
        for number, reference in enumerate(references)
        if not wanted.isdisjoint(reference)
    )


def _parts(tuples: Iterable[Tuple]) -> tuple[Part, ...]:
    return tuple(_part(each) for each in tuples)


def _part(
    words: Tuple,
    references: tuple[int, ...] = (),
    contribution: float | None = None,
    details: Mapping[str, float | str] | None = None,
) -> Part:
    return Part(
        KINDS[len(words)], spelled(words), references, contribution, details or {}
    )


def spelled(words: Tuple) -> str:
    """A tuple as text."""
    return ", ".join(words)
