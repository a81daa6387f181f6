"""Ratings of people: distribution, sources, annotators, and what cannot be compared."""

from collections import Counter, defaultdict
from decimal import Decimal

from tests.reader import numbers
from tests.reader.dataset import Row
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import interval, largest, named
from tests.reader.rules.ratings import are_sorted, aspect_of, by_caption
from tests.reader.rules.systems import two_decimals

ENOUGH = 10
"""Ratings from which an annotator's are standardised."""


def given(claim: Claim) -> list[Row]:
    """Return the ratings of an aspect; of captions that are references, too."""
    aspect = aspect_of(claim)
    return [row for row in claim.data.ratings if row.get("aspect", "") == aspect]


def mean(rows: list[Row]) -> Decimal:
    return sum((Decimal(row["rating"]) for row in rows), Decimal()) / len(rows)


def mean_of(values: list[Decimal]) -> Decimal:
    return sum(values, Decimal()) / len(values)


def by_annotator(claim: Claim) -> dict[str, dict[tuple[str, ...], list[Row]]]:
    """Return the ratings of each named annotator, caption by caption; nobody's of columns."""
    people: dict[str, list[Row]] = defaultdict(list)
    for row in [] if are_sorted(claim) else given(claim):
        people[row.get("annotator", "")].append(row)
    people.pop("", None)
    return {name: by_caption(rows) for name, rows in people.items()}


@says(
    "{ratings} of {captions} has the mean {mean}.",
    "{ratings} of {captions} have the mean {mean}.",
    "For “{aspect}”, {ratings} of {captions} has the mean {mean}.",
    "For “{aspect}”, {ratings} of {captions} have the mean {mean}.",
)
def how_many(claim: Claim) -> dict[str, str]:
    rows = given(claim)
    claim.requires((" has " in claim.text) == (len(rows) == 1), f"{len(rows)} ratings")
    return {
        "ratings": numbers.counted(len(rows), "rating"),
        "captions": numbers.counted(len(by_caption(rows)), "caption"),
        "mean": numbers.fixed(mean(rows), 2),
    }


@says(
    "The most frequent is {first} ({share} %).",
    "The most frequent are {first} ({share} % each).",
    "All values given, {first}, are equally frequent ({share} % each).",
    "Every rating is {first}.",
)
def most_frequent(claim: Claim) -> dict[str, str]:
    rows = given(claim)
    counts = Counter(Decimal(row["rating"]).normalize() for row in rows)
    values = {f"{value:f}": Decimal(number) for value, number in sorted(counts.items())}
    best = largest(values)
    forms = {
        "Every": len(values) == 1,
        "All": len(best) == len(values) > 1,
        "are": 1 < len(best) < len(values),
        "is": len(best) == 1 < len(values),
    }
    form = next(each for each in forms if each in claim.text.split())
    claim.requires(forms[form], f"{values}")
    truth = {
        "first": named(best),
        "share": numbers.percent(values[best[0]] / len(rows)),
    }
    return {name: truth[name] for name in truth if name in claim.said}


@says(
    "Of {number} sources, {first} has the highest mean: {high} ({interval}).",
    "Of {number} sources, {first} have the highest mean, and equally: {high} ({interval}).",
    "The {number} sources ({first}) have the same mean: {high} ({interval}).",
)
def highest_source(claim: Claim) -> dict[str, str]:
    sources: dict[str, list[Row]] = defaultdict(list)
    for row in given(claim):
        sources[row.get("source", "")].append(row)
    sources.pop("", None)
    means = {
        name: mean_of([mean(each) for each in by_caption(rows).values()])
        for name, rows in sources.items()
    }
    rounded = {name: round(value, 11) for name, value in sorted(means.items())}
    best = largest(rounded)
    forms = {
        "The": len(best) == len(means),
        "equally": 1 < len(best) < len(means),
        "Of": len(best) == 1,
    }
    words = claim.text.replace(":", "").split()
    form = next(each for each in ("The", "equally", "Of") if each in words)
    claim.requires(forms[form], f"{rounded}")
    aspect = aspect_of(claim)
    rows = [
        claim.report.row(
            "ratings_sources", source=name, **({"aspect": aspect} if aspect else {})
        )
        for name in best
    ]
    return {
        "number": str(len(means)),
        "first": named([f"“{name}”" for name in best]),
        "high": numbers.fixed(means[best[0]], 2),
        "interval": interval(rows, two_decimals),
    }


