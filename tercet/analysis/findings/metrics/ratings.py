"""Metrics against ratings instead of choices."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from typing import Any

import pandas as pd

from tercet.analysis import reasons
from tercet.analysis.dataset.sorted_annotators import ARE_COLUMNS
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.variants import for_best_of_n
from tercet.analysis.evaluation.verdicts import Verdict, verdict
from tercet.analysis.figures.correlations import ratings_figure
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.markup import latex, markdown
from tercet.analysis.findings.needs import RATED_CANDIDATES, RATINGS
from tercet.analysis.findings.reservations import of_captions
from tercet.analysis.number_texts import counted, fixed, percent, plural
from tercet.analysis.scoring.headline import BASELINES, headline
from tercet.analysis.scoring.options import RATINGS as RATINGS_STREAM
from tercet.analysis.scoring.options import Options
from tercet.analysis.stats.people.rater_effects import rater_weights
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
    RatingRows,
    Target,
    correlations,
    differences,
    headroom,
    rater_agreement,
    targets,
    with_target,
)
from tercet.analysis.stats.scores.source_means import LEAST_SOURCES, source_correlations
from tercet.analysis.stats.significance import flip_signs
from tercet.analysis.superlatives import (
    Ranking,
    Wording,
    beside_first,
    interval_in_words,
    listed,
)
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
    "quality of every caption would reach the highest Pearson. From five sources on, their mean "
    "ratings are correlated with their mean scores."
)
_FIGURES = ("value", "low", "high")
_NOT_COMPARED = "So raters are compared neither with each other nor with metrics."
_NO_RATERS = (
    "No rating names its annotator (column annotator): two ratings of a caption may be by one "
    f"person. {_NOT_COMPARED}"
)
_TARGETS = {
    ANOTHER: "another rating of the same caption",
    OTHERS: "the mean of the other ratings",
}
_END = "{coefficient} is {value} ({interval}, times 100, not adjusted for choosing the best)."
_MOST = Wording(
    one=f"{{of}} the {{number}} main metrics, {{first}} correlates most with the ratings: {_END}",
    several="{of} the {number} main metrics, {first} correlate most with the ratings, and "
    f"equally: {_END}",
    level="{the} {number} main metrics ({first}) correlate equally with the ratings: "
    "{coefficient} is {value} ({interval}, times 100).",
    none_above="{of} the {number} main metrics, none correlates positively with the ratings: "
    "{coefficient} is largest for {first}, {value} ({interval}, times 100, not adjusted for "
    "choosing the best).",
    alone="{alone}{first} correlates with the ratings: {coefficient} is {value} ({interval}, times "
    "100).",
).said
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
    marks = results.marks
    sentences = list(_sentences(results))

    return Content(
        tables={"ratings_table": first, "ratings_people": people} | tables,
        plots=dict(_plots(results, every)),
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
    """Return the comparisons of two metrics with every rating, by the chosen coefficient.

    p is adjusted for the variants that a metric was chosen from.
    """
    tests = results.once(_all_tables)["ratings_differences"]
    if tests.empty:
        return tests

    chosen = where(tests, convention=EVERY, coefficient=results.options.coefficient)
    several = {
        name: family for name, family in results.families.items() if family.variants > 1
    }
    return for_best_of_n(chosen, several)


def _all_tables(results: Results) -> dict[str, pd.DataFrame]:
    """Return the tables of all aspects, by name."""
    parts = []
    for aspect, rated, scores in results.ratings.by_aspect():
        part = _tables(aspect, rated, scores, results.options)
        parts.append(part)

    return {name: pd.concat([part[name] for part in parts]) for name in parts[0]}


def _notes(rated: Rated, options: Options) -> tuple[str, ...]:
    """Say which captions are left out, what is one caption, and how coefficients treat ties."""
    notes = [*_own_captions(rated, options.exclude_rated)]
    notes += _one_caption(rated)
    notes += raters_in_words(rated)
    sources = rated.ratings["source"].replace("", None).nunique()
    notes += filter(None, [reasons.of_source_means(sources, LEAST_SOURCES)])
    if options.coefficient in ("tau_b", "tau_c"):
        notes.append(_TIES)

    return tuple(notes)


def _own_captions(rated: Rated, for_all: bool) -> Iterator[str]:
    """Say what is done with captions that are among the references of their image."""
    kept, dropped = int(rated.is_own.sum()), rated.dropped
    if kept:
        among = (
            f"{counted(kept, 'rated caption')} {plural(kept, 'is', 'are')} among the references "
            f"of {plural(kept, 'its', 'their')} image: "
        )
        it = plural(kept, "it", "them")
        yield among + (
            "all captions are compared with other references only."
            if for_all
            else f"metrics compare {it} with the other references."
        )
    if dropped and for_all:
        yield (
            f"{counted(dropped, 'rated caption')} {plural(dropped, 'has', 'have')} no other "
            f"reference and {plural(dropped, 'is', 'are')} left out."
        )
    elif dropped and kept:
        yield plural(
            dropped,
            "1 other is the only reference of its image and left out.",
            f"{dropped:,} others are the only reference of their image and left out.",
        )
    elif dropped:
        yield plural(
            dropped,
            "1 rated caption is among the references of its image and left out.",
            f"{dropped:,} rated captions are among the references of their image and left out.",
        )


def _one_caption(rated: Rated) -> Iterator[str]:
    """Say how many captions have ratings as captions of several sources."""
    sources = rated.ratings.groupby(CAPTION)["source"].nunique()
    if several := int((sources > 1).sum()):
        yield (
            f"{counted(several, 'caption')} {plural(several, 'was', 'were')} rated as captions of "
            "several sources. Each is one caption, and its ratings are by several raters only "
            "where their annotators differ."
        )


def raters_in_words(rated: Rated) -> Iterator[str]:
    """Say how many ratings are by unknown people."""
    unnamed = int((rated.ratings["annotator"] == "").sum())

    if rated.are_sorted:
        yield f"The ratings of each caption are sorted: {ARE_COLUMNS}. {_NOT_COMPARED}"
    elif unnamed == len(rated.ratings):
        yield _NO_RATERS
    elif unnamed:
        yield plural(
            unnamed,
            "1 rating names no annotator and is left out where raters are compared.",
            f"{unnamed:,} ratings name no annotator and are left out where raters are compared.",
        )


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
    of_raters = rater_weights(
        size, rated.means_by_rater["annotator"].nunique(), generator
    )

    rows = {name: rated.rows.summarised(name) for name in CONVENTIONS}
    by_rater = rated.by_rater
    people = targets(by_rater)
    raters = rater_agreement(rated.means_by_rater, weights, of_raters)
    room = map(partial(headroom, scores=of_candidates), people)
    differ = [differences(rows[name], compared, signs) for name in (EVERY, MEAN)]
    tables = {
        "ratings": _correlations(rows, people, of_candidates),
        "ratings_headroom": pd.DataFrame(chain.from_iterable(room)),
        "ratings_raters": pd.DataFrame(map(vars, raters)),
        "ratings_differences": pd.concat(differ),
        "ratings_systems": source_correlations(rated, of_candidates, weights),
    }
    if aspect:
        for table in tables.values():
            table.insert(0, "aspect", aspect)
    return tables


def _correlations(
    rows: dict[str, RatingRows], people: Sequence[Target], scores: dict[str, FloatArray]
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


def _plots(results: Results, table: pd.DataFrame) -> Iterator[tuple[str, Plot]]:
    """Yield a plot for each aspect of what `_plotted` returns, with its name."""
    options = results.options
    names = list(results.ratings.scores)
    for number, (aspect, rows) in enumerate(by_aspect(table)):
        shown, rater = _plotted(rows, names, options)
        draw = partial(
            ratings_figure, shown, rater, by=options.coefficient, aspect=aspect
        )
        shows = f"{_SHOWS} (“{aspect}”)" if aspect else _SHOWS
        if len(shown):
            yield f"ratings-{number + 1}" if number else "ratings", Plot(draw, shows)


def _plotted(
    table: pd.DataFrame, names: list[str], options: Options
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what the plot shows: headline metrics and one rater, with the same target.

    That is another rating where raters are known, else every rating.
    """
    has_raters = (table["convention"] == ANOTHER).any()
    target = ANOTHER if has_raters else EVERY
    shown = where(table, convention=target)
    shown = shown.astype(dict.fromkeys(_FIGURES, float))
    names = headline(names, options.headline)
    plotted = where(shown, metric=names).dropna(subset="value")
    return plotted, where(shown, metric=RATER)


