"""Telling how far a long work has come."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from tqdm import tqdm

from tercet.metrics.arguments import hides_progress

Progress = Callable[[float, str], None]
"""Takes the share done (0..1) and what is being done."""


def silent(share: float, doing: str) -> None:
    """The progress of work that nobody watches."""


def part(progress: Progress, begin: float, end: float) -> Progress:
    """The progress of a part of the work, from `begin` to `end` of the whole."""
    return lambda share, doing: progress(begin + (end - begin) * share, doing)


class ProgressBar:
    """A progress bar on standard error, gone when the work is done."""

    def __enter__(self) -> Self:
        layout = "{l_bar}{bar}| {elapsed}"
        self.bar = tqdm(
            total=100,
            bar_format=layout,
            leave=False,
            delay=0.5,
            disable=hides_progress(),
        )
        return self

    def __call__(self, share: float, doing: str) -> None:
        self.bar.set_description_str(doing, refresh=False)
        self.bar.update(100 * share - self.bar.n)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.close()
