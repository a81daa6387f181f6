"""What an evaluation finds: each finding is one module here, one command, one item of a report.

To add one: a module with a function under `@finding`, and a line in `_DEFINITIONS`; or, in any
package, an entry point of the group `tercet.findings`.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points

from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings import (
    accuracy,
    agreement,
    answer,
    captions,
    differences,
    enough,
    table,
    worth,
)
from tercet.analysis.findings.finding import Definition, Finding
from tercet.analysis.findings.metrics import (
    learned,
    learned_ratings,
    outside,
    ranking,
    ratings,
    systems,
)
from tercet.analysis.findings.people import humans, people, planning, protocols, raters
from tercet.analysis.progress import Progress, silent
from tercet.analysis.scoring.workers import one_thread
from tercet.metrics.core import plug_ins
from tercet.metrics.text.tokenizers import whole_captions_said

_DEFINITIONS = (
    answer.answer,
    accuracy.accuracy,
    table.table,
    ratings.ratings,
    differences.differences,
    outside.outside,
    enough.enough,
    systems.systems,
    captions.captions,
    humans.humans,
    protocols.protocols,
    ranking.ranking,
    agreement.agreement,
    learned.learned,
    learned_ratings.learned_ratings,
    raters.raters,
    people.people,
    planning.planning,
    worth.worth,
)
"""The built-in findings in the order of the report, similar ones side by side."""


@cache
def definitions() -> Mapping[str, Definition]:
    """Return all findings by name, in the order of the report; plug-ins are imported here.

    Raises
    ------
    ValueError
        If a package has a finding that cannot be imported, or that has the name of another.
    """
    built_in = [(10 * number, each) for number, each in enumerate(_DEFINITIONS, 1)]
    installed = entry_points(group=plug_ins.FINDINGS)
    others = [each for each in installed if not plug_ins.is_own(each)]
    entries = [*plug_ins.own_entries(plug_ins.FINDINGS), *others]
    definitions = [
        plug_ins.imported(entry, "finding", Definition, "@finding") for entry in entries
    ]
    plugged = [(each.place, each) for each in definitions]
    ordered = sorted([*built_in, *plugged], key=lambda each: (each[0], each[1].name))

    found: dict[str, Definition] = {}
    for _place, each in ordered:
        if found.setdefault(each.name, each) is not each:
            raise ValueError(
                f"two findings have the name {each.name}: uninstall a package that has one"
            )
    return found


@one_thread
@whole_captions_said()
def find(
    results: Results, names: Collection[str] = (), progress: Progress = silent
) -> list[Finding]:
    """Make findings from results.

    Parameters
    ----------
    results : Results
        What `analysis.evaluate` returned.
    names : collection of str
        Names of findings (`definitions`); all of them if empty.
    progress : Progress
        Called with the share done (0..1) and the finding being made.

    Returns
    -------
    list of Finding
        In the order of the names, or of the report without names.

    Raises
    ------
    ValueError
        If there is no finding of a name.

    Examples
    --------
    >>> from tercet.analysis import Options, evaluate, find, load
    >>> results = evaluate(load("examples/demo"), Options(metrics=("CIDEr",), draws=2))
    >>> [table, ratings] = find(results, ["table", "ratings"])
    >>> list(table.tables)
    ['table', 'table_numbers']
    >>> print(ratings.reason)
    The dataset has no ratings.csv.
    """
    chosen = choose(names)
    findings = []
    for number, definition in enumerate(chosen):
        done = number / len(chosen)
        progress(done, str(definition.title))
        found = definition.find(results)
        if names or not found.lacks_what_is_rare:
            findings.append(found)
    return findings


def choose(names: Collection[str]) -> Sequence[Definition]:
    """Return the definitions of the named findings in this order, or all of them.

    Raises ValueError for an unknown name.
    """
    found = definitions()
    for name in names:
        if name not in found:
            known = ", ".join(found)
            hint = plug_ins.not_installed()
            raise ValueError(
                f"There is no finding {name!r}, only {known}. {hint}".strip()
            )

    return [found[name] for name in dict.fromkeys(names or found)]


def need_scores(names: Collection[str]) -> bool:
    """Return whether the named findings, or all, need scores of pairs or of ratings."""
    return any(definition.needs_scores for definition in choose(names))
