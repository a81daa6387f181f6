"""How well do caption metrics agree with people?

>>> from analysis import Options, evaluate, find, load
>>> results = evaluate(load("examples/demo"), Options(metrics=("CIDEr", "length"), draws=2))
>>> results
<Results of 'Tercet demo: 24 drawn scenes': 96 pairs, 0 ratings, 2 metrics>
>>> [systems] = find(results, ["systems"])
>>> list(systems.tables)
['systems', 'systems_correlation']

`write_report(results, folder)` writes all findings into a folder, as `python -m analysis` does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.dataset.folder import load
    from analysis.evaluation.results import NothingToEvaluate, Results, evaluate
    from analysis.findings import find
    from analysis.findings.finding import Finding
    from analysis.report.folder import write_report
    from analysis.scoring.options import Options
    from analysis.tables.schema import Dataset

__all__ = [
    "Dataset",
    "Finding",
    "NothingToEvaluate",
    "Options",
    "Results",
    "evaluate",
    "find",
    "load",
    "write_report",
]

_MODULES = {
    "Dataset": "analysis.tables.schema",
    "Finding": "analysis.findings.finding",
    "NothingToEvaluate": "analysis.evaluation.results",
    "Options": "analysis.scoring.options",
    "Results": "analysis.evaluation.results",
    "evaluate": "analysis.evaluation.results",
    "find": "analysis.findings",
    "load": "analysis.dataset.folder",
    "write_report": "analysis.report.folder",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: pandas and matplotlib take a second to load."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
