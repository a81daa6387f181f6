"""Ratings of people: how they are distributed, by source and by rater, and adjusted means."""

from collections.abc import Iterator, Mapping

import pandas as pd

from tercet.analysis import reasons
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, finding
from tercet.analysis.findings.metrics.ratings import raters_in_words
from tercet.analysis.findings.needs import GIVEN_RATINGS
from tercet.analysis.number_texts import counted, fixed, percent, plural, written
from tercet.analysis.scoring.options import RATERS, Options
from tercet.analysis.stats.people.rater_effects import (
    LEAST_RATINGS,
    MOST_RATERS,
    adjusted_means,
    rater_table,
    standardised_ratings,
)
from tercet.analysis.stats.resampling import Resamples, Weights
from tercet.analysis.stats.scores.ratings import MAX_RESAMPLES, Rated
from tercet.analysis.stats.scores.source_means import source_means
from tercet.analysis.superlatives import Ranking, Wording, interval_in_words, quoted
from tercet.analysis.values import two_decimals

MEANING = (
    "How often each rating was given; the mean of each source over its captions, with 95 % "
    "intervals over images; the mean and the spread (standard deviation) of each annotator, where "
    "strictness is no fault; and the mean of each caption adjusted for the strictness of who rated "
    "it, by least squares, with 95 % intervals. Standardised ratings are in an annotator's own "
    "standard deviations about the annotator's own mean, from ten ratings on. Rated captions "
    "count that are among the references of their image, too."
)
_MOST_GRADES = 11
_FREQUENT = Wording(
    one="The most frequent is {first} ({share} %).",
    several="The most frequent are {first} ({share} % each).",
    level="All values given, {first}, are equally frequent ({share} % each).",
    alone="Every rating is {first}.",
)
_HIGHEST = Wording(
    one="Of {number} sources, {first} has the highest mean: {high} ({interval}).",
    several="Of {number} sources, {first} have the highest mean, and equally: {high} ({interval}).",
    level="The {number} sources ({first}) have the same mean: {high} ({interval}).",
)


@finding(
    title="Raters",
    source="Beside the CIDEr paper: Krippendorff, 2004; Graham and others, 2017",
    meaning=MEANING,
    needs=(GIVEN_RATINGS,),
)
def raters(results: Results) -> Content:
    """Tabulate ratings by value, source, annotator and caption."""
    ratings = results.dataset.valid_ratings
    ratings = ratings.assign(rating=ratings["rating"].astype(float))
    rated = Rated.of(ratings, results.references.iloc[:0])
    parts = [
        (aspect, own, _tables(aspect, own, results.options))
        for aspect, own in rated.by_aspect()
    ]
    sentences = [text for each in parts for text in _sentences(*each)]
    return Content(
        tables={
            name: pd.concat([tables[name] for _aspect, _own, tables in parts])
            for name in parts[0][2]
        },
        sentence=" ".join(sentences),
        headline=sentences[0],
        notes=(
            *raters_in_words(rated),
            *(
                text
                for aspect, _own, tables in parts
                for text in _notes(aspect, tables)
            ),
        ),
    )


def _tables(aspect: str, rated: Rated, options: Options) -> dict[str, pd.DataFrame]:
    """Return the tables of one aspect, by name."""
    size = min(options.resamples, MAX_RESAMPLES)
    generator = options.generator(RATERS)
    weights = Resamples.make(size, rated.rows.images, 1, generator).images
    distribution = rated.ratings["rating"].value_counts().sort_index()
    means = rated.means_by_rater
    annotators, captions = _adjusted(rated, means)
    tables = {
        "ratings_distribution": distribution.rename("ratings")
        .reset_index()
        .assign(share=distribution.to_numpy() / distribution.sum()),
        "ratings_sources": _sources(rated, means, weights),
        "ratings_annotators": annotators,
        "ratings_adjusted": captions,
    }
    if aspect:
        for table in tables.values():
            table.insert(0, "aspect", aspect)
    return tables


