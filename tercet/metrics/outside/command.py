"""Metrics that are programs: asked in lines, started again where they crash, their scores kept."""

import json
import shlex
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.core.caches import cache_directory, obstacle, warn_not_kept
from tercet.metrics.outside.calls import (
    MetricFailed,
    ScoredItem,
    checked_scores,
    failure,
    parts,
)
from tercet.metrics.outside.kept import KeptScores
from tercet.metrics.outside.programs import NoAnswer, Program, Stopped
from tercet.metrics.outside.protocol import (
    ABOUT,
    PROTOCOL,
    question,
    read_about,
    read_answer,
)
from tercet.metrics.outside.text_metric import TextMetric, metric

_TRIES = 3
"""How often a question is asked before it is made smaller, and a program started that ends."""
_UNDER_WAY = 2
"""Questions that are sent before the first of them is answered."""
_IDENTITY = ("name", "version", "weights_sha256")
"""What a program must declare alike each time that it starts."""


class Limits(NamedTuple):
    """What a program may need: seconds to its first line and for a batch, and bytes of a line."""

    start_seconds: float = 300.0
    batch_seconds: float = 120.0
    line_bytes: int = 16 << 20


_LIMITS = Limits()


def command(
    words: Sequence[str],
    *,
    limits: Limits = _LIMITS,
    environment: Sequence[str] | None = None,
    cache: bool = True,
) -> TextMetric:
    """Make a metric of a program that answers in lines.

    The program is started, without a shell, and again where it crashes; it ends with the process.
    Its standard error goes to a file beside the kept scores.

    Parameters
    ----------
    words : sequence of str
        The program and its arguments.
    limits : Limits, optional
        Seconds to the first line (300) and for each batch (120), and bytes of a line (16 MiB).
    environment : sequence of str, optional
        The names of the variables that the program is given, such as ``("PATH", "HOME")``; all
        of them without it.
    cache : bool, optional
        Use the scores of earlier runs, and keep those of this one for later ones. Those of a
        program that declares neither a version nor weights are kept for one run only.

    Returns
    -------
    TextMetric
        With what the program declares.

    Raises
    ------
    TypeError
        If `words` is no sequence of texts.
    MetricFailed
        If the program cannot be started, or does not declare a metric.

    Examples
    --------
    >>> from tercet import command, score
    >>> mine = command(["python", "my.py"])  # doctest: +SKIP
    >>> score(references=[["a dog"]], candidates=["dogs"], metrics=mine)  # doctest: +SKIP
    """
    given = () if isinstance(words, str) else tuple(words)
    if not given or not all(isinstance(word, str) for word in given):
        raise TypeError(
            f'command: give a list of words such as ["python", "my.py"], not {words!r:.80}'
        )

    return _Command(given, limits, environment, cache).metric


def with_programs(
    metrics: Sequence[str | TextMetric],
    lines: Sequence[str],
    limits: Limits = _LIMITS,
    cache: bool = True,
) -> tuple[str | TextMetric, ...]:
    """Add metrics that are programs, given as in a shell; they replace names of their own."""
    made = [command(_split(line), limits=limits, cache=cache) for line in lines]
    own = {each.name for each in made}
    others = [each for each in metrics if each not in own]

    return (*others, *made)


def _split(line: str) -> list[str]:
    """Split a line into words, as a shell does; ValueError where there are none."""
    try:
        if words := shlex.split(line):
            return words
        fault = "it is empty"
    except ValueError as error:
        fault = f"{error}".lower()

    raise ValueError(
        f"--metric-command {line!r:.80}: {fault}: give a program and its arguments, such as "
        "'python my.py'"
    )


class _Unable(RuntimeError):
    """A program answered that it could not score a batch."""


