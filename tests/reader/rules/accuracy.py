"""Accuracies by count and category, differences, and how many references are enough."""

from collections.abc import Iterable
from decimal import Decimal

from tests.reader import numbers
from tests.reader.dataset import images
from tests.reader.report import BASELINES, known, number
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import LEVEL, best_of, largest, named, smallest, verdict
from tests.reader.rules.pairs import in_words, requires_pairs


def share(claim: Claim, metric: str, group: str, count: str) -> str:
    row = claim.report.accuracy(metric, group, count)
    if row is None:
        raise LookupError(f"no accuracy of {metric}, {group}, {count}")
    return numbers.percent(known(row, "accuracy"))


@says(
    "{on}, {metric} agrees with people in {first} % of cases with {fewest}, and in {last} % with "
    "{references}.",
    "{on}, {metric} agrees with people in {last} % of cases with {references}, the only count "
    "here.",
)
def with_counts(claim: Claim) -> dict[str, str]:
    report = claim.report
    group, last = report.main_group, report.last_count
    metric = best_of(claim, claim.said["metric"])
    requires_pairs(claim, claim.said["on"], group, last)
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    truth = {
        "last": share(claim, metric, group, last),
        "references": numbers.references(last),
    }
    if "first" not in claim.said:
        claim.requires(len(report.counts) < 2, f"there are the counts {report.counts}")
        return truth
    fewest = min((each for each in report.counts if each != "all"), key=int)
    return truth | {
        "first": share(claim, metric, group, fewest),
        "fewest": numbers.references(fewest),
    }


def name_of(group: str) -> str:
    return {"mean": "the mean over categories", "all": "all pairs"}.get(group, group)


@says(
    "Images have {least} to {most} references (pairs with at least so many: {pairs})."
)
def unequal_images(claim: Claim) -> dict[str, str]:
    available = [pair.references for pair in claim.data.with_winner]
    counts = sorted({*available})
    told = [
        f"{sum(own >= count for own in available):,} with {count}" for count in counts
    ]
    return {"least": str(counts[0]), "most": str(counts[-1]), "pairs": ", ".join(told)}


@says(
    "Rows and points named “all” give each pair all references of its image; curves over the same "
    "pairs end at {full}, the smallest number."
)
def curves_end(claim: Claim) -> dict[str, str]:
    return {"full": str(min(pair.references for pair in claim.data.with_winner))}


@says(
    "{category} has pairs of one image only: no interval.",
    "{category} has pairs of one image only: metrics cannot be compared.",
    "All pairs are of one image: no interval.",
    "All pairs are of one image: metrics cannot be compared.",
)
def one_image(claim: Claim) -> None:
    own = images(claim.data.in_group(claim.said.get("category", "all")))
    claim.requires(own == 1, f"it has pairs of {own} images")


@says(
    "The mean over categories has no interval, as one of them has none.",
    "Metrics cannot be compared on the mean over categories, as they cannot on one of them.",
)
def no_mean(claim: Claim) -> None:
    claim.requires(claim.report.main_group == "mean", "there is no mean")
    own = [claim.data.in_group(name) for name in claim.report.categories]
    lacking = [
        pairs
        for pairs in own
        if images(pairs) < 2 or all(pair.winner == "tie" for pair in pairs)
    ]
    claim.requires(bool(lacking), "each category has decided pairs of several images")


@says(
    "CIDEr weighs words by how many images have them; with one image every word weighs nothing, "
    "and all pairs tie.",
    "--documents coco-val2014 weighs them by the images of COCO.",
)
def one_document(claim: Claim) -> None:
    own = images(claim.data.judged)
    claim.requires(own == 1, f"there are {own} images")
    claim.requires(
        any("CIDEr" in name for name in claim.report.metrics), "no CIDEr is there"
    )


@says("{metric} agrees with people on {accuracy} % of {pairs}, which are of one group.")
def one_group(claim: Claim) -> dict[str, str]:
    own = {claim.data.category_of(pair) for pair in claim.data.judged}
    claim.requires(len(own) == 1, f"pairs are of the categories {sorted(own)}")
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    report = claim.report
    metric = best_of(claim, claim.said["metric"])
    return {
        "accuracy": share(claim, metric, report.main_group, report.last_count),
        "pairs": numbers.counted(
            len(claim.data.in_group("all", report.last_count)), "pair"
        ),
    }


