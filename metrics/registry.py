"""All metrics, by name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tercet.metrics.composed.combinations import SPIDER_T
from tercet.metrics.composed.composites import with_composites, with_features
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.metric import Comparison, Metric
from tercet.metrics.corpora.ngrams import Reader, read
from tercet.metrics.corpora.orders import Order
from tercet.metrics.meteor import METEOR
from tercet.metrics.ngram.baselines import BASELINES
from tercet.metrics.ngram.bleu import BLEU
from tercet.metrics.ngram.cider import CIDER
from tercet.metrics.ngram.rouge import ROUGE
from tercet.metrics.tuples import TUPLES
from tercet.metrics.tuples.bast import BAST
from tercet.metrics.vectors import VECTORS

METRICS: tuple[Metric, ...] = (
    BLEU,
    *ROUGE,
    *CIDER,
    METEOR,
    TUPLES,
    BAST,
    VECTORS,
    *BASELINES,
)
COMBINATIONS = (SPIDER_T,)
"""Sums of these metrics that are computed where they are named."""
ALL = "all"
_LIKE = 0.6
"""How like a name must be to be suggested, 0 to 1."""
COCO_NAMES = {
    "BLEU-1": "Bleu_1",
    "BLEU-2": "Bleu_2",
    "BLEU-3": "Bleu_3",
    "BLEU-4": "Bleu_4",
    "METEOR": "METEOR",
    "ROUGE-L": "ROUGE_L",
    "CIDEr-D": "CIDEr",
}
"""The metrics of the COCO caption evaluation, with the names that it gives them."""


def names() -> tuple[str, ...]:
    """List the names of all metrics whose packages are installed, in the order of the tables.

    Variants are not among them, and are computed only where they are named: CIDEr-D-1 to CIDEr-D-4,
    BLEU without its brevity penalty (-nobp), the F1 of the bags of :func:`metrics.bast`, WMD and
    WMD-max without stop words (-nostop) or weighted by document frequencies (-idf), and SPIDEr-T.

    Examples
    --------
    >>> names()[:4]
    ('BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4')
    """
    return tuple(
        name for metric in METRICS if metric.is_available for name in metric.names
    )


def names_with_extras() -> tuple[str, ...]:
    """List the names of all metrics, also of those whose optional packages are not installed.

    Examples
    --------
    >>> set(names_with_extras()) >= {"CIDEr", "tuple-F", "WMD"}
    True
    """
    return tuple(name for metric in METRICS for name in metric.names)


def left_out() -> list[str]:
    """Say in a line for each missing optional package which metrics need it, and what to install.

    A package that is switched off is not missing.
    """
    return [
        f"Without {_enumerated(names)}: {line}"
        for line, names in missing_metrics().items()
    ]


def missing_metrics() -> dict[str, tuple[str, ...]]:
    """Find the names of metrics whose packages are missing, by what to install for them.

    A package that is switched off is not missing.
    """
    found = {}
    for metric in METRICS:
        extra = metric.extra
        if not metric.names or not extra or extra.is_switched_off():
            continue
        if line := extra.missing():
            found[line] = metric.names

    return found


def made_with(metrics: Iterable[str]) -> list[str]:
    """Describe in lines what optional packages decide about the scores of metrics, by name.

    Such as "tuple-F, tuple-C: en_core_web_sm 3.8.0, sha256 5e6e4a2b1c0d, spacy 3.8.18".
    """
    lines = []
    needed = with_features(metrics, COMBINATIONS)
    for metric in METRICS:
        used = [name for name in metric.all_names if name in needed]
        if used and metric.extra:
            lines.append(f"{', '.join(used)}: {metric.extra.made_with()}")

    return lines


def resolve(metrics: str | Iterable[str] | None = None) -> tuple[str, ...]:
    """Find metrics by name, without regard to case.

    Parameters
    ----------
    metrics : str or iterable of str, optional
        One name, several names, or "all" (see :func:`names`). Without it, the seven metrics of the
        COCO caption evaluation.

    Returns
    -------
    tuple of str
        The names as the tables have them, in the order given, each once.

    Raises
    ------
    ValueError
        If no metric is named, or a name is that of no metric, or of one that needs packages which
        are not installed.

    Examples
    --------
    >>> resolve(["cider-d", "BLEU-4"])
    ('CIDEr-D', 'BLEU-4')
    >>> resolve()
    ('BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'METEOR', 'ROUGE-L', 'CIDEr-D')
    """
    found = _find(metrics)
    if not found:
        raise ValueError(
            "no metric is named: name one, or leave metrics out for those of COCO"
        )

    return found


def _find(metrics: str | Iterable[str] | None) -> tuple[str, ...]:
    if metrics is None:
        return tuple(COCO_NAMES)

    wanted = [metrics] if isinstance(metrics, str) else [str(name) for name in metrics]
    if ALL in wanted:
        return names()

    known = {name.lower(): name for name in _all_names()}
    faults = [_unknown(name) for name in wanted if name.lower() not in known]
    if faults:
        raise ValueError(
            f"{' '.join(faults)} The metrics are {', '.join(names())}. Scores of others, such as "
            "SPICE or BERTScore, can be given to the analysis in scores.csv."
        )

    found = tuple(dict.fromkeys(known[name.lower()] for name in wanted))
    _check_installed(found)

    return found


def is_known(name: str) -> bool:
    """Return whether a metric or a combination has a name, without regard to case."""
    return name.lower() in map(str.lower, _all_names())


def weighed(wanted: Iterable[str]) -> list[str]:
    """Find the metrics that weigh n-grams or words by document frequencies.

    Parameters
    ----------
    wanted : iterable of str
        Names as the tables have them; what combinations are made of counts too.
    """
    known = {name for metric in METRICS for name in metric.weighed}
    return [name for name in with_features(wanted, COMBINATIONS) if name in known]


def _all_names() -> list[str]:
    combined = [combination.name for combination in COMBINATIONS]
    return [name for metric in METRICS for name in metric.all_names] + combined


def _check_installed(found: Sequence[str]) -> None:
    needed = with_features(found, COMBINATIONS)
    for metric in _families(found):
        if metric.extra and (line := metric.extra.missing()):
            names = [name for name in needed if name in metric.all_names]
            raise ValueError(f"{_enumerated(names)}: {line}")


def _enumerated(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _unknown(name: str) -> str:
    def likeness(other: str) -> float:
        return SequenceMatcher(None, name.lower(), other.lower()).ratio()

    closest = max((*COCO_NAMES, *names()), key=likeness)
    ending = f": did you mean {closest}?" if likeness(closest) >= _LIKE else "."

    return f"unknown metric {name}{ending}"


@dataclass(frozen=True, eq=False)
class Compared:
    """A corpus compared by several metrics; a :class:`~metrics.corpora.metric.Comparison` too."""

    corpus: Corpus
    names: tuple[str, ...]
    comparisons: tuple[Comparison, ...]

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Score with the first 1, 2, ... K references of an order (see :func:`metrics.file_order`).

        Gives (candidates, K) by metric, NaN where an image has fewer than k references.
        """
        curves: dict[str, FloatArray] = {}
        for comparison in self.comparisons:
            curves |= comparison.accumulate(order)

        wanted = [each for each in COMBINATIONS if each.name in self.names]
        curves = with_composites(curves, wanted)

        return {name: curves[name] for name in self.names}


def compare(corpus: Corpus, metrics: str | Iterable[str] | None = None) -> Compared:
    """Compare the candidates of a corpus with their references, once.

    The comparison gives the scores for any order and number of references.

    Parameters
    ----------
    corpus : Corpus
        The captions, made by :func:`tercet.metrics.corpus`.
    metrics : str or iterable of str, optional
        Names as :func:`resolve` takes them.

    Raises
    ------
    ValueError
        If a name is that of no metric.

    Examples
    --------
    >>> from tercet.metrics import corpus, file_order
    >>> captions = corpus(
    ...     references=[["a dog", "the dog runs"], ["a cat"]],
    ...     candidates=["a dog runs", "a cat"],
    ... )
    >>> compare(captions, "ROUGE-1").accumulate(file_order(captions))["ROUGE-1"]
    array([[1. , 0.8],
           [1. , nan]])
    """
    wanted = _find(metrics)
    needed = with_features(wanted, COMBINATIONS)
    comparisons = tuple(
        family.compare(corpus, [name for name in needed if name in family.all_names])
        for family in _families(wanted)
    )

    read([each for each in comparisons if isinstance(each, Reader)])

    return Compared(corpus, wanted, comparisons)


def _families(wanted: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics that give at least one of the wanted scores."""
    needed = set(with_features(wanted, COMBINATIONS))
    return tuple(metric for metric in METRICS if set(metric.all_names) & needed)
