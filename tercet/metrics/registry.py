"""All metrics, by name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import TypeAlias, overload

from tercet.metrics.composed.combinations import SPIDER_T
from tercet.metrics.composed.composites import with_composites, with_features
from tercet.metrics.core import plug_ins
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.core.warned import warn
from tercet.metrics.corpora.corpus import Corpus, Documents
from tercet.metrics.corpora.metric import Comparison, Metric
from tercet.metrics.corpora.ngrams import OverlapReader, read
from tercet.metrics.corpora.orders import Order
from tercet.metrics.meteor import METEOR, missing_data
from tercet.metrics.ngram.baselines import BASELINES
from tercet.metrics.ngram.bleu import BLEU
from tercet.metrics.ngram.cider import CIDER
from tercet.metrics.ngram.rouge import ROUGE
from tercet.metrics.outside.calls import EncodedTexts, Note
from tercet.metrics.outside.checks import CHECK_SHARE
from tercet.metrics.outside.entry_points import by_name, installed
from tercet.metrics.outside.measured import Counts, Pairwise, Sets, measure
from tercet.metrics.outside.text_metric import TextFamily, TextMetric
from tercet.metrics.text.inputs import Inputs

METRICS: tuple[Metric, ...] = (BLEU, *ROUGE, *CIDER, METEOR)
"""The metrics that are built in, but for the baselines; plug-ins stand between them."""
COMBINATIONS = (SPIDER_T,)
"""Sums of these metrics that are computed where they are named."""
Named: TypeAlias = str | TextMetric
"""A metric of this package by its name, or one from outside."""
ToScore: TypeAlias = str | Pairwise | Sets
"""A metric of this package by its name, or what one from outside has measured."""
ALL = "all"
_ALIKE = {
    "spice": "Tercet does not compute SPICE; tuple-F is alike (extra tuples).",
    "bertscore": "Tercet does not compute BERTScore; token-F is alike (extra embed).",
}
"""What is nearest to metrics of others that people ask for."""
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


def families() -> tuple[Metric, ...]:
    """List all families of metrics, in the order of the tables; plug-ins are imported here."""
    found = plug_ins.own_plug_ins(plug_ins.METRICS)
    plugged = [each for each in found if isinstance(each, Metric)]
    plugged.sort(key=lambda family: family.place)
    return (*METRICS, *plugged, *BASELINES)


def _text_families() -> list[TextFamily]:
    """List the plug-ins that compute metrics by functions of texts."""
    found = plug_ins.own_plug_ins(plug_ins.METRICS)
    return [each for each in found if isinstance(each, TextFamily)]


def text_family(name: str) -> TextFamily | None:
    """Return the plug-in that has a metric of a name, in any case; None where none has."""
    for family in _text_families():
        if name.lower() in map(str.lower, family.names):
            return family

    return None


def names() -> tuple[str, ...]:
    """List the names of all metrics that are installed, in the order of the tables.

    Variants are not among them, and are computed only where they are named: CIDEr-D-1 to CIDEr-D-4,
    BLEU without its brevity penalty (-nobp), the F1 of the bags of :func:`metrics.bast`, WMD and
    WMD-max without stop words (-nostop) or weighted by document frequencies (-idf), and SPIDEr-T.
    Those of the extra ``embed`` (if it is installed) and of other packages (entry points of the
    group ``tercet.metrics``) come last; "all" does not name them.

    Examples
    --------
    >>> names()[:4]
    ('BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4')
    """
    outside = [
        entry.name
        for name, (entry, *_others) in installed().items()
        if not is_known(name)
    ]
    own = [
        name
        for family in _text_families()
        if not family.missing()
        for name in family.names
    ]
    return (*built_in_names(), *own, *outside)


def built_in_names() -> tuple[str, ...]:
    """List the names of this package's metrics that have their extras installed."""
    return tuple(
        name for metric in families() if metric.is_available for name in metric.names
    )


def names_with_extras() -> tuple[str, ...]:
    """List the names of all metrics, also of those whose optional packages are not installed.

    Examples
    --------
    >>> set(names_with_extras()) >= {"CIDEr", "tuple-F", "WMD"}
    True
    """
    return tuple(name for metric in families() for name in metric.names)


def english_names() -> tuple[str, ...]:
    """List the names of metrics and variants that use English resources.

    Examples
    --------
    >>> set(english_names()) >= {"METEOR", "CIDEr-stem", "tuple-F", "WMD"}
    True
    """
    english = [metric for metric in families() if metric.is_english]
    return tuple(name for metric in english for name in metric.all_names)


def left_out() -> list[str]:
    """Say in a line for each missing optional package which metrics need it, and what to install.

    A package that is switched off is not missing.
    """
    missing = [
        f"Without {_enumerated(names)}: {line}"
        for line, names in missing_metrics().items()
    ]
    return [*missing, *filter(None, [plug_ins.not_installed()])]


