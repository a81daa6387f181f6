"""Ratings: which metric correlates most with them, what one rater reaches, and what is left out."""

import re
from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

from tests.reader import dataset, numbers
from tests.reader.report import BASELINES, Row, known, number
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import interval, largest, named, verdict

COEFFICIENTS = {
    "tau_b": "Kendall's tau b",
    "tau_c": "Kendall's tau c",
    "Spearman": "Spearman's rho",
    "Pearson": "Pearson's r",
}
CONSTANT = "All ratings are the same."


def aspects(claim: Claim) -> list[str]:
    return sorted({row.get("aspect", "") for row in claim.data.ratings})


def by_caption(ratings: list[dataset.Row]) -> dict[tuple[str, ...], list[dataset.Row]]:
    """Return the ratings of each caption, for each aspect."""
    found: dict[tuple[str, ...], list[dataset.Row]] = defaultdict(list)
    for row in ratings:
        found[row["image"], row["caption"], row.get("aspect", "")].append(row)
    return dict(found)


def are_sorted(claim: Claim) -> bool:
    """Return whether ratings never fall from annotator to annotator: they may be columns.

    Fewer captions with different ratings than the documentation names show nothing.
    """
    rising = 0
    for rows in by_caption(claim.data.ratings).values():
        named = sorted(rows, key=lambda row: row.get("annotator", ""))
        values = [Decimal(row["rating"]) for row in named if row.get("annotator")]
        if values != sorted(values):
            return False
        rising += len({*values}) > 1
    return rising >= ENOUGH_SORTED


ENOUGH_SORTED = 20
"""Captions with different ratings from which sorted ratings are no chance."""
BEST = "{coefficient} is {value} ({interval}, times 100, not adjusted for choosing the best)."
NONE_POSITIVE = (
    "none correlates positively with the ratings: {coefficient} is largest for {first}, {value} "
    "({interval}, times 100, not adjusted for choosing the best)."
)
EQUALLY = "correlate equally with the ratings: {coefficient} is {value} ({interval}, times 100)."
ALONE = "correlates with the ratings: {coefficient} is {value} ({interval}, times 100)."
MOST = "{first} correlates most with the ratings: "
SEVERAL = "{first} correlate most with the ratings, and equally: "


@says(
    f"Of the {{number}} main metrics, {MOST}{BEST}",
    f"Of the {{number}} main metrics, {SEVERAL}{BEST}",
    f"Of the {{number}} main metrics, {NONE_POSITIVE}",
    f"The {{number}} main metrics ({{first}}) {EQUALLY}",
    f"{{first}} {ALONE}",
    f"For “{{aspect}}”, of the {{number}} main metrics, {MOST}{BEST}",
    f"For “{{aspect}}”, of the {{number}} main metrics, {SEVERAL}{BEST}",
    f"For “{{aspect}}”, of the {{number}} main metrics, {NONE_POSITIVE}",
    f"For “{{aspect}}”, the {{number}} main metrics ({{first}}) {EQUALLY}",
    f"For “{{aspect}}”, {{first}} {ALONE}",
)
def most(claim: Claim) -> dict[str, str]:
    rows = main_rows(claim, aspect_of(claim))
    values = {name: known(row, "value") for name, row in rows.items()}
    best = largest(values)
    form = {
        "correlates most": len(best) == 1 < len(rows),
        "correlate most": 1 < len(best) < len(rows),
        "correlate equally": len(best) == len(rows) > 1,
        "correlates with": len(rows) == 1,
    }
    if len(rows) > 1 and max(values.values()) <= 0:
        form = {"none correlates positively": True}
    claim.requires(
        any(form[each] and each in claim.text for each in form), f"they are {values}"
    )
    truth = {
        "number": str(len(rows)),
        "first": named(best),
        "coefficient": COEFFICIENTS[claim.report.options["coefficient"]],
        "value": numbers.percent(max(values.values())),
        "interval": interval([rows[name] for name in best]),
    }
    return {name: truth[name] for name in truth if name in claim.said}


def aspect_of(claim: Claim) -> str:
    """Return the aspect that a sentence speaks of: it names it, or one before it does."""
    own = claim.said.get("aspect") or ""
    before = re.findall("[Ff]or “(.+?)”", claim.before)
    aspect = own or (before[-1] if before else "")
    several = [each for each in aspects(claim) if each]
    claim.requires(bool(aspect) or not several, f"no aspect is named, of {several}")
    return aspect


