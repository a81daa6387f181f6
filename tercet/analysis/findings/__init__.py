"""What an evaluation finds: each finding is one module here, one command, one item of a report.

To add one: a module with a function under `@finding`, and a line in `DEFINITIONS`.
"""

from collections.abc import Collection, Sequence

from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings import (
    accuracy,
    agreement,
    answer,
    captions,
    differences,
    enough,
    table,
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
from tercet.analysis.findings.people import humans, people, planning, protocols
from tercet.analysis.progress import Progress, silent
from tercet.analysis.scoring.workers import one_thread
from tercet.lab.gaming import finding as gaming
from tercet.lab.robustness import finding as robustness
from tercet.lab.tuples import finding as profile
from tercet.lab.words import finding as words
from tercet.metrics.text.tokenizers import whole_captions_said

DEFINITIONS = (
    answer.answer,
    accuracy.accuracy,
    table.table,
    ratings.ratings,
    differences.differences,
    outside.outside,
    enough.enough,
    systems.systems,
    robustness.robustness,
    gaming.gaming,
    captions.captions,
    humans.humans,
    protocols.protocols,
    ranking.ranking,
    words.words,
    profile.profile,
    agreement.agreement,
    learned.learned,
    learned_ratings.learned_ratings,
    people.people,
    planning.planning,
)
"""In the order of the report: that of the paper, with what is beside it near its like."""

FINDINGS: dict[str, Definition] = {each.name: each for each in DEFINITIONS}
"""By name."""


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
        Names of findings (`FINDINGS`); all of them if empty.
    progress : Progress
        Called with the share done (0..1) and the finding being made.

    Returns
    -------
    list of Finding
        In the order of `names`, or of `FINDINGS`. A finding that lacks data has a `reason` and no
        content, or is left out if it was not named and lacks what is rare (`Need.is_rare`). One
        that raised an unexpected exception has an `error`.

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
    for name in names:
        if name not in FINDINGS:
            known = ", ".join(FINDINGS)
            raise ValueError(f"There is no finding {name!r}, only {known}.")

    return [FINDINGS[name] for name in dict.fromkeys(names or FINDINGS)]


def need_scores(names: Collection[str]) -> bool:
    """Return whether the named findings, or all, need scores of pairs or of ratings."""
    return any(definition.needs_scores for definition in choose(names))
