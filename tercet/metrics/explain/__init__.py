"""Why a candidate has its score: what it shares with which references, and what each part adds.

An explanation is of one candidate with all references of its image. The score is that of the
metric's own code, and the contributions add up to it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from tercet.metrics.composed.combinations import SPIDER_T
from tercet.metrics.composed.composites import Composite, with_features
from tercet.metrics.corpora.corpus import Corpus, Documents
from tercet.metrics.explain import bleu, cider, meteor, rouge
from tercet.metrics.explain.composites import explain_combination, explain_composite
from tercet.metrics.explain.difference import Difference, Term, difference
from tercet.metrics.explain.explanation import Explain, Explanation, Part, largest_first
from tercet.metrics.explain.outside import explain_outside, has_explanation
from tercet.metrics.ngram.bleu import NAMES, NO_BREVITY
from tercet.metrics.ngram.cider import VERSIONS
from tercet.metrics.ngram.rouge import RECALLS
from tercet.metrics.ptb import ptb
from tercet.metrics.registry import (
    COMBINATIONS,
    Named,
    families,
    measure_all,
    name_of,
    resolve,
    text_metric,
)
from tercet.metrics.score_tables import score_batch
from tercet.metrics.scoring import check_documents
from tercet.metrics.text.inputs import Caption, check, listed
from tercet.metrics.text.tokenizers import Tokenize

__all__ = [
    "Difference",
    "Explanation",
    "Part",
    "Term",
    "explain",
    "explain_pair",
    "explainable",
]


def _explain_length(corpus: Corpus, name: str, score: float) -> Explanation:
    """Explain the length: each word adds one."""
    counts = Counter(corpus.candidates.tokens.tolist())
    parts = [
        Part("word", corpus.words[number], contribution=float(count))
        for number, count in counts.items()
    ]

    return Explanation(name, score, "sum", matched=largest_first(parts))


_EXPLAINED: dict[str, Explain] = {
    **dict.fromkeys((*NAMES, *NO_BREVITY), bleu.explain),
    **dict.fromkeys(RECALLS, rouge.explain_recall),
    "ROUGE-L": rouge.explain_subsequence,
    "ROUGE-S": rouge.explain_skips,
    **dict.fromkeys(VERSIONS, cider.explain),
    "METEOR": meteor.explain,
}
"""How to explain each built-in metric, by name."""
M = TypeVar("M", bound=Named)


def explanations() -> dict[str, Explain]:
    """How to explain each metric, by name; SPIDEr-T is explained by its two metrics."""
    plugged = {
        name: family.explain
        for family in families()
        if family.explain
        for name in family.all_names
    }
    return _EXPLAINED | plugged | {"length": _explain_length}


def explainable_names() -> tuple[str, ...]:
    """List the metrics of this package that can be explained: all but ``random``."""
    return (*explanations(), SPIDER_T.name)


def explainable(metrics: Iterable[M]) -> list[M]:
    """Select the metrics whose scores can be explained: of those built in, all but ``random``.

    Of those from outside, all that compare with single references, or explain themselves.
    """
    return [each for each in metrics if _is_explainable(each)]


def _is_explainable(metric: Named) -> bool:
    outside = text_metric(metric)
    return has_explanation(outside) if outside else metric in explainable_names()


def explain(
    *,
    references: Sequence[Caption],
    candidate: Caption,
    metric: Named = "CIDEr-D",
    tokenize: Tokenize = ptb,
    documents: Documents | None = None,
) -> Explanation:
    """Explain the score of a candidate with all references of its image.

    Parameters
    ----------
    references : sequence of captions
        The references of the image. A caption is a string, or a list of tokens.
    candidate : caption
    metric : str or TextMetric, optional
        Its name, without regard to case, or a metric from outside.
    tokenize : callable, optional
        Turns a string into tokens.
    documents : DocumentFrequencies or "coco-val2014", optional
        The document frequencies by which CIDEr weighs n-grams: those of all images of a run are
        made by :func:`metrics.count_documents`.

    Raises
    ------
    TypeError
        If a caption is something else.
    ValueError
        If the metric is unknown or cannot be explained, if there are no references, or if CIDEr is
        wanted without document frequencies.

    Examples
    --------
    >>> from tercet.metrics import explain
    >>> why = explain(references=["a dog runs", "a cat"], candidate="a dog", metric="ROUGE-1")
    >>> why.score
    0.6
    >>> [(part.text, part.contribution, part.references) for part in why.matched]
    [('a', 0.4, (0, 1)), ('dog', 0.2, (0,))]
    """
    [found] = resolve(metric)
    if not _is_explainable(found):
        raise ValueError(
            f"{name_of(found)} has no explanation; one of {', '.join(explainable_names())} has"
        )

    [explained] = explain_candidate(
        references, candidate, [found], tokenize, documents or "pool"
    )
    return explained


def explain_candidate(
    references: Sequence[Caption],
    candidate: Caption,
    metrics: Sequence[Named],
    tokenize: Tokenize,
    documents: Documents,
    composites: Sequence[Composite] = (),
) -> list[Explanation]:
    """Explain the scores of a candidate by metrics, and by composites; see :func:`explain`."""
    references = listed(references, "references", "captions")
    given = check([references], [candidate])
    features = [name for each in composites for name in each.features]
    given_as_objects = {name_of(each): each for each in metrics}
    names = with_features([*given_as_objects, *features], COMBINATIONS)
    check_documents(given, documents, names)

    needed = dict.fromkeys([*names, *given_as_objects])
    wanted = [given_as_objects.get(name, name) for name in needed]
    measured = measure_all(wanted, given, documents, [-1])
    [table] = score_batch(given, measured, tokenize, documents)
    scores = {name: float(curve[0, -1]) for name, curve in table.scores.items()}

    parts = {}
    explained_by = explanations()
    for name in with_features(given_as_objects, COMBINATIONS):
        if name in explained_by:
            corpus = table.compared.corpus
            parts[name] = explained_by[name](corpus, name, scores[name])
    for each, own in zip(wanted, measured, strict=True):
        outside = text_metric(each)
        if outside and not isinstance(own, str):
            score = scores[outside.name]
            parts[outside.name] = explain_outside(outside, own, given, score)
    if SPIDER_T.name in given_as_objects:
        own_score = scores[SPIDER_T.name]
        parts[SPIDER_T.name] = explain_combination(SPIDER_T, own_score, parts)

    explained = [parts[name] for name in given_as_objects]
    return explained + [explain_composite(each, scores) for each in composites]


def explain_pair(
    *,
    references: Sequence[Caption],
    b: Caption,
    c: Caption,
    metric: Named = "CIDEr-D",
    tokenize: Tokenize = ptb,
    documents: Documents | None = None,
) -> Difference:
    """Explain the difference between the scores of two candidates of an image.

    Parameters
    ----------
    references : sequence of captions
        The references of the image.
    b, c : captions
        The candidates.
    metric, tokenize, documents
        As for :func:`explain`.

    Raises
    ------
    TypeError, ValueError
        As for :func:`explain`.

    Examples
    --------
    >>> from tercet.metrics import explain_pair
    >>> why = explain_pair(references=["a dog runs"], b="a dog", c="dog cat", metric="ROUGE-1")
    >>> [(term.text, round(term.difference, 3)) for term in why.terms]
    [('a', 0.333), ('dog', 0.0)]
    """

    def explained(candidate: Caption) -> Explanation:
        return explain(
            references=references,
            candidate=candidate,
            metric=metric,
            tokenize=tokenize,
            documents=documents,
        )

    return difference(explained(b), explained(c))
