"""The first screen: the best metric, those that differ from it or do not, and what limits it."""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from tests.reader import numbers
from tests.reader.dataset import Pair, images
from tests.reader.report import BASELINES, Row, known, number
from tests.reader.rule import Claim, says
from tests.reader.rules.pairs import compared, requires_pairs

LEVEL = Decimal("0.05")
HALF = Decimal("0.5")
MANY = 12
"""Names that a sentence lists at most."""
TIED = re.compile(
    r"(?P<first>.+) \(which agrees with people as often as (?P<others>.+)\)"
)


def group_and_count(claim: Claim) -> tuple[str, str]:
    """Return of what the first screen speaks."""
    if rows := claim.report.rows("answer"):
        return rows[0]["category"], rows[0]["reference_count"]
    return claim.report.main_group, claim.report.last_count


def shares(claim: Claim, group: str, count: str) -> dict[str, Decimal]:
    """Return the accuracies of the main metrics, without baselines, the best first."""
    found: dict[str, Decimal] = {}
    for row in claim.report.rows("answer", category=group, reference_count=count):
        for side in "ab":
            found[row[f"metric_{side}"]] = known(row, f"accuracy_{side}")
    for name in () if found else claim.report.main_metrics:
        own = claim.report.accuracy(name, group, count)
        value = number(own, "accuracy") if own else None
        if value is not None:
            found[name] = value
    named = {name: share for name, share in found.items() if name not in BASELINES}
    return dict(sorted(named.items(), key=lambda item: -item[1]))


def leaders(claim: Claim, group: str, count: str) -> list[str]:
    """Return the metrics that nobody exceeds."""
    return largest(shares(claim, group, count))


def largest(values: Mapping[str, Decimal]) -> list[str]:
    """Return the names with the largest value."""
    return [name for name, value in values.items() if value == max(values.values())]


def smallest(values: Mapping[str, Decimal]) -> list[str]:
    """Return the names with the smallest value."""
    return [name for name, value in values.items() if value == min(values.values())]


def named(names: Sequence[str], word: str = "and") -> str:
    """List names as a sentence does; of very many, only their number."""
    many = f"{len(names):,} of them"
    return many if len(names) > MANY else numbers.listed(list(names), word)


def best_of(claim: Claim, text: str) -> str:
    """Return the metric that a sentence names as the best; those as good stand behind it."""
    best = leaders(claim, claim.report.main_group, claim.report.last_count)
    found = TIED.fullmatch(text)
    first = found["first"] if found else text
    others = [name for name in best if name != first]
    if found:
        claim.requires(found["others"] == named(others), f"as good are {others}")
    elif first in best:
        claim.requires(not others, f"{others} are as good, and not named")
    return first


def interval(
    rows: Sequence[Row], write: Callable[[Decimal, Decimal], str] = numbers.span
) -> str:
    """Write the interval of what is first, or in what range those of several lie."""
    bounds = []
    for row in rows:
        low, high = number(row, "low"), number(row, "high")
        if low is not None and high is not None:
            bounds.append((low, high))
    if not bounds:
        return "no 95 % interval"
    within = write(min(low for low, _ in bounds), max(high for _, high in bounds))
    several = len({write(*each) for each in bounds}) > 1
    text = f"95 % intervals within {within}" if several else f"95 % interval {within}"
    return text if len(bounds) == len(rows) else f"{text}, where there is one"


def accuracies(claim: Claim, names: Sequence[str], group: str, count: str) -> list[Row]:
    """Return the rows of metrics in the table of accuracies."""
    rows = [claim.report.accuracy(name, group, count) for name in names]
    return [row for row in rows if row]


@says(
    "{on}, with {references} per image, {best} agrees with people most often of the {metrics} main "
    "metrics: {accuracy} % ({interval}, not adjusted for choosing the best).",
    "{on}, with {references} per image, {best} agree with people most often of the {metrics} main "
    "metrics, and equally often: {accuracy} % ({interval}, not adjusted for choosing the best).",
    "{on}, with {references} per image, the {metrics} main metrics ({best}) agree with people "
    "equally often: {accuracy} % ({interval}).",
    "{on}, with {references} per image, {best}, the only main metric that scores every pair, "
    "agrees with people in {accuracy} % of cases ({interval}).",
)
def most_often(claim: Claim) -> dict[str, str]:
    group, count = group_and_count(claim)
    requires_pairs(claim, claim.said["on"], group, count)
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    best = leaders(claim, group, count)
    found = shares(claim, group, count)
    all_tie = len(best) == len(found)
    claim.requires(all_tie != ("most often" in claim.text), f"the best are {best}")
    truth = {
        "references": numbers.references(count),
        "best": named(best),
        "accuracy": numbers.percent(found[best[0]]),
        "interval": interval(accuracies(claim, best, group, count)),
    }
    if "metrics" not in claim.said:
        return truth
    evaluated = claim.report.options["headline"] or claim.report.metrics
    are_all = len(found) == len({*evaluated} - BASELINES)
    return truth | {"metrics": f"{len(found)}{'' if are_all else ' compared'}"}


