"""Origins of references: what those of one are worth in those of people."""

from collections.abc import Mapping
from decimal import Decimal
from math import exp, inf, log

from tests.reader import numbers
from tests.reader.dataset import images
from tests.reader.report import Row, known
from tests.reader.rule import Claim, says

NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 10: "ten"}
COUNTS = {word: str(number) for number, word in NUMBERS.items()}
OF_PEOPLE = {
    "below": "With {metric}, one reference of “{origin}” is worth more than {count} of people.",
    "beyond": "With {metric}, it takes more than {most} references of “{origin}” (all there "
    "are) to be worth {count} of people.",
    "unknown": "With {metric}, it cannot be told from {pairs} how many references of “{origin}” "
    "are worth {count} of people.",
    "least": "With {metric}, it takes at least {low} references of “{origin}” to be worth {count} "
    "of people; up to {most} it cannot be told how many suffice.",
    "most": "With {metric}, at most {high} references of “{origin}” are worth {count} of people.",
    "both": "With {metric}, {value} [{low}, {high}] references of “{origin}” are worth {count} of "
    "people.",
}
OF_OTHERS = {
    "below": "With {metric}, {count} of “{origin}” {do} less than one of people.",
    "beyond": "With {metric}, {count} of “{origin}” {do} more than {most} of people (all there "
    "are).",
    "unknown": "With {metric}, it cannot be told from {pairs} how many references of people do "
    "what {count} of “{origin}” {do}.",
    "least": "With {metric}, {count} of “{origin}” {do} at least what {low} of people do; up to "
    "{most} it cannot be told how much more.",
    "most": "With {metric}, {count} of “{origin}” {do} at most what {high} of people do.",
    "both": "With {metric}, {count} of “{origin}” {do} what {value} [{low}, {high}] of people do.",
}
DIFFERENCES = (
    "{points} ± {around} points higher.",
    "{points} ± {around} points lower.",
    "no difference can be seen ({points} ± {around} points).",
)


def digits(count: str) -> str:
    """Write a count of the table with two significant digits; as it is where there is none."""
    if count[0] in "<>":
        return count
    value = Decimal(count)
    return numbers.fixed(value, 1 if value < Decimal("9.95") else 0)


def ends_of(row: Row) -> str:
    """Return which ends of an interval are known."""
    is_below = {name: row[name] == "<1" for name in ("low", "high")}
    is_beyond = {name: row[name][0] == ">" for name in ("low", "high")}
    if is_below["high"]:
        return "below"
    if is_beyond["low"]:
        return "beyond"
    if is_beyond["high"]:
        return "unknown" if is_below["low"] else "least"
    return "most" if is_below["low"] else "both"


def curve(claim: Claim, row: Row, of: str) -> list[float]:
    """Return the accuracies with 1, 2, … references of an origin."""
    there = {"origin": row["origin"], "metric": row["metric"], "references_of": of}
    rows = claim.report.rows("worth_curves", **there)
    return [float(known(each, "accuracy")) for each in rows]


def reached(curve: list[float], level: float) -> float:
    """Return where a curve first reaches a level; 0 below one, infinite beyond all."""
    for place, value in enumerate(curve):
        if value >= level - 1e-9:
            if place == 0:
                return 1.0 if value <= level + 1e-9 else 0.0
            before = curve[place - 1]
            share = (level - before) / (value - before)
            steps = log(place) + share * (log(place + 1) - log(place))
            return exp(steps)
    return inf


def valued(claim: Claim, *, is_of_people: bool, ends: str) -> Row:
    """Return the row of a count, which must have these ends and the value of its curves."""
    origin, count = claim.said["origin"], COUNTS[claim.said["count"]]
    of = "people" if is_of_people else origin
    row = claim.report.row(
        "worth",
        metric=claim.said["metric"],
        origin=origin,
        references_of=of,
        count=count,
    )
    level = curve(claim, row, of)[int(count) - 1]
    other = curve(claim, row, origin if is_of_people else "people")
    value = reached(other, level)
    cell = {0.0: "<1", inf: f">{row['most']}"}.get(value, f"{value:.2f}")
    is_same = cell == row["worth"] or (
        row["worth"][0] not in "<>" and abs(float(row["worth"]) - value) < 0.01
    )
    claim.requires(is_same, f"the curves say {cell}, the table {row['worth']}")
    claim.requires(ends_of(row) == ends, f"the ends are {row['low']}, {row['high']}")
    claim.requires(len(other) == int(row["most"]), f"there are {len(other)}")
    return row


