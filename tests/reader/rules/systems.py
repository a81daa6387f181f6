"""Systems, captions by source, and how far metrics agree with each other."""

from collections.abc import Iterator
from decimal import Decimal
from math import atanh, sqrt, tanh

from tests.reader import numbers
from tests.reader.dataset import Pair, category_of
from tests.reader.report import BASELINES, Row, known, number
from tests.reader.rule import Claim, says

LEAST_RANKED = 8
NORMAL = 1.959964


def pairs_of_systems(claim: Claim, categories: str) -> list[Pair]:
    """Return the pairs of two sources that systems are compared on, by how they are named."""
    named = [
        pair
        for pair in claim.data.with_winner
        if all(pair.sources) and len(set(pair.sources)) == 2
    ]
    if categories == "two systems":
        return [pair for pair in named if "human" not in pair.sources]
    return [pair for pair in named if category_of(pair) in categories.split(", ")]


def compared(claim: Claim) -> list[Pair]:
    """Return the pairs that systems are compared on, by the options and the dataset."""
    wanted = ", ".join(claim.report.options["systems_from"])
    has_machines = any(category_of(pair) == "MM" for pair in claim.data.with_winner)
    return pairs_of_systems(claim, wanted or ("MM" if has_machines else "two systems"))


def wins(pairs: list[Pair]) -> dict[str, Decimal]:
    """Return the share of its comparisons that each source wins, by people."""
    won: dict[str, list[Decimal]] = {}
    for pair in pairs:
        side = {"B": Decimal(1), "C": Decimal(0)}.get(pair.winner, Decimal("0.5"))
        b, c = pair.sources
        won.setdefault(b, []).append(side)
        won.setdefault(c, []).append(1 - side)
    return {name: sum(each, Decimal()) / len(each) for name, each in won.items()}


@says(
    "Of {systems} systems, people prefer “{source}” most often: in {share} % of its {pairs} "
    "comparisons (95 % interval {low} to {high})."
)
def most_preferred(claim: Claim) -> dict[str, str]:
    pairs = compared(claim)
    shares = wins(pairs)
    best = [name for name, share in shares.items() if share == max(shares.values())]
    decided = any(pair.winner in "BC" for pair in pairs)
    claim.requires(decided, "people decided none of these pairs")
    claim.requires(len(best) == 1, f"{best} win equally often")
    claim.requires(
        claim.said["source"] == best[0], f"it is {best[0]}, in {shares[best[0]]}"
    )
    row = claim.report.row("systems", rater="people", source=best[0])
    return {
        "systems": str(len(shares)),
        "source": best[0],
        "share": numbers.percent(shares[best[0]]),
        "pairs": numbers.count(sum(best[0] in pair.sources for pair in pairs)),
        "low": numbers.percent(known(row, "low")),
        "high": numbers.percent(known(row, "high")),
    }


@says(
    "Metrics are given {references}.",
    "The pairs are those of {categories}: {systems} systems, {pairs} pairs.",
)
def pairs_used(claim: Claim) -> dict[str, str]:
    if "references" in claim.said:
        counts = claim.report.options["counts"]
        return {"references": numbers.references(str(max(counts)) if counts else "all")}
    pairs = pairs_of_systems(claim, claim.said["categories"])
    return {
        "systems": str(len({source for pair in pairs for source in pair.sources})),
        "pairs": numbers.count(len(pairs)),
    }


@says(
    "No pair of {categories} names two different sources with a winner: choose other categories "
    "with --systems-from."
)
def no_pairs(claim: Claim) -> None:
    pairs = pairs_of_systems(claim, claim.said["categories"])
    claim.requires(not pairs, f"{len(pairs)} pairs do")


def main_correlations(claim: Claim) -> Iterator[Row]:
    """Yield Pearson's correlations of win fractions of the main metrics that have one."""
    rows = claim.report.rows(
        "systems_correlation", of="win fraction", coefficient="Pearson"
    )
    main = [name for name in claim.report.metrics if name not in BASELINES]
    for row in rows:
        if row["metric"] in main and number(row, "value") is not None:
            yield row


def two_decimals(row: Row, column: str) -> str:
    return numbers.fixed(known(row, column), 2)


@says(
    "Over {systems} systems, the wins by {metric} correlate with those by people with {value} "
    "(Pearson; 95 % interval over systems and images {low} to {high}).",
    "Over {systems} systems, the wins by {metric} have the largest correlation with those by "
    "people: {value} (Pearson; 95 % interval over systems and images {low} to {high}).",
)
def of_one_metric(claim: Claim) -> dict[str, str]:
    rows = list(main_correlations(claim))
    best = max(rows, key=lambda row: known(row, "value"))
    equal = [row["metric"] for row in rows if row["value"] == best["value"]]
    claim.requires(len(equal) == 1, f"{equal} have the same correlation")
    if "the largest" not in claim.text:
        claim.requires(len(rows) == 1, f"{len(rows)} metrics have a correlation")
    return {
        "systems": best["systems"],
        "metric": best["metric"],
        **{name: two_decimals(best, name) for name in ("value", "low", "high")},
    }


