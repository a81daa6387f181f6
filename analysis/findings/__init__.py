"""What an evaluation finds: each finding is one module here, one command, one item of a report.

To add one: a module with a function from `Evidence` to `Finding`, and a line in `FINDINGS`.
"""

from collections.abc import Callable, Iterator, Sequence

from analysis.evaluation.evidence import Evidence
from analysis.findings.accuracy import accuracy
from analysis.findings.agreement import agreement
from analysis.findings.differences import differences
from analysis.findings.enough import enough
from analysis.findings.finding import Finding
from analysis.findings.humans import humans
from analysis.findings.people import people
from analysis.findings.planning import planning
from analysis.findings.protocols import protocols
from analysis.findings.ranking import ranking
from analysis.findings.ratings import ratings
from analysis.findings.systems import systems
from analysis.findings.table import table
from analysis.progress import Progress

FINDINGS: dict[str, Callable[[Evidence], Finding]] = {
    "accuracy": accuracy,
    "table": table,
    "differences": differences,
    "enough": enough,
    "systems": systems,
    "humans": humans,
    "protocols": protocols,
    "ranking": ranking,
    "agreement": agreement,
    "people": people,
    "planning": planning,
    "ratings": lambda evidence: ratings(evidence.dataset, evidence.options),
}
"""By the name of their files, in the order of the paper."""


def find(evidence: Evidence, names: Sequence[str], progress: Progress) -> Iterator[Finding]:
    """The named findings, or all."""
    chosen = [name for name in FINDINGS if name in (names or FINDINGS)]
    for number, name in enumerate(chosen):
        progress(number / len(chosen), f"Finding {name}")
        yield FINDINGS[name](evidence)
