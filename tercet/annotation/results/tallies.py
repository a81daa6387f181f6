"""Count votes while they are exported, and decide the winners that follow from just these."""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from tercet.analysis.dataset.winners import (
    COUNTS,
    SIDE,
    pair_winners,
    pairs_of_triplets,
    triplets_of_counts,
)
from tercet.analysis.tables.schema import COUNTED, NEEDED, REFERENCES, SIMULATED, VALID
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets.exporting import pair_rows
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Reference, Study
from tercet.annotation.studies.study_file import study_settings

PAIRS_AT_ONCE = 500
_NOTHING_NEEDED = NEEDED.empty()
SIDES = {choice: number for number, choice in enumerate(SIDE)}


class Tally:
    """Counts of the votes of a study: by question and side, and of the people who gave them.

    `people` gave any votes, and `counted_people` gave the `counted` ones, which decide winners.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        in_order = study.questions.order_by("pk")
        keys = in_order.values_list("pk", flat=True)
        self.questions = np.fromiter(keys.iterator(), dtype=np.int64)
        self.counts = np.zeros((len(self.questions), len(SIDES)), np.int32)
        self.votes = self.counted = self.unknown = self.simulated = 0
        self.chooses = kind_of(study).chooses
        self.people: set[str] = set()
        self.counted_people: set[str] = set()

    def watch(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Pass frames of `answer_rows` on, and count their votes."""
        for votes in frames:
            self._add(votes)
            yield votes

    def _add(self, votes: pd.DataFrame) -> None:
        voters = votes["annotator"]
        self.votes += len(votes)
        is_unknown = voters == ""
        self.unknown += int(is_unknown.sum())
        self.simulated += int(voters.str.startswith(SIMULATED).sum())
        self.people.update(voters[voters != ""].unique())

        is_valid = votes["status"].isin(["", VALID])
        valid = votes[is_valid & votes["purpose"].isin(COUNTED)]
        self.counted += len(valid)
        counted = valid["annotator"]
        self.counted_people.update(counted[counted != ""].unique())
        if not self.chooses:
            return
        rows = np.searchsorted(self.questions, valid["question_id"])
        np.add.at(self.counts, (rows, valid["choice"].map(SIDES)), 1)

    def triplet_winners(self) -> Iterator[pd.DataFrame]:
        """Yield the winners of the questions that have votes, for some pairs at a time."""
        for pairs in self._pairs():
            yield self._winners_of_questions(pairs)

    def pair_winners(self) -> Iterator[pd.DataFrame]:
        """Yield the winners of all pairs, some at a time."""
        for pairs in self._pairs():
            rows = Reference.objects.filter(
                image__dataset=self.study.dataset,
                image__name__in=pairs["image"].unique(),
            )
            images = rows.values_list("image__name", flat=True)
            columns = {"image": list(images)}
            part = self._part(pd.DataFrame(columns, dtype="str"), pairs)
            if self.votes:
                yield pairs_of_triplets(part, self._winners_of_questions(pairs))
            else:
                yield pair_winners(part)

    def _pairs(self) -> Iterator[pd.DataFrame]:
        if not self.votes:  # published winners are decided for all pairs at once
            yield pair_rows(self.study.dataset).frame()
            return

        for frame in pair_rows(self.study.dataset).frames():
            for start in range(0, len(frame), PAIRS_AT_ONCE):
                part = frame.iloc[start : start + PAIRS_AT_ONCE]
                yield part.reset_index(drop=True)

    def _winners_of_questions(self, pairs: pd.DataFrame) -> pd.DataFrame:
        rows = self.study.questions.filter(pair__in=pairs["pk"].tolist())
        columns = ("pk", "pair__name", "reference__number", "needed")
        values = rows.order_by("pair", "reference__number").values_list(*columns)
        table = pd.DataFrame(values, columns=["pk", *NEEDED.required])
        numbers = table["reference"].tolist()
        table["reference"] = ["" if pd.isna(n) else str(int(n)) for n in numbers]

        counts = self.counts[np.searchsorted(self.questions, table["pk"])]
        voted = counts.sum(axis=1) > 0
        table, counts = table[voted], counts[voted]

        keys = pd.MultiIndex.from_frame(table[["pair", "reference"]])
        part = self._part(REFERENCES.empty(), pairs, table)
        counted = pd.DataFrame(counts, index=keys, columns=COUNTS)
        return triplets_of_counts(part, counted)

    def _part(
        self,
        references: pd.DataFrame,
        pairs: pd.DataFrame,
        needed: pd.DataFrame = _NOTHING_NEEDED,
    ) -> Frames:
        """A part of the study, without its votes."""
        settings = study_settings(self.study)
        return Frames(references, pairs, needed=needed, study=settings)
