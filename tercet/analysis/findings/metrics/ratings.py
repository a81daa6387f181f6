"""Metrics against ratings instead of choices."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, product

import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.correlations import ratings_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.markup import latex, markdown
from tercet.analysis.findings.needs import RATED_CANDIDATES, RATINGS
from tercet.analysis.findings.reservations import of_captions
from tercet.analysis.number_texts import fixed, percent
from tercet.analysis.scoring.headline import headline
from tercet.analysis.scoring.options import RATINGS as RATINGS_STREAM
from tercet.analysis.scoring.options import Options
from tercet.analysis.stats.resampling import Resamples
from tercet.analysis.stats.scores.correlation import COEFFICIENT_NAMES, COEFFICIENTS
from tercet.analysis.stats.scores.ratings import (
    ANOTHER,
    CONVENTIONS,
    EVERY,
    MAX_RESAMPLES,
    MEAN,
    OTHERS,
    RATER,
    TARGETS,
    Rated,
    Rows,
    Target,
    correlations,
    differences,
    headroom,
    rater_agreement,
    targets,
    with_target,
)
from tercet.analysis.stats.significance import flip_signs
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import CAPTION
from tercet.analysis.values import percent_interval
from tercet.metrics import FloatArray

MEANING = (
    "Correlation of each metric's scores, with all references, with the ratings of people: "
    "Kendall's tau b and c, Spearman's rho, Pearson's r, times 100, with 95 % intervals over "
    "images. In the first table every rating is a row; others take the mean, median or mode of a "
    "candidate's ratings, as published numbers do. Metrics are ordered by one coefficient. One "
    "rater and metrics are compared with the same target: another rating of the caption, and the "
    "mean of its other ratings. Two metrics are compared by exchanging their standardized scores "
    "image by image, and for Pearson's r by Williams' test as well. A metric that knew the true "
    "quality of every caption would reach the highest Pearson."
)
_FIGURES = ("value", "low", "high")
_NO_RATERS = (
    "No rating names its annotator (column annotator): two ratings of a caption may be by one "
    "person, so agreement among raters is not computed, and people are not compared with metrics."
)
_SHOWS = "The correlation of each metric with the ratings of people, by coefficient"
_TIES = (
    "Equal scores of captions lower Kendall's tau c, and hardly tau b: tau b favours metrics, and "
    "raters, that give many captions the same value."
)


@finding(
    title="Ratings",
    source="Beside the CIDEr paper: Kendall, 1938; Williams, 1959; Deutsch, Dror and Roth, 2021",
    meaning=MEANING,
    needs=(RATINGS, RATED_CANDIDATES),
)
def ratings(results: Results) -> Content:
    """Tabulate how each metric's scores correlate with the ratings, and which do better."""
    rated = results.ratings.rated
    options = results.options
    tables = results.once(_all_tables)
    every = tables["ratings"]
    by = options.coefficient
    first = _first_table(every, by)
    people = _people_table(every, by)
    shown, rater = _plotted(every, list(results.ratings.scores), options)
    draw = partial(ratings_figure, shown, rater, by=by)
    marks = results.marks
    sentences = _sentences(results, by)

    return Content(
        tables={"ratings_table": first, "ratings_people": people} | tables,
        plots={"ratings": Plot(draw, _SHOWS)} if len(shown) else {},
        sentence=" ".join(sentences),
        headline=sentences[0] if sentences else "",
        texts={
            "ratings.md": markdown(first, marks),
            "ratings.tex": latex(first, marks=marks),
        },
        notes=_notes(rated, options),
        reservations=tuple(of_captions(results)),
    )


def rating_tests(results: Results) -> pd.DataFrame:
    """Return the comparisons of two metrics with every rating, by the chosen coefficient."""
    tests = results.once(_all_tables)["ratings_differences"]
    if tests.empty:
        return tests

    return where(tests, convention=EVERY, coefficient=results.options.coefficient)


