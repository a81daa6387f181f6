"""The results of an evaluation: scored pairs and ratings, and what tables are made from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import pandas as pd
from markupsafe import escape

from tercet.analysis.dataset.caption_language import language_of
from tercet.analysis.evaluation.bootstrap import Samples
from tercet.analysis.evaluation.comparisons import Comparisons
from tercet.analysis.evaluation.curves import accuracy_table, at_counts
from tercet.analysis.evaluation.people import People
from tercet.analysis.evaluation.ratings import ScoredRatings
from tercet.analysis.evaluation.variants import Family, families
from tercet.analysis.scoring.contamination import (
    ENGLISH,
    MARKS,
    Training,
    training_of_metrics,
    with_english_resources,
)
from tercet.analysis.scoring.headline import BASELINES, headline
from tercet.analysis.scoring.options import COINS, Options
from tercet.analysis.scoring.pairs import Decided
from tercet.analysis.scoring.sources import Sources
from tercet.analysis.scoring.tallies import ALL_REFERENCES, ReferenceCount
from tercet.analysis.stats.accuracy import HumanWinners
from tercet.analysis.stats.resampling import share
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import ALL, MEAN, Dataset
from tercet.metrics import FloatArray, TextMetric, Tokenize
from tercet.metrics.selection import Selection

SHOWN = (1, 5, 10, 24, 48)
"""Reference counts of tables that have room for few; those that exist, and the largest."""
_FEW_REFERENCES = 5
"""Where there are no more, these tables show every reference count."""
_ROWS_SHOWN = 10
"""Of a table in a notebook."""

_MOST_TOKENIZED = 1 << 17
"""Captions whose words are kept."""
NO_WINNERS = (
    "No pair has a winner yet. Add votes, winners in pairs.csv (B, C or tie), "
    "or ratings.csv."
)

T = TypeVar("T")


def small_table(table: pd.DataFrame) -> str:
    """Return the first rows of a table as HTML, escaped, for a notebook."""
    rounded = "{:.4g}".format
    html: str = table.head(_ROWS_SHOWN).to_html(
        index=False, border=0, float_format=rounded
    )
    return html


class NothingToEvaluate(ValueError):
    """The dataset has neither a pair with a winner and a reference, nor ratings."""


@dataclass(frozen=True, repr=False)
class Results:
    """The results of an evaluation: what findings are made from, and what it was made with.

    Attributes
    ----------
    dataset : Dataset
    options : Options
    decided : Decided
        The winners, and the references and pairs that were evaluated.
    pair_samples : Samples, optional
        The scored pairs, with resamples of their images; None if no pair was scored.
    scored_ratings : ScoredRatings, optional
        The scored ratings; None if none were scored.
    other : Dataset, optional
        The same pairs under the other protocol.
    provenance : dict
        Dataset and digest, options, what was left out, versions.
    """

    dataset: Dataset
    options: Options
    decided: Decided
    pair_samples: Samples | None = None
    scored_ratings: ScoredRatings | None = None
    other: Dataset | None = None
    provenance: dict[str, object] = field(default_factory=dict)
    _made: dict[Callable[["Results"], Any], Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        title = self.provenance["dataset"] or "untitled"
        return (
            f"<Results of {title!r}: {self.provenance['pairs']:,} pairs, "
            f"{self.provenance['ratings']:,} ratings, {len(self.metrics)} metrics>"
        )

    def _repr_html_(self) -> str:
        """Show the best metrics of the main group in a notebook."""
        shown = ""
        if self.pair_samples:
            best = self.compared(self.main_group, self.last_count).reset_index()
            columns = ["metric", "reference_count", "pairs", "accuracy", "low", "high"]
            shown = small_table(best[columns])

        return f"<p>{escape(repr(self).strip('<>'))}</p>{shown}"

    @property
    def winners(self) -> pd.DataFrame:
        """The winner of each pair."""
        return self.decided.winners

    @property
    def references(self) -> pd.DataFrame:
        """The references that metrics were given."""
        return self.decided.references

    @property
    def metrics(self) -> list[str]:
        """The metrics that were evaluated, in the order of the tables."""
        if self.pair_samples:
            return self.samples.names
        return list(self.scored_ratings.scores) if self.scored_ratings else []

    @property
    def sources(self) -> Sources:
        """What scored the pairs, or else the ratings; without either, nothing."""
        scored = self.pair_samples or self.scored_ratings
        return scored.sources if scored else Sources(Selection(()))

    @property
    def outside(self) -> Mapping[str, TextMetric]:
        """The metrics from outside that were evaluated, by name."""
        return self.sources.selection.outside

    @property
    def families(self) -> dict[str, Family]:
        """The variants that each metric from outside was chosen from."""
        return families(self.outside, self.variants_tried)

    @property
    def variants_tried(self) -> Mapping[str, int]:
        """How many variants the user has tried on the dataset, by family, if recorded."""
        tried: Any = self.provenance.get("variants_tried", {})
        return dict(tried)

    @cached_property
    def training(self) -> Mapping[str, Training]:
        """What is known of the training of metrics from outside, and of those made of them."""
        return training_of_metrics(self.sources.selection, self.dataset)

    @cached_property
    def language(self) -> str:
        """The language of the captions, without its region; empty where it is not known."""
        return language_of(self.dataset)

    @property
    def may_be_english(self) -> bool:
        """Whether the captions are English, or in a language that is not known."""
        return self.language in ("", "en")

    @cached_property
    def english_metrics(self) -> list[str]:
        """The metrics with English resources; none where captions may be English."""
        if self.may_be_english:
            return []

        english = with_english_resources(self.sources.selection)
        return [name for name in self.metrics if name in english]

    @cached_property
    def marks(self) -> Mapping[str, str]:
        """What is written behind the names of metrics, by name: what limits them."""
        marks = {}
        for name in self.metrics:
            known = self.training.get(name, "none")
            of_language = ENGLISH if name in self.english_metrics else ""
            marks[name] = MARKS[known] + of_language
        return {name: mark for name, mark in marks.items() if mark}

    @property
    def samples(self) -> Samples:
        """The accuracies with their resamples; raises NothingToEvaluate if no pair was scored."""
        if self.pair_samples is None:
            raise NothingToEvaluate(NO_WINNERS)
        return self.pair_samples

    @property
    def ratings(self) -> ScoredRatings:
        """The scored ratings; raises NothingToEvaluate if there are none."""
        if self.scored_ratings is None:
            raise NothingToEvaluate("The dataset has no ratings.")
        return self.scored_ratings

    @cached_property
    def tokenize(self) -> Tokenize:
        """Split a caption into words, once for all findings unless there are very many captions."""
        return lru_cache(_MOST_TOKENIZED)(self.options.tokenize)

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
        incomplete = {
            name: family
            for name, family in self.families.items()
            if not family.is_complete
        }
        return Comparisons(self.samples, self.options, incomplete)

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

    @cached_property
    def headline(self) -> list[str]:
        """The metrics that plots have room for."""
        wanted = self.options.headline
        return headline(self.metrics, wanted)

    @property
    def main_metrics(self) -> list[str]:
        """The metrics that plots have room for, without the baselines."""
        return [name for name in self.headline if name not in BASELINES]

    @property
    def named_as_best(self) -> list[str]:
        """The main metrics that hold for the language of the captions."""
        unfit = self.english_metrics
        return [name for name in self.main_metrics if name not in unfit]

    @cached_property
    def ranked(self) -> list[str]:
        """The metrics from best to worst in the main group, at the last count of tables."""
        table = where(self.all_counts, category=self.main_group)
        last = self.last_count
        if not isinstance(last, str):
            table = where(table, reference_count=range(1, last + 1))

        # counts ascend, then come all references
        at_last = table.groupby("metric").tail(1)
        best_first = at_last.sort_values("accuracy", ascending=False, kind="stable")
        names = [*best_first["metric"], *self.metrics]
        return list(dict.fromkeys(names))

    def compared(self, group: str, count: ReferenceCount) -> pd.DataFrame:
        """Return the accuracies of the main metrics that are compared there, the best first.

        They are the rows of `all_counts` of a group and count, with the metric as the index.
        """
        table = self.all_counts
        is_there = table["category"] == group
        is_there &= table["reference_count"] == count
        rows = table[is_there].set_index("metric")

        complete = self.comparisons.complete(count)
        main = set(complete).intersection(self.headline)
        rows = rows[rows.index.isin(main)]
        return rows.sort_values("accuracy", ascending=False, kind="stable")

    @cached_property
    def full(self) -> int:
        """The largest count for which every pair has references."""
        counts = self.samples.pairs.reference_counts
        return int(counts.min())

    @property
    def full_shown(self) -> int:
        """The largest count for which every pair has references, of those that are wanted."""
        largest = max(self.options.counts, default=self.full)
        return min(self.full, largest)

    @property
    def every_reference(self) -> ReferenceCount:
        """The count at which every pair has all its references."""
        return ALL_REFERENCES if self.samples.pairs.is_ragged else self.full

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
            largest = self.samples.pairs.largest_count
            return sorted({k for k in self.options.counts if k <= largest})

        usual = sorted({k for k in self.usual_counts if k <= self.full})
        return [*usual, ALL_REFERENCES] if self.samples.pairs.is_ragged else usual

    @property
    def usual_counts(self) -> Sequence[int]:
        """The reference counts that short tables show where none are wanted by name."""
        if self.full <= _FEW_REFERENCES:
            return range(1, self.full + 1)
        return (*SHOWN, self.full)

    def once(self, make: Callable[["Results"], T]) -> T:
        """Return what a function makes of the results; it is called once for all findings."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]

        return made

    def credit(
        self, preferred: FloatArray, human: HumanWinners | None = None
    ) -> FloatArray:
        """Return the credit (P,) of preferences (P,) by the tie policies.

        NaN where a pair does not count. `human` replaces the winners of the pairs.
        """
        human = human or self.samples.pairs.human
        generator = self.options.generator(COINS)
        credit = human.credit(preferred[:, None], generator)
        return share(credit.earned[0], credit.counted[0])