class _Command:
    """The program of a metric, and the function of that metric.

    Attributes
    ----------
    declared : TextMetric
        What the program declares.
    kept : KeptScores
    most : int
        How many comparisons a question may have.
    """

    def __init__(
        self,
        words: tuple[str, ...],
        limits: Limits,
        environment: Sequence[str] | None,
        cache: bool,
    ) -> None:
        self._words = words
        self._limits = limits
        self._environment = environment
        self._title = f"command {shlex.join(words)}"
        self._program: Program | None = None
        self._asked = 0
        self._images: dict[Path, str] = {}

        folder = cache_directory()
        problem = obstacle(folder)
        if problem:
            warn_not_kept(folder, problem)
        place = Path(tempfile.gettempdir()) if problem else folder
        self._log = (
            place / f"command-{sha256(self._title.encode()).hexdigest()[:12]}.log"
        )

        self._about = self._start()
        self.declared = self.metric.described
        self._title = f"metric {self.declared.name}"
        self.most = self.declared.batch

        has_version = any(self._about.get(key) for key in _IDENTITY[1:])
        is_kept = cache and has_version and not problem
        try:
            self.kept = KeptScores(folder / "commands.sqlite" if is_kept else None)
        except ValueError as error:
            raise self.failed(str(error)) from error

    @property
    def metric(self) -> TextMetric:
        """The metric that the program is."""
        try:
            made = metric(self, batched=True, **self._about)
        except (TypeError, ValueError) as error:
            raise self.failed(str(error)) from error

        return replace(made, origin=shlex.join(self._words))

    def __call__(
        self,
        candidates: Sequence[str],
        references: Sequence[Any] | None = None,
        image: Sequence[Path | None] | None = None,
    ) -> list[float]:
        """Score captions, given as any metric is given them that takes lists."""
        none = [None] * len(candidates)
        items = []
        for text, given, file in zip(
            candidates, references or none, image or none, strict=True
        ):
            texts = (given,) if isinstance(given, str) else tuple(given or ())
            items.append(ScoredItem(text, texts, file))

        return [score for scores in self.stream([items]) for score in scores.tolist()]

    def stream(
        self, batches: Iterable[Sequence[ScoredItem]], run: int = 0
    ) -> Iterator[FloatArray]:
        """Yield the scores of each batch, in their order, while the next one is under way.

        Scores are kept for each run of the same comparisons.
        """
        asking = _Questions(self, run)
        waiting: deque[list[bytes]] = deque()
        try:
            for batch in chain(batches, [()]):
                waiting.append(asking.add(batch))
                if len(waiting) == _UNDER_WAY:
                    yield asking.scores(waiting.popleft())
        finally:
            if asking.is_under_way and self._program:
                self._program.kill()
                self._program = None

    def ask(self, items: Sequence[ScoredItem]) -> int:
        """Send a question; return its number."""
        if self._program is None:
            self._check_same(self._start())
        assert self._program is not None

        number = self._asked
        self._program.send(question(number, items))
        self._asked += 1

        return number

    def answer(self, number: int, items: Sequence[ScoredItem]) -> FloatArray:
        """Wait for the answer to a question; raise Stopped or _Unable where there is none."""
        assert self._program is not None
        try:
            line = self._program.receive(self._limits.batch_seconds)
            scores, fault = read_answer(line, number, self._asked)
        except Stopped:
            self._program = None
            raise
        except ValueError as error:
            raise self.failed(str(error), items[0]) from error
        if fault:
            raise _Unable(fault)

        # SQLite keeps no negative zeros.
        return checked_scores(self.declared, scores, items) + 0.0

    def key(self, item: ScoredItem, run: int) -> bytes:
        """Return the digest of all that decides the score of an item."""
        about = self._about
        references = list(item.references)
        if not self.declared.ordered:
            references.sort()
        image = self._digest_of(item.image) if item.image else ""
        identity = [about.get(key, "") for key in (*_IDENTITY, "combine")]
        parts = [PROTOCOL, *identity, self._words, run, image, item.candidate]

        return sha256(json.dumps([*parts, references]).encode()).digest()

    def keep(self, scores: Mapping[bytes, float]) -> None:
        """Keep scores, by their keys."""
        try:
            self.kept.keep(scores)
        except ValueError as error:
            raise self.failed(str(error)) from error

    def given_up(self, item: ScoredItem, error: Exception) -> MetricFailed:
        """Return what is raised for an item that the program cannot score."""
        return self.failed(
            f"{error}: repair the program, of which messages are in {self._log}, and run again: "
            "scores so far are kept",
            item,
        )

    def failed(self, what: str, item: ScoredItem | None = None) -> MetricFailed:
        """Return an error that names the metric."""
        return failure(self._title, what, item)

    def _start(self) -> dict[str, Any]:
        """Start the program; return what it declares."""
        for number in range(_TRIES):
            try:
                program = Program(
                    self._words, self._log, self._limits.line_bytes, self._environment
                )
                self._program = program
                program.send(ABOUT)
                return read_about(program.receive(self._limits.start_seconds))
            except Stopped as error:
                if number == _TRIES - 1 or isinstance(error, NoAnswer):
                    raise self.failed(
                        f"{error} before its first answer: see {self._log}"
                    ) from error
            except OSError as error:
                raise self.failed(
                    f"it cannot be started ({error.strerror}): check its first word"
                ) from error
            except ValueError as error:
                raise self.failed(str(error)) from error

        raise AssertionError

    def _check_same(self, about: Mapping[str, Any]) -> None:
        for key in _IDENTITY:
            before, after = self._about.get(key, ""), about.get(key, "")
            if before != after:
                raise self.failed(
                    f"its {key} is {after!r:.60} after a restart and was {before!r:.60}: leave "
                    "the program as it is during a run"
                )

    def _digest_of(self, image: Path) -> str:
        if image not in self._images:
            try:
                self._images[image] = sha256(image.read_bytes()).hexdigest()
            except OSError as error:
                raise self.failed(
                    f"image {image} cannot be read ({error.strerror}): add the file"
                ) from error

        return self._images[image]


