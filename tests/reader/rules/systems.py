"""Systems, captions by source, and how far metrics agree with each other."""

import re
from collections.abc import Iterator
from decimal import Decimal
from math import atanh, sqrt, tanh

from tests.reader import numbers
from tests.reader.dataset import Pair
from tests.reader.report import BASELINES, Row, known, number
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import interval, largest, named, smallest
from tests.reader.rules.pairs import compared, pairs_of_systems

LEAST_RANKED = 8
NORMAL = 1.959964


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
    "Of {systems} systems, people prefer {first} most often: in {share} % of its {comparisons} "
    "({interval}).",
    "Of {systems} systems, people prefer {first} most often, and equally: in {share} % of their "
    "{comparisons} ({interval}).",
    "People prefer the {systems} systems ({first}) equally often: in {share} % of their "
    "{comparisons} ({interval}).",
)
def most_preferred(claim: Claim) -> dict[str, str]:
    pairs = compared(claim)
    shares = wins(pairs)
    best = largest(shares)
    decided = any(pair.winner in ("B", "C") for pair in pairs)
    claim.requires(decided, "people decided none of these pairs")
    all_tie = len(best) == len(shares)
    claim.requires(
        all_tie == claim.text.startswith("People prefer"), f"the first are {best}"
    )
    claim.requires(
        all_tie or ("equally" in claim.text) == (len(best) > 1), f"{best} are first"
    )

    rows = [claim.report.row("systems", rater="people", source=name) for name in best]
    sizes = {sum(name in pair.sources for pair in pairs) for name in best}
    order = [row["source"] for row in claim.report.rows("systems", rater="people")]
    ordered = sorted(best, key=order.index)
    return {
        "systems": str(len(shares)),
        "first": named([f"“{name}”" for name in ordered]),
        "share": numbers.percent(shares[best[0]]),
        "comparisons": numbers.counted(sizes.pop(), "comparison")
        if len(sizes) == 1
        else "comparisons",
        "interval": interval(rows),
    }