def _sources(rated: Rated, means: pd.DataFrame, weights: Weights) -> pd.DataFrame:
    """Return the mean ratings of sources, and the means of the standardised ones."""
    standardised = standardised_ratings(
        means["rater"].to_numpy(), means["rating"].to_numpy()
    )
    sources = pd.DataFrame(
        {
            "candidate": rated.rows.candidate,
            "source": rated.ratings["source"].to_numpy(),
        }
    ).drop_duplicates()
    own = means.assign(standardised=standardised).merge(sources, on="candidate")
    of_sources = own.groupby("source")["standardised"].mean()
    return source_means(rated, weights).join(of_sources, on="source")


def _adjusted(rated: Rated, means: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row for each annotator, and one for each caption with its adjusted mean."""
    rater, rating = means["rater"].to_numpy(), means["rating"].to_numpy()
    names = means.groupby("rater")["annotator"].first()
    annotators = rater_table(rater, rating)
    annotators.insert(0, "annotator", names)
    if not 1 < len(names) <= MOST_RATERS:
        return annotators, pd.DataFrame()

    caption, candidate = pd.factorize(means["candidate"], sort=True)
    found = adjusted_means(caption, rater, rating)
    of_captions = means.groupby("candidate")["rating"].agg(ratings="size", mean="mean")
    captions = rated.candidates.iloc[candidate].reset_index(drop=True)
    captions = captions.join(of_captions.reset_index(drop=True)).assign(
        adjusted=found.mean,
        standard_error=found.error,
        low=found.low,
        high=found.high,
        freedom=found.freedom,
        part=found.part + 1,
    )
    return annotators.assign(effect=found.effect), captions


def _sentences(
    aspect: str, rated: Rated, tables: Mapping[str, pd.DataFrame]
) -> Iterator[str]:
    """Say of an aspect what was given, how often, to which sources, and by whom."""
    ratings, captions = len(rated.ratings), len(rated.candidates)
    verb = plural(ratings, "has", "have")
    yield (
        f"{f'For “{aspect}”, ' if aspect else ''}{counted(ratings, 'rating')} of "
        f"{counted(captions, 'caption')} {verb} the mean {fixed(rated.rows.rating.mean(), 2)}."
    )
    given = tables["ratings_distribution"]
    shares = Ranking.of(
        {
            written(each, "g"): share
            for each, share in given[["rating", "share"]].to_numpy()
        }
    )
    sources = tables["ratings_sources"].set_index("source")
    means = Ranking.of(sources["mean"])
    highest = sources.loc[means.first]
    of_people = tables["ratings_annotators"]["mean"]
    if len(given) <= _MOST_GRADES:
        yield _FREQUENT.said(shares, share=fixed(percent(shares.highest), 1))
    if len(sources) > 1:
        yield _HIGHEST.said(
            means,
            quoted,
            high=fixed(means.highest, 2),
            interval=interval_in_words(
                highest["low"].tolist(), highest["high"].tolist(), two_decimals
            ),
        )
    if len(of_people) > 1:
        yield (
            f"The means of {len(of_people):,} annotators are "
            f"{two_decimals(of_people.min(), of_people.max())}."
        )


def _notes(aspect: str, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """Say whose ratings are not standardised, and which means cannot be compared."""
    of = f" for “{aspect}”" if aspect else ""
    annotators, adjusted = tables["ratings_annotators"], tables["ratings_adjusted"]
    left_out = int((~annotators["standardised"]).sum())
    if left_out:
        yield (
            f"The ratings{of} of {left_out:,} of {counted(len(annotators), 'annotator')} are not "
            f"standardised: they are fewer than {LEAST_RATINGS}, or all the same."
        )
    parts = adjusted["part"].max() if len(adjusted) else 1
    if parts > 1:
        yield (
            f"Captions and annotators{of} form {parts:,} groups without a common annotator: "
            "adjusted means of different groups cannot be compared."
        )
    yield from filter(
        None, [reasons.of_adjusted_means(len(annotators), MOST_RATERS, aspect)]
    )
