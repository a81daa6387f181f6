"""Arguments of commands, read alike by ``tercet score`` and ``tercet analyse``."""

import os
import re
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tercet.checkout import ShowVersion
from tercet.metrics.core.quiet import QUIET
from tercet.metrics.core.quiet import hides_progress as hides_progress
from tercet.metrics.core.quiet import print_note as print_note
from tercet.metrics.outside.calls import MetricFailed
from tercet.metrics.outside.command import Limits

COMBINE_HELP = (
    "a weighted sum of metrics as a further metric, such as "
    '"mine = 0.5 METEOR + 0.5 z(CIDEr-D)"; z(...) standardizes over all candidates with all '
    "references; can be repeated"
)
MODEL_HELP = (
    "a learned metric as a further metric: a file that tercet train "
    "wrote; can be repeated"
)
FAILED, REFUSED, METRIC_FAILED, INTERRUPTED, UNREAD = 1, 2, 3, 130, 141
"""Exit statuses: a finding could not be made, or a check failed; the input is wrong; a metric from
outside failed; the user stopped it; nobody reads the output."""
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_LIMIT = re.compile(r"(start|batch|line)=([1-9][0-9]{0,8})")
_LIMIT_FIELDS = dict(zip(("start", "batch", "line"), Limits._fields, strict=True))


def program(command: str) -> str:
    """Return the name of a command: `tercet …`, or the former one by which it was started."""
    started = Path(sys.argv[0]).stem
    return started if started.startswith("tercet-") else f"tercet {command}"


@contextmanager
def shell_output() -> Iterator[None]:
    """Print warnings of Tercet as notes, and end where the user stops the command.

    It ends without a word if nobody reads the standard output, as `head` does not once it has
    enough. What a command writes to files is written all the same.
    """
    before = QUIET.set(False)
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
            QUIET.reset(before)


def add_shell_options(parser: ArgumentParser) -> None:
    """Add the options of every command."""
    parser.add_argument("--version", action=ShowVersion, nargs=0)
    parser.add_argument(
        "--quiet", action="store_true", help="no notes and no progress; errors remain"
    )


def add_program_options(parser: ArgumentParser) -> None:
    """Add the options of metrics that are programs."""
    parser.add_argument(
        "--metric-command",
        action="append",
        default=[],
        metavar="'python my.py'",
        help="a program that is a metric, as a further metric; can be repeated",
    )
    parser.add_argument(
        "--metric-limits",
        type=limits,
        default=Limits(),
        metavar="start=300,batch=120,line=16777216",
        help="what such a program may take: seconds to its first line and for a batch, and bytes "
        "of a line (default: these)",
    )


def add_strict(parser: ArgumentParser) -> None:
    """Add the option that makes a failed check an error."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="status 1 where a metric from outside fails a check, such as to repeat its scores",
    )


def tell_failed(lines: Sequence[str], strict: bool) -> int:
    """Print which checks failed, as notes or as errors; return the exit status."""
    for line in lines:
        if strict:
            print(line, file=sys.stderr)
        else:
            print_note(f"Note: {line}.")

    return FAILED if lines and strict else 0


def add_caption_files(parser: ArgumentParser, candidates: str) -> None:
    """Add the files of captions; say of candidates what is special."""
    formats = (
        "CSV or JSON Lines with image and caption, COCO JSON, or a dataset folder or its zip; "
        "- for standard input"
    )
    parser.add_argument("--references", type=Path, help=formats)
    parser.add_argument("--candidates", type=Path, help=f"{formats}; {candidates}")


def be_quiet(quiet: bool) -> None:
    """Print no notes and no progress from now on, inside `shell_output`."""
    QUIET.set(quiet)


def refused(command: str, error: Exception) -> int:
    """Print the error that ends a command; return its exit status."""
    message = str(error)
    if isinstance(error, OSError) and error.filename and error.strerror:
        message = f"{error.filename}: {error.strerror}"
    print(f"{command}: {message}", file=sys.stderr)

    return METRIC_FAILED if isinstance(error, MetricFailed) else REFUSED


def _show(
    show_other: Callable[..., None],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    *others: Any,
    **more: Any,
) -> None:
    if hasattr(message, "is_of_tercet"):
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


def limits(text: str) -> Limits:
    """Read limits of programs, with commas between; the others are as usual.

    Raises ArgumentTypeError if a part is none of ``start``, ``batch`` and ``line`` with a number.

    Examples
    --------
    >>> limits("batch=600").batch_seconds
    600
    """
    changed: dict[str, Any] = {}

    for word in words(text):
        written = _LIMIT.fullmatch(word)
        if not written:
            raise ArgumentTypeError(
                f"{word!r} is not a limit: give start=SECONDS, batch=SECONDS or line=BYTES, whole "
                "numbers from 1"
            )
        changed[_LIMIT_FIELDS[written[1]]] = int(written[2])

    return Limits(**changed)
