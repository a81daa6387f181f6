"""The first screen: the best metric, those that differ from it or do not, and what limits it."""

from collections.abc import Iterator
from decimal import Decimal

from tests.reader import numbers
from tests.reader.dataset import Pair, category_of, images
from tests.reader.report import BASELINES, Row, known, number
from tests.reader.rule import Claim, Untrue, says
from tests.reader.rules.pairs import requires_pairs

LEVEL = Decimal("0.05")
HALF = Decimal("0.5")


def group_and_count(claim: Claim) -> tuple[str, str]:
    """Return of what the first screen speaks."""
    first = claim.report.rows("answer")[0]
    return first["category"], first["reference_count"]


def shares(claim: Claim, group: str, count: str) -> dict[str, Decimal]:
    """Return the accuracies of the main metrics, without baselines, the best first."""
    found: dict[str, Decimal] = {}
    for row in claim.report.rows("answer", category=group, reference_count=count):
        for side in "ab":
            found[row[f"metric_{side}"]] = known(row, f"accuracy_{side}")
    named = {name: share for name, share in found.items() if name not in BASELINES}
    return dict(sorted(named.items(), key=lambda item: -item[1]))


def leaders(claim: Claim, group: str, count: str) -> list[str]:
    """Return the metrics that nobody exceeds."""
    found = shares(claim, group, count)
    return [name for name, share in found.items() if share == max(found.values())]


def intervals(
    claim: Claim, names: list[str], group: str, count: str
) -> list[tuple[Decimal, Decimal]]:
    """Return the intervals of metrics; none of those that have none."""
    rows = [claim.report.accuracy(name, group, count) for name in names]
    bounds = [(number(row, "low"), number(row, "high")) for row in rows if row]
    return [(low, high) for low, high in bounds if low is not None and high is not None]


def interval_in_words(claim: Claim, names: list[str], group: str, count: str) -> str:
    found = intervals(claim, names, group, count)
    claim.requires(
        len(found) == len(names), f"{names} have no interval: none can be given"
    )
    low, high = min(low for low, _ in found), max(high for _, high in found)
    if len({numbers.span(*each) for each in found}) > 1:
        return f"95 % intervals within {numbers.span(low, high)}"
    return f"95 % interval {numbers.span(low, high)}"


@says(
    "{on}, with {references} per image, {best} agrees with people most often of the {metrics} main "
    "metrics: {accuracy} % ({interval}, not adjusted for choosing the best).",
    "{on}, with {references} per image, {best} agree with people most often of the {metrics} main "
    "metrics, and equally often: {accuracy} % ({interval}, not adjusted for choosing the best).",
)
def most_often(claim: Claim) -> dict[str, str]:
    group, count = group_and_count(claim)
    requires_pairs(claim, claim.said["on"], group, count)
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    best = leaders(claim, group, count)
    found = shares(claim, group, count)
    claim.requires(
        len(best) < len(found) or len(best) == 1 or " agree " in claim.text, "all tie"
    )
    return {
        "references": numbers.references(count),
        "best": numbers.listed(best, "and"),
        "metrics": str(len(found)),
        "accuracy": numbers.percent(found[best[0]]),
        "interval": interval_in_words(claim, best, group, count),
    }


@says(
    "Over all {pairs} pairs without regard to categories, it is {best}: {accuracy} %.",
    "Over all {pairs} pairs without regard to categories, they are {best}: {accuracy} %.",
)
def over_pairs(claim: Claim) -> dict[str, str]:
    _group, count = group_and_count(claim)
    best = leaders(claim, "all", count)
    claim.requires(
        set(best) != set(leaders(claim, *group_and_count(claim))), "it is the same"
    )
    return {
        "pairs": numbers.count(len(claim.data.in_group("all", count))),
        "best": numbers.listed(best, "and"),
        "accuracy": numbers.percent(shares(claim, "all", count)[best[0]]),
    }


@says(
    "This interval does not lie above chance, which is 50 %.",
    "Not all of these intervals lie above chance, which is 50 %.",
)
def not_above_chance(claim: Claim) -> None:
    group, count = group_and_count(claim)
    best = leaders(claim, group, count)
    found = intervals(claim, best, group, count)
    claim.requires(bool(found), "there is no interval")
    claim.requires(min(low for low, _ in found) <= HALF, "the interval lies above 50 %")