def _all_tables(results: Results) -> dict[str, pd.DataFrame]:
    """Return the tables of all aspects, by name."""
    parts = []
    for aspect, rated, scores in results.ratings.by_aspect():
        part = _tables(aspect, rated, scores, results.options)
        parts.append(part)

    return {name: pd.concat([part[name] for part in parts]) for name in parts[0]}


def _notes(rated: Rated, options: Options) -> tuple[str, ...]:
    """Say which captions are left out, what is one caption, and how coefficients treat ties."""
    notes = [*_own_captions(rated)]
    notes += _one_caption(rated)
    notes += _raters(rated)
    if options.coefficient in ("tau_b", "tau_c"):
        notes.append(_TIES)

    return tuple(notes)


def _own_captions(rated: Rated) -> Iterator[str]:
    """Say what is done with captions that are among the references of their image."""
    if kept := int(rated.is_own.sum()):
        yield (
            f"{kept:,} rated captions are among the references of their image: metrics compare "
            "them with the other references."
        )
    if rated.dropped and kept:
        yield f"{rated.dropped:,} others are the only reference of their image and left out."
    elif rated.dropped:
        yield (
            f"{rated.dropped:,} rated captions are among the references of their image and left "
            "out."
        )


def _one_caption(rated: Rated) -> Iterator[str]:
    """Say how many captions have ratings as captions of several sources."""
    sources = rated.ratings.groupby(CAPTION)["source"].nunique()
    if several := int((sources > 1).sum()):
        yield (
            f"{several:,} captions were rated as captions of several sources. Each is one "
            "caption, and its ratings are by several raters only where their annotators differ."
        )


def _raters(rated: Rated) -> Iterator[str]:
    """Say how many ratings are by unknown people."""
    unnamed = int((rated.ratings["annotator"] == "").sum())

    if unnamed == len(rated.ratings):
        yield _NO_RATERS
    elif unnamed:
        yield f"{unnamed:,} ratings name no annotator and are left out where raters are compared."


def _tables(
    aspect: str, rated: Rated, scores: pd.DataFrame, options: Options
) -> dict[str, pd.DataFrame]:
    """Return the tables of one aspect, by name."""
    of_candidates = {str(name): scores[name].to_numpy(dtype=float) for name in scores}
    names = headline(list(of_candidates), options.headline)
    compared = {name: of_candidates[name] for name in names}

    generator = options.generator(RATINGS_STREAM)
    images = rated.rows.images
    size = min(options.resamples, MAX_RESAMPLES)
    weights = Resamples.make(size, images, 1, generator).images
    flips = min(options.flips, MAX_RESAMPLES)
    signs = flip_signs(flips, images, generator)

    rows = {name: rated.rows.summarised(name) for name in CONVENTIONS}
    by_rater = rated.by_rater
    people = targets(by_rater)
    raters = rater_agreement(by_rater, weights)
    room = map(partial(headroom, scores=of_candidates), people)
    differ = [differences(rows[name], compared, signs) for name in (EVERY, MEAN)]
    tables = {
        "ratings": _correlations(rows, people, of_candidates),
        "ratings_headroom": pd.DataFrame(chain.from_iterable(room)),
        "ratings_raters": pd.DataFrame(map(vars, raters)),
        "ratings_differences": pd.concat(differ),
    }
    if aspect:
        for table in tables.values():
            table.insert(0, "aspect", aspect)
    return tables


def _correlations(
    rows: dict[str, Rows], people: Sequence[Target], scores: dict[str, FloatArray]
) -> pd.DataFrame:
    """Return a row for each convention, metric, and coefficient; with one rater by each target."""
    found = []
    for own, (name, scored) in product(rows.values(), scores.items()):
        found += correlations(name, own, scored)
    for target in people:
        if len(target.rows.rating):
            found += with_target(target, scores)

    return pd.DataFrame(map(vars, found))


