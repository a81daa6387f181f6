"""What references of another origin are worth, in references of people (CIDEr paper, figure 3)."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.worth import (
    LEAST_IMAGES,
    MIXED,
    OriginHits,
    hits_by_origin,
    measured_metrics,
    valued_origins,
)
from tercet.analysis.figures.curves import origins_figure
from tercet.analysis.findings.finding import Content, Need, Plot, finding
from tercet.analysis.findings.needs import DECIDED, PAIRS
from tercet.analysis.number_texts import counted, fixed, percent, plural
from tercet.analysis.scoring.options import WORTH
from tercet.analysis.stats.worth import BELOW, BEYOND, Worth
from tercet.analysis.superlatives import AND, joined
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import HUMAN, PEOPLE, origins

MEANING = (
    "Accuracy of each metric with references of one origin; how many references of an origin are "
    "worth one or two of people, how many of people some of the origin are worth, and what these "
    "add to some of people. Document frequencies are always those of people's references. A count "
    "is interpolated in its logarithm; its interval is where that of the difference holds 0. "
    "Nothing is said beyond the counts that there are."
)
_INTERVALS = (
    "Each interval is at 95 % by itself, not adjusted for the number of metrics and origins; those "
    "of references that are added hold for all mixes of a metric and an origin at once."
)
_SHOWS = "Accuracy of each metric with references of people, and of each other origin"
_EQUAL_COUNTS, _VALUED, _MOST_HELD = (1, 2, 5), (1, 2), 5
"""Counts at which origins are compared, of people that are valued, and of others that are."""
_ADDED = (1, 5, 10)
_FEW_IMAGES, _FEW_TRIPLETS = 150, 10
"""Images below which an upper end is often missing; triplets of a pair that are few."""
_RESAMPLES = 2_000
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 10: "ten"}
_WORTH = {
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
_PRICE = (
    " “{origin}” pays where one costs less than 1/{value} [1/{high}, 1/{low}] of one of "
    "people."
)
_HELD = {
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
"""What is said of a count of references by which of its ends are known."""


_TWO_ORIGINS = Need(
    "references.csv names no other origin than people.",
    lambda results: bool((origins(results.references) != HUMAN).any()),
    is_rare=True,
)
_SCORED_AGAIN = Need(
    "No main metric is computed from captions here: none can be given other references.",
    lambda results: bool(measured_metrics(results)),
)
_ENOUGH_IMAGES = Need(
    f"Fewer than {LEAST_IMAGES} images have references both of people and of another origin.",
    lambda results: bool(valued_origins(results)),
)


@finding(
    title="Worth of a reference",
    source="After the CIDEr paper, figure 3",
    meaning=MEANING,
    needs=(_TWO_ORIGINS, PAIRS, DECIDED, _SCORED_AGAIN, _ENOUGH_IMAGES),
)
def worth(results: Results) -> Content:
    """Value references of other origins in those of people, and those of people in theirs."""
    tables: dict[str, pd.DataFrame] = {}
    every = results.once(hits_by_origin)
    for name, make in (
        ("worth", _worths),
        ("worth_differences", _differences),
        ("worth_curves", _curves),
    ):
        rows = [
            {"origin": hits.origin, "metric": metric, "category": results.main_group}
            | {"pairs": len(hits.image), "images": hits.images}
            | row
            for hits in every
            for metric in measured_metrics(results)
            for row in make(results, hits, metric)
        ]
        tables[name] = pd.DataFrame(rows)

    draw = partial(origins_figure, tables["worth_curves"])
    return Content(
        tables=tables,
        plots={"worth": Plot(draw, _SHOWS)},
        sentence=_sentence(results, tables),
        notes=tuple(_notes(results, every, tables["worth_curves"])),
    )


def _worths(
    _results: Results, hits: OriginHits, metric: str
) -> Iterator[dict[str, object]]:
    """Yield what references of people are worth in those of the origin, and the other way round."""
    human, other = hits.human(metric), hits.other(metric)
    held = min(_MOST_HELD, hits.most[1])
    valued = [(n, PEOPLE) for n in _VALUED if n <= hits.most[0]]
    for count, valued_of in [*valued, (held, hits.origin)]:
        of_people = valued_of == PEOPLE
        curve, level = (other, human) if of_people else (human, other)
        found = hits.mean(curve - level[:, [count - 1]]).worth
        most = curve.shape[1]
        cells = {name: _cell(value, most) for name, value in found._asdict().items()}
        yield {
            "references_of": valued_of,
            "count": count,
            "worth": cells["value"],
            "low": cells["low"],
            "high": cells["high"],
            "most": most,
            "words": _in_words(hits, metric, of_people, count, found, most),
        }


def _cell(value: float, most: int) -> str:
    """Write a count of references for a table."""
    if value == BELOW:
        return "<1"
    return f">{most}" if value == BEYOND else f"{value:.4f}"


def _in_words(
    hits: OriginHits, metric: str, of_people: bool, count: int, found: Worth, most: int
) -> str:
    """Say a count of references by the ends of its interval that are known."""
    ends = _known_ends(found)
    template = (_WORTH if of_people else _HELD)[ends]
    if of_people and count == 1 and ends == "both":
        template += _PRICE
    value, low, high = map(_two_digits, found)
    pairs = counted(len(hits.image), "pair")
    names = {"metric": metric, "origin": hits.origin, "most": most}
    counts = {"count": _NUMBERS[count], "do": plural(count, "does", "do")}
    ends_of = {"value": value, "low": low, "high": high}
    on = f"{pairs} on {counted(hits.images, 'image')}"
    return template.format(pairs=on, **names, **counts, **ends_of)


def _known_ends(found: Worth) -> str:
    """Return which ends are known; `below` and `beyond` are intervals outside of all counts."""
    if found.high == BELOW:
        return "below"
    if found.low == BEYOND:
        return "beyond"
    if found.high == BEYOND:
        return "unknown" if found.low == BELOW else "least"
    return "most" if found.low == BELOW else "both"


def _two_digits(value: float) -> str:
    """Write a count of references with two significant digits, as tables hold it."""
    held = round(value, 4)
    return fixed(held, 1 if held < 9.95 else 0)


def _differences(
    results: Results, hits: OriginHits, metric: str
) -> Iterator[dict[str, object]]:
    """Yield differences with the same number of references of either, and with some added."""
    human, other = hits.human(metric), hits.other(metric)
    for count in (each for each in _EQUAL_COUNTS if each <= min(hits.most)):
        of_both = np.stack([other[:, count - 1], human[:, count - 1]], axis=1)
        accuracies = hits.mean(of_both).value
        found = hits.mean(of_both[:, [0]] - of_both[:, [1]])
        own, theirs = (fixed(percent(each), 1) for each in accuracies)
        number = _NUMBERS[count]
        references = plural(count, "reference", "references")
        said = (
            f"With {metric}, accuracy is {own} % with {number} {references} of “{hits.origin}” and "
            f"{theirs} % with {number} of people: "
        )
        counts = {"compared": "instead", "people": count, "references": count}
        yield counts | _difference(found.value[0], found.margin[0], said)

    numbers = [people for people in MIXED if people <= hits.most[0]]
    added = [each for each in _ADDED if each <= hits.most[1]]
    columns = np.subtract(added, 1)
    gains = [hits.added(metric, people)[:, columns] for people in numbers]
    found = hits.mean(np.hstack(gains))
    widths = found.band(_RESAMPLES, results.options.generator(WORTH))
    mixes = product(numbers, added)
    for (people, more), value, width in zip(mixes, found.value, widths, strict=True):
        said = (
            f"With {metric}, accuracy with {_NUMBERS[people]} of people, and {_NUMBERS[more]} of "
            f"“{hits.origin}” added: "
        )
        counts = {"compared": "added", "people": people, "references": more}
        yield counts | _difference(value, width, said)


def _difference(value: float, width: float, said: str) -> dict[str, object]:
    """Return a difference with its interval, and in words behind what is said before."""
    points, signed, around = (
        fixed(percent(each), 1) for each in (abs(value), value, width)
    )
    told = f"{points} ± {around} points {'higher' if value > 0 else 'lower'}."
    if abs(value) <= width:
        told = f"no difference can be seen ({signed} ± {around} points)."
    bounds = {"low": value - width, "high": value + width}
    return {"difference": value, **bounds, "words": f"{said}{told}"}


def _curves(
    results: Results, hits: OriginHits, metric: str
) -> Iterator[dict[str, object]]:
    """Yield the accuracies with each count of references by people, and of the origin.

    Those of the origin are also on the pairs without its own captions, where some have them.
    """
    table = results.samples.pairs.table[hits.is_kept]
    is_own = table[["source_b", "source_c"]].isin([hits.origin]).any(axis=1).to_numpy()
    for by, own in ((PEOPLE, hits.human(metric)), (hits.origin, hits.other(metric))):
        found = hits.mean(own)
        low = found.value - found.margin
        high = found.value + found.margin
        columns: dict[str, Any] = {
            "references_of": by,
            "reference_count": np.arange(1, own.shape[1] + 1),
            "accuracy": found.value,
            "low": np.clip(low, 0, 1),
            "high": np.clip(high, 0, 1),
        }
        if by != PEOPLE and is_own.any():
            columns["pairs_without"] = int((~is_own).sum())
            without = hits.mean(own, ~is_own).value if not is_own.all() else np.nan
            columns["accuracy_without"] = without
        rows: list[dict[Any, Any]] = pd.DataFrame(columns).to_dict("records")
        yield from rows


def _sentence(results: Results, tables: Mapping[str, pd.DataFrame]) -> str:
    """Say what the references of each origin are worth with the most accurate metric."""
    of_counts, of_differences = tables["worth"], tables["worth_differences"]
    named = [name for name in results.ranked if name in {*of_counts["metric"]}]
    said: list[str] = []
    for origin in dict.fromkeys(of_counts["origin"]):
        one = {"origin": origin, "metric": named[0]}
        said += where(of_differences, **one)["words"].head(1).tolist()
        first_and_last = where(of_counts, **one)["words"].iloc[[0, -1]]
        said += first_and_last.tolist()
    if len(named) > 1:
        others = counted(len(named) - 1, "other metric")
        said.append(f"The table worth.csv says the same of {others}.")
    return " ".join(said)


def _notes(
    results: Results, every: list[OriginHits], curves: pd.DataFrame
) -> Iterator[str]:
    """Yield how intervals are meant, what was left out, and what may favour an origin."""
    yield _INTERVALS
    for hits in every:
        if hits.images < _FEW_IMAGES:
            yield (
                f"“{hits.origin}”: the upper end is often missing with fewer than {_FEW_IMAGES} "
                f"images, and there are {hits.images}."
            )
        if left_out := hits.left_out:
            yield (
                f"“{hits.origin}”: {counted(left_out, 'image')} with too few references of it or "
                f"of people {plural(left_out, 'is', 'are')} left out."
            )
        is_own = origins(results.dataset.references) == hits.origin
        equal = int((results.decided.is_identical & is_own).sum())
        if equal and not results.options.exclude_identical:
            equals = plural(equal, "equals a candidate", "equal candidates")
            yield (
                f"{counted(equal, 'reference')} of “{hits.origin}” {equals} of the same image: a "
                "metric that matches words scores such a candidate highest."
            )
    if "pairs_without" in curves:
        yield from _about_own_captions(curves)
    yield from _about_seen_references(results)
    others = [
        each for each in results.main_metrics if each not in measured_metrics(results)
    ]
    if others:
        yield f"Nothing is said of {joined(others, AND)}: references are not chosen for them here."


def _about_own_captions(curves: pd.DataFrame) -> Iterator[str]:
    """Warn of an origin whose own captions are candidates, with the accuracy without them."""
    of_origins = curves.dropna(subset="pairs_without").drop_duplicates("origin")
    for row in of_origins.to_dict("records"):
        origin, left = row["origin"], int(row["pairs_without"])
        accuracy = fixed(percent(row["accuracy"]), 1)
        without = fixed(percent(row["accuracy_without"]), 1)
        told = f"{without} % on the {counted(left, 'pair')} without them"
        yield (
            f"Captions by “{origin}” are candidates, and references by “{origin}” may favour its "
            f"captions: with {row['metric']} and one such reference, accuracy is {accuracy} %, "
            f"and {told if left else 'no pair is without them'}."
        )


def _about_seen_references(results: Results) -> Iterator[str]:
    """Warn where people saw few references of a pair as they voted: votes favour these."""
    triplets = results.decided.triplets
    pairs = results.samples.pairs.table["pair"]
    seen = triplets[triplets["pair"].isin(pairs) & (triplets["reference"] != "")]
    counts = seen["pair"].value_counts()
    if len(counts) and (fewest := int(counts.min())) < _FEW_TRIPLETS:
        yield (
            f"People saw references as they voted, {counted(fewest, 'triplet')} of some pairs: "
            "this may favour references of the origins that they saw."
        )
