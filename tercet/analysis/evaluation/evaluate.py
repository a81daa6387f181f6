"""Evaluate a dataset: how far metrics agree with its winners and its ratings."""

from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd

from tercet import __version__, metrics
from tercet.analysis import reasons
from tercet.analysis.dataset.winners import ADJUDICATOR, UNFINISHED
from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.evaluation.ratings import score_ratings
from tercet.analysis.evaluation.results import NO_WINNERS, NothingToEvaluate, Results
from tercet.analysis.evaluation.scoring import tally_pairs
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.scoring.learned import FOLDS, RATING_MODEL, WINNER_MODEL
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Decided, arrange_pairs, decide
from tercet.analysis.scoring.sources import collect_sources, metrics_left_out
from tercet.analysis.scoring.workers import one_thread
from tercet.analysis.tables.protocol_settings import RATING
from tercet.analysis.tables.rows import captions_by_image, where
from tercet.analysis.tables.schema import (
    DIGEST_VERSION,
    SIMULATED,
    TIE,
    Dataset,
    have_equal_candidates,
    repeat_earlier_pairs,
)
from tercet.metrics.text.tokenizers import (
    count_whole_captions,
    count_without_tokens,
    warn_of_whole_captions,
    warn_without_tokens,
    whole_captions_said,
)

_NO_DECISIONS = (
    "People decided none of the pairs, and ties are dropped: nothing is left."
)
_EQUAL_CANDIDATES = (
    "The candidates of every pair with a winner are equal: such pairs are left out."
)
NO_REFERENCES = "All references equal candidates: nothing is left to compare with."
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "matplotlib",
    "numba",
    "PyStemmer",
    "pycocoevalcap",
)


@one_thread
def evaluate(
    dataset: Dataset,
    options: Options | None = None,
    progress: Progress = silent,
    other: Dataset | None = None,
    scored: bool = True,
) -> Results:
    """Evaluate metrics against a dataset's winners, its ratings, or both.

    Parameters
    ----------
    dataset : Dataset
        Pairs with votes or published winners, or ratings of captions.
    options : Options, optional
        Everything else that decides the result; the defaults if not given.
    progress : Progress
        Called with the share done (0..1) and what is being done.
    other : Dataset, optional
        The same pairs under the other protocol, to compare the two.
    scored : bool
        Whether captions are scored; False for findings that need no scores.

    Returns
    -------
    Results

    Raises
    ------
    NothingToEvaluate
        If the dataset has neither a pair with a winner nor ratings.
    ValueError
        If a metric is unknown, or no pair has the wanted reference counts.

    Examples
    --------
    >>> from tercet.analysis import Options, evaluate, load
    >>> results = evaluate(load("examples/demo"), Options(metrics=("CIDEr",), draws=2))
    >>> results.accuracy.columns[:5].tolist()
    ['metric', 'category', 'reference_count', 'pairs', 'accuracy']
    """
    options = options or Options()
    dataset = dataset.in_order()
    other = other.in_order() if other else None
    splitting = _count_badly_split(dataset, options)
    _check_models(dataset, options)

    decided = decide(dataset, options)
    samples, ratings = None, None
    with whole_captions_said():
        if scored and decided.is_evaluated.any():
            pairs = arrange_pairs(dataset, decided, options)
            begun = part(progress, 0, 0.1)
            sources = collect_sources(dataset, pairs, options, begun)
            if sources.has_sets:
                options = replace(options, draws=sources.draws)
            tallies = tally_pairs(pairs, sources, options, part(progress, 0.1, 0.7))
            progress(0.7, "Resampling images")
            samples = Samples.make(pairs, tallies, sources, options)
        if scored and len(dataset.valid_ratings):
            progress(0.8, "Scoring rated captions")
            ratings = score_ratings(dataset, options)

    if scored and not (samples or ratings):
        given = len(dataset.ratings)
        raise NothingToEvaluate(why_nothing(decided, options, given))

    progress(1.0, "Evaluated")
    results = Results(dataset, options, decided, samples, ratings, other)
    results.provenance.update(_describe(results), **splitting)
    return results


def without_identical(results: Results) -> Results:
    """Evaluate the main metrics again, without references that equal a candidate of their image.

    Every pair that keeps a reference counts: metrics are given all that are left where some image
    has fewer than are wanted. Where the results with all references are read, one order of them
    is enough.

    Raises ValueError where no pair keeps a reference.
    """
    outside = results.outside
    names = tuple(name for name in results.headline if name != WINNER_MODEL)
    options = results.options
    policies = (options.human_ties, options.metric_ties)
    is_of_all = not options.counts and "coin" not in policies
    pairs = only_pairs(results.dataset)
    if max(options.counts, default=0) > _fewest_references_left(pairs, options):
        options = replace(options, counts=())

    options = replace(
        options,
        draws=1 if is_of_all and not results.sources.has_sets else options.draws,
        exclude_identical=True,
        metrics=tuple(outside.get(name, name) for name in names),
        headline=names,
        learn=False,
    )
    return evaluate(pairs, options)


def _fewest_references_left(dataset: Dataset, options: Options) -> int:
    """Return how many references every image keeps without those that equal a candidate."""
    decided = decide(dataset, replace(options, exclude_identical=True))
    images = decided.winners.loc[decided.is_evaluated, "image"]
    left = where(decided.references, image=images)
    return int(left["image"].value_counts().min()) if len(left) else 0