UNDECIDED = (
    "People did not decide the only pair{of}: its winner is a tie{end}.",
    "People decided none of the {pairs} pairs{of}: every winner is a tie{end}.",
)
ENDS = ("", ", and no accuracy has an interval", ", and metrics do not differ")


@says(
    *(
        text.replace("{of}", of).replace("{end}", end)
        for text in UNDECIDED
        for of in ("", " of {group}")
        for end in ENDS
    )
)
def undecided(claim: Claim) -> dict[str, str]:
    group = claim.said.get("group", "all")
    own = [
        pair
        for pair in claim.data.with_winner
        if group in ("all", "mean", "these systems", claim.data.category_of(pair))
    ]
    if group == "these systems":
        own = compared(claim)
    decided = sum(pair.winner in ("B", "C") for pair in own)
    claim.requires(not decided, f"they decided {decided} of {len(own)}")
    is_one = "the only pair" in claim.text
    claim.requires(is_one == (len(own) == 1), f"there are {len(own)}")
    return {} if is_one else {"pairs": numbers.count(len(own))}


@says(
    "There are no pairs.",
    "No pair has a winner yet.",
    "Add votes, winners in pairs.csv (B, C or tie), or ratings.csv.",
)
def no_winner(claim: Claim) -> None:
    winners = [pair for pair in claim.data.pairs if pair.winner]
    claim.requires(not winners, f"{len(winners)} have one")


@says(
    "No main metric scores every pair: there is nothing to compare.",
    "Fewer than two metrics score every pair.",
)
def one_complete(claim: Claim) -> None:
    claim.requires(not claim.report.rows("answer"), "some are compared")


@says(
    "All ratings are of one image: metrics cannot be compared.",
    "All ratings for “{aspect}” are of one image: metrics cannot be compared.",
)
def one_image(claim: Claim) -> None:
    aspect = claim.said.get("aspect")
    own = [row for row in claim.data.rated if aspect in (None, row.get("aspect"))]
    rated = {row["image"] for row in own}
    claim.requires(len(rated) == 1, f"they are of {len(rated)}")


@says(
    "Over all {pairs} without regard to categories, it is {best}: {accuracy} %.",
    "Over all {pairs} without regard to categories, they are {best}: {accuracy} %.",
)
def over_pairs(claim: Claim) -> dict[str, str]:
    _group, count = group_and_count(claim)
    best = leaders(claim, "all", count)
    is_plural = "they are" in claim.text
    claim.requires(is_plural == (len(best) > 1), f"they are {best}")
    return {
        "pairs": numbers.counted(len(claim.data.in_group("all", count)), "pair"),
        "best": named(best),
        "accuracy": numbers.percent(shares(claim, "all", count)[best[0]]),
    }


@says(
    "This interval does not lie above chance, which is 50 %.",
    "Not all of these intervals lie above chance, which is 50 %.",
)
def not_above_chance(claim: Claim) -> None:
    group, count = group_and_count(claim)
    rows = accuracies(claim, leaders(claim, group, count), group, count)
    lows = [low for row in rows if (low := number(row, "low")) is not None]
    claim.requires(bool(lows), "there is no interval")
    claim.requires(min(lows) <= HALF, "the interval lies above 50 %")


@says(
    "With only {images}, intervals and tests are rough.",
    "With only {images} in each category, intervals and tests are rough.",
    "With only {images} in the category {category}, intervals and tests are rough.",
    "With only {images} in each of the categories {category}, intervals and tests are rough.",
)
def few_images(claim: Claim) -> dict[str, str]:
    group, count = group_and_count(claim)
    own = claim.report.categories if group == "mean" else [group]
    by_category = {
        name: Decimal(images(claim.data.in_group(name, count))) for name in own
    }
    fewest = smallest(by_category)
    number_of_images = int(min(by_category.values()))
    claim.requires(number_of_images < 30, "no category has so few images")
    truth = {"images": numbers.counted(number_of_images, "image")}
    if "category" in claim.said:
        return truth | {"category": named(fewest)}
    claim.requires(len(fewest) == len(own), f"they differ: {by_category}")
    return truth


