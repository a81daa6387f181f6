"""What a metric is: a comparison made once, then accumulated for any order of references."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.orders import Order

if TYPE_CHECKING:
    from tercet.metrics.explain.explanation import Explain


class Comparison(Protocol):
    """A corpus's candidates compared with its references."""

    def accumulate(self, order: Order) -> dict[str, FloatArray]:
        """Scores by metric, (candidates, K) each, K the most references of an image.

        order: that of the references (see :mod:`tercet.metrics.corpora.orders`). Column
        k - 1 holds the scores with the first k references, NaN where the image has fewer.
        """
        ...


@dataclass(frozen=True)
class Extra:
    """Optional packages.

    missing: says in one line what is not installed and how to install it, "" if nothing is missing.
    is_switched_off: whether the user does without the packages, installed or not.
    made_with: describes what of the packages decides the scores, for the signature of a result;
        none where it is always the same.
    name: of the extra of Tercet that installs them.
    """

    missing: Callable[[], str]
    is_switched_off: Callable[[], bool] = lambda: False
    made_with: Callable[[], str] | None = None
    name: str = ""


@dataclass(frozen=True)
class Metric:
    """A family of metrics that are compared together.

    names: of the scores, in the order of the tables. compare: makes the comparison for those of
    the names that are wanted; other scores may come along, and are left out. A comparison that is
    a :class:`~tercet.metrics.corpora.ngrams.Reader` is handed the shared n-grams before
    it is accumulated.
    variants: names of further scores, which are computed only where they are asked for.
    weighed: those of the scores that depend on document frequencies.
    extra: the optional packages that the metrics need; without them the names are not among all.
    is_english: whether stems, synonyms, parses or vectors of English words decide the scores.
    explain: of a plug-in, explains a score; those built in stand in `metrics.explain`.
    place: where a plug-in stands in tables, by the smallest first: after METEOR, before length.
    """

    names: tuple[str, ...]
    compare: Callable[[Corpus, Sequence[str]], Comparison]
    variants: tuple[str, ...] = ()
    weighed: tuple[str, ...] = ()
    extra: Extra | None = None
    is_english: bool = False
    explain: "Explain | None" = None
    place: int = 0

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names and the variants."""
        return self.names + self.variants

    @property
    def is_available(self) -> bool:
        """Whether the packages that it needs are installed and wanted."""
        return self.extra is None or not self.extra.missing()