@says(
    "Over {systems} systems, the correlations of wins by the {metrics} main metrics with those by "
    "people are {least} to {most} (Pearson), and their 95 % intervals over systems and images "
    "reach from {low} to {high}."
)
def of_all(claim: Claim) -> dict[str, str]:
    rows = list(main_correlations(claim))
    main = [name for name in claim.report.metrics if name not in BASELINES]
    values = [known(row, "value") for row in rows]
    claim.requires(
        len(rows) == len(main), f"only {len(rows)} of {len(main)} have a correlation"
    )
    lows = [known(row, "low") for row in rows]
    highs = [known(row, "high") for row in rows]
    return {
        "systems": rows[0]["systems"],
        "metrics": str(len(rows)),
        "least": numbers.fixed(min(values), 2),
        "most": numbers.fixed(max(values), 2),
        "low": numbers.fixed(min(lows), 2),
        "high": numbers.fixed(max(highs), 2),
    }


@says("{count} metrics cannot be told apart.")
def not_told_apart(claim: Claim) -> None:
    metrics = len(list(main_correlations(claim)))
    claim.requires(1 < int(claim.said["count"]) <= metrics, f"{metrics} are compared")


@says("It cannot be told apart from {metrics}.")
def told_apart_from(claim: Claim) -> None:
    names = {row["metric"] for row in main_correlations(claim)}
    said = set(claim.said["metrics"].split(", "))
    claim.requires(said < names, f"the metrics are {sorted(names)}")


@says("Over fewer than {least} systems, metrics are not ranked.")
def not_ranked(claim: Claim) -> dict[str, str]:
    systems = len(wins(compared(claim)))
    claim.requires(systems < LEAST_RANKED, f"there are {systems} systems")
    return {"least": str(LEAST_RANKED)}


@says("The plot shows the {count} systems that are in the most pairs.")
def most_shown(claim: Claim) -> dict[str, str]:
    systems = len(wins(compared(claim)))
    claim.requires(systems > 25, f"there are {systems} systems")
    return {"count": "25"}


@says(
    "The CIDEr paper prints a correlation of {value} for CIDEr over its {systems} systems "
    "(Pearson), without an interval; so few systems alone leave {low} to {high}."
)
def printed(claim: Claim) -> dict[str, str]:
    half = NORMAL / sqrt(5 - 3)
    bounds = [tanh(atanh(0.98) - half), tanh(atanh(0.98) + half)]
    low, high = (f"{bound:.2f}" for bound in bounds)
    return {"value": "0.98", "systems": "5", "low": low, "high": high}


@says(
    "People choose the longer candidate of a pair in {share} % of {pairs} pairs (95 % interval "
    "{low} to {high})."
)
def longer(claim: Claim) -> dict[str, str]:
    row = claim.report.row("longer_wins", category="all")
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    return {
        "share": numbers.percent(known(row, "longer_wins")),
        "pairs": numbers.count(known(row, "pairs")),
        "low": numbers.percent(known(row, "low")),
        "high": numbers.percent(known(row, "high")),
    }


@says(
    "{a} and {b} agree most with each other (kappa {most}), {c} and {d} least ({least})."
)
def agree(claim: Claim) -> dict[str, str]:
    rows = [
        row
        for row in claim.report.rows("agreement")
        if number(row, "kappa") is not None
        and not {row["metric_a"], row["metric_b"]} & BASELINES
    ]
    main = [
        row
        for row in rows
        if {row["metric_a"], row["metric_b"]} <= {*claim.report.main_metrics}
    ]
    kappas = [known(row, "kappa") for row in main]
    most = [row for row in main if known(row, "kappa") == max(kappas)]
    least = [row for row in main if known(row, "kappa") == min(kappas)]
    for each in (most, least):
        names = [f"{row['metric_a']} and {row['metric_b']}" for row in each]
        claim.requires(len(each) == 1, f"{names} have the same kappa")
    return {
        "a": most[0]["metric_a"],
        "b": most[0]["metric_b"],
        "c": least[0]["metric_a"],
        "d": least[0]["metric_b"],
        "most": numbers.fixed(max(kappas), 2),
        "least": numbers.fixed(min(kappas), 2),
    }


@says(
    "A metric gives all candidates the same score.",
    "Fewer than two candidates have scores of both metrics.",
)
def no_correlation(claim: Claim) -> None:
    empty = [
        row for row in claim.report.rows("agreement") if number(row, "spearman") is None
    ]
    claim.requires(bool(empty), "all scores correlate")


@says(
    "Both metrics have the same preference on every pair: chance alone agrees as much.",
    "No pair has a preference of both metrics.",
)
def no_kappa(claim: Claim) -> None:
    empty = [
        row for row in claim.report.rows("agreement") if number(row, "kappa") is None
    ]
    claim.requires(bool(empty), "every two metrics have a kappa")
    if claim.text.startswith("Both"):
        agreed = [row["agreed"] for row in empty]
        claim.requires("1.0" in agreed, f"two of them agree on {agreed} of the pairs")