@says(
    "With only {images} images, intervals and tests are rough.",
    "With only {images} images in each category, intervals and tests are rough.",
    "With only {images} images in the category {category}, intervals and tests are rough.",
)
def few_images(claim: Claim) -> dict[str, str]:
    group, count = group_and_count(claim)
    own = claim.report.categories if group == "mean" else [group]
    by_category = {name: images(claim.data.in_group(name, count)) for name in own}
    category = claim.said.get("category")
    claim.requires(min(by_category.values()) < 30, "no category has so few images")
    if category:
        claim.requires(
            by_category.get(category) == min(by_category.values()), str(by_category)
        )
        return {"images": str(by_category[category])}
    claim.requires(len(set(by_category.values())) == 1, f"they differ: {by_category}")
    return {"images": str(min(by_category.values()))}


def beside_best(claim: Claim) -> Iterator[tuple[str, Row]]:
    """Yield the verdict on each other metric beside the best, recomputed, with its row."""
    group, count = group_and_count(claim)
    best = leaders(claim, group, count)
    for row in claim.report.rows(
        "answer", category=group, reference_count=count, metric_a=best[0]
    ):
        if row["metric_b"] not in {*best, *BASELINES}:
            yield verdict(row), row


def verdict(row: Row) -> str:
    """Say what a comparison shows, by its adjusted p and its interval."""
    if known(row, "p_adjusted") <= LEVEL:
        return "more often" if known(row, "difference") > 0 else "less often"
    low, high = number(row, "low"), number(row, "high")
    if low is None or high is None:
        return "no difference"
    leaves_out_0 = low > 0 or high < 0
    return "no difference after adjusting" if leaves_out_0 else "no difference"


def metrics_with(claim: Claim, wanted: str, word: str) -> str:
    """List the metrics of a verdict with their accuracies."""
    found = [
        f"{row['metric_b']} ({numbers.percent(known(row, 'accuracy_b'))} %)"
        for each, row in beside_best(claim)
        if each == wanted
    ]
    if not found:
        raise Untrue(f"no metric has the verdict {wanted!r}")
    return numbers.listed(found, word)


@says("No difference from {best} can be seen for {others}.")
def alike(claim: Claim) -> dict[str, str]:
    best = leaders(claim, *group_and_count(claim))[0]
    return {"best": best, "others": metrics_with(claim, "no difference", "or")}


@says(
    "After adjusting for {comparisons} comparisons, no difference from {best} can be seen for "
    "{others}."
)
def alike_after_adjusting(claim: Claim) -> dict[str, str]:
    group, count = group_and_count(claim)
    rows = claim.report.rows("answer", category=group, reference_count=count)
    return {
        "comparisons": numbers.count(len(rows)),
        "best": leaders(claim, group, count)[0],
        "others": metrics_with(claim, "no difference after adjusting", "or"),
    }


@says("{others} agrees less often.", "{others} agree less often.")
def less_often(claim: Claim) -> dict[str, str]:
    return {"others": metrics_with(claim, "more often", "and")}


@says(
    "At {references}: {counted} of {pairs} pairs, those whose images have at least {count}."
)
def partial_count(claim: Claim) -> dict[str, str]:
    count = claim.said["count"]
    return {
        "references": numbers.references(count),
        "counted": numbers.count(len(claim.data.in_group("all", count))),
        "pairs": numbers.count(len(claim.data.judged)),
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
    "If only these two are compared, a difference as small as {points} points takes more pairs "
    "than these: “Planning a study” says about how many.",
    "If only these two are compared, a difference of {points} points would probably have been "
    "detected.",
)
def more_pairs(claim: Claim) -> dict[str, str]:
    row = claim.row
    is_same = row["low"] == row["high"]
    if "points" not in claim.said:
        claim.requires(is_same, "images give different results")
        return {}
    more = known(row, "more_pairs") > 0
    claim.requires(
        more == ("takes more" in claim.text), f"more_pairs is {row['more_pairs']}"
    )
    return {"points": "2"}


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


@says(
    "In {touched} of {pairs} pairs ({share} %), a candidate is also one of the references of its "
    "image, and a metric that looks for the same words finds all of them."
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
    "Without these references, the answer is the same: {best}.",
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
    sizes = {category_of(pair) for pair in left}
    if claim.said["on"].startswith("On ") and len(sizes) == 1:
        claim.requires(
            claim.said["on"] == f"On {len(left):,} pairs",
            f"{len(left)} pairs keep references",
        )
    claim.requires(
        claim.said["interval"].rstrip().endswith(tuple("0123456789")), "no interval"
    )
    return {}


def with_other_references(claim: Claim) -> list[Pair]:
    """Return the pairs that keep references where those that equal candidates are left out."""
    data = claim.data
    return [pair for pair in data.judged if data.other_references(pair.row["image"])]