def _sentences(results: Results) -> Iterator[str]:
    """Say of each aspect which metric correlates most with the ratings, and what one rater does.

    Metrics with English resources are left out where captions are in another language, and one
    rater, too, who is compared with the best of all metrics.
    """
    tables = results.once(_all_tables)
    tests = dict(by_aspect(rating_tests(results)))
    headroom = dict(by_aspect(tables["ratings_headroom"]))

    for aspect, rows in by_aspect(tables["ratings"]):
        yield from _of_best(results, aspect, rows, tests.get(aspect, pd.DataFrame()))
        if not results.english_metrics and aspect in headroom:
            yield from _of_one_rater(results, aspect, rows, headroom[aspect])


def _of_best(
    results: Results, aspect: str, rows: pd.DataFrame, tests: pd.DataFrame
) -> Iterator[str]:
    """Name the main metric that correlates most, and those that cannot be told apart from it."""
    by = results.options.coefficient
    every = where(rows, convention=EVERY, coefficient=by, metric=_main(results))
    every = every.set_index("metric").astype(dict.fromkeys(_FIGURES, float))
    ranking = Ranking.of(every["value"])
    lacking = every[every["value"].isna()]
    if ranking.values:
        best = every.loc[ranking.first]
        interval = interval_in_words(best["low"].tolist(), best["high"].tolist())
        yield _MOST(
            ranking,
            of=f"For “{aspect}”, of" if aspect else "Of",
            the=f"For “{aspect}”, the" if aspect else "The",
            alone=f"For “{aspect}”, " if aspect else "",
            coefficient=COEFFICIENT_NAMES[by],
            value=fixed(percent(ranking.highest), 1),
            interval=interval,
        )
    for reason, own in lacking.groupby("reason", sort=False):
        verb = plural(len(own), "has", "have")
        names = listed([*own.index])
        yield f"{names} {verb} no coefficient{f' for “{aspect}”' if aspect else ''}. {reason}"
    if len(ranking.values) > 1 and tests["low"].isna().all():
        yield reasons.of_rated_images(aspect)
    elif len(ranking.values) > 1:
        yield from _compared_with_best(ranking, tests)


