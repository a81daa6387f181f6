"""Ratings: which metric correlates most with them, what one rater reaches, and what is left out."""

from collections import defaultdict
from decimal import Decimal

from tests.reader import numbers
from tests.reader.dataset import Row
from tests.reader.report import known, number
from tests.reader.rule import Claim, says

COEFFICIENTS = {
    "tau_b": "Kendall's tau b",
    "tau_c": "Kendall's tau c",
    "Spearman": "Spearman's rho",
    "Pearson": "Pearson's r",
}
CONSTANT = "All ratings are the same."


def aspects(claim: Claim) -> list[str]:
    return sorted({row.get("aspect", "") for row in claim.data.ratings})


def by_caption(ratings: list[Row]) -> dict[tuple[str, ...], list[Row]]:
    """Return the ratings of each caption, for each aspect."""
    found: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in ratings:
        found[row["image"], row["caption"], row.get("aspect", "")].append(row)
    return dict(found)


def are_sorted(claim: Claim) -> bool:
    """Return whether ratings never fall from annotator to annotator: they may be columns."""
    rises = False
    for rows in by_caption(claim.data.ratings).values():
        named = sorted(rows, key=lambda row: row.get("annotator", ""))
        values = [Decimal(row["rating"]) for row in named if row.get("annotator")]
        if values != sorted(values):
            return False
        rises |= len({*values}) > 1
    return rises


@says(
    "{metric} correlates most with the ratings: {coefficient} is {value} (95 % interval {low} to "
    "{high}, times 100)."
)
def most(claim: Claim) -> dict[str, str]:
    by = claim.report.options["coefficient"]
    rows = [
        row
        for row in claim.report.rows(
            "ratings", convention="every rating", coefficient=by
        )
        if number(row, "value") is not None
    ]
    claim.requires(len(aspects(claim)) == 1, f"no aspect is named, of {aspects(claim)}")
    largest = max(known(row, "value") for row in rows)
    best = [row for row in rows if known(row, "value") == largest]
    names = [row["metric"] for row in best]
    claim.requires(len(best) == 1, f"{names} correlate equally")
    claim.requires(
        largest > 0, f"{names[0]} correlates negatively, and nothing does otherwise"
    )
    claim.requires(
        number(best[0], "low") is not None, f"{names[0]} is the first: {largest}"
    )
    return {
        "metric": names[0],
        "coefficient": COEFFICIENTS[by],
        "value": numbers.percent(largest),
        "low": numbers.percent(known(best[0], "low")),
        "high": numbers.percent(known(best[0], "high")),
    }


@says(
    "One rater has {rater} with another rating of the same caption, where {metric} has {value}, "
    "and {rater_mean} with the mean of the other ratings, where {metric_mean} has {value_mean}."
)
def one_rater(claim: Claim) -> dict[str, str]:
    by = claim.report.options["coefficient"]
    claim.requires(
        not are_sorted(claim), "ratings are sorted: annotators may be columns"
    )
    claim.requires(len(aspects(claim)) == 1, f"no aspect is named, of {aspects(claim)}")
    another, mean = claim.report.rows("ratings_headroom", coefficient=by)
    return {
        "rater": numbers.percent(known(another, "rater")),
        "metric": another["metric"],
        "value": numbers.percent(known(another, "value")),
        "rater_mean": numbers.percent(known(mean, "rater")),
        "metric_mean": mean["metric"],
        "value_mean": numbers.percent(known(mean, "value")),
    }


@says("{ratings} ratings of captions.")
def ratings(claim: Claim) -> dict[str, str]:
    return {"ratings": numbers.count(len(claim.data.ratings))}


def own_captions(claim: Claim) -> list[tuple[str, ...]]:
    """Return the rated captions that are among the references of their image."""
    references = defaultdict(list)
    for row in claim.data.table("references"):
        references[row["image"]].append(row["caption"])
    captions = {(row["image"], row["caption"]) for row in claim.data.ratings}
    return [each for each in captions if each[1] in references[each[0]]]


@says(
    "{captions} rated captions are among the references of their image: metrics compare them with "
    "the other references.",
    "{captions} rated captions are among the references of their image and left out.",
)
def rated_references(claim: Claim) -> dict[str, str]:
    is_kept = bool(claim.report.options["exclude_identical"])
    claim.requires(is_kept == ("compare" in claim.text), "the option says otherwise")
    return {} if is_kept else {"captions": numbers.count(len(own_captions(claim)))}


@says("{captions} others are the only reference of their image and left out.")
def only_references(claim: Claim) -> None:
    claim.requires(bool(own_captions(claim)), "no rated caption is a reference")


@says("{captions} captions were rated as captions of several sources.")
def several_sources(claim: Claim) -> dict[str, str]:
    sources = defaultdict(set)
    out = set() if claim.report.options["exclude_identical"] else {*own_captions(claim)}
    for row in claim.data.ratings:
        if (row["image"], row["caption"]) not in out:
            sources[row["image"], row["caption"]].add(row["source"])
    return {"captions": numbers.count(sum(len(each) > 1 for each in sources.values()))}


@says(
    "Each is one caption, and its ratings are by several raters only where their annotators "
    "differ.",
    "Equal scores of captions lower Kendall's tau c, and hardly tau b: tau b favours metrics, and "
    "raters, that give many captions the same value.",
)
def explained(claim: Claim) -> None:
    """Hold of all data."""


@says(
    "No rating names its annotator (column annotator): two ratings of a caption may be by one "
    "person, so agreement among raters is not computed, and people are not compared with metrics."
)
def no_annotator(claim: Claim) -> None:
    named = sum(bool(row.get("annotator")) for row in claim.data.ratings)
    claim.requires(not named, f"{named} ratings do")


@says("{ratings} ratings name no annotator and are left out where raters are compared.")
def some_unnamed(claim: Claim) -> dict[str, str]:
    unnamed = sum(not row.get("annotator") for row in claim.data.ratings)
    return {"ratings": numbers.count(unnamed)}


def of_aspect(claim: Claim) -> list[Row]:
    """Return the ratings that a row of a table is of."""
    wanted = claim.row.get("aspect", "")
    return [row for row in claim.data.ratings if row.get("aspect", "") == wanted]


@says(CONSTANT)
def constant(claim: Claim) -> None:
    values = {Decimal(row["rating"]) for row in of_aspect(claim)}
    claim.requires(len(values) == 1, f"there are {sorted(values)}")


@says("The metric gives every candidate the same score.")
def constant_metric(claim: Claim) -> None:
    supplied = [
        row["score"]
        for row in claim.data.table("scores")
        if row["metric"] == claim.row["metric"] and row.get("score")
    ]
    claim.requires(len({*supplied}) < 2, f"there are {len({*supplied})} scores")


@says("An interval needs several images and a coefficient below 1.")
def no_interval(claim: Claim) -> None:
    images = {row["image"] for row in of_aspect(claim)}
    is_one = abs(known(claim.row, "value")) == 1
    claim.requires(
        is_one or len(images) == 1, f"{len(images)} images, {claim.row['value']}"
    )


@says("Rows: {rows}; a correlation needs {least}.")
def few_rows(claim: Claim) -> None:
    claim.requires(
        int(claim.said["rows"]) < int(claim.said["least"]), "there are as many"
    )


@says("No candidate has ratings by two annotators.")
def one_rating(claim: Claim) -> None:
    several = [
        rows
        for rows in by_caption(of_aspect(claim)).values()
        if len({row["annotator"] for row in rows} - {""}) > 1
    ]
    claim.requires(not several, f"{len(several)} have")