def verdict(row: Row) -> str:
    """Say what a comparison shows, by its adjusted p and its interval."""
    if known(row, "p_adjusted") <= LEVEL:
        return "more often" if known(row, "difference") > 0 else "less often"
    low, high = number(row, "low"), number(row, "high")
    if low is None or high is None:
        return "no difference"
    leaves_out_0 = low > 0 or high < 0
    return "no difference after adjusting" if leaves_out_0 else "no difference"


def beside_best(claim: Claim) -> list[tuple[str, str, Row]]:
    """Return each other metric beside the best, the verdict, recomputed, and its row."""
    group, count = group_and_count(claim)
    best = leaders(claim, group, count)
    rows = claim.report.rows(
        "answer", category=group, reference_count=count, metric_a=best[0]
    )
    others = [row for row in rows if row["metric_b"] not in {*best, *BASELINES}]
    return [(row["metric_b"], verdict(row), row) for row in others]


def with_share(row: Row) -> str:
    return f"{row['metric_b']} ({numbers.percent(known(row, 'accuracy_b'))} %)"


@says(
    "{others} cannot be told apart from {best}.",
    "{others} cannot be told apart from {best} (adjusted for {comparisons} comparisons).",
    "{others} cannot be told apart from {best} (adjusted for {comparisons} comparisons); {clear} "
    "differs before the adjustment.",
    "{others} cannot be told apart from {best} (adjusted for {comparisons} comparisons); {clear} "
    "differ before the adjustment.",
)
def alike(claim: Claim) -> dict[str, str]:
    group, count = group_and_count(claim)
    comparisons = claim.report.rows("answer", category=group, reference_count=count)
    found = [each for each in beside_best(claim) if each[1].startswith("no difference")]
    clear = [name for name, each, _row in found if each.endswith("adjusting")]
    is_adjusted = len(comparisons) > 1
    claim.requires(
        is_adjusted == ("comparisons" in claim.said), f"{len(comparisons)} comparisons"
    )
    truth = {
        "others": numbers.listed(
            [with_share(row) for _name, _each, row in found], "and"
        ),
        "best": leaders(claim, group, count)[0],
    }
    if is_adjusted:
        truth["comparisons"] = numbers.count(len(comparisons))
        claim.requires(bool(clear) == ("clear" in claim.said), f"before: {clear}")
    return (
        truth | {"clear": numbers.listed(clear, "and")}
        if "clear" in claim.said
        else truth
    )


@says(
    "{others} agrees less often than {best}.", "{others} agree less often than {best}."
)
def less_often(claim: Claim) -> dict[str, str]:
    found = [
        with_share(row)
        for _name, each, row in beside_best(claim)
        if each == "more often"
    ]
    claim.requires(bool(found), "no metric does")
    best = leaders(claim, *group_and_count(claim))[0]
    return {"others": numbers.listed(found, "and"), "best": best}


@says(
    "At {references}: {counted} of {pairs}, those whose images have at least {count}."
)
def partial_count(claim: Claim) -> dict[str, str]:
    count = claim.said["count"]
    return {
        "references": numbers.references(count),
        "counted": numbers.count(len(claim.data.in_group("all", count))),
        "pairs": numbers.counted(len(claim.data.judged), "pair"),
    }


def of_row(claim: Claim) -> dict[str, str]:
    """Return what a comparison in words may name, from its row."""
    row = claim.row
    adjusted = numbers.p_value(known(row, "p_adjusted"))
    comparisons = int(known(row, "comparisons"))
    both = f"{adjusted}, adjusted for {comparisons:,} comparisons"
    return {
        "p": adjusted if comparisons == 1 else both,
        "adjusted": adjusted,
        "raw": numbers.p_value(known(row, "p")),
        "comparisons": f"{comparisons:,}",
        "a": row["metric_a"],
        "b": row["metric_b"],
    }


@says("{better} agrees with people more often than {worse}, by {points} points ({p}).")
def differs(claim: Claim) -> dict[str, str]:
    found = verdict(claim.row)
    claim.requires(found in ("more often", "less often"), f"the verdict is {found!r}")
    names = [claim.row["metric_a"], claim.row["metric_b"]]
    better, worse = names if found == "more often" else reversed(names)
    points = numbers.percent(abs(known(claim.row, "difference")))
    return {"better": better, "worse": worse, "points": points, "p": of_row(claim)["p"]}


@says(
    "No difference can be seen between {a} and {b} after adjusting for {comparisons} comparisons "
    "({adjusted}; unadjusted {raw})."
)
def differs_before_adjusting(claim: Claim) -> dict[str, str]:
    found = verdict(claim.row)
    claim.requires(
        found == "no difference after adjusting", f"the verdict is {found!r}"
    )
    row = of_row(claim)
    return {name: row[name] for name in ("a", "b", "comparisons", "adjusted", "raw")}