def only_pairs(dataset: Dataset) -> Dataset:
    """Return a dataset without its ratings."""
    no_ratings = dataset.ratings[:0]
    return replace(dataset, ratings=no_ratings)


def _check_models(dataset: Dataset, options: Options) -> None:
    """Raise ValueError if a model was trained on an image of the dataset."""
    if not options.models:
        return

    judged = {*dataset.pairs["image"], *dataset.ratings["image"]}
    references = where(dataset.references, image=judged)
    captions = captions_by_image(references)

    for path in options.models:
        model = metrics.read_model(path)
        metrics.check_unseen(model.name, model.training_images, captions)


def _count_badly_split(dataset: Dataset, options: Options) -> dict[str, int]:
    """Count captions that the tokenizer leaves in one piece, or nothing of; warn of them.

    Equal captions are counted once.
    """
    columns = [
        dataset.references["caption"],
        dataset.pairs["candidate_b"],
        dataset.pairs["candidate_c"],
        dataset.ratings["caption"],
    ]
    captions = pd.concat(columns).unique().tolist()
    tokenize = options.tokenize
    whole = count_whole_captions(captions, tokenize)
    if whole:
        warn_of_whole_captions()

    empty = count_without_tokens(captions, tokenize)
    warn_without_tokens(empty)
    return {"whole_captions": whole} | ({"empty_captions": empty} if empty else {})


def why_nothing(decided: Decided, options: Options, ratings: int = 0) -> str:
    """Say why no pair is evaluated; where there are only ratings, why none of them is."""
    if decided.winners.empty and ratings:
        return reasons.of_ratings(ratings, 0)
    has_winner = decided.winners["winner"] != ""
    with_winner = decided.winners[has_winner]
    if with_winner.empty:
        return NO_WINNERS
    if not with_winner["image"].isin(decided.references["image"]).any():
        return NO_REFERENCES
    if options.human_ties == "drop" and (with_winner["winner"] == TIE).all():
        return _NO_DECISIONS
    return _EQUAL_CANDIDATES


def _describe(results: Results) -> dict[str, object]:
    """Describe data, options and versions, what was left out, and what decided the scores."""
    dataset = results.dataset
    other = results.other
    against = {"against_sha256": other.sha256} if other else {}
    votes = dataset.valid_votes
    are_judged = dataset.protocol != RATING or results.decided.is_evaluated.any()
    has_pairs = len(dataset.pairs) and are_judged
    simulated = votes["annotator"].str.startswith(SIMULATED)

    return {
        "dataset": dataset.info.get("title", ""),
        "sha256": dataset.sha256,
        "digest": DIGEST_VERSION,
        "protocol": dataset.protocol if has_pairs else "ratings",
        "votes": len(votes),
        "simulated_votes": int(simulated.sum()),
        "options": asdict(results.options.named),
        "interval": "95 % percentile bootstrap over images and over draws",
        "metrics_left_out": metrics_left_out(results.options),
        "versions": {"tercet": __version__} | _package_versions(),
        **against,
        **_count_rows(results),
        **_describe_fits(results),
    }


@cache
def _package_versions() -> dict[str, str]:
    """Return the version of each package that figures depend on; reading them takes time."""
    versions = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):  # the extra `meteor` may have been removed
            versions[name] = version(name)

    return versions


def _count_rows(results: Results) -> dict[str, object]:
    """Count what was evaluated and what was left out."""
    dataset = results.dataset
    decided = results.decided
    winners = decided.winners
    ratings = results.scored_ratings
    counted: dict[str, Any] = {
        "pairs": decided.is_evaluated,
        "pairs_left_out": ~decided.is_evaluated,
        "pairs_unfinished": decided.is_evaluated & (winners["state"] == UNFINISHED),
        "pairs_without_winner": winners["winner"] == "",
        "equal_candidates": have_equal_candidates(dataset.pairs),
        "repeated_pairs": repeat_earlier_pairs(dataset.pairs),
        "identical_references": decided.is_identical,
    }
    counts: dict[str, object] = {}
    for name, rows in counted.items():
        counts[name] = int(rows.sum())
    counts["ratings"] = len(dataset.valid_ratings)
    raters = dataset.valid_ratings["annotator"].astype("str")
    if simulated := int(raters.str.startswith(SIMULATED).sum()):
        counts["simulated_ratings"] = simulated
    counts["ratings_left_out"] = ratings.rated.dropped_ratings if ratings else 0

    if "decided_by" in winners:
        is_adjudicated = winners["decided_by"] == ADJUDICATOR
        counts["pairs_adjudicated"] = int(is_adjudicated.sum())
    return counts


def _describe_fits(results: Results) -> dict[str, list[str]]:
    """Describe what decided the scores besides data and options: packages, and fits."""
    extras: list[str] = []
    composites: list[str] = []
    options = results.options

    for each in (results.pair_samples, results.scored_ratings):
        if each:
            selection = each.sources.selection
            extras += metrics.made_with(selection.to_score)
            composites += selection.made_with()
    if options.learn:
        models = (
            f"{WINNER_MODEL}, {RATING_MODEL}: trained on other images, {FOLDS} folds"
        )
        if options.folds == "captions":
            models += ", images that share captions in one fold"
        composites.append(models)

    found = {}
    for name, lines in (("extras", extras), ("composites", composites)):
        if lines:
            found[name] = list(dict.fromkeys(lines))
    return found
