"""What a report is made of: pairs, votes, options, captions of tables, and definitions."""

import re

from tests.reader import numbers
from tests.reader.dataset import category_of
from tests.reader.report import number
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import group_and_count

SIMPLE = {
    "metric": "metrics",
    "order of references": "draws",
    "orders of references": "draws",
    "resamples": "resamples",
    "sign flips": "flips",
}


@says("Winners of {pairs} pairs: {winners}.")
def winners(claim: Claim) -> dict[str, str]:
    names = {"": "without votes"}
    found: dict[str, int] = {}
    for pair in claim.data.pairs:
        name = names.get(pair.winner, pair.winner)
        found[name] = found.get(name, 0) + 1
    said = dict(
        re.findall(r"(without votes|tie|B|C) (\d+(?:,\d{3})*)", claim.said["winners"])
    )
    should = {name: numbers.count(pairs) for name, pairs in found.items()}
    claim.requires(said == should, f"they are {should}")
    return {"pairs": numbers.count(len(claim.data.pairs))}


@says("Pairs of two equal candidates: {pairs}.")
def equal_candidates(claim: Claim) -> dict[str, str]:
    equal = [pair for pair in claim.data.pairs if len({*pair.candidates}) == 1]
    return {"pairs": numbers.count(len(equal))}


@says("Pairs that repeat an earlier pair: {pairs}.")
def repeated(claim: Claim) -> dict[str, str]:
    keys = [
        (pair.row["image"], frozenset(pair.candidates)) for pair in claim.data.pairs
    ]
    return {"pairs": numbers.count(len(keys) - len({*keys}))}


@says("Unfinished pairs: {pairs}.")
def unfinished(claim: Claim) -> dict[str, str]:
    return {
        "pairs": numbers.count(sum(pair.is_unfinished for pair in claim.data.pairs))
    }


@says("They count with their current winner.")
def current_winner(claim: Claim) -> None:
    without = [
        pair for pair in claim.data.pairs if pair.is_unfinished and not pair.winner
    ]
    claim.requires(not without, f"{len(without)} have no vote, and do not count")


@says(
    "Adjudicated pairs: {pairs}.",
    "Simulated votes: {pairs}.",
    "Captions that are not split into words: {pairs}.",
)
def other_numbers(claim: Claim) -> dict[str, str]:
    decisions = [
        row for row in claim.data.table("adjudications") if not row.get("superseded_at")
    ]
    simulated = [
        vote
        for vote in claim.data.votes
        if vote.get("annotator", "").startswith("simulated-")
    ]
    if claim.text.startswith("Captions"):
        return {}
    own = decisions if claim.text.startswith("Adjudicated") else simulated
    return {"pairs": numbers.count(len(own))}


@says(
    "They are ties for every metric.",
    "They count as pairs of their own.",
    "Their winner is the decision of one person.",
    "They are not from people.",
    "Their script has no spaces.",
)
def what_that_means(claim: Claim) -> None:
    """Hold wherever the sentence before holds."""


@says("All votes are simulated: they are not from people.")
def all_simulated(claim: Claim) -> None:
    people = [
        vote
        for vote in claim.data.votes
        if not vote.get("annotator", "").startswith("simulated-")
    ]
    claim.requires(not people, f"{len(people)} are from people")


@says("Computed with other options than usual: {options}.")
def options(claim: Claim) -> None:
    for each in claim.said["options"].split(", "):
        number_and_name = re.fullmatch(r"([\d,]+) (.+)", each)
        if number_and_name is None:
            flag, _, value = each.removeprefix("--").partition(" ")
            own = claim.report.options[flag.replace("-", "_")]
            told = ",".join(map(str, own)) if isinstance(own, list) else str(own)
            claim.requires(told == (value or "True"), f"{flag} is {told}")
            continue
        said, name = number_and_name.groups()
        own = claim.report.options[SIMPLE.get(name, name)]
        size = len(own) if isinstance(own, list) else own
        claim.requires(said == f"{size:,}", f"{name}: {size}")


@says(
    "Shaded bands are 95 % intervals, drawn for the best metrics only.",
    "Shaded bands are 95 % intervals, drawn for the best metrics and for the ceiling, the most "
    "that a perfect metric could reach, because votes on close pairs could have gone either way.",
)
def bands(claim: Claim) -> None:
    has_ceiling = any(number(row, "accuracy") for row in claim.report.rows("ceiling"))
    claim.requires(has_ceiling == ("ceiling" in claim.text), f"ceiling: {has_ceiling}")


@says("Accuracy in % with its 95 % interval ({group}), by references per image.")
def caption(claim: Claim) -> dict[str, str]:
    return {"group": group_and_count(claim)[0]}


@says("Bold: the best metric, and those that do not differ from it.")
def bold(claim: Claim) -> None:
    """Hold: the cells themselves are compared with the tables."""


@says("{table}.csv, {rows} rows", "{table}.csv, {rows} row")
def rows(claim: Claim) -> dict[str, str]:
    return {"rows": numbers.count(len(claim.report.tables[claim.said["table"]]))}


@says("Shown: {rows}. The file has all rows.")
def shown(claim: Claim) -> None:
    """Hold: which rows are shown can be seen."""


def sizes(claim: Claim) -> dict[str, int]:
    """Return how many pairs each category has."""
    found: dict[str, int] = {}
    for pair in claim.data.pairs:
        found[category_of(pair)] = found.get(category_of(pair), 0) + 1
    return found
