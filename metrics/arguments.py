"""Arguments of commands, read alike by ``python -m metrics`` and ``python -m analysis``."""

import os
import re
import sys
import warnings
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

COMBINE_HELP = (
    "a weighted sum of metrics as a further metric, such as "
    '"mine = 0.5 METEOR + 0.5 z(CIDEr-D)"; z(...) standardizes over all candidates with all '
    "references; can be repeated"
)
MODEL_HELP = (
    "a learned metric as a further metric: a file that python -m tercet.analysis.train "
    "wrote; can be repeated"
)
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


def program(module: str) -> str:
    """Return how a command was started: as `tercet …`, or as `python -m MODULE`."""
    started = Path(sys.argv[0]).stem
    return started if started.startswith("tercet") else f"python -m {module}"


@contextmanager
def shell_output() -> Iterator[None]:
    """Print warnings of Tercet as notes, and end quietly if nobody reads the standard output.

    As `head` does not once it has enough. What a command writes to files is written all the same.
    """
    with warnings.catch_warnings():
        warnings.showwarning = partial(_show, warnings.showwarning)
        try:
            try:
                yield
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            # Python flushes the standard output once more when it ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            sys.exit(0)


def _show(
    show_other: Callable[..., None],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    *others: Any,
    **more: Any,
) -> None:
    if Path(filename).is_relative_to(Path(__file__).parent):
        print(f"Note: {message}.", file=sys.stderr)
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