@says(
    "{metric} agrees with people most often on pairs of {first} ({high} %), and least often on "
    "pairs of {last} ({low} %).",
    "{metric} agrees with people equally often on pairs of {first} ({high} %).",
)
def by_category(claim: Claim) -> dict[str, str]:
    report, metric = claim.report, best_of(claim, claim.said["metric"])
    found: dict[str, Decimal] = {}
    for name in report.categories:
        row = report.accuracy(metric, name, report.last_count)
        value = number(row, "accuracy") if row else None
        if value is not None:
            found[name] = value
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    are_equal = len({*found.values()}) == 1
    claim.requires(are_equal == ("equally" in claim.text), f"they are {found}")
    truth = {
        "first": named([*map(in_words, sorted_by(found, largest(found)))]),
        "high": numbers.percent(max(found.values())),
        "last": named([*map(in_words, sorted_by(found, smallest(found)))]),
        "low": numbers.percent(min(found.values())),
    }
    return {name: truth[name] for name in truth if name in claim.said}


def sorted_by(order: Iterable[str], names: list[str]) -> list[str]:
    return [name for name in order if name in names]


@says(
    "With {references}, the only comparison of {metrics} is significant (5 %, adjusted).",
    "With {references}, the only comparison of {metrics} is not significant (5 %, adjusted).",
    "With {references}, {significant} of {comparisons} comparisons of {metrics} is significant "
    "(5 %, adjusted).",
    "With {references}, {significant} of {comparisons} comparisons of {metrics} are significant "
    "(5 %, adjusted).",
)
def comparisons(claim: Claim) -> dict[str, str]:
    report = claim.report
    rows = report.rows(
        "differences",
        category=report.main_group,
        reference_count=report.last_count,
        compared="main metrics",
    )
    is_clear = [known(row, "p_adjusted") <= LEVEL for row in rows]
    names = {row[side] for row in rows for side in ("metric_a", "metric_b")}
    truth = {
        "references": numbers.references(report.last_count),
        "metrics": main(names),
    }
    if "significant" in claim.said:
        is_plural = " are significant" in claim.text
        claim.requires(
            is_plural == (sum(is_clear) != 1), "the number of the verb is wrong"
        )
        return truth | {
            "significant": str(sum(is_clear)),
            "comparisons": str(len(rows)),
        }
    claim.requires(len(rows) == 1, f"there are {len(rows)} comparisons")
    claim.requires(is_clear[0] != ("is not" in claim.text), verdict(rows[0]))
    return truth


def main(names: set[str]) -> str:
    baselines = sorted(names & BASELINES)
    if not baselines:
        return "main metrics"
    word = "baselines" if len(baselines) > 1 else "baseline"
    return f"main metrics and the {word} {numbers.listed(baselines, 'and')}"


@says(
    "{metric} does not score every pair with {counts} references: it is not compared there.",
    "{metric} does not score every pair: it is left out.",
)
def incomplete(claim: Claim) -> None:
    rows = [
        row
        for row in claim.report.rows("differences")
        if claim.said["metric"] in (row["metric_a"], row["metric_b"])
        and row["reference_count"] in claim.said.get("counts", "").split(", ")
    ]
    claim.requires(not rows, "it is compared there")


@says(
    "No two of these metrics are compared: a version of a metric is compared with its main version "
    "only."
)
def none_compared(claim: Claim) -> None:
    claim.requires(not claim.report.rows("differences"), "some are compared")


@says(
    "To stay within half a point of its accuracy with {all}, {metric} takes {count} (95 % of "
    "resampled images and orders)."
)
def enough(claim: Claim) -> dict[str, str]:
    low, high = bounds(claim, best_of(claim, claim.said["metric"]))
    several = f"between {low} and {high} references"
    return {
        "all": numbers.references(str(full(claim))),
        "count": numbers.references(str(low)) if low == high else several,
    }


@says("More than {all} may improve it further.")
def more_than_all(claim: Claim) -> dict[str, str]:
    return {"all": str(full(claim))}


@says("The accuracy of {metric} still changes at {references}: more may be needed.")
def still_changes(claim: Claim) -> dict[str, str]:
    low, _high = bounds(claim, best_of(claim, claim.said["metric"]))
    claim.requires(low == full(claim), f"it stays from {low} references on")
    return {"references": numbers.references(str(low))}


def bounds(claim: Claim, metric: str) -> tuple[int, int]:
    row = claim.report.row("enough", metric=metric)
    return int(known(row, "low")), int(known(row, "high"))


def full(claim: Claim) -> int:
    """Return the largest count that every pair has."""
    smallest = min(pair.references for pair in claim.data.in_group("all"))
    wanted: list[int] = claim.report.options["counts"] or [smallest]
    return min(smallest, max(wanted))


@says("Accuracy is that of {group}.")
def of_group(claim: Claim) -> dict[str, str]:
    return {"group": name_of(claim.report.main_group)}
