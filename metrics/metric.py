"""What a metric is: a comparison made once, then accumulated for any order of references."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from metrics.arrays import FloatArray
from metrics.corpus import Corpus
from metrics.orders import Order


class Comparison(Protocol):
    """A corpus's candidates compared with its references."""

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Scores by metric, (candidates, K) each, K the most references of an image.

        order: that of the references (see :mod:`metrics.orders`). Column k - 1 holds the
        scores with the first k references, NaN where the image has fewer.
        """
        ...


@dataclass(frozen=True)
class Metric:
    """A family of metrics that are compared together.

    names: of the scores, in the order of the tables. compare: makes the comparison for those of
    the names that are wanted; other scores may come along, and are left out. A comparison that is
    a :class:`~metrics.ngrams.Reader` is handed the shared n-grams before it is accumulated.
    variants: names of further scores, which are computed only where they are asked for.
    """

    names: tuple[str, ...]
    compare: Callable[[Corpus, Sequence[str]], Comparison]
    variants: tuple[str, ...] = ()

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names and the variants."""
        return self.names + self.variants