def slots_of(claim: Claim, row: Row) -> Mapping[str, str]:
    """Return the slots of a sentence on a count, as far as it has them."""
    pairs = numbers.counted(int(row["pairs"]), "pair")
    on = numbers.counted(int(row["images"]), "image")
    found = {
        "value": digits(row["worth"]),
        "low": digits(row["low"]),
        "high": digits(row["high"]),
        "most": row["most"],
        "pairs": f"{pairs} on {on}",
        "do": "does" if row["count"] == "1" else "do",
    }
    return {name: text for name, text in found.items() if name in claim.said}


def _declare() -> None:
    for is_of_people, templates in ((True, OF_PEOPLE), (False, OF_OTHERS)):
        for ends, template in templates.items():

            @says(template)
            def count_of_references(
                claim: Claim, is_of_people: bool = is_of_people, ends: str = ends
            ) -> Mapping[str, str]:
                row = valued(claim, is_of_people=is_of_people, ends=ends)
                return slots_of(claim, row)


_declare()


@says(
    "“{origin}” pays where one costs less than 1/{value} [1/{high}, 1/{low}] of one of people."
)
def price(claim: Claim) -> Mapping[str, str]:
    rows = claim.report.rows(
        "worth", origin=claim.said["origin"], references_of="people", count="1"
    )
    metric = claim.before.rpartition("With ")[2].partition(",")[0]
    row = next(each for each in rows if each["metric"] == metric)
    claim.requires(ends_of(row) == "both", "an end is not known")
    return slots_of(claim, row)


@says(
    *(
        f"With {{metric}}, accuracy is {{own}} % with {{count}} {noun} of “{{origin}}” and "
        f"{{theirs}} % with {{count}} of people: {told}"
        for told in DIFFERENCES
        for noun in ("reference", "references")
    )
)
def equal_counts(claim: Claim) -> Mapping[str, str]:
    count = COUNTS[claim.said["count"]]
    row = difference(claim, "instead", count, count)
    origin = claim.said["origin"]
    own, theirs = (curve(claim, row, of)[int(count) - 1] for of in (origin, "people"))
    is_near = abs(own - theirs - float(known(row, "difference"))) < 1e-9
    claim.requires(is_near, f"the curves have {own} and {theirs}")
    shares = {"own": own, "theirs": theirs}
    told = {name: numbers.percent(Decimal(str(each))) for name, each in shares.items()}
    return told | dict(points_of(claim, row))


@says(
    *(
        "With {metric}, accuracy with {people} of people, and {more} of “{origin}” added: "
        f"{told}"
        for told in DIFFERENCES
    )
)
def added(claim: Claim) -> Mapping[str, str]:
    counts = (COUNTS[claim.said[name]] for name in ("people", "more"))
    return points_of(claim, difference(claim, "added", *counts))


def difference(claim: Claim, compared: str, people: str, others: str) -> Row:
    metric, origin = claim.said["metric"], claim.said["origin"]
    there = {"metric": metric, "origin": origin, "compared": compared}
    return claim.report.row(
        "worth_differences", people=people, references=others, **there
    )


def points_of(claim: Claim, row: Row) -> Mapping[str, str]:
    """Return the points of a difference, of which its words must have the direction."""
    value, low, high = (known(row, name) for name in ("difference", "low", "high"))
    is_seen = not low <= 0 <= high
    claim.requires(("can be seen" not in claim.text) == is_seen, f"{low} to {high}")
    if is_seen:
        is_higher = claim.text.endswith("higher.")
        claim.requires(is_higher == (value > 0), f"the difference is {value}")
    shown = abs(value) if is_seen else value
    around = (high - low) / 2
    return {"points": numbers.percent(shown), "around": numbers.percent(around)}


@says(
    "Each interval is at 95 % by itself, not adjusted for the number of metrics and origins; those "
    "of references that are added hold for all mixes of a metric and an origin at once."
)
def intervals(claim: Claim) -> None:
    claim.requires(bool(claim.report.rows("worth")), "there are none")


@says("The table worth.csv says the same of {others}.")
def others(claim: Claim) -> dict[str, str]:
    metrics = {row["metric"] for row in claim.report.rows("worth")}
    return {"others": numbers.counted(len(metrics) - 1, "other metric")}