def _main(results: Results) -> list[str]:
    """Return the main metrics of ratings that may be named as the best."""
    names = headline(list(results.ratings.scores), results.options.headline)
    unfit = {*BASELINES, *results.english_metrics}
    return [name for name in names if name not in unfit]


def _compared_with_best(ranking: Ranking, tests: pd.DataFrame) -> Iterator[str]:
    """Say which metrics cannot be told apart from the best one, and which correlate less."""
    best = ranking.first[0]
    found: dict[str, list[str]] = {}
    for row in tests.to_dict("records"):
        both = {row["metric_a"], row["metric_b"]}
        [other, *_] = both - {best}
        if best in both and other in ranking.values and other not in ranking.first:
            ahead = row["difference"] * (1 if row["metric_a"] == best else -1)
            each = verdict(ahead, row["low"], row["high"], row["p_adjusted"])
            found.setdefault(each, []).append(other)

    def with_values(*verdicts: Verdict) -> list[str]:
        names = [name for each in verdicts for name in found.get(each, [])]
        names.sort(key=list(ranking.values).index)
        return [f"{each} ({fixed(percent(ranking.values[each]), 1)})" for each in names]

    yield from beside_first(
        best,
        with_values(Verdict.NONE, Verdict.ADJUSTED),
        found.get(Verdict.ADJUSTED, []),
        with_values(Verdict.MORE),
        len(tests),
        verb="correlate",
        less="less",
    )


def _of_one_rater(
    results: Results, aspect: str, rows: pd.DataFrame, headroom: pd.DataFrame
) -> Iterator[str]:
    """Compare the best metric with another rater, with each target."""
    by = results.options.coefficient
    compared = []
    for row in where(headroom, coefficient=by).to_dict("records"):
        target = where(rows, convention=row["target"], coefficient=by)
        of_metrics = target[target["metric"] != RATER].set_index("metric")
        names = Ranking.of(of_metrics["value"].astype(float)).first
        verb = plural(len(names), "correlates", "correlate")
        metric, rater = (fixed(percent(row[name]), 1) for name in ("value", "rater"))
        compared.append(
            f"with {_TARGETS[row['target']]}, {listed(names)} {verb} "
            f"{_beside_rater(row)} another rater does ({metric} and {rater})"
        )
    if compared:
        text = "; ".join(compared)
        yield f"For “{aspect}”, {text}." if aspect else f"{text[0].upper()}{text[1:]}."


def _beside_rater(row: Mapping[Hashable, Any]) -> str:
    """Say how the best metric stands beside one rater, by the interval of their difference."""
    if row["low"] is not None and row["low"] > 0:
        return "less than"
    return (
        "more than"
        if row["high"] is not None and row["high"] < 0
        else "about as well as"
    )


def by_aspect(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each aspect with its rows; "" where ratings have none."""
    if "aspect" not in table:
        if len(table):
            yield "", table
        return
    for aspect, rows in table.groupby("aspect", sort=False):
        yield str(aspect), rows
