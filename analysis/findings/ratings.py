"""Metrics against ratings instead of choices."""

from functools import partial

import pandas as pd

from analysis.evaluation.headline import headline
from analysis.evaluation.options import RATINGS as RATINGS_STREAM
from analysis.evaluation.options import Options
from analysis.evaluation.results import Results
from analysis.figures.correlations import ratings_figure
from analysis.findings.finding import Content, Definition
from analysis.findings.markup import latex, markdown
from analysis.findings.needs import RATED_CANDIDATES, RATINGS
from analysis.findings.sentences import ratings_sentence
from analysis.stats.correlation import COEFFICIENTS
from analysis.stats.ratings import (
    CONVENTIONS,
    EVERY,
    MAX_RESAMPLES,
    MEAN,
    Rated,
    Rows,
    correlations,
    differences,
    one_against_others,
    rater_agreement,
)
from analysis.stats.resampling import Resamples
from analysis.stats.significance import flip_signs
from analysis.texts import Text
from analysis.texts import gettext as _
from metrics import FloatArray

MEANING = _(
    # xgettext:no-python-format
    "Correlation of each metric's scores, with all references, with the ratings of people: "
    "Kendall's tau b and c, Spearman's rho, Pearson's r, times 100, with 95 % intervals over "
    "images. In the first table every rating is a row; the others also take the mean, median "
    "or mode of a candidate's ratings, as published numbers do. Two metrics are compared by "
    "exchanging their contributions image by image, and by Williams' test. One rater is "
    "compared with the mean of the others; a metric that knew the true quality of every "
    "caption would reach the highest Pearson."
)


def ratings(results: Results) -> Content:
    """Tabulate how each metric's scores correlate with the ratings, and which do better."""
    rated = results.ratings.rated
    index = pd.MultiIndex.from_frame(rated.candidates)
    scores = pd.DataFrame(dict(results.ratings.scores), index=index)

    parts = [
        _tables(aspect, of_aspect, scores, results.options)
        for aspect, of_aspect in rated.by_aspect()
    ]
    tables = {
        name: pd.concat([part[name] for part in parts]) for name in parts[0]
    }
    first = _first_table(tables["ratings"])
    shown, rater = _plotted(
        tables["ratings"], list(results.ratings.scores), results.options
    )

    return Content(
        tables={"ratings_table": first} | tables,
        plots={"ratings": partial(ratings_figure, shown, rater)}
        if len(shown)
        else {},
        sentence=ratings_sentence(
            list(results.ratings.scores), tables["ratings"]
        ),
        texts={"ratings.md": markdown(first), "ratings.tex": latex(first)},
        notes=_left_out(rated, results.ratings.excluded),
    )


def _left_out(rated: Rated, excluded: int) -> tuple[Text, ...]:
    """Say which captions and references are not used."""
    notes = []

    if rated.dropped:
        notes.append(
            _(
                "{captions:,} rated captions are among the references of their image and left out.",
                captions=rated.dropped,
            )
        )
    if excluded:
        notes.append(
            _(
                "{references:,} references that were rated as candidates are not given to metrics.",
                references=excluded,
            )
        )

    return tuple(notes)


def _tables(
    aspect: str, rated: Rated, scores: pd.DataFrame, options: Options
) -> dict[str, pd.DataFrame]:
    """Return the tables of one aspect, by name."""
    own = scores.loc[pd.MultiIndex.from_frame(rated.candidates)]
    of_candidates = {
        str(name): own[name].to_numpy(dtype=float) for name in own
    }
    compared = {
        name: of_candidates[name]
        for name in headline(list(of_candidates), options.headline)
    }

    generator = options.generator(RATINGS_STREAM)
    images, size = rated.rows.images, min(options.resamples, MAX_RESAMPLES)
    weights = Resamples.make(size, images, 1, generator).images
    signs = flip_signs(min(options.flips, MAX_RESAMPLES), images, generator)

    rows = {name: rated.rows.summarised(name) for name in CONVENTIONS}
    tables = {
        "ratings": _correlations(rows, of_candidates),
        "ratings_raters": pd.DataFrame(
            map(vars, rater_agreement(rated.rows, weights))
        ),
        "ratings_differences": pd.concat(
            [
                differences(rows[name], compared, signs)
                for name in (EVERY, MEAN)
            ]
        ),
    }
    return {
        name: _with_aspect(table, aspect) for name, table in tables.items()
    }


def _correlations(
    rows: dict[str, Rows], scores: dict[str, FloatArray]
) -> pd.DataFrame:
    """Return a row for each convention, metric, and coefficient, and one rater's at the end."""
    found = [
        each
        for own in rows.values()
        for name, scored in scores.items()
        for each in correlations(name, own, scored)
    ]
    found += one_against_others(rows[EVERY])

    return pd.DataFrame(map(vars, found))


def _with_aspect(table: pd.DataFrame, aspect: str) -> pd.DataFrame:
    """Put the aspect in front, where there is one."""
    if aspect:
        table.insert(0, "aspect", aspect)
    return table


def _first_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return metrics by coefficients of every rating, in words, the best metric first."""
    table = table[table["convention"] == EVERY]
    keys = [name for name in ("aspect", "metric") if name in table]

    cells = table.assign(cell=table.apply(_in_words, axis=1))
    wide = cells.pivot(index=keys, columns="coefficient", values="cell")[
        list(COEFFICIENTS)
    ]
    best = (
        table[table["coefficient"] == COEFFICIENTS[0]]
        .set_index(keys)["value"]
        .astype(float)
    )

    order = best.sort_values(ascending=False, kind="stable").index
    by_aspect = wide.loc[order].reset_index().rename_axis(columns=None)
    if "aspect" in keys:
        by_aspect = by_aspect.sort_values("aspect", kind="stable")

    return by_aspect.reset_index(drop=True)


def _in_words(row: "pd.Series[float]") -> str:
    """Write a coefficient times 100 with its interval."""
    if pd.isna(row["value"]):
        return "none"

    interval = (
        ""
        if pd.isna(row["low"])
        else f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    )
    return f"{100 * row['value']:.1f}{interval}"


def _plotted(
    table: pd.DataFrame, names: list[str], options: Options
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what the plot shows of every rating: headline metrics, and one rater.

    Of several aspects the first is shown.
    """
    if "aspect" in table:
        table = table[table["aspect"] == table["aspect"].iloc[0]]

    table = table[table["convention"] == EVERY]
    table = table.astype(dict.fromkeys(("value", "low", "high"), float))
    is_shown = table["metric"].isin(headline(names, options.headline))
    is_rater = ~table["metric"].isin(names)

    return table[is_shown & table["value"].notna()], table[is_rater]


DEFINITION = Definition(
    name="ratings",
    title=_("Ratings"),
    source=_(
        "Beside the CIDEr paper: Kendall, 1938; Williams, 1959; Deutsch, Dror and Roth, 2021"
    ),
    meaning=MEANING,
    needs=(RATINGS, RATED_CANDIDATES),
    make=ratings,
)