@dataclass(eq=False)
class _Question:
    """Items by their keys; the number of the question while it is under way, else -1."""

    items: dict[bytes, ScoredItem]
    number: int = -1
    tries: int = 0


class _Questions:
    """What a program is still to be asked, and what is known already."""

    def __init__(self, command: _Command, run: int) -> None:
        self._command = command
        self._run = run
        self._known: dict[bytes, float] = {}
        self._open: list[_Question] = []

    @property
    def is_under_way(self) -> bool:
        """Whether an answer is due."""
        return any(each.number >= 0 for each in self._open)

    def add(self, batch: Sequence[ScoredItem]) -> list[bytes]:
        """Add a batch; return the keys of its items."""
        keys = [self._command.key(item, self._run) for item in batch]
        items = dict(zip(keys, batch, strict=True))
        missing = [key for key in items if key not in self._known]
        self._known |= self._command.kept.find(missing)

        unknown = [key for key in missing if key not in self._known]
        for part in parts(unknown, self._command.most):
            self._open.append(_Question({key: items[key] for key in part}))

        return keys

    def scores(self, keys: Sequence[bytes]) -> FloatArray:
        """Return scores by their keys, once they are known."""
        while not all(key in self._known for key in keys):
            self._send()
            self._receive()

        return np.array([self._known[key] for key in keys])

    def _send(self) -> None:
        """Send the first questions; only one where one has failed."""
        has_failed = any(each.tries for each in self._open)
        for each in self._open[: 1 if has_failed else _UNDER_WAY]:
            if each.number < 0:
                each.number = self._command.ask(list(each.items.values()))

    def _receive(self) -> None:
        """Keep what is answered to the oldest question, or have it asked again."""
        sent = [each for each in self._open if each.number >= 0]
        oldest = min(sent, key=lambda each: each.number)
        try:
            scores = self._command.answer(oldest.number, list(oldest.items.values()))
        except Stopped as error:
            for each in sent:
                each.number = -1
            self._retry(oldest, error)
        except _Unable as error:
            oldest.number = -1
            self._retry(oldest, error)
        else:
            made = dict(zip(oldest.items, scores.tolist(), strict=True))
            self._command.keep(made)
            self._known |= made
            self._open.remove(oldest)

    def _retry(self, failed: _Question, error: Exception) -> None:
        """Count a failure; divide a question that fails too often, or takes too long."""
        failed.tries += 1
        items = list(failed.items.items())
        is_too_slow = isinstance(error, NoAnswer) and len(items) > 1
        if failed.tries < _TRIES and not is_too_slow:
            return

        if len(items) == 1:
            raise self._command.given_up(items[0][1], error)

        half = -(-len(items) // 2)
        self._command.most = half
        place = self._open.index(failed)
        halves = [_Question(dict(part)) for part in parts(items, half)]
        self._open[place : place + 1] = halves