def _first_table(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return metrics by coefficients of every rating, in words, the best metric first."""
    every = where(table, convention=EVERY)
    best = where(every, coefficient=by)
    return _wide(every, "coefficient", list(COEFFICIENTS), best)


def _people_table(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return one rater and metrics by target, in words, the best with another rating first."""
    shown = where(table, convention=TARGETS, coefficient=by)
    if shown.empty:
        return pd.DataFrame()

    best = where(shown, convention=ANOTHER)
    return _wide(shown, "convention", list(TARGETS), best)


def _wide(
    table: pd.DataFrame, across: str, columns: list[str], best: pd.DataFrame
) -> pd.DataFrame:
    """Return the coefficients in words, a column for each value of `across`.

    Rows are sorted by the values of `best`, the largest first, within each aspect.
    """
    keys = [name for name in ("aspect", "metric") if name in table]
    words = table.apply(_in_words, axis=1)
    cells = table.assign(cell=words)
    wide = cells.pivot(index=keys, columns=across, values="cell")

    value = best.set_index(keys)["value"].astype(float)
    order = value.sort_values(ascending=False, kind="stable").index
    by_aspect = wide[columns].loc[order].reset_index()
    by_aspect = by_aspect.rename_axis(columns=None)
    if "aspect" in keys:
        by_aspect = by_aspect.sort_values("aspect", kind="stable")

    return by_aspect.reset_index(drop=True)


def _in_words(row: "pd.Series[float]") -> str:
    """Write a coefficient times 100 with its interval."""
    bounds = row[list(_FIGURES)].astype(float)
    return percent_interval(*bounds)


def _plotted(
    table: pd.DataFrame, names: list[str], options: Options
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what the plot shows: headline metrics and one rater, with the same target.

    That is another rating where raters are known, else every rating. Of several aspects the first
    is shown.
    """
    table = _of_first_aspect(table)

    has_raters = (table["convention"] == ANOTHER).any()
    target = ANOTHER if has_raters else EVERY
    shown = where(table, convention=target)
    shown = shown.astype(dict.fromkeys(_FIGURES, float))
    names = headline(names, options.headline)
    plotted = where(shown, metric=names).dropna(subset="value")
    return plotted, where(shown, metric=RATER)


def _sentences(results: Results, coefficient: str) -> list[str]:
    """Name the metric that correlates most with the ratings, and what one rater reaches.

    Metrics with English resources are left out where captions are in another language, and one
    rater, too, who is compared with the best of all metrics.
    """
    tables = results.once(_all_tables)
    every = where(tables["ratings"], convention=EVERY, coefficient=coefficient)
    is_unfit = every["metric"].isin(results.english_metrics)
    shown = every[~is_unfit].dropna(subset=["value", "low"])
    if shown.empty:
        return []

    of_aspect = _of_first_aspect(shown)
    values = of_aspect["value"].to_numpy(dtype=float)
    largest = values.argmax()
    best = of_aspect.iloc[int(largest)]
    first = (
        f"{best['metric']} correlates most with the ratings: {COEFFICIENT_NAMES[coefficient]} "
        f"is {fixed(percent(best['value']), 1)} (95 % interval {fixed(percent(best['low']), 1)} "
        f"to {fixed(percent(best['high']), 1)}, times 100)."
    )
    if results.english_metrics:
        return [first]
    return [first, *_of_one_rater(tables["ratings_headroom"], coefficient)]


def _of_one_rater(headroom: pd.DataFrame, coefficient: str) -> Iterator[str]:
    """Compare one rater with the best metric, with each target of the first aspect."""
    if headroom.empty:
        return

    rows = _of_first_aspect(where(headroom, coefficient=coefficient))
    by_target = {row["target"]: row for row in rows.to_dict("records")}
    another = by_target[ANOTHER]
    others = by_target[OTHERS]

    yield (
        f"One rater has {fixed(percent(another['rater']), 1)} with another rating of the same "
        f"caption, where {another['metric']} has {fixed(percent(another['value']), 1)}, and "
        f"{fixed(percent(others['rater']), 1)} with the mean of the other ratings, where "
        f"{others['metric']} has {fixed(percent(others['value']), 1)}."
    )


def _of_first_aspect(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first aspect; all rows where ratings have none."""
    if "aspect" not in table:
        return table
    return where(table, aspect=table["aspect"].iloc[0])