def missing_metrics() -> dict[str, tuple[str, ...]]:
    """Find the names of metrics that lack packages, by what to install for them.

    A package that is switched off is not missing.
    """
    found = {}
    for metric in families():
        extra = metric.extra
        if not metric.names or not extra or extra.is_switched_off():
            continue
        if line := extra.missing():
            found[line] = metric.names

    return found


def made_with(metrics: Iterable[Named]) -> list[str]:
    """Describe in lines what optional packages decide about the scores of metrics, by name.

    Such as "tuple-F, tuple-C: en_core_web_sm 3.8.0, sha256 5e6e4a2b1c0d, spacy 3.8.18".
    """
    lines = []
    own = [each for each in metrics if isinstance(each, str)]
    needed = with_features(own, COMBINATIONS)
    for metric in families():
        used = [name for name in metric.all_names if name in needed]
        if used and metric.extra and metric.extra.made_with:
            lines.append(f"{', '.join(used)}: {metric.extra.made_with()}")

    return lines


@overload
def resolve(metrics: str | Iterable[str] | None = None) -> tuple[str, ...]: ...
@overload
def resolve(metrics: Named | Iterable[Named] | None) -> tuple[Named, ...]: ...
def resolve(metrics: Named | Iterable[Named] | None = None) -> tuple[Named, ...]:
    """Find metrics by name, without regard to case; those given as objects stay as they are.

    Parameters
    ----------
    metrics : str, TextMetric, or iterable of them, optional
        Names, or metrics from outside (see :func:`tercet.metric`), or "all" for those of this
        package (see :func:`names`). Without it, the seven metrics of the COCO caption evaluation,
        of which METEOR needs the extra ``meteor``: where it is missing, six, with a warning.

    Returns
    -------
    tuple of str or TextMetric
        The names as the tables have them, in the order given, each once.

    Raises
    ------
    ValueError
        If no metric is named, if a name is that of no metric, or of one that needs packages which
        are not installed, or if two metrics have the same name.

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


def needs_of(metric: Named) -> list[str]:
    """List what a metric needs: references, an image, a language, an extra or package."""
    if isinstance(metric, TextMetric):
        package = f"extra {metric.family}" if is_own(metric) else metric.origin
        language = metric.language and f"captions in {metric.language}"
        return [*filter(None, (*metric.needs, language, package))]

    needed: list[str] = []
    for family in _families([metric]):
        needed += ["references"] * (family not in BASELINES)
        needed += ["English captions"] * family.is_english
        needed += [f"extra {family.extra.name}"] if family.extra else []
    return list(dict.fromkeys(needed))


def name_of(metric: Named | ToScore) -> str:
    """Return the name of a metric."""
    return metric if isinstance(metric, str) else metric.name


def is_own(metric: Named) -> bool:
    """Return whether a metric is named, or is one of the extra ``embed``."""
    if isinstance(metric, str):
        return True

    return any(family.has(metric) for family in _text_families())


def check_names(metrics: Iterable[Named]) -> None:
    """Raise ValueError where a metric from outside has the name of another one."""
    seen: dict[str, Named] = {}
    for metric in metrics:
        name = name_of(metric)
        other = seen.setdefault(name.lower(), metric)
        are_names = isinstance(metric, str) and isinstance(other, str)
        if is_known(name) and not is_own(metric):
            raise ValueError(
                f"the name {name} is that of a metric of Tercet: give yours another name"
            )
        if not (other is metric or are_names):
            raise ValueError(f"two metrics have the name {name}: give one another name")


def text_metric(metric: Named) -> TextMetric | None:
    """Return a metric from outside; None for one of this package."""
    if isinstance(metric, TextMetric):
        return metric
    if family := text_family(metric):
        return family.make(metric)

    return None if is_known(metric) else by_name(metric)


def _find(metrics: Named | Iterable[Named] | None) -> tuple[Named, ...]:
    if metrics is None:
        return _coco_metrics()

    wanted = [metrics] if isinstance(metrics, str | TextMetric) else list(metrics)
    for each in wanted:
        if not isinstance(each, str | TextMetric):
            shown = getattr(each, "__name__", repr(each))
            raise TypeError(
                f"{shown:.60} is no metric: make it one by tercet.metric(…, name=…)"
            )
    check_names(wanted)
    if ALL in wanted:
        others = [each for each in wanted if isinstance(each, TextMetric)]
        return (*built_in_names(), *others)

    found = tuple(dict.fromkeys(_found(wanted)))
    _check_installed([each for each in found if isinstance(each, str)])

    return found


@cache
def _coco_metrics() -> tuple[str, ...]:
    """Return the metrics of COCO; warn, once in a process, where METEOR has to be left out."""
    missing = missing_data()
    if not missing:
        return tuple(COCO_NAMES)

    warn(f"METEOR is left out: {missing}")
    return tuple(name for name in COCO_NAMES if name not in METEOR.names)


def _found(wanted: Iterable[Named]) -> Iterator[Named]:
    """Write each name as the tables have it; ValueError with all that are unknown."""
    names_only = [each for each in wanted if isinstance(each, str)]
    known = {name.lower(): name for name in _all_names()}
    if any(name.lower() not in known for name in names_only):
        outside = {name: entries[0].name for name, entries in installed().items()}
        known = outside | known

    faults = [_unknown(name) for name in names_only if name.lower() not in known]
    if faults:
        alike = [_ALIKE[each.lower()] for each in names_only if each.lower() in _ALIKE]
        lines = [
            *faults,
            *alike,
            f"The metrics are {', '.join(names())}.",
            "An own one is made by tercet.metric; scores of others can be given to the analysis "
            "in scores.csv.",
            plug_ins.not_installed(),
        ]
        raise ValueError(" ".join(filter(None, lines)))

    for each in wanted:
        yield known[each.lower()] if isinstance(each, str) else each


def is_known(name: str) -> bool:
    """Return whether a metric or a combination has a name, without regard to case."""
    return name.lower() in map(str.lower, _all_names())


def weighed(wanted: Iterable[Named | ToScore]) -> list[str]:
    """Find the metrics that weigh n-grams or words by document frequencies.

    Parameters
    ----------
    wanted : iterable of metrics
        Names as the tables have them; what combinations are made of counts too.
    """
    known = {name for metric in families() for name in metric.weighed}
    own = [each for each in wanted if isinstance(each, str)]
    return [name for name in with_features(own, COMBINATIONS) if name in known]


def _all_names() -> list[str]:
    combined = [combination.name for combination in COMBINATIONS]
    own = [name for metric in families() for name in metric.all_names]
    of_texts = [name for family in _text_families() for name in family.names]
    return [*own, *combined, *of_texts]


def _check_installed(found: Sequence[str]) -> None:
    needed = with_features(found, COMBINATIONS)
    for metric in _families(found):
        if metric.extra and (line := metric.extra.missing()):
            names = [name for name in needed if name in metric.all_names]
            raise ValueError(f"{_enumerated(names)}: {line}")

    for family in _text_families():
        named = [name for name in found if name in family.names]
        if named and (line := family.missing()):
            raise ValueError(f"{_enumerated(named)}: {line}")


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

    def __repr__(self) -> str:
        return f"Compared({self.corpus!r}, {', '.join(self.names)})"

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


def compare(corpus: Corpus, metrics: Named | Iterable[Named] | None = None) -> Compared:
    """Compare the candidates of a corpus with their references, once.

    The comparison gives the scores for any order and number of references.

    Parameters
    ----------
    corpus : Corpus
        The captions, made by :func:`tercet.metrics.corpus`.
    metrics : str, TextMetric, or iterable of them, optional
        As :func:`resolve` takes them.

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
    measured = measure_all(_find(metrics), corpus.given, corpus.documents)
    return compare_all(corpus, measured)


