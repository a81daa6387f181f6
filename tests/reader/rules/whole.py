"""What a report is made of: pairs, votes, options, captions of tables, and definitions."""

import re

from tests.reader import numbers
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import group_and_count

FLAG = re.compile(r"--(?P<name>[a-z-]+) ?(?P<value>.*)")
COUNTED = {
    "metric": "metrics",
    "order of reference": "draws",
    "orders of reference": "draws",
    "resample": "resamples",
    "sign flip": "flips",
}
"""The options that a report counts, by their words without the s at the end."""


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
    short = [pair for pair in claim.data.with_winner if pair.is_unfinished]
    return {"pairs": numbers.count(len(short))}


@says("Pairs without a winner yet: {pairs}.")
def without_winner(claim: Claim) -> dict[str, str]:
    return {"pairs": numbers.count(sum(not pair.winner for pair in claim.data.pairs))}


@says(
    "Adjudicated pairs: {pairs}.",
    "Simulated votes: {pairs}.",
    "Simulated ratings: {pairs}.",
    "Captions that are not split into words: {pairs}.",
)
def other_numbers(claim: Claim) -> dict[str, str]:
    decisions = [
        row for row in claim.data.table("adjudications") if not row.get("superseded_at")
    ]
    is_of_ratings = claim.text.startswith("Simulated ratings")
    simulated = [
        row
        for row in (claim.data.ratings if is_of_ratings else claim.data.votes)
        if row.get("annotator", "").startswith("simulated-")
    ]
    if claim.text.startswith("Captions"):
        return {}
    own = decisions if claim.text.startswith("Adjudicated") else simulated
    return {"pairs": numbers.count(len(own))}


@says(
    "They are ties for every metric.",
    "They count with their current winner.",
    "They do not count.",
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


@says("Computed with non-default options: {options}.")
def options(claim: Claim) -> None:
    own = claim.report.options
    counts = f"reference counts {', '.join(map(str, own['counts']))}"
    for each in claim.said["options"].replace(counts, "0 counts").split(", "):
        flag = FLAG.fullmatch(each)
        if flag:
            value = own[flag["name"].replace("-", "_")]
            told = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            claim.requires(
                told == (flag["value"] or "True"), f"{flag['name']} is {told}"
            )
        elif each != "0 counts":
            said, name = each.split(" ", 1)
            value = own[COUNTED[name.rstrip("s")]]
            size = len(value) if isinstance(value, list) else value
            claim.requires(said == f"{size:,}", f"{name}: {size}")


@says(
    "The hatched one holds the ceiling, which a perfect metric reaches: votes on close pairs could "
    "have gone either way."
)
def hatched_band(claim: Claim) -> None:
    claim.requires(bool(claim.report.rows("ceiling")), "there is none")


@says(
    "The shaded band is the 95 % interval of the most accurate metric but baselines; of several "
    "that are equally accurate, the first has one."
)
def shaded_band(claim: Claim) -> None:
    """Hold: the figure draws one."""


@says("Accuracy in % with its 95 % interval ({group}), by references per image.")
def caption(claim: Claim) -> dict[str, str]:
    return {"group": group_and_count(claim)[0]}


@says("Accuracy with {references}, {group}")
def site_caption(claim: Claim) -> dict[str, str]:
    group, count = group_and_count(claim)
    return {"references": numbers.references(count), "group": group}


@says(
    "HC: two correct human captions.",
    "HI: a human caption and one of another image.",
    "HM: human and machine.",
    "MM: two machines.",
)
def code(claim: Claim) -> None:
    claim.requires(
        claim.text[:2] in claim.report.categories, "no pairs are of this category"
    )


@says("Compute again for the usual result.")
def unusual(claim: Claim) -> None:
    """Hold beside the options that it speaks of."""


@says(
    "Bold: the best metric, and those that do not differ from it; length and random only where "
    "they are the best."
)
def bold(claim: Claim) -> None:
    """Hold: the cells themselves are compared with the tables."""


@says("{table}, {rows} rows", "{table}, {rows} row")
def rows(claim: Claim) -> dict[str, str]:
    name = claim.said["table"].removesuffix(".csv").replace(" ", "_")
    tables = {table.lower(): rows for table, rows in claim.report.tables.items()}
    number = len(tables[name.lower()])
    claim.requires(claim.text.endswith("s") == (number != 1), "the noun is wrong")
    return {"rows": numbers.count(number)}


@says("Shown: {which}.", "The file has all rows.")
def shown(claim: Claim) -> None:
    """Hold: which rows are shown can be seen."""
