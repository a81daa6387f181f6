"""Evaluate a dataset: how far metrics agree with its winners and its ratings."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, lru_cache
from importlib.metadata import version
from typing import Literal, get_args

import numpy as np
import pandas as pd

from tercet import __version__, metrics
from tercet.analysis.dataset.winners import (
    ADJUDICATOR,
    UNFINISHED,
    pair_winners,
    triplet_winners,
    with_decisions,
)
from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.evaluation.comparisons import Comparisons
from tercet.analysis.evaluation.curves import accuracy_table, at_counts, check_counts
from tercet.analysis.evaluation.learned import WINNER_MODEL, made_with, training_count
from tercet.analysis.evaluation.pairs import gather_pairs
from tercet.analysis.evaluation.people import People
from tercet.analysis.evaluation.ratings import ScoredRatings, score_ratings
from tercet.analysis.evaluation.scoring import ScoredPairs, score_pairs
from tercet.analysis.evaluation.selection import metrics_left_out
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.scoring.headline import headline
from tercet.analysis.scoring.options import COINS, Options
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount
from tercet.analysis.scoring.threads import one_thread
from tercet.analysis.stats.accuracy import HumanWinners, share
from tercet.analysis.stats.resampling import Weights
from tercet.analysis.tables.schema import (
    ALL,
    DIGEST_VERSION,
    MEAN,
    SIMULATED,
    Dataset,
    captions_by_image,
    have_equal_candidates,
    repeat_earlier_pairs,
)
from tercet.analysis.texts import Text, enumeration
from tercet.analysis.texts import gettext as _
from tercet.metrics import TOKENIZERS, FloatArray, Tokenize
from tercet.metrics.selection import Selection
from tercet.metrics.text.tokenizers import (
    count_whole_captions,
    warn_of_whole_captions,
    whole_captions_said,
)

VERSION = __version__
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "matplotlib",
    "numba",
    "PyStemmer",
    "pycocoevalcap",
)

Part = Literal["pairs", "ratings"]
"""What of a dataset metrics score."""
PARTS: tuple[Part, ...] = get_args(Part)

SHOWN = (1, 5, 10, 24, 48)
"""Reference counts of tables that have room for few; those that exist, and the largest."""
_FEW_REFERENCES = 5
"""Where there are no more, these tables show every reference count."""

_MOST_TOKENIZED = 1 << 17
"""Captions whose words are kept."""
NO_WINNERS = (
    "No pair has a winner yet. Add votes, winners in pairs.csv, or ratings.csv."
)
NO_REFERENCES = "All references equal candidates: nothing is left to compare with."


class NothingToEvaluate(ValueError):
    """The dataset has neither a pair with a winner and a reference, nor ratings."""


@dataclass(frozen=True, repr=False)
class Results:
    """The results of an evaluation: what findings are made from, and what it was made with.

    Attributes
    ----------
    dataset : Dataset
    options : Options
    references : DataFrame
        The references that metrics were given.
    winners, triplets : DataFrame
        The winner of each pair and of each triplet (`tercet.analysis.dataset.winners`).
    provenance : dict
        Dataset and digest, options, what was left out, versions.
    other : Dataset, optional
        The same pairs under the other protocol.
    pair_samples : Samples, optional
        The scored pairs, with resamples of their images; None if no pair was scored.
    scored_ratings : ScoredRatings, optional
        The scored ratings; None if none were scored.
    """

    dataset: Dataset
    options: Options
    references: pd.DataFrame
    winners: pd.DataFrame
    triplets: pd.DataFrame
    provenance: dict[str, object] = field(default_factory=dict)
    other: Dataset | None = None
    pair_samples: Samples | None = None
    scored_ratings: ScoredRatings | None = None

    def __repr__(self) -> str:
        title = self.provenance["dataset"] or "untitled"
        return (
            f"<Results of {title!r}: {self.provenance['pairs']:,} pairs, "
            f"{self.provenance['ratings']:,} ratings, {len(self.metrics)} metrics>"
        )

    @property
    def metrics(self) -> list[str]:
        """The metrics that were evaluated, in the order of the tables."""
        if self.pair_samples:
            return self.scored.names
        return list(self.scored_ratings.scores) if self.scored_ratings else []

    @property
    def selections(self) -> list[Selection]:
        """The metrics of pairs and of ratings, where these were scored."""
        of_pairs = [self.scored.selection] if self.pair_samples else []
        scored = self.scored_ratings

        return [*of_pairs, *([scored.selection] if scored else [])]

    @property
    def samples(self) -> Samples:
        """The accuracies with their resamples; raises NothingToEvaluate if no pair was scored."""
        if self.pair_samples is None:
            raise NothingToEvaluate(NO_WINNERS)
        return self.pair_samples

    @property
    def scored(self) -> ScoredPairs:
        """The scored pairs; raises NothingToEvaluate if there are none."""
        return self.samples.scored

    @property
    def ratings(self) -> ScoredRatings:
        """The scored ratings; raises NothingToEvaluate if there are none."""
        if self.scored_ratings is None:
            raise NothingToEvaluate("The dataset has no ratings.")
        return self.scored_ratings

    @cached_property
    def tokenize(self) -> Tokenize:
        """Split a caption into words, once for all findings unless there are very many captions."""
        return lru_cache(_MOST_TOKENIZED)(TOKENIZERS[self.options.tokenizer])

    @cached_property
    def all_counts(self) -> pd.DataFrame:
        """The accuracy at every reference count (`analysis.evaluation.curves.accuracy_table`)."""
        return accuracy_table(self.samples, self.options)

    @cached_property
    def accuracy(self) -> pd.DataFrame:
        """The accuracy at the wanted reference counts."""
        return at_counts(self.all_counts, self.options.counts)

    @cached_property
    def people(self) -> People:
        """The votes, the accuracy of people, and the ceiling."""
        return People(self.dataset, self.samples, self.groups, self.options)

    @cached_property
    def comparisons(self) -> Comparisons:
        """Paired comparisons of metrics."""
        return Comparisons(self.samples, self.options)

    @cached_property
    def groups(self) -> list[str]:
        """The groups of the tables, in their order; `mean` only if there are two categories."""
        categories = self.samples.categories
        mean = [MEAN] if len(categories) > 1 else []
        return [*categories, *mean, ALL]

    @property
    def main_group(self) -> str:
        """The group that stands for all: the mean over categories, or the only category."""
        return MEAN if MEAN in self.groups else self.groups[0]

    @property
    def main_name(self) -> str | Text:
        """The main group in words."""
        names: dict[str, Text] = {
            MEAN: _("the mean over categories"),
            ALL: _("all pairs"),
        }
        return names.get(self.main_group, self.main_group)

    @cached_property
    def headline(self) -> list[str]:
        """The metrics that plots have room for."""
        return headline(self.metrics, self.options.headline)

    @cached_property
    def ranked(self) -> list[str]:
        """The metrics from best to worst in the main group, at the last count of tables."""
        table = self.all_counts
        table = table[table["category"] == self.main_group]
        last = self.last_count
        if not isinstance(last, str):
            table = table[table["reference_count"].isin(range(1, last + 1))]

        # counts ascend, then come all references
        at_last = table.groupby("metric").tail(1)
        best_first = at_last.sort_values("accuracy", ascending=False, kind="stable")[
            "metric"
        ]
        return list(dict.fromkeys([*best_first, *self.metrics]))

    @property
    def pairs_with_own_candidates(self) -> int:
        """How many of the scored pairs have a candidate among the references of their image."""
        references = pd.MultiIndex.from_frame(self.references[["image", "caption"]])
        pairs = self.dataset.pairs
        pairs = pairs[pairs["pair"].isin(self.scored.pairs.table["pair"])]
        is_touched = np.zeros(len(pairs), dtype=bool)

        for candidate in ("candidate_b", "candidate_c"):
            own = pd.MultiIndex.from_frame(pairs[["image", candidate]])
            is_touched |= own.isin(references)
        return int(is_touched.sum())

    @cached_property
    def without_identical(self) -> "Results":
        """The main metrics, without references that equal a candidate of their image.

        Raises ValueError where no pair keeps a reference, or as many as are wanted.
        """
        names = tuple(name for name in self.headline if name != WINNER_MODEL)
        options = replace(
            self.options,
            exclude_identical=True,
            metrics=names,
            headline=names,
            learn=False,
        )
        return evaluate(self.dataset, options, parts=PARTS[:1])

    def compared(self, group: str, count: ReferenceCount) -> pd.DataFrame:
        """Return the accuracies of the main metrics that are compared there, the best first.

        They are the rows of `all_counts` of a group and count, with the metric as the index.
        """
        table = self.all_counts
        is_there = table["category"] == group
        is_there &= table["reference_count"] == count
        rows = table[is_there].set_index("metric")

        complete = self.comparisons.complete(count)
        rows = rows[rows.index.isin(complete) & rows.index.isin(self.headline)]
        return rows.sort_values("accuracy", ascending=False, kind="stable")

    @cached_property
    def full(self) -> int:
        """The largest count for which every pair has references."""
        return int(self.scored.pairs.reference_counts.min())

    @property
    def full_shown(self) -> int:
        """The largest count for which every pair has references, of those that are wanted."""
        return min(self.full, max(self.options.counts, default=self.full))

    @property
    def every_reference(self) -> ReferenceCount:
        """The count at which every pair has all its references."""
        return ALL_REFERENCES if self.scored.pairs.is_ragged else self.full

    @property
    def learning_count(self) -> ReferenceCount:
        """The count with which models learn from pairs, and are judged."""
        count = training_count(self.scored.pairs, self.options)
        return count or self.every_reference

    @property
    def last_count(self) -> ReferenceCount:
        """The last count of tables, by which sentences go."""
        return self.counts[-1]

    @cached_property
    def counts(self) -> Sequence[ReferenceCount]:
        """The reference counts that short tables show; `all` if numbers of references differ.

        Where counts are wanted by name, these only. They may be some that not all images of each
        category have: their figures are those of the pairs that do.
        """
        if self.options.counts:
            largest = self.scored.pairs.largest_count
            return sorted({k for k in self.options.counts if k <= largest})

        usual = sorted({k for k in self.usual_counts if k <= self.full})
        return [*usual, ALL_REFERENCES] if self.scored.pairs.is_ragged else usual

    @property
    def usual_counts(self) -> Sequence[int]:
        """The reference counts that short tables show where none are wanted by name."""
        if self.full <= _FEW_REFERENCES:
            return range(1, self.full + 1)
        return (*SHOWN, self.full)

    @cached_property
    def cut_note(self) -> Text | None:
        """How many pairs stand behind each count, where images have different numbers of them."""
        if not self.scored.pairs.is_ragged:
            return None

        available = self.scored.pairs.reference_counts
        pairs = [
            _(
                "{pairs:,} with {count}",
                pairs=int(np.count_nonzero(available >= count)),
                count=int(count),
            )
            for count in np.unique(available)
        ]
        return _(
            "Images have {least} to {most} references (pairs with at least so many: {pairs}). "
            "Rows and points named “all” give each pair all references of its image; curves over "
            "the same pairs end at {full}, the smallest number.",
            least=int(available.min()),
            most=int(available.max()),
            pairs=enumeration(pairs),
            full=self.full,
        )

    @property
    def partial_counts(self) -> dict[int, int]:
        """The shown counts that some images do not have, with the numbers of pairs that do."""
        pairs = self.scored.pairs
        counts = [k for k in self.counts if isinstance(k, int)]
        return {k: int(pairs.with_references(k).sum()) for k in counts if k > self.full}

    def with_cut_note(self, *notes: str | Text) -> tuple[str | Text, ...]:
        """Return the notes of a finding by reference count, with `cut_note` where there is one."""
        return (self.cut_note, *notes) if self.cut_note else notes

    @property
    def weights(self) -> Weights:
        """How often each resample holds each image (B, G)."""
        return self.samples.resamples.images

    def credit(
        self, preferred: FloatArray, human: HumanWinners | None = None
    ) -> FloatArray:
        """Return the credit (P,) of preferences (P,) by the tie policies.

        NaN where a pair does not count. `human` replaces the winners of the pairs.
        """
        human = human or self.scored.pairs.human
        credit = human.credit(preferred[:, None], self.options.generator(COINS))
        return share(credit.earned[0], credit.counted[0])


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

    with whole_captions_said():
        results = _evaluated(dataset, options, progress, other, parts)

    results.provenance["whole_captions"] = whole
    return results


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


def _evaluated(
    dataset: Dataset,
    options: Options,
    progress: Progress,
    other: Dataset | None,
    parts: Collection[Part],
) -> Results:
    """Evaluate metrics as `evaluate` does, with checked options."""
    winners = _winners(dataset, options)
    identical = identical_references(dataset.references, dataset.pairs)
    left_out = identical & options.exclude_identical
    references = dataset.references[~left_out]
    decided = _decided(dataset, winners, references, options, parts)

    samples, ratings = None, None
    if "pairs" in parts and decided.any():
        chosen = winners[decided]
        samples = _score_pairs(dataset, chosen, references, options, progress)
    if "ratings" in parts and len(dataset.ratings):
        progress(0.8, "Scoring rated captions")
        ratings = score_ratings(dataset, options)

    counts = _counts(dataset, winners, decided, identical, ratings)
    provenance = _provenance(dataset, options, other) | counts
    progress(1.0, "Evaluated")
    results = Results(
        dataset,
        options,
        references,
        winners,
        triplet_winners(dataset),
        provenance,
        other,
        samples,
        ratings,
    )

    provenance.update(_extras(results))
    return results


def _winners(dataset: Dataset, options: Options) -> pd.DataFrame:
    """Decide the pairs by their votes, or as was decided on them."""
    winners = pair_winners(dataset)
    if options.winners == "votes":
        return winners

    return with_decisions(winners, dataset.decisions)


def _check_models(dataset: Dataset, options: Options) -> None:
    """Raise ValueError if a model was trained on an image of the dataset."""
    if not options.models:
        return

    judged = {*dataset.pairs["image"], *dataset.ratings["image"]}
    captions = captions_by_image(dataset.references, judged)

    for path in options.models:
        model = metrics.read_model(path)
        metrics.check_unseen(model.name, model.training_images, captions)


def _extras(results: Results) -> dict[str, object]:
    """Describe what decided the scores besides data and options: packages, and fits."""
    extras: list[str] = []
    composites: list[str] = []

    for selection in results.selections:
        extras += metrics.made_with(selection.built_in)
        composites += selection.made_with()
    if results.options.learn:
        composites.append(made_with(results.options))

    found = {
        "extras": list(dict.fromkeys(extras)),
        "composites": list(dict.fromkeys(composites)),
    }
    return {name: lines for name, lines in found.items() if lines}


def _decided(
    dataset: Dataset,
    winners: pd.DataFrame,
    references: pd.DataFrame,
    options: Options,
    parts: Collection[Part],
) -> "pd.Series[bool]":
    """Return whether each pair has a winner, references, and a place in the evaluation."""
    required = "pairs" in parts and len(dataset.ratings) == 0
    decided = _decided_pairs(winners, references, required)

    if options.exclude_equal_candidates:
        decided &= ~have_equal_candidates(dataset.pairs).to_numpy()

    return decided


def _score_pairs(
    dataset: Dataset,
    winners: pd.DataFrame,
    references: pd.DataFrame,
    options: Options,
    progress: Progress,
) -> Samples:
    """Score the decided pairs, and resample their images."""
    pairs = gather_pairs(dataset, winners, references, options)
    check_counts(pairs, options)

    scored = score_pairs(pairs, options, part(progress, 0, 0.7))
    progress(0.7, "Resampling images")
    return Samples.make(scored, options)


def _decided_pairs(
    winners: pd.DataFrame, references: pd.DataFrame, required: bool
) -> "pd.Series[bool]":
    """Return which pairs have a winner and a reference.

    Raises NothingToEvaluate if none has and one is `required`.
    """
    has_winner = winners["winner"] != ""
    decided = has_winner & winners["image"].isin(references["image"])

    if required and not has_winner.any():
        raise NothingToEvaluate(NO_WINNERS)
    if required and not decided.any():
        raise NothingToEvaluate(NO_REFERENCES)
    return decided


def identical_references(references: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """Return which references equal a candidate of a pair of their image."""
    captions = pd.MultiIndex.from_frame(references[["image", "caption"]])
    identical = np.zeros(len(references), dtype=bool)

    for candidate in ("candidate_b", "candidate_c"):
        candidates = pd.MultiIndex.from_frame(pairs[["image", candidate]])
        identical |= captions.isin(candidates)

    return pd.Series(identical, index=references.index)


def _counts(
    dataset: Dataset,
    winners: pd.DataFrame,
    decided: "pd.Series[bool]",
    identical: pd.Series,
    ratings: ScoredRatings | None,
) -> dict[str, object]:
    """Count what was evaluated and what was left out."""
    adjudicated = {}
    if "decided_by" in winners:
        number = int((winners["decided_by"] == ADJUDICATOR).sum())
        adjudicated["pairs_adjudicated"] = number

    return {
        "pairs": int(decided.sum()),
        "pairs_left_out": int((~decided).sum()),
        "pairs_unfinished": int((winners["state"] == UNFINISHED).sum()),
        "equal_candidates": int(have_equal_candidates(dataset.pairs).sum()),
        "repeated_pairs": int(repeat_earlier_pairs(dataset.pairs).sum()),
        "identical_references": int(identical.sum()),
        "ratings": len(dataset.ratings),
        "ratings_left_out": ratings.rated.dropped_ratings if ratings else 0,
        **adjudicated,
    }


def _provenance(
    dataset: Dataset, options: Options, other: Dataset | None
) -> dict[str, object]:
    """Describe what a result is made with."""
    against = {"against_sha256": other.sha256} if other else {}
    votes = dataset.valid_votes
    simulated = votes["annotator"].str.startswith(SIMULATED)

    return {
        "dataset": dataset.info.get("title", ""),
        "sha256": dataset.sha256,
        "digest": DIGEST_VERSION,
        "protocol": dataset.protocol if len(dataset.pairs) else "ratings",
        "votes": len(votes),
        "simulated_votes": int(simulated.sum()),
        "options": asdict(options),
        "interval": "95 % percentile bootstrap over images and over draws",
        "metrics_left_out": metrics_left_out(options),
        "versions": {"tercet": VERSION} | _package_versions(),
        **against,
    }


@cache
def _package_versions() -> dict[str, str]:
    """Return the version of each package that figures depend on; reading them takes time."""
    return {name: version(name) for name in PACKAGES}