def main_rows(claim: Claim, aspect: str) -> dict[str, Row]:
    """Return the rows of the main metrics that have a coefficient with every rating."""
    by = claim.report.options["coefficient"]
    rows = claim.report.rows("ratings", convention="every rating", coefficient=by)
    return {
        row["metric"]: row
        for row in rows
        if row["metric"] not in BASELINES
        and row.get("aspect", "") == aspect
        and number(row, "value") is not None
    }


@says("{names} has no coefficient.", "{names} have no coefficient.")
@says(
    "{names} has no coefficient for “{aspect}”.",
    "{names} have no coefficient for “{aspect}”.",
)
def no_coefficient(claim: Claim) -> None:
    rows = main_rows(claim, aspect_of(claim))
    said = {*re.split(", | and ", claim.said["names"])}
    claim.requires(said.isdisjoint(rows), f"{sorted(said & {*rows})} have one")


def beside_best(claim: Claim) -> tuple[str, list[tuple[str, str]], int]:
    """Return the best metric, the verdict on each other one, and how many are compared."""
    aspect = aspect_of(claim)
    rows = main_rows(claim, aspect)
    values = {name: known(row, "value") for name, row in rows.items()}
    first = largest(values)
    tests = claim.report.rows(
        "ratings_differences",
        convention="every rating",
        coefficient=claim.report.options["coefficient"],
    )
    tests = [row for row in tests if row.get("aspect", "") == aspect]
    found = {}
    for row in tests:
        both = {row["metric_a"], row["metric_b"]}
        if first[0] in both:
            [other] = both - {first[0]}
            found[other] = verdict(row).replace("less often", "more often")
    order = sorted(values, key=lambda name: -values[name])
    others = [
        (name, found[name]) for name in order if name in found and name not in first
    ]
    return first[0], others, len(tests)


def with_value(claim: Claim, names: list[str]) -> str:
    rows = main_rows(claim, aspect_of(claim))
    texts = [
        f"{name} ({numbers.percent(known(rows[name], 'value'))})" for name in names
    ]
    return numbers.listed(texts, "and")


@says(
    "{others} cannot be told apart from {best}.",
    "{others} cannot be told apart from {best} (adjusted for {comparisons} comparisons).",
    "{others} cannot be told apart from {best} (adjusted for {comparisons} comparisons); {clear} "
    "differs before the adjustment.",
    "{others} cannot be told apart from {best} (adjusted for {comparisons} comparisons); {clear} "
    "differ before the adjustment.",
)
def alike(claim: Claim) -> dict[str, str]:
    best, found, tests = beside_best(claim)
    names = [name for name, each in found if each.startswith("no difference")]
    clear = {name for name, each in found if each.endswith("adjusting")}
    claim.requires((tests > 1) == ("comparisons" in claim.said), f"{tests} comparisons")
    truth = {"others": with_value(claim, names), "best": best}
    if tests > 1:
        truth["comparisons"] = numbers.count(tests)
        said = {*re.split(", | and ", claim.said.get("clear", ""))} - {""}
        claim.requires(said == clear, f"before the adjustment, {sorted(clear)} differ")
    return truth


@says("{others} correlates less than {best}.", "{others} correlate less than {best}.")
def less(claim: Claim) -> dict[str, str]:
    best, found, _tests = beside_best(claim)
    names = [name for name, each in found if each == "more often"]
    return {"others": with_value(claim, names), "best": best}


@says(
    "With another rating of the same caption, {another}; with the mean of the other ratings, "
    "{mean}.",
    "For “{aspect}”, with another rating of the same caption, {another}; with the mean of the "
    "other ratings, {mean}.",
)
def one_rater(claim: Claim) -> dict[str, str]:
    claim.requires(
        not are_sorted(claim), "ratings are sorted: annotators may be columns"
    )
    by, aspect = claim.report.options["coefficient"], aspect_of(claim)
    rows = claim.report.rows("ratings_headroom", coefficient=by)
    texts = {}
    for name, row in zip(("another", "mean"), rows_of(rows, aspect), strict=True):
        others = claim.report.rows("ratings", convention=row["target"], coefficient=by)
        values = {
            each["metric"]: known(each, "value")
            for each in rows_of(others, aspect)
            if each["metric"] != "one rater" and number(each, "value") is not None
        }
        best = largest(values)
        verb = "correlates" if len(best) == 1 else "correlate"
        metric, rater = (
            numbers.percent(known(row, each)) for each in ("value", "rater")
        )
        beside = beside_rater(row)
        texts[name] = (
            f"{named(best)} {verb} {beside} another rater does ({metric} and {rater})"
        )
    return texts


