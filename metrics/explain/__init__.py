"""Why a candidate has its score: what it shares with which references, and what each part adds.

An explanation is of one candidate with all references of its image. The score is that of the
metric's own code, and the contributions add up to it.
"""

from collections.abc import Iterable, Sequence

from tercet.metrics.composed.combinations import SPIDER_T
from tercet.metrics.corpora.corpus import Corpus, Documents, corpus
from tercet.metrics.corpora.orders import file_order
from tercet.metrics.explain.difference import Difference, Term, difference
from tercet.metrics.explain.explanation import Explain, Explanation, Part
from tercet.metrics.explain.families import (
    bast,
    bleu,
    cider,
    meteor,
    rouge,
    tuples,
    vectors,
)
from tercet.metrics.explain.families.baselines import explain_length
from tercet.metrics.explain.families.combination import explain_combination
from tercet.metrics.ngram.bleu import NAMES, NO_BREVITY
from tercet.metrics.ngram.cider import VERSIONS
from tercet.metrics.ngram.rouge import RECALLS
from tercet.metrics.ptb import ptb
from tercet.metrics.registry import compare, resolve
from tercet.metrics.scoring import check_documents
from tercet.metrics.text.inputs import Caption, check, listed
from tercet.metrics.text.tokenizers import Tokenize
from tercet.metrics.tuples.bast import NAMES as BAGS
from tercet.metrics.vectors.versions import VERSIONS as VERSIONS_OF_WMD

__all__ = [
    "Difference",
    "Explanation",
    "Part",
    "Term",
    "explain",
    "explain_pair",
    "explainable",
]


def _explain_spider(corpus: Corpus, name: str, score: float) -> Explanation:
    explained = {}
    for feature in SPIDER_T.features:
        own = _score(corpus, feature)
        explained[feature] = _EXPLAINED[feature](corpus, feature, own)

    return explain_combination(SPIDER_T, score, explained)


_EXPLAINED: dict[str, Explain] = {
    **dict.fromkeys((*NAMES, *NO_BREVITY), bleu.explain),
    **dict.fromkeys(RECALLS, rouge.explain_recall),
    "ROUGE-L": rouge.explain_subsequence,
    "ROUGE-S": rouge.explain_skips,
    **dict.fromkeys(VERSIONS, cider.explain),
    "METEOR": meteor.explain,
    **dict.fromkeys(("tuple-F", "tuple-C"), tuples.explain),
    **dict.fromkeys(BAGS, bast.explain),
    **dict.fromkeys(VERSIONS_OF_WMD, vectors.explain),
    SPIDER_T.name: _explain_spider,
    "length": explain_length,
}
"""How to explain each metric, by name."""


def explainable(metrics: Iterable[str]) -> list[str]:
    """Select the metrics whose scores can be explained.

    They are all but ``random``.

    Parameters
    ----------
    metrics : iterable of str
        Names as the tables have them.

    Returns
    -------
    list of str
    """
    return [name for name in metrics if name in _EXPLAINED]


def explain(
    *,
    references: Sequence[Caption],
    candidate: Caption,
    metric: str = "CIDEr-D",
    tokenize: Tokenize = ptb,
    documents: Documents | None = None,
) -> Explanation:
    """Explain the score of a candidate with all references of its image.

    Parameters
    ----------
    references : sequence of captions
        The references of the image. A caption is a string, or a list of tokens.
    candidate : caption
    metric : str, optional
        Its name, without regard to case.
    tokenize : callable, optional
        Turns a string into tokens.
    documents : DocumentFrequencies or "coco-val2014", optional
        The document frequencies by which CIDEr weighs n-grams: those of all images of a run are
        made by :func:`metrics.count_documents`.

    Returns
    -------
    Explanation

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
    (name,) = resolve(metric)
    if name not in _EXPLAINED:
        raise ValueError(
            f"{name} has no explanation; one of {', '.join(_EXPLAINED)} has"
        )

    references = listed(references, "references", "captions")
    check_documents(check([references], [candidate]), documents or "pool", [name])
    captions = corpus(
        references=[references],
        candidates=[candidate],
        tokenize=tokenize,
        documents=documents or "pool",
    )

    return _EXPLAINED[name](captions, name, _score(captions, name))


def explain_pair(
    *,
    references: Sequence[Caption],
    b: Caption,
    c: Caption,
    metric: str = "CIDEr-D",
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

    Returns
    -------
    Difference

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


def _score(captions: Corpus, name: str) -> float:
    """The score of the only candidate with all references."""
    curve = compare(captions, name).accumulate(file_order(captions))[name]
    return float(curve[0, -1])