@says("The means of {number} annotators are {low} to {high}.")
def annotators(claim: Claim) -> dict[str, str]:
    means = [
        mean_of([mean(each) for each in captions.values()])
        for captions in by_annotator(claim).values()
    ]
    return {
        "number": str(len(means)),
        "low": numbers.fixed(min(means), 2),
        "high": numbers.fixed(max(means), 2),
    }


NOT_STANDARDISED = "are not standardised: they are fewer than {least}, or all the same."


@says(
    f"The ratings of {{few}} of {{annotators}} {NOT_STANDARDISED}",
    f"The ratings for “{{aspect}}” of {{few}} of {{annotators}} {NOT_STANDARDISED}",
)
def not_standardised(claim: Claim) -> dict[str, str]:
    people = by_annotator(claim)
    few = [
        name
        for name, captions in people.items()
        if len(captions) < ENOUGH
        or len({mean(each) for each in captions.values()}) == 1
    ]
    return {
        "few": str(len(few)),
        "annotators": numbers.counted(len(people), "annotator"),
        "least": str(ENOUGH),
    }


GROUPS = (
    "form {groups} groups without a common annotator: adjusted means of different groups cannot "
    "be compared."
)


@says(
    f"Captions and annotators {GROUPS}",
    f"Captions and annotators for “{{aspect}}” {GROUPS}",
)
def groups(claim: Claim) -> dict[str, str]:
    parts: list[set[tuple[str, ...]]] = []
    for captions in by_annotator(claim).values():
        joined = {*captions}
        apart = []
        for part in parts:
            if part.isdisjoint(joined):
                apart.append(part)
            else:
                joined |= part
        parts = [*apart, joined]
    return {"groups": str(len(parts))}


@says(
    "All ratings that name an annotator are by one: means are not adjusted.",
    "All ratings for “{aspect}” that name an annotator are by one: means are not adjusted.",
)
def one_annotator(claim: Claim) -> None:
    people = by_annotator(claim)
    claim.requires(len(people) == 1, f"{len(people)} annotators rated")


@says("No rating counts: each is empty, excluded, undone, or of a check.")
def none_counts(claim: Claim) -> None:
    claim.requires(not claim.data.ratings, f"{len(claim.data.ratings)} count")


def sources_of(claim: Claim) -> set[str]:
    return {row.get("source", "") for row in claim.data.rated} - {""}


@says("Correlations over sources need {least} sources; there are {sources}.")
def few_sources(claim: Claim) -> dict[str, str]:
    return {"least": "5", "sources": str(len(sources_of(claim)))}


@says("All ratings of the candidates with ratings by two annotators are the same.")
def shared_are_the_same(claim: Claim) -> None:
    several = [
        row
        for rows in by_caption(claim.data.rated).values()
        if len({row["annotator"] for row in rows} - {""}) > 1
        for row in rows
        if row.get("aspect", "") == claim.row.get("aspect", "")
    ]
    values = {Decimal(row["rating"]) for row in several}
    claim.requires(len(values) == 1, f"there are {sorted(values)}")


@says("All sources have the same mean rating.")
def level_ratings(claim: Claim) -> None:
    captions: dict[str, dict[tuple[str, str], list[Row]]] = {}
    for row in claim.data.rated:
        if row.get("source") and row.get("aspect", "") == claim.row.get("aspect", ""):
            of_source = captions.setdefault(row["source"], defaultdict(list))
            of_source[row["image"], row["caption"]].append(row)

    means = {
        round(mean_of([mean(rows) for rows in each.values()]), 9)
        for each in captions.values()
    }
    claim.requires(len(captions) > 1, "there are no sources")
    claim.requires(len(means) == 1, f"there are {sorted(means)}")


@says("All sources have the same mean score.")
def level_scores(claim: Claim) -> None:
    claim.requires(len(sources_of(claim)) > 1, "there are no sources")
