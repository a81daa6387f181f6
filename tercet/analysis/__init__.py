"""How well do caption metrics agree with people?

>>> from tercet.analysis import Options, evaluate, find, load
>>> results = evaluate(load("examples/demo"), Options(metrics=("CIDEr", "length"), draws=2))
>>> results
<Results of 'Tercet demo: 24 drawn scenes': 96 pairs, 0 ratings, 2 metrics>
>>> [systems] = find(results, ["systems"])
>>> list(systems.tables)
['systems', 'systems_correlation']

`write_report(results, folder)` writes all findings into a folder, as `tercet analyse` does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.analysis.dataset.folder import load
    from tercet.analysis.dataset.frames import Dataset
    from tercet.analysis.dataset.rating_pairs import with_pairs_from_ratings
    from tercet.analysis.evaluation.evaluate import evaluate
    from tercet.analysis.evaluation.results import NothingToEvaluate, Results
    from tercet.analysis.findings import find
    from tercet.analysis.findings.finding import Finding
    from tercet.analysis.report.folder import write_report
    from tercet.analysis.scoring.options import Options

__all__ = [
    "Dataset",
    "Finding",
    "NothingToEvaluate",
    "Options",
    "Results",
    "evaluate",
    "find",
    "load",
    "with_pairs_from_ratings",
    "write_report",
]

_MODULES = {
    "Dataset": "tercet.analysis.dataset.frames",
    "Finding": "tercet.analysis.findings.finding",
    "NothingToEvaluate": "tercet.analysis.evaluation.results",
    "Options": "tercet.analysis.scoring.options",
    "Results": "tercet.analysis.evaluation.results",
    "evaluate": "tercet.analysis.evaluation.evaluate",
    "find": "tercet.analysis.findings",
    "load": "tercet.analysis.dataset.folder",
    "with_pairs_from_ratings": "tercet.analysis.dataset.rating_pairs",
    "write_report": "tercet.analysis.report.folder",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: pandas and matplotlib take a second to load."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    module = import_module(_MODULES[name])
    return getattr(module, name)


def __dir__() -> list[str]:
    return __all__
