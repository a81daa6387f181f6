"""All metrics, by name."""

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.arrays import FloatArray, IntArray
from metrics.baselines import BASELINES
from metrics.bleu import BLEU
from metrics.cider import CIDER
from metrics.corpus import Corpus
from metrics.meteor import METEOR
from metrics.metric import Comparison, Metric
from metrics.ngrams import Reader, read
from metrics.orders import check_order
from metrics.rouge import ROUGE

METRICS: tuple[Metric, ...] = (BLEU, *ROUGE, *CIDER, METEOR, *BASELINES)


def names() -> tuple[str, ...]:
    """The names of all metrics, in the order of the tables."""
    return tuple(name for metric in METRICS for name in metric.names)


def select(wanted: Sequence[str]) -> tuple[Metric, ...]:
    """The families that give the wanted scores; ValueError for a name that none gives."""
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        raise ValueError(f"unknown metric {', '.join(unknown)}: there are {', '.join(names())}")
    return tuple(metric for metric in METRICS if set(metric.names) & set(wanted))


@dataclass(frozen=True, eq=False)
class Compared:
    """A corpus compared by several metrics; itself a :class:`~metrics.metric.Comparison`."""

    corpus: Corpus
    names: tuple[str, ...]
    comparisons: tuple[Comparison, ...]

    def accumulate(self, rank: IntArray) -> dict[str, FloatArray]:
        """Scores (candidates, K) of each of ``names`` for one order; ValueError if it is none."""
        check_order(self.corpus, rank)
        curves: dict[str, FloatArray] = {}
        for comparison in self.comparisons:
            curves |= comparison.accumulate(rank)
        return {name: curves[name] for name in self.names}


def compare(corpus: Corpus, metrics: Sequence[str] | None = None) -> Compared:
    """Compare a corpus once by the named metrics, or by all; ValueError for an unknown name."""
    wanted = names() if metrics is None else tuple(dict.fromkeys(metrics))
    families = select(wanted)
    comparisons = tuple(
        family.compare(corpus, [name for name in wanted if name in family.names])
        for family in families
    )
    read([each for each in comparisons if isinstance(each, Reader)])
    return Compared(corpus, wanted, comparisons)
