"""Arguments of commands, read alike by ``python -m metrics`` and ``python -m analysis``."""

import os
import re
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

from tercet import __version__

COMBINE_HELP = (
    "a weighted sum of metrics as a further metric, such as "
    '"mine = 0.5 METEOR + 0.5 z(CIDEr-D)"; z(...) standardizes over all candidates with all '
    "references; can be repeated"
)
MODEL_HELP = (
    "a learned metric as a further metric: a file that python -m tercet.analysis.train "
    "wrote; can be repeated"
)
METRIC_COMMAND_HELP = (
    "a program that is a metric, such as 'python my.py', as a further metric; can be "
    "repeated"
)
METRIC_FAILED, INTERRUPTED, UNREAD = 3, 130, 141
"""Exit statuses: a metric from outside failed; the user stopped it; nobody reads the output."""
_QUIET = ContextVar("quiet", default=False)
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


def program(module: str) -> str:
    """Return how a command was started: as `tercet …`, or as `python -m MODULE`."""
    started = Path(sys.argv[0]).stem
    return started if started.startswith("tercet") else f"python -m {module}"


@contextmanager
def shell_output() -> Iterator[None]:
    """Print warnings of Tercet as notes, and end where the user stops the command.

    It ends without a word if nobody reads the standard output, as `head` does not once it has
    enough. What a command writes to files is written all the same.
    """
    before = _QUIET.set(False)
    with warnings.catch_warnings():
        warnings.showwarning = partial(_show, warnings.showwarning)
        try:
            try:
                yield
            finally:
                sys.stdout.flush()
        except KeyboardInterrupt:
            print("Stopped.", file=sys.stderr)
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            # Python flushes the standard output once more when it ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            sys.exit(UNREAD)
        finally:
            _QUIET.reset(before)


def add_shell_options(parser: ArgumentParser) -> None:
    """Add the options of every command."""
    parser.add_argument("--version", action="version", version=f"tercet {__version__}")
    parser.add_argument(
        "--quiet", action="store_true", help="no notes and no progress; errors remain"
    )


def be_quiet(quiet: bool) -> None:
    """Print no notes and no progress from now on, inside `shell_output`."""
    _QUIET.set(quiet)


def hides_progress() -> bool | None:
    """Return what disables a bar of tqdm: True if it should be quiet, None without a terminal."""
    return _QUIET.get() or None


def print_note(text: object) -> None:
    """Print a note on standard error, unless it should be quiet."""
    if not _QUIET.get():
        print(text, file=sys.stderr)


def _show(
    show_other: Callable[..., None],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    *others: Any,
    **more: Any,
) -> None:
    if Path(filename).is_relative_to(Path(__file__).parent):
        print_note(f"Note: {message}.")
    else:
        show_other(message, category, filename, *others, **more)


def words(text: str) -> tuple[str, ...]:
    """Split words with commas between, and spaces around them at will.

    Examples
    --------
    >>> words("BLEU-4, CIDEr-D")
    ('BLEU-4', 'CIDEr-D')
    """
    return tuple(word.strip() for word in text.split(",") if word.strip())


def counts(text: str) -> tuple[int, ...]:
    """Read numbers of references and ranges of them, with commas between; ascending, each once.

    Raises ArgumentTypeError if a part is neither a number from 1 to 99,999 nor a range of them.

    Examples
    --------
    >>> counts("1-5,10")
    (1, 2, 3, 4, 5, 10)
    """
    numbers: set[int] = set()

    for word in words(text):
        written = _RANGE.fullmatch(word)
        first, last = (
            (int(written[1]), int(written[2] or written[1])) if written else (0, 0)
        )

        if not 1 <= first <= last:
            raise ArgumentTypeError(
                f"{word!r} is not a number from 1, or a range such as 1-48"
            )
        numbers.update(range(first, last + 1))

    if not numbers:
        raise ArgumentTypeError("give numbers from 1, such as 5,40 or 1-48")

    return tuple(sorted(numbers))
