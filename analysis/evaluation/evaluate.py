"""Evaluate a dataset: how far metrics agree with its winners and its ratings."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.dataset.winners import (
    ADJUDICATOR,
    UNFINISHED,
    pair_winners,
    triplet_winners,
    with_decisions,
)
from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.evaluation.curves import check_counts
from tercet.analysis.evaluation.description import describe, describe_fits
from tercet.analysis.evaluation.ratings import ScoredRatings, score_ratings
from tercet.analysis.evaluation.results import (
    NO_WINNERS,
    PARTS,
    NothingToEvaluate,
    Part,
    Results,
)
from tercet.analysis.evaluation.scoring import score_pairs
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.scoring.learned import WINNER_MODEL
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import gather_pairs
from tercet.analysis.scoring.threads import one_thread
from tercet.analysis.tables.schema import (
    Dataset,
    captions_by_image,
    have_equal_candidates,
    repeat_earlier_pairs,
)
from tercet.metrics import TOKENIZERS
from tercet.metrics.selection import Selection
from tercet.metrics.text.tokenizers import (
    count_whole_captions,
    warn_of_whole_captions,
    whole_captions_said,
)

NO_REFERENCES = "All references equal candidates: nothing is left to compare with."


@dataclass(frozen=True)
class _Decided:
    """The winners, and what of them is evaluated with which references.

    Attributes
    ----------
    winners : DataFrame
        The winner of each pair.
    is_evaluated : Series of bool
        Whether the pair has a winner and references, and is not left out.
    references : DataFrame
        Those that metrics are given.
    identical : Series of bool
        Which of the dataset's references equal a candidate of their image.
    """

    winners: pd.DataFrame
    is_evaluated: "pd.Series[bool]"
    references: pd.DataFrame
    identical: pd.Series


@one_thread
def evaluate(
    dataset: Dataset,
    options: Options | None = None,
    progress: Progress = silent,
    other: Dataset | None = None,
    parts: Collection[Part] = PARTS,
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
    parts : collection of {"pairs", "ratings"}
        What to score, where the dataset has it.

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
    _check_models(dataset, options)
    whole = _whole_captions(dataset, options)
    if whole:
        warn_of_whole_captions()

    decided = _decide(dataset, options, "pairs" in parts and dataset.ratings.empty)
    samples, ratings = None, None
    with whole_captions_said():
        if "pairs" in parts and decided.is_evaluated.any():
            samples = _score_pairs(dataset, decided, options, progress)
        if "ratings" in parts and len(dataset.ratings):
            progress(0.8, "Scoring rated captions")
            ratings = score_ratings(dataset, options)

    progress(1.0, "Evaluated")
    provenance = describe(dataset, options, other)
    provenance |= _count_rows(dataset, decided, ratings)
    provenance |= describe_fits(_selections(samples, ratings), options)
    provenance["whole_captions"] = whole

    return Results(
        dataset=dataset,
        options=options,
        references=decided.references,
        winners=decided.winners,
        triplets=triplet_winners(dataset),
        provenance=provenance,
        other=other,
        pair_samples=samples,
        scored_ratings=ratings,
    )


def without_identical(results: Results) -> Results:
    """Evaluate the main metrics again, without references that equal a candidate of their image.

    Raises ValueError where no pair keeps a reference, or as many as are wanted.
    """
    names = tuple(name for name in results.headline if name != WINNER_MODEL)
    options = replace(
        results.options,
        exclude_identical=True,
        metrics=names,
        headline=names,
        learn=False,
    )
    return evaluate(results.dataset, options, parts=PARTS[:1])


def _count_rows(
    dataset: Dataset, decided: _Decided, ratings: ScoredRatings | None
) -> dict[str, object]:
    """Count what was evaluated and what was left out."""
    winners, is_evaluated = decided.winners, decided.is_evaluated
    adjudicated = {}
    if "decided_by" in winners:
        number = int((winners["decided_by"] == ADJUDICATOR).sum())
        adjudicated["pairs_adjudicated"] = number

    return {
        "pairs": int(is_evaluated.sum()),
        "pairs_left_out": int((~is_evaluated).sum()),
        "pairs_unfinished": int((winners["state"] == UNFINISHED).sum()),
        "equal_candidates": int(have_equal_candidates(dataset.pairs).sum()),
        "repeated_pairs": int(repeat_earlier_pairs(dataset.pairs).sum()),
        "identical_references": int(decided.identical.sum()),
        "ratings": len(dataset.ratings),
        "ratings_left_out": ratings.rated.dropped_ratings if ratings else 0,
        **adjudicated,
    }


def _selections(
    samples: Samples | None, ratings: ScoredRatings | None
) -> list[Selection]:
    """Return the metrics of pairs and of ratings, where these were scored."""
    scored = [samples and samples.scored, ratings]
    return [each.selection for each in scored if each]


def _whole_captions(dataset: Dataset, options: Options) -> int:
    """Count the different captions that the tokenizer leaves in one piece, if it leaves most."""
    columns = [
        dataset.references["caption"],
        dataset.pairs["candidate_b"],
        dataset.pairs["candidate_c"],
        dataset.ratings["caption"],
    ]
    captions = pd.concat(columns).unique().tolist()
    return count_whole_captions(captions, TOKENIZERS[options.tokenizer])


def _check_models(dataset: Dataset, options: Options) -> None:
    """Raise ValueError if a model was trained on an image of the dataset."""
    if not options.models:
        return

    judged = {*dataset.pairs["image"], *dataset.ratings["image"]}
    captions = captions_by_image(dataset.references, judged)

    for path in options.models:
        model = metrics.read_model(path)
        metrics.check_unseen(model.name, model.training_images, captions)


def _decide(dataset: Dataset, options: Options, required: bool) -> _Decided:
    """Decide the pairs by their votes, or as was decided on them, and find which are evaluated.

    Raises NothingToEvaluate if none is and one is `required`.
    """
    winners = pair_winners(dataset)
    if options.winners != "votes":
        winners = with_decisions(winners, dataset.decisions)

    identical = identical_references(dataset.references, dataset.pairs)
    references = dataset.references[~(identical & options.exclude_identical)]

    has_winner = winners["winner"] != ""
    if required and not has_winner.any():
        raise NothingToEvaluate(NO_WINNERS)

    is_evaluated = has_winner & winners["image"].isin(references["image"])
    if required and not is_evaluated.any():
        raise NothingToEvaluate(NO_REFERENCES)

    if options.exclude_equal_candidates:
        is_evaluated &= ~have_equal_candidates(dataset.pairs).to_numpy()

    return _Decided(winners, is_evaluated, references, identical)


def identical_references(references: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Return which references equal a candidate of a pair of their image."""
    captions = pd.MultiIndex.from_frame(references[["image", "caption"]])
    identical = np.zeros(len(references), dtype=bool)

    for candidate in ("candidate_b", "candidate_c"):
        candidates = pd.MultiIndex.from_frame(pairs[["image", candidate]])
        identical |= captions.isin(candidates)

    return pd.Series(identical, index=references.index)


def _score_pairs(
    dataset: Dataset, decided: _Decided, options: Options, progress: Progress
) -> Samples:
    """Score the decided pairs, and resample their images."""
    winners = decided.winners[decided.is_evaluated]
    pairs = gather_pairs(dataset, winners, decided.references, options)
    check_counts(pairs, options)

    scored = score_pairs(pairs, options, part(progress, 0, 0.7))
    progress(0.7, "Resampling images")
    return Samples.make(scored, options)
