"""What a perfect metric could reach, and why the votes may not say."""

from collections.abc import Callable

from tests.reader import numbers
from tests.reader.dataset import Pair, images
from tests.reader.report import known, number
from tests.reader.rule import Claim, says

AGAINST = "Against these winners ({votes} per pair; {group}) a perfect metric reaches"
LEAST_IMAGES = 30
NAMES = {"mean": "the mean over categories", "all": "all pairs"}


def units(claim: Claim) -> tuple[str, Callable[[Pair], int]]:
    """Return what decides pairs, and how many of it a pair has."""
    scored = claim.data.with_winner
    of_triplets = claim.data.shows_references and any(
        pair.triplets > 1 for pair in scored
    )
    if of_triplets and any(pair.triplets != len(pair.votes) for pair in scored):
        return "triplets", lambda pair: pair.triplets
    return "votes", lambda pair: len(pair.votes)


def judged(claim: Claim, category: str | None = None) -> list[Pair]:
    """Return the pairs with votes, of a category or of the main group."""
    main = claim.report.main_group
    if category is None and main not in ("all", "mean"):
        category = main
    return [
        pair
        for pair in claim.data.with_winner
        if pair.votes
        and (category is None or claim.data.category_of(pair) == category)
        and (category is not None or main != "mean" or claim.data.category_of(pair))
    ]


@says(
    f"{AGAINST} between {{low}} and {{high}} %.",
    f"{AGAINST} between {{low}} and {{high}} %: the votes do not exclude that people toss coins.",
    f"{AGAINST} {{value}} % (95 % interval {{span}}).",
)
def bounds(claim: Claim) -> dict[str, str]:
    group = claim.report.main_group
    row = claim.report.row("ceiling", category=group)
    low, high, value = known(row, "low"), known(row, "high"), number(row, "accuracy")
    claim.requires((value is None) == (high - low > 0.1), "a value has close bounds")

    unit, count = units(claim)
    sizes = [count(pair) for pair in judged(claim)]
    fewest, most = min(sizes), max(sizes)
    told = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    truth = {"votes": f"{told} {unit}", "group": NAMES.get(group, group)}
    if value is not None:
        return truth | {
            "value": numbers.percent(value),
            "span": numbers.span(low, high),
        }
    is_open = numbers.percent(low) == "50.0"
    claim.requires(is_open == ("toss coins" in claim.text), f"it begins at {low}")
    return truth | {"low": numbers.percent(low), "high": numbers.percent(high)}


@says(
    "The ceiling is the accuracy that a perfect metric reaches against these winners; a tie of "
    "people counts half.",
    "The interval holds for every distribution of opinions that agrees with the votes, and "
    "contains the ceiling in at least 95 % of studies like this one.",
    "More pairs narrow it; with few votes per pair, only more votes do beyond a point.",
)
def help_text(claim: Claim) -> None:
    claim.report.row("ceiling", category=claim.report.main_group)


@says(
    "“Can't tell” counts as half a vote for each candidate, and the ceiling is that of tossing a "
    "coin instead: against winners by half votes it is higher, by about 1 point at 20 % ties."
)
def many_ties(claim: Claim) -> None:
    ties = [vote["choice"] == "tie" for pair in judged(claim) for vote in pair.votes]
    claim.requires(sum(ties) > 0, "no vote is a tie")


def requires_no_ceiling(claim: Claim) -> list[Pair]:
    rows = claim.report.rows("ceiling", category=claim.report.main_group)
    claim.requires(not rows, "there is one")
    return judged(claim, claim.said.get("category"))


@says(
    "Every pair has one {unit}, and that says nothing of what a perfect metric could reach.",
    "Every pair of {category} has one {unit}, and that says nothing of what a perfect metric could "
    "reach.",
)
def one_vote(claim: Claim) -> dict[str, str]:
    unit, count = units(claim)
    sizes = {count(pair) for pair in requires_no_ceiling(claim)}
    claim.requires(sizes == {1}, f"pairs have {sorted(sizes)} {unit}")
    return {"unit": unit.removesuffix("s")}


@says(
    "The judged pairs have fewer than {images} images: too few to bound what a perfect metric "
    "could reach.",
    "The judged pairs of {category} have fewer than {images} images: too few to bound what a "
    "perfect metric could reach.",
)
def few_images(claim: Claim) -> dict[str, str]:
    own = images(requires_no_ceiling(claim))
    claim.requires(own > 0, "none is judged")
    if "category" in claim.said or claim.report.main_group != "mean":
        claim.requires(own < LEAST_IMAGES, f"they have {own}")
    return {"images": str(LEAST_IMAGES)}


@says(
    "Winners come without votes, and without them nothing is known of what a perfect metric could "
    "reach.",
    "Winners of {category} come without votes, and without them nothing is known of what a "
    "perfect metric could reach.",
)
def no_votes(claim: Claim) -> None:
    own = requires_no_ceiling(claim)
    claim.requires(not own, f"{len(own)} pairs have votes")


@says(
    "The study stops a pair early, so that the number of its votes depends on them: they do not "
    "bound what a perfect metric could reach."
)
def early(claim: Claim) -> None:
    requires_no_ceiling(claim)
    claim.requires(bool(claim.data.study.get("stop_early")), "it does not")
