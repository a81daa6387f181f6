"""What findings need of the results, with the reason that is given where it is missing."""

import numpy as np

from tercet.analysis import reasons
from tercet.analysis.evaluation.evaluate import why_nothing
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Need
from tercet.analysis.findings.first_sentence import why_undecided
from tercet.analysis.scoring.learned import LEAST_IMAGES
from tercet.analysis.scoring.sources import wanted


def _has_two_sources(results: Results) -> bool:
    table = results.samples.pairs.table
    source_b, source_c = table["source_b"], table["source_c"]
    differ = (source_b != "") & (source_c != "") & (source_b != source_c)
    return bool(differ.any())


def _has_other_protocol(results: Results) -> bool:
    other = results.other
    return other is not None and other.protocol != results.dataset.protocol


def _most_references(results: Results) -> int:
    references = results.references["image"].value_counts()
    return int(references.max())


def _has_images_to_game(results: Results) -> bool:
    images = results.references["image"].nunique()
    several = _most_references(results) > 1
    return images > 1 and several


def _has_ratings_to_learn_from(results: Results) -> bool:
    aspects = results.ratings.rated.by_aspect()
    return any(each.rows.images >= LEAST_IMAGES for _aspect, each in aspects)


def _has_both_ciders(results: Results) -> bool:
    read = frozenset(results.dataset.scores["metric"])
    chosen = wanted(results.options, read)
    return {"CIDEr", "CIDEr-D"} <= set(chosen.names)


def _why_no_pairs(results: Results) -> str:
    if results.winners.empty:
        return "There are no pairs."
    if results.decided.is_evaluated.any():
        return "The pairs were not scored."
    return why_nothing(results.decided, results.options)


def _why_no_ratings(results: Results) -> str:
    dataset = results.dataset
    return reasons.of_ratings(len(dataset.ratings), len(dataset.valid_ratings))


OUTSIDE = Need(
    "No metric from outside was evaluated.",
    lambda results: bool(results.outside),
    takes_scores=True,
    is_rare=True,
)
TWO_COUNTS = Need(
    "Some image has a single reference: there is no curve of counts over the same pairs.",
    lambda results: results.full > 1,
)
SEVERAL_COUNTS = Need(
    "Only one reference count is wanted.",
    lambda results: results.full_shown > 1 and len(results.counts) > 1,
)
PAIRS = Need(
    _why_no_pairs, lambda results: results.pair_samples is not None, takes_scores=True
)
DECIDED = Need(why_undecided, lambda results: not why_undecided(results))
VOTES = Need(
    lambda results: reasons.of_votes(results.dataset.publishes_winners),
    lambda results: bool(results.people.votes.any()),
)
TRIPLETS = Need(
    "Under the pairwise protocol nobody is shown references: there is no split of them.",
    lambda results: results.dataset.asks_with_reference,
)
TWO_SOURCES = Need(
    "No pair names two different sources of its candidates (source_b, source_c).",
    _has_two_sources,
)
TWO_METRICS = Need(
    "There is one metric only: nothing to compare.",
    lambda results: len(results.metrics) > 1,
)
OTHER_PROTOCOL = Need(
    "There is no study of the same pairs under the other protocol to compare with.",
    _has_other_protocol,
)
RATINGS = Need(
    _why_no_ratings,
    lambda results: results.scored_ratings is not None,
    takes_scores=True,
)
GIVEN_RATINGS = Need(
    _why_no_ratings,
    lambda results: len(results.dataset.valid_ratings) > 0,
    is_rare=True,
)
RATED_CANDIDATES = Need(
    "Every rated caption is among the references of its image.",
    lambda results: len(results.ratings.rated.candidates) > 0,
)
BOTH_CIDERS = Need(
    "CIDEr and CIDEr-D are not both among the metrics.", _has_both_ciders
)
PAIRS_TO_LEARN_FROM = Need(
    f"A metric is learned from pairs of at least {LEAST_IMAGES} images.",
    lambda results: len(np.unique(results.samples.pairs.image)) >= LEAST_IMAGES,
)
RATINGS_TO_LEARN_FROM = Need(
    f"A metric is learned from ratings of at least {LEAST_IMAGES} images.",
    _has_ratings_to_learn_from,
)
SEVERAL_IMAGES = Need(
    "No image has two references, or there is only one image.", _has_images_to_game
)
SEVERAL_REFERENCES = Need(
    "No image has two references.", lambda results: _most_references(results) > 1
)
THREE_REFERENCES = Need(
    "No image has three references to rank.",
    lambda results: _most_references(results) > 2,
)