@says("No difference can be seen between {a} and {b} ({p}).")
def no_difference(claim: Claim) -> dict[str, str]:
    found = verdict(claim.row)
    alone = found == "no difference after adjusting" and claim.row["comparisons"] == "1"
    claim.requires(found == "no difference" or alone, f"the verdict is {found!r}")
    row = of_row(claim)
    return {name: row[name] for name in ("a", "b", "p")}


@says(
    "All images give the same result, so these pairs cannot show how many more are needed.",
    "If only these two are compared, detecting a difference of {points} points {where} takes about "
    "{more} more pairs like these.",
    "If only these two are compared, a difference of {points} points would probably have been "
    "detected.",
)
def more_pairs(claim: Claim) -> dict[str, str]:
    row = claim.row
    if "points" not in claim.said:
        claim.requires(row["low"] == row["high"], "images give different results")
        return {}
    more = known(row, "more_pairs")
    claim.requires((more > 0) == ("more" in claim.said), f"more_pairs is {more}")
    group = row["category"]
    where = {"mean": "in the mean over categories", "all": "over all pairs"}
    truth = {
        "points": "2",
        "where": where.get(group, f"on {group} pairs"),
        "more": numbers.count(more),
    }
    return {name: truth[name] for name in truth if name in claim.said}


@says(
    "{count} of the {pairs} pairs that count is unfinished: it has fewer votes than the study asks "
    "for, and counts with its winner so far.",
    "{count} of the {pairs} pairs that count are unfinished: they have fewer votes than the study "
    "asks for, and count with their winners so far.",
)
def unfinished(claim: Claim) -> dict[str, str]:
    short = [pair for pair in claim.data.with_winner if pair.is_unfinished]
    return {
        "count": numbers.count(len(short)),
        "pairs": numbers.count(len(claim.data.with_winner)),
    }


@says(
    "{count} of {pairs} pairs has no winner yet, and does not count.",
    "{count} of {pairs} pairs have no winner yet, and do not count.",
)
def without_winner(claim: Claim) -> dict[str, str]:
    without = [pair for pair in claim.data.pairs if not pair.winner]
    return {
        "count": numbers.count(len(without)),
        "pairs": numbers.count(len(claim.data.pairs)),
    }


@says("A metric that matches words scores such a candidate highest.")
def explained(claim: Claim) -> None:
    """Hold of all data."""


@says(
    "In {touched} of {pairs} pairs ({share} %), a candidate is also one of the references of its "
    "image."
)
def own_candidates(claim: Claim) -> dict[str, str]:
    judged = claim.data.with_winner
    of_image = claim.data.references
    touched = [
        pair
        for pair in judged
        if {*pair.candidates} & {*of_image(pair.row["image"]).values()}
    ]
    return {
        "touched": numbers.count(len(touched)),
        "pairs": numbers.count(len(judged)),
        "share": numbers.percent(Decimal(len(touched)) / len(judged)),
    }


@says("Without these references, too few are left.")
def too_few_left(claim: Claim) -> None:
    left = with_other_references(claim)
    claim.requires(not left, f"{len(left)} pairs still have references")


@says("Without these references, no two metrics can be compared.")
def none_compared(claim: Claim) -> None:
    """Hold: what is compared there is in no table."""


@says(
    "Without these references, the best is the same: {best}.",
    "Best with these references: {with_them}; without them: {best}.",
)
def without_references(claim: Claim) -> dict[str, str]:
    best = numbers.listed(leaders(claim, *group_and_count(claim)), "and")
    slot = "with_them" if "with_them" in claim.said else "best"
    return {slot: best}


@says("{on}, with {references} per image: {accuracy} % ({interval}).")
def share_without_references(claim: Claim) -> dict[str, str]:
    """Require that only references are left out, and no pair that keeps some."""
    left = with_other_references(claim)
    sizes = {claim.data.category_of(pair) for pair in left}
    if claim.said["on"].startswith("On ") and len(sizes) == 1:
        claim.requires(
            claim.said["on"] == f"On {len(left):,} pairs",
            f"{len(left)} pairs keep references",
        )
    claim.requires(claim.said["interval"].strip() != "95 % interval", "no interval")
    return {}


def with_other_references(claim: Claim) -> list[Pair]:
    """Return the pairs that keep references where those that equal candidates are left out."""
    data = claim.data
    return [pair for pair in data.judged if data.other_references(pair.row["image"])]