@says(
    "“{origin}”: the upper end is often missing with fewer than 150 images, and there are {images}."
)
def few_images(claim: Claim) -> dict[str, str]:
    row = claim.report.rows("worth", origin=claim.said["origin"])[0]
    claim.requires(int(row["images"]) < 150, f"there are {row['images']}")
    return {"images": row["images"]}


@says(
    "“{origin}”: {images} with too few references of it or of people is left out.",
    "“{origin}”: {images} with too few references of it or of people are left out.",
)
def left_out(claim: Claim) -> dict[str, str]:
    row = claim.report.rows("worth", origin=claim.said["origin"])[0]
    left = images(claim.data.judged) - int(row["images"])
    claim.requires((left == 1) == (" is left" in claim.text), f"{left} are")
    return {"images": numbers.counted(left, "image")}


def origin_of(row: Mapping[str, str]) -> str:
    """Return who wrote a reference."""
    named = row.get("origin", "").strip()
    return "people" if named.lower() in ("", "human", "people") else named


@says(
    "{references} of “{origin}” equals a candidate of the same image: a metric that matches words "
    "scores such a candidate highest.",
    "{references} of “{origin}” equal candidates of the same image: a metric that matches words "
    "scores such a candidate highest.",
)
def equal_candidates(claim: Claim) -> dict[str, str]:
    shown = claim.data.candidates
    equal = [
        row
        for row in claim.data.table("references")
        if origin_of(row) == claim.said["origin"]
        and row["caption"] in shown.get(row["image"], ())
    ]
    claim.requires((len(equal) == 1) == (" equals " in claim.text), f"{len(equal)} do")
    return {"references": numbers.counted(len(equal), "reference")}


@says(
    "Captions by “{origin}” are candidates, and references by “{origin}” may favour its captions: "
    "with {metric} and one such reference, accuracy is {accuracy} %, and {share} % on the {pairs} "
    "without them.",
    "Captions by “{origin}” are candidates, and references by “{origin}” may favour its captions: "
    "with {metric} and one such reference, accuracy is {accuracy} %, and no pair is without them.",
)
def own_captions(claim: Claim) -> dict[str, str]:
    origin = claim.said["origin"]
    row = claim.report.row(
        "worth_curves",
        origin=origin,
        references_of=origin,
        metric=claim.said["metric"],
        reference_count="1",
    )
    found = {"accuracy": numbers.percent(known(row, "accuracy"))}
    without = int(known(row, "pairs_without"))
    if "no pair" in claim.text:
        claim.requires(without == 0, f"{without} pairs are")
        return found
    most = sum(origin not in pair.sources for pair in claim.data.judged)
    claim.requires(without <= most, f"only {most} pairs are")
    share = numbers.percent(known(row, "accuracy_without"))
    return found | {"share": share, "pairs": numbers.counted(without, "pair")}


@says(
    "People saw references as they voted, {triplets} of some pairs: this may favour references of "
    "the origins that they saw."
)
def seen_references(claim: Claim) -> dict[str, str]:
    shown = [
        {vote["reference"] for vote in pair.votes} - {""}
        for pair in claim.data.with_winner
    ]
    fewest = min(len(each) for each in shown if each)
    claim.requires(fewest < 10, f"they saw at least {fewest}")
    return {"triplets": numbers.counted(fewest, "triplet")}


@says("Nothing is said of {metrics}: references are not chosen for them here.")
def not_scored(claim: Claim) -> dict[str, str]:
    said = {row["metric"] for row in claim.report.rows("worth")}
    silent = [name for name in claim.report.main_metrics if name not in said]
    ordered = [name for name in claim.report.metrics if name in silent]
    return {"metrics": numbers.listed(ordered, "and")}


@says(
    "references.csv names no other origin than people.",
    "No main metric is computed from captions here: none can be given other references.",
    "Fewer than 30 images have references both of people and of another origin.",
)
def no_worth(claim: Claim) -> None:
    rows = claim.data.table("references")
    by_origin: dict[str, set[str]] = {}
    for row in rows:
        by_origin.setdefault(origin_of(row), set()).add(row["image"])
    people = by_origin.pop("people", set())
    if "other origin than" in claim.text:
        claim.requires(not by_origin, f"it names {sorted(by_origin)}")
    if claim.text.startswith("Fewer"):
        judged = {pair.row["image"] for pair in claim.data.judged}
        most = max(len(people & own & judged) for own in by_origin.values())
        claim.requires(most < 30, f"{most} have")
