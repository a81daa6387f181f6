"""Which tuples of meaning match, and which only one side has."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from tercet.lab.tuples.bast import NAMES
from tercet.lab.tuples.extraction import Tuple
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.explain.explanation import (
    Detail,
    Explanation,
    Part,
    largest_first,
    slopes,
)

if TYPE_CHECKING:
    from tercet.lab.tuples.matching import SynsetsOf

KINDS = {1: "object", 2: "attribute", 3: "relation"}
_CONSENSUS = "tuple-C"

_Captions: TypeAlias = Sequence[Collection[Tuple]]


def explain(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain tuple-F or tuple-C of the only candidate of a corpus."""
    from tercet.lab.tuples.captions import tuples_in
    from tercet.lab.tuples.matching import meteor_synsets

    references, (candidate,) = tuples_in(corpus)

    return explain_tuples(name, score, references, candidate, meteor_synsets)


def explain_bag(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain the F1 of a bag of the only candidate of a corpus."""
    from tercet.lab.tuples.bag_comparison import Meanings
    from tercet.lab.tuples.matching import meteor_synsets

    references, (candidate,) = Meanings.parsed(corpus).bags[NAMES[name]]

    return explain_tuples(name, score, references, candidate, meteor_synsets)


def explain_tuples(
    name: str,
    score: float,
    references: _Captions,
    candidate: Collection[Tuple],
    synsets_of: "SynsetsOf",
) -> Explanation:
    """Explain a score by the tuples of a candidate and of its references.

    A matched tuple of the candidate adds its share of the precision, and that of the recall of the
    tuples of references that it matches; what several match is divided equally.
    """
    held = Counter(each for reference in references for each in reference)
    matches = _matches(candidate, held, synsets_of)
    recalled = Counter(each for same in matches.values() for each in same)
    weights = held if name == _CONSENSUS else Counter(held.keys())
    whole = weights.total()

    precision = len(matches) / len(candidate) if candidate else 0.0
    recall = sum(weights[each] for each in recalled) / whole if whole else 0.0
    slope = slopes(precision, recall, 1.0)
    part = partial(_part, name, references)
    matched = []

    for ours, same in matches.items():
        share = sum(weights[each] / recalled[each] / whole for each in same)
        added = 1 / len(candidate) * slope.precision + share * slope.recall
        others = "; ".join(spelled(each) for each in same if each != ours)
        details: dict[str, Detail] = {"recall": share, "matches": others}
        matched.append(part(ours, same, added, details))

    unmatched = [each for each in sorted(candidate) if each not in matches]
    missing = [each for each in held if each not in recalled]
    missing.sort(key=lambda each: (-held[each], len(each), each))

    return Explanation(
        name,
        score,
        "shares",
        {"precision": precision, "recall": recall},
        largest_first(matched),
        tuple(part(each, []) for each in unmatched),
        tuple(part(each, [each]) for each in missing),
    )


def _matches(
    candidate: Iterable[Tuple], references: Iterable[Tuple], synsets_of: "SynsetsOf"
) -> Mapping[Tuple, Sequence[Tuple]]:
    """The tuples of references that say the same as each matched one of the candidate."""
    from tercet.lab.tuples.matching import Numbering, matches

    ours = sorted(candidate)
    theirs = sorted(references)
    numbering = Numbering()
    left = numbering.intern([ours])
    right = numbering.intern([theirs])
    found = matches(left, right, numbering.described(synsets_of))

    pairs: defaultdict[Tuple, list[Tuple]] = defaultdict(list)
    for one, other in zip(*(each.tolist() for each in found), strict=True):
        pairs[ours[one]].append(theirs[other])

    return pairs


def _part(
    name: str,
    references: _Captions,
    words: Tuple,
    held: Iterable[Tuple],
    contribution: float | None = None,
    details: Mapping[str, Detail] | None = None,
) -> Part:
    """A tuple, with the references that have one of those held; of a bag, or of words."""
    wanted = set(held)
    having = [
        number
        for number, reference in enumerate(references)
        if not wanted.isdisjoint(reference)
    ]
    kind = NAMES.get(name) or KINDS[len(words)]

    return Part(kind, spelled(words), tuple(having), contribution, details or {})


def spelled(words: Tuple) -> str:
    """A tuple as text."""
    return ", ".join(words)