@says(
    "Metrics are given {references}.",
    "The pairs are those of {categories}: {systems}, {pairs}.",
)
def pairs_used(claim: Claim) -> dict[str, str]:
    if "references" in claim.said:
        counts = claim.report.options["counts"]
        return {"references": numbers.references(str(max(counts)) if counts else "all")}
    pairs = pairs_of_systems(claim, claim.said["categories"])
    return {
        "systems": numbers.counted(
            len({name for pair in pairs for name in pair.sources}), "system"
        ),
        "pairs": numbers.counted(len(pairs), "pair"),
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


def two_decimals(low: Decimal, high: Decimal) -> str:
    return f"{numbers.fixed(low, 2)} to {numbers.fixed(high, 2)}"


@says(
    "Over {systems} systems, the wins by {first} correlate with those by people with {high} "
    "(Pearson; {interval} over systems and images).",
    "Over {systems} systems, the wins by {first} have the largest correlation with those by "
    "people: {high} (Pearson; {interval} over systems and images).",
    "Over {systems} systems, the wins by {first} have the largest correlation with those by "
    "people, each {high} (Pearson; {interval} over systems and images).",
    "Over {systems} systems, the wins by {first} correlate equally with those by people: {high} "
    "(Pearson; {interval} over systems and images).",
)
def of_the_largest(claim: Claim) -> dict[str, str]:
    rows = {row["metric"]: row for row in main_correlations(claim)}
    values = {name: known(row, "value") for name, row in rows.items()}
    best = largest(values)
    claim.requires(
        ("each" in claim.text) == (1 < len(best) < len(rows)), f"the first are {best}"
    )
    if "largest" not in claim.text:
        claim.requires(
            len(best) == len(rows), f"{len(rows)} metrics have a correlation"
        )
    return {
        "systems": rows[best[0]]["systems"],
        "first": named(best),
        "high": numbers.fixed(max(values.values()), 2),
        "interval": interval([rows[name] for name in best], two_decimals),
    }


@says(
    "Over {systems} systems, the correlations of wins by {metrics} main metrics with those by "
    "people are {low} to {high} (Pearson; {interval} over systems and images).",
    "Over {systems} systems, the wins by {metrics} main metrics correlate equally with those by "
    "people: {high} (Pearson; {interval} over systems and images).",
)
def of_all(claim: Claim) -> dict[str, str]:
    rows = list(main_correlations(claim))
    main = [name for name in claim.report.metrics if name not in BASELINES]
    values = [known(row, "value") for row in rows]
    are_equal = min(values) == max(values)
    claim.requires(are_equal == ("equally" in claim.text), f"they are {values}")
    truth = {
        "systems": rows[0]["systems"],
        "metrics": f"the {len(rows)}"
        if len(rows) == len(main)
        else f"{len(rows)} of the {len(main)}",
        "low": numbers.fixed(min(values), 2),
        "high": numbers.fixed(max(values), 2),
        "interval": interval(rows, two_decimals),
    }
    return {name: truth[name] for name in truth if name in claim.said}


@says("{count} metrics cannot be told apart.")
def not_told_apart(claim: Claim) -> None:
    metrics = len(list(main_correlations(claim)))
    claim.requires(1 < int(claim.said["count"]) <= metrics, f"{metrics} are compared")


@says(
    "It cannot be told apart from {metrics}.",
    "They cannot be told apart from {metrics}.",
)
def told_apart_from(claim: Claim) -> None:
    names = {row["metric"] for row in main_correlations(claim)}
    said = {*re.split(", | and ", claim.said["metrics"])}
    claim.requires(said < names, f"the metrics are {sorted(names)}")


@says("Over fewer than {least} systems, metrics are not ranked.")
def not_ranked(claim: Claim) -> dict[str, str]:
    systems = len(wins(compared(claim)))
    claim.requires(systems < LEAST_RANKED, f"there are {systems} systems")
    return {"least": str(LEAST_RANKED)}


@says("The plot shows {count} of {systems} systems: no other is in more pairs.")
def most_shown(claim: Claim) -> dict[str, str]:
    systems = len(wins(compared(claim)))
    claim.requires(systems > 25, f"there are {systems} systems")
    return {"count": "25", "systems": str(systems)}


@says(
    "{count} has the caption of another source of the same image: equal captions were merged, "
    "and are compared under one source.",
    "{count} have the caption of another source of the same image: equal captions were merged, "
    "and are compared under one source.",
)
def merged(claim: Claim) -> dict[str, str]:
    shown = {
        (row["image"], row[f"candidate_{side}"], row[f"source_{side}"])
        for row in claim.data.table("pairs")
        for side in "bc"
        if row.get(f"source_{side}")
    }
    texts = {caption[:2] for caption in shown}
    systems = {source for pair in compared(claim) for source in pair.sources}
    written = [
        (row["image"], row["caption"], row["source"])
        for row in claim.data.table("candidates")
    ]
    count = sum(
        each[2] in systems and each[:2] in texts and each not in shown
        for each in written
    )
    return {"count": numbers.counted(count, "candidate")}


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
    "People choose the longer candidate of a pair in {share} % of {pairs} whose candidates "
    "differ in length (95 % interval {low} to {high})."
)
def longer(claim: Claim) -> dict[str, str]:
    row = claim.report.row("longer_wins", category="all")
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    return {
        "share": numbers.percent(known(row, "longer_wins")),
        "pairs": numbers.counted(int(known(row, "pairs")), "pair"),
        "low": numbers.percent(known(row, "low")),
        "high": numbers.percent(known(row, "high")),
    }


AGREE = (
    "Of every two main metrics{of}, {first} agrees most (kappa {high}), and {last} least ({low}).",
    "Of every two main metrics{of}, {first} agree most (kappa {high}), and {last} least ({low}).",
    "Every two main metrics{of} agree equally (kappa {high}): {first}.",
)
KNOWN = " that have a kappa"


@says(
    *(text.replace("{of}", of) for text in AGREE for of in ("", KNOWN)),
    "The kappa of {first} is {high}.",
)
def agree(claim: Claim) -> dict[str, str]:
    main = {*claim.report.main_metrics}
    kappas: dict[str, Decimal] = {}
    lacking = 0
    for row in claim.report.rows("agreement"):
        value = number(row, "kappa")
        if not {row["metric_a"], row["metric_b"]} <= main:
            continue
        lacking += value is None
        if value is not None:
            kappas[f"{row['metric_a']} with {row['metric_b']}"] = value
    if len(kappas) > 1:
        claim.requires((KNOWN in claim.text) == (lacking > 0), f"{lacking} have none")
    most, least = largest(kappas), smallest(kappas)
    are_equal = len(most) == len(kappas) > 1
    claim.requires(are_equal == claim.text.startswith("Every"), f"they are {kappas}")
    claim.requires(
        (len(kappas) == 1) == claim.text.startswith("The kappa"), f"{len(kappas)} are"
    )
    claim.requires(
        (" agrees " in claim.text) <= (len(most) == 1), f"the first are {most}"
    )
    truth = {
        "first": named(most),
        "last": named(least),
        "high": numbers.fixed(max(kappas.values()), 2),
        "low": numbers.fixed(min(kappas.values()), 2),
    }
    return {name: truth[name] for name in truth if name in claim.said}


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
