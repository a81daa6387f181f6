"""A kind of question made for the tests: is a candidate right, yes or no?"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd
from django.db.models import TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy
from numpy.typing import NDArray

from tercet.analysis.tables.schema import RATINGS
from tercet.annotation.judging.kinds.kind import (
    Character,
    Given,
    Keys,
    Kind,
    NotAnAnswer,
    ShownQuestion,
)
from tercet.annotation.judging.kinds.tables import cells, fields_of, rows_of
from tercet.annotation.models import Candidate, Dataset, Lease, Question, Study
from tercet.annotation.models.question import Subject


@dataclass(frozen=True)
class _YesNo(Kind):
    def obstacle(self, dataset: Dataset) -> str:
        return ""

    def draw(self, study: Study) -> tuple[list[Subject], Sequence[int]]:
        rows = Candidate.objects.filter(image__dataset=study.dataset, listed=True)
        found = rows.order_by("pk").values_list("image", "pk")
        return [Subject(image, candidate=key) for image, key in found], range(
            len(found)
        )

    def questions_each(self, study: Study) -> NDArray[np.int64]:
        return np.ones(len(self.draw(study)[0]), dtype=np.int64)

    def show(self, leases: Sequence[Lease]) -> list[ShownQuestion]:
        rows = Question.objects.values_list("pk", "candidate__caption")
        captions = dict(rows.filter(pk__in=[lease.question_id for lease in leases]))
        return [
            {"key": str(lease.key), "caption": captions[lease.question_id]}
            for lease in leases
        ]

    def read(self, study: Study, lease: Lease, sent: Mapping[str, Any]) -> Given:
        if sent.get("right") not in ("0", "1"):
            raise NotAnAnswer
        return Given(content={"right": int(sent["right"])})

    def is_right(self, gold: str, given: Given) -> bool:
        return str(given.content["right"]) == gold

    def simulate(self, lease: Lease, character: Character) -> Mapping[str, Any]:
        return {"right": character.random.choice("01")}

    def subjects(self, table: pd.DataFrame, keys: Keys) -> Iterator[Subject]:
        for caption in rows_of(table, *self.about):
            yield Subject(keys.images[caption[0]], candidate=keys.candidates[caption])

    def given(self, answers: pd.DataFrame) -> tuple[Iterable[str], Iterable[str]]:
        ratings = cells(answers, "rating")
        return repeat(""), (json.dumps({"right": int(each)}) for each in ratings)


YES_NO = _YesNo(
    "yes-no",
    template="yes_no.html",
    script="judging/kinds/choice.js",
    folder="parts_of_yes_no",
    invitation=gettext_lazy("You will see captions."),
    account="People saw a caption.",
    captions=("caption",),
    question=gettext_lazy("Is this right?"),
    texts={},
    table=RATINGS,
    fields=fields_of(
        RATINGS.columns,
        image="question__image__name",
        caption="question__candidate__caption",
        rating="content__right",
        annotator="annotator__name",
        source="question__candidate__source",
        aspect="status_reason",
        reason="status_reason",
    ),
    about=("image", "caption", "source"),
    value=Cast(KeyTextTransform("right", "content"), TextField()),
)
