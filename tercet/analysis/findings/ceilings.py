"""What is said of the accuracy that a perfect metric could reach."""

from math import isnan

import pandas as pd

from tercet.analysis.evaluation.ceilings import Ceilings, Obstacle
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.first_sentence import main_name
from tercet.analysis.number_texts import fixed, percent
from tercet.analysis.stats.ceilings import MIN_IMAGES
from tercet.analysis.tables.schema import ALL
from tercet.analysis.values import bounds, percent_interval, span

HELP = (
    "The ceiling is the accuracy that a perfect metric reaches against these winners; a tie of "
    "people counts half. The interval holds for every distribution of opinions that agrees with "
    "the votes, and contains the ceiling in at least 95 % of studies like this one. More pairs "
    "narrow it; with few votes per pair, only more votes do beyond a point."
)
_COINS = 0.5005
"""Up to this lower bound, 50.0 is printed."""
_MANY_TIES = 0.05
"""A share of "can't tell" at which the ceiling depends on how they are counted."""
_TIES = (
    "“Can't tell” counts as half a vote for each candidate, and the ceiling is that of tossing a "
    "coin instead: against winners by half votes it is higher, by about 1 point at 20 % ties."
)

_REASONS: dict[Obstacle, str] = {
    "no votes": "Winners{pairs} come without votes, and without them nothing is known of what a "
    "perfect metric could reach.",
    "one vote": "Every pair{pairs} has one {unit}, and that says nothing of what a perfect metric "
    "could reach.",
    "few images": "The judged pairs{pairs} have fewer than {images} images: too few to bound what "
    "a perfect metric could reach.",
    "early": "The study stops a pair early, so that the number of its votes depends on them: they "
    "do not bound what a perfect metric could reach.",
    "decisions": "An adjudicator decided some winners: the votes do not bound what a perfect "
    "metric could reach against them.",
}
"""Why nothing is said of a ceiling."""


def ceiling_in_words(results: Results) -> str:
    """Say between which bounds the ceiling of the main group is, or why the votes do not tell."""
    ceilings = results.people.ceilings
    table = ceilings.table.set_index("category")
    if results.main_group not in table.index:
        return _why_none(ceilings, results.main_group)

    columns = ["accuracy", "low", "high", "fewest_votes", "most_votes"]
    [row] = table.loc[[results.main_group], columns].to_numpy(dtype=float).tolist()
    value, low, high = row[:3]
    fewest, most = int(row[3]), int(row[4])
    numbers = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    given = f"{numbers} {ceilings.unit} per pair; {main_name(results)}"
    said = f"Against these winners ({given}) a perfect metric reaches"
    if isnan(value):
        said += f" between {fixed(percent(low), 1)} and {fixed(percent(high), 1)} %"
        is_open = low <= _COINS
        said += ": the votes do not exclude that people toss coins." if is_open else "."
    else:
        said += f" {fixed(percent(value), 1)} % (95 % interval {span(low, high)})."
    notes = [said, HELP, _TIES if ceilings.ties >= _MANY_TIES else ""]
    return " ".join(filter(None, notes))


def _why_none(ceilings: Ceilings, group: str) -> str:
    """Say what the votes lack, of the first category of a group that lacks something."""
    obstacles = {name: ceilings.obstacle_of(name) for name in ceilings.members(ALL)}
    own = ceilings.members(group)
    name, obstacle = next((name, obstacles[name]) for name in own if obstacles[name])
    is_of_all = set(obstacles.values()) == {obstacle} and obstacle != "few images"
    pairs = "" if is_of_all or not name else f" of {name}"
    unit = ceilings.unit.removesuffix("s")
    return _REASONS[obstacle].format(pairs=pairs, unit=unit, images=MIN_IMAGES)


def ceiling_cells(table: pd.DataFrame) -> list[str]:
    """Return ceilings as cells of a table: values with their intervals, or bounds."""
    rows = table[["accuracy", "low", "high"]].to_numpy(dtype=float).tolist()
    return [
        bounds(low, high) if isnan(value) else percent_interval(value, low, high)
        for value, low, high in rows
    ]