def measure_all(
    metrics: Iterable[Named],
    captions: Inputs,
    documents: Documents,
    counts: Counts = None,
    note: Note | None = None,
    check_share: float = CHECK_SHARE,
) -> list[ToScore]:
    """Score captions by the metrics from outside; the others stay names (see :func:`measure`)."""
    measured: list[ToScore] = []
    encoded: dict[object, EncodedTexts] = defaultdict(EncodedTexts)
    for each in metrics:
        outside = text_metric(each)
        if not outside:
            measured.append(name_of(each))
            continue

        rows = encoded[outside.encode]
        made = measure(outside, captions, documents, counts, note, rows, check_share)
        measured.append(made)

    return measured


def compare_all(corpus: Corpus, metrics: Sequence[ToScore]) -> Compared:
    """Compare as `compare` does, by metrics of this package and others that have measured."""
    own = [each for each in metrics if isinstance(each, str)]
    needed = with_features(own, COMBINATIONS)
    comparisons = [
        family.compare(corpus, [name for name in needed if name in family.all_names])
        for family in _families(own)
    ]
    read([each for each in comparisons if isinstance(each, OverlapReader)])

    others = [each.compare(corpus) for each in metrics if not isinstance(each, str)]
    names = tuple(map(name_of, metrics))
    return Compared(corpus, names, (*comparisons, *others))


def _families(wanted: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics that give at least one of the wanted scores."""
    needed = set(with_features(wanted, COMBINATIONS))
    return tuple(metric for metric in families() if set(metric.all_names) & needed)
