"""Call the functions of a metric: in batches, each different text encoded once, answers checked."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.outside.text_metric import Encoded, Stream, TextMetric

Note: TypeAlias = Callable[[int, int], None]
"""Takes how many comparisons are made, and how many there are."""
_SHOWN = 60
"""Characters of a caption that a message gives."""
_MOST_BYTES = 1 << 28
"""Memory that encoded texts may keep from one batch of images to the next."""
_ROW_BYTES = 1 << 14
"""What an encoded text takes that does not say how much."""
_ROUNDING = 1e-6
"""What a score may be beyond a bound, as a share of it."""
T = TypeVar("T")


class ScoredItem(NamedTuple):
    """What is scored at once: a candidate, with a reference, several, or none."""

    candidate: str
    references: tuple[str, ...] = ()
    image: Path | None = None

    def __str__(self) -> str:
        parts = [f"candidate {self.candidate!r:.{_SHOWN}}"]
        if len(self.references) == 1:
            parts.append(f"reference {self.references[0]!r:.{_SHOWN}}")
        elif self.references:
            parts.append(f"{len(self.references)} references")
        if self.image:
            parts.append(f"image {self.image.name}")

        return ", ".join(parts)


class MetricFailed(RuntimeError):
    """A metric from outside raised an error, or answered with something that is no score.

    Attributes
    ----------
    item : ScoredItem, optional
        What it was to score.
    check : str
        The check that its scores did not pass; empty where there are no scores.
    """

    def __init__(
        self, message: str, item: ScoredItem | None = None, check: str = ""
    ) -> None:
        super().__init__(message)
        self.item = item
        self.check = check


class EncodedTexts(dict[str, Any]):
    """Texts as they are encoded; metrics with the same `encode` share them."""

    def forget(self) -> None:
        """Drop all of them if they take much memory."""
        size = sum(getattr(row, "nbytes", _ROW_BYTES) for row in self.values())
        if size > _MOST_BYTES:
            self.clear()


def failure(
    title: str, what: str, item: ScoredItem | None = None, check: str = ""
) -> MetricFailed:
    """Return the error of a metric, with the item that it was to score."""
    place = f"{item}: " if item else ""
    return MetricFailed(f"{title}: {place}{what}", item, check)


class Calls:
    """Calls of the functions of a metric.

    Parameters
    ----------
    metric : TextMetric
    rows : EncodedTexts
        Texts that are encoded already, to which others are added.
    state : object
        What its `fit` returned.
    run : int
        Of what is scored several times: 0 at first. Each run is made anew, past every cache.
    """

    def __init__(
        self, metric: TextMetric, rows: EncodedTexts, state: object = None, run: int = 0
    ) -> None:
        self.metric = metric
        self.rows = rows
        self.state = state
        self._run = run
        self._runs = count(run + 1)

    @classmethod
    def fitted(
        cls, metric: TextMetric, rows: EncodedTexts, references: list[list[str]]
    ) -> "Calls":
        """Fit a metric to the references of all images, if it takes them."""
        calls = cls(metric, rows)
        if metric.fit:
            calls.state = calls._called("fit", metric.fit, references)

        return calls

    def scores(
        self,
        items: Sequence[ScoredItem],
        note: Note | None = None,
        batch: int | None = None,
    ) -> FloatArray:
        """Score items (N,), `batch` at a time; by default as many as the metric states.

        Raises MetricFailed, with the item at fault.
        """
        size = batch or self.metric.batch

        def noted() -> Iterator[Sequence[ScoredItem]]:
            for number, part in enumerate(parts(items, size)):
                if note:
                    note(number * size, len(items))
                yield part

        compare = self.metric.compare
        scored = (
            compare.stream(noted(), self._run)
            if isinstance(compare, Stream)
            else map(self._scores_of, noted())
        )
        return np.concatenate([np.zeros(0), *scored])

    def anew(self) -> "Calls":
        """Return the calls of another run, with the same state."""
        return Calls(self.metric, EncodedTexts(), self.state, next(self._runs))

    def _scores_of(self, items: Sequence[ScoredItem]) -> FloatArray:
        if self.metric.encode:
            self._encode(self.metric.encode, items)
        if not self.metric.batched:
            each = [self._compared([item], *self._given(item)) for item in items]
            return checked_scores(self.metric, each, items)

        columns = zip(*map(self._given, items), strict=True)
        given = [_stacked(column) for column in columns]

        return checked_scores(self.metric, self._compared(items, *given), items)

    def _encode(
        self, encode: Callable[[list[str]], Encoded], items: Sequence[ScoredItem]
    ) -> None:
        """Encode the texts of items that are not encoded yet."""
        texts = [text for item in items for text in (item.candidate, *item.references)]
        missing = [text for text in dict.fromkeys(texts) if text not in self.rows]

        for part in parts(missing, self.metric.batch):
            rows = self._called("encode", encode, list(part))
            if len(rows) != len(part):
                raise MetricFailed(
                    f"metric {self.metric.name}: encode returned {len(rows)} rows for "
                    f"{len(part)} texts: return one for each, in their order"
                )
            self._check_width(rows)
            self.rows.update(zip(part, rows, strict=True))

    def _check_width(self, rows: Encoded) -> None:
        """Raise MetricFailed where vectors are of another width than those before."""
        some = [*rows[:1], *islice(self.rows.values(), 1)]
        widths = {np.shape(row) for row in some}
        are_vectors = all(len(width) == 1 for width in widths)
        if are_vectors and len(widths) > 1:
            raise MetricFailed(
                f"metric {self.metric.name}: encode returned rows of different widths: "
                f"{', '.join(str(width[0]) for width in sorted(widths))}"
            )

    def _given(self, item: ScoredItem) -> tuple[Any, ...]:
        """Return what the function takes of an item: the candidate, and what it compares with."""
        texts = [item.candidate, *item.references]
        values = [self.rows[text] for text in texts] if self.metric.encode else texts
        candidate, *references = values

        if self.metric.combine == "none":
            return (candidate,)

        return candidate, references if self.metric.combine == "set" else references[0]

    def _compared(self, items: Sequence[ScoredItem], *given: Any) -> Any:
        """Call the function with what items are, and what else it takes."""
        others: dict[str, Any] = {}
        if self.metric.fit:
            others["state"] = self.state
        if self.metric.needs_image:
            images = [item.image for item in items]
            others["image"] = images if self.metric.batched else images[0]
        try:
            return self.metric.compare(*given, **others)
        except MetricFailed:
            raise
        except Exception as error:
            raise failure(
                f"metric {self.metric.name}", _last_line(error), items[0]
            ) from error

    def _called(self, name: str, function: Callable[[Any], T], given: Any) -> T:
        """Call another function of the metric."""
        try:
            return function(given)
        except Exception as error:
            raise failure(
                f"metric {self.metric.name}", f"{name}: {_last_line(error)}"
            ) from error


def checked_scores(
    metric: TextMetric, answer: Any, items: Sequence[ScoredItem]
) -> FloatArray:
    """Return the scores that a function answered; MetricFailed for anything else."""
    values = answer if isinstance(answer, list) else list(np.atleast_1d(answer))
    if isinstance(answer, str):
        values = []
    if len(values) != len(items):
        raise failure(
            f"metric {metric.name}",
            f"{len(values)} scores for {len(items)} comparisons: return one for each, in "
            "their order",
            items[0],
        )

    scores = np.array([_number(value) for value in values])
    low, high = metric.bounds or (-np.inf, np.inf)
    is_inside = (scores >= low - _slack(low)) & (scores <= high + _slack(high))
    is_wrong = ~(np.isfinite(scores) & is_inside)
    for number in np.flatnonzero(is_wrong)[:1]:
        limits = f" from {low:g} to {high:g}" if metric.bounds else ""
        raise failure(
            f"metric {metric.name}",
            f"{str(values[number])!r:.{_SHOWN}} is no score: return a finite number{limits}",
            items[number],
            "bounds",
        )

    return scores


def _slack(bound: float) -> float:
    """Return how far rounding, in 32 bits too, may take a score beyond a bound."""
    return _ROUNDING * max(1.0, abs(bound))


def parts(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield values in batches of `size`."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _stacked(column: Sequence[Any]) -> Any:
    """Return a column as a list, or, of rows of numbers, as an array (rows, width)."""
    is_vector = isinstance(column[0], np.ndarray) and column[0].ndim == 1
    return np.stack(column) if is_vector else list(column)


def _number(value: Any) -> float:
    """Return a real number, of whatever type, and NaN for everything else."""
    is_real = isinstance(value, Decimal | Fraction)
    is_number = np.asarray(value).dtype.kind in "iuf" and np.ndim(value) == 0
    return float(value) if is_real or is_number else np.nan


def _last_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
