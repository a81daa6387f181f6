"""Score image captions, and evaluate caption metrics against human judgments.

This package holds the names for users of the library. Scoring needs the base installation only;
``Dataset``, ``load``, ``evaluate``, ``find``, ``write_report``, ``Options`` and ``Results`` need
``pip install 'tercet[analysis]'`` and are imported on first use.

>>> from tercet import score
>>> scores = score(
...     references=[["A dog runs.", "A dog is running."], ["Two cats!"]],
...     candidates=["a dog runs", "cats"],
... )
>>> scores.corpus["ROUGE-L"]
0.8144329896907216
>>> scores.captions["ROUGE-L"]
array([1.        , 0.62886598])
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.analysis import (
        Dataset,
        Options,
        Results,
        evaluate,
        find,
        load,
        write_report,
    )
    from tercet.metrics import (
        Scores,
        combine,
        command,
        curves,
        explain,
        metric,
        names,
        read_documents,
        score,
    )

__version__ = "0.3.0"

_FROM_METRICS = (
    "Scores",
    "combine",
    "command",
    "curves",
    "explain",
    "metric",
    "names",
    "read_documents",
    "score",
)
_FROM_ANALYSIS = (
    "Dataset",
    "Options",
    "Results",
    "evaluate",
    "find",
    "load",
    "write_report",
)
__all__ = [
    "Dataset",
    "Options",
    "Results",
    "Scores",
    "__version__",
    "combine",
    "command",
    "curves",
    "evaluate",
    "explain",
    "find",
    "load",
    "metric",
    "names",
    "read_documents",
    "score",
    "write_report",
]


def __getattr__(name: str) -> object:
    """Import a name when it is first used."""
    if name in _FROM_METRICS:
        return getattr(import_module("tercet.metrics"), name)
    if name not in _FROM_ANALYSIS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    try:
        return getattr(import_module("tercet.analysis"), name)
    except ModuleNotFoundError as error:
        message = (
            f"tercet.{name} needs {error.name}: run pip install 'tercet[analysis]'"
        )
        raise ModuleNotFoundError(message, name=error.name) from error


def __dir__() -> list[str]:
    return __all__