def rows_of(rows: Iterable[Row], aspect: str) -> list[Row]:
    return [row for row in rows if row.get("aspect", "") == aspect]


def beside_rater(row: Row) -> str:
    """Say how a metric stands beside one rater, by the interval of the difference."""
    low, high = number(row, "low"), number(row, "high")
    if low is not None and low > 0:
        return "less than"
    return "more than" if high is not None and high < 0 else "about as well as"


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
    "{captions} rated caption is among the references of its image: metrics compare it with the "
    "other references.",
    "{captions} rated caption is among the references of its image and left out.",
)
def rated_references(claim: Claim) -> dict[str, str]:
    is_kept = bool(claim.report.options["exclude_identical"])
    claim.requires(is_kept == ("compare" in claim.text), "the option says otherwise")
    return {} if is_kept else {"captions": numbers.count(len(own_captions(claim)))}


@says(
    "{captions} others are the only reference of their image and left out.",
    "{captions} other is the only reference of its image and left out.",
)
def only_references(claim: Claim) -> None:
    claim.requires(bool(own_captions(claim)), "no rated caption is a reference")


@says(
    "{captions} captions were rated as captions of several sources.",
    "{captions} caption was rated as captions of several sources.",
)
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


def of_aspect(claim: Claim) -> list[dataset.Row]:
    """Return the ratings that a sentence or a row of a table is of."""
    wanted = claim.row.get("aspect", "") if claim.row else aspect_of(claim)
    return [row for row in claim.data.rated if row.get("aspect", "") == wanted]


@says(CONSTANT)
def constant(claim: Claim) -> None:
    values = {Decimal(row["rating"]) for row in of_aspect(claim)}
    claim.requires(len(values) == 1, f"there are {sorted(values)}")


@says("The metric gives every candidate the same score.")
def constant_metric(claim: Claim) -> None:
    before = re.findall(r"(?:^|\. )([^.]+?) ha(?:s|ve) no coefficient", claim.before)
    names = [claim.row["metric"]] if claim.row else re.split(", | and ", before[-1])
    for name in names:
        scores = {
            row["score"]
            for row in claim.data.table("scores")
            if row["metric"] == name and row.get("score")
        }
        claim.requires(len(scores) < 2, f"{name} has {len(scores)} scores")


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


@says("No rating names a person as its annotator.", "Only one candidate has ratings.")
def few_raters(claim: Claim) -> None:
    own = [row for row in of_aspect(claim) if row.get("annotator")]
    own = [] if are_sorted(claim) else own
    captions = {(row["image"], row["caption"]) for row in own}
    most = 1 if claim.text.startswith("Only") else 0
    claim.requires(len(captions) == most, f"{len(captions)} have some")


@says("All ratings that name an annotator are the same.")
def same_ratings(claim: Claim) -> None:
    values = {
        Decimal(row["rating"]) for row in of_aspect(claim) if row.get("annotator")
    }
    claim.requires(len(values) == 1, f"there are {sorted(values)}")


@says(
    "No rating names its annotator (column annotator): two ratings of a caption may be by one "
    "person.",
    "The ratings of each caption are sorted: annotators may be columns, not people.",
    "So raters are compared neither with each other nor with metrics.",
)
def raters_are_unknown(claim: Claim) -> None:
    named = {row.get("annotator") for row in claim.data.ratings} - {"", None}
    could_be_columns = are_sorted(claim)
    holds = {
        "No": not named,
        "The": could_be_columns,
        "So": not named or could_be_columns,
    }
    claim.requires(
        holds[claim.text.split()[0]],
        f"{len(named)} names are there; sorted: {could_be_columns}",
    )
