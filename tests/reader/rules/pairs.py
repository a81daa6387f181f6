"""Of which pairs a figure is, as sentences begin; and which pairs systems are compared on."""

import re

from tests.reader import numbers
from tests.reader.dataset import NO_CATEGORY, Pair
from tests.reader.rule import Claim

ON = re.compile(r"On (?P<pairs>[\d,]+) pairs?")
NAMED = re.compile(
    r"Averaged over the categories (?P<names>.+), which have (?P<pairs>.+) pairs"
)
MANY = re.compile(
    r"Averaged over (?P<number>\d+) categories of (?P<least>\S+) to (?P<most>\S+) pairs?"
)


def in_words(category: str) -> str:
    """Return the name of a category, or of the pairs that have none."""
    return f"“{category}”" if category == NO_CATEGORY else category


def pairs_of_systems(claim: Claim, categories: str) -> list[Pair]:
    """Return the pairs of two sources that systems are compared on, by how they are named."""
    judged = claim.data.with_winner
    named = [pair for pair in judged if all(pair.sources) and len({*pair.sources}) == 2]
    if categories == "two systems":
        return [pair for pair in named if "human" not in pair.sources]
    return [
        pair for pair in named if claim.data.category_of(pair) in categories.split(", ")
    ]


def compared(claim: Claim) -> list[Pair]:
    """Return the pairs that systems are compared on, by the options and the dataset."""
    wanted = ", ".join(claim.report.options["systems_from"])
    groups = {claim.data.category_of(pair) for pair in claim.data.with_winner}
    return pairs_of_systems(
        claim, wanted or ("MM" if "MM" in groups else "two systems")
    )


def requires_pairs(claim: Claim, on: str, group: str, count: str) -> None:
    """Require that a figure of a group is of the pairs that the sentence says."""
    own = claim.report.categories if group == "mean" else [group]
    sizes = {name: len(claim.data.in_group(name, count)) for name in own}
    pairs = sum(sizes.values())
    told = list(map(numbers.count, sizes.values()))

    if found := ON.fullmatch(on):
        claim.requires(
            found["pairs"] == numbers.count(pairs), f"the figure is of {pairs} pairs"
        )
        is_mean = group == "mean" and len(set(told)) > 1
        claim.requires(
            not is_mean, f"the figure is the mean over categories of {sizes}"
        )
        judged = len(claim.data.in_group("all", count))
        claim.requires(
            pairs == judged, f"the figure leaves out {judged - pairs} of {judged} pairs"
        )
    elif found := NAMED.fullmatch(on):
        claim.requires(
            found["names"] == numbers.listed([*map(in_words, sizes)], "and"),
            f"it is of {sizes}",
        )
        claim.requires(
            found["pairs"] == numbers.listed(told, "and"), f"it is of {sizes}"
        )
    elif found := MANY.fullmatch(on):
        said = found["number"], found["least"], found["most"]
        least, most = min(sizes.values()), max(sizes.values())
        claim.requires(
            said == (str(len(sizes)), f"{least:,}", f"{most:,}"), f"it is of {sizes}"
        )
    else:
        claim.requires(False, f"{on!r} says of no pairs")
