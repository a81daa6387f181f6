"""Ratings: each distinct caption of an image, on one scale or several."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any

import numpy as np
import pandas as pd
from django.db.models import Sum, TextField
from django.db.models.functions import Cast, Length
from numpy.typing import NDArray

from tercet.analysis.dataset.simulation import shared_words
from tercet.analysis.stats.people.annotator_quality import FlagRules
from tercet.analysis.stats.people.rating_quality import raters
from tercet.analysis.tables.csv_tables import FaultyDataset, Problem
from tercet.analysis.tables.scales import Scale, scales_of
from tercet.analysis.tables.schema import RATINGS
from tercet.annotation.judging.kinds import rating_texts
from tercet.annotation.judging.kinds.kind import (
    LONG,
    Character,
    Given,
    Keys,
    Kind,
    NotAnAnswer,
    Row,
    ShownQuestion,
)
from tercet.annotation.judging.kinds.tables import cells, fields_of, rows_of
from tercet.annotation.judging.questionnaires import NUMBER, read_aspects
from tercet.annotation.models import (
    Candidate,
    Dataset,
    Lease,
    Question,
    Reference,
    Study,
)
from tercet.annotation.models.answer import AnswerQuerySet
from tercet.annotation.models.bulk import BATCH
from tercet.annotation.models.question import Subject

FIELD = "aspect-"
"""Begins the names of an answer's fields, which end with the name of an aspect."""
UNSURE = "tie"
"""What is sent for “can't tell”."""
_REST = [name for name in RATINGS.columns if name not in ("rating", "source", "aspect")]
"""The columns that all lines of one answer have in common."""
_NUMBER = re.compile(NUMBER, re.ASCII)


@dataclass(frozen=True)
class _Rating(Kind):
    """How good a caption is, in one aspect or several."""

    # Questions

    def shows_image(self, study: Study) -> bool:
        return study.shows_image

    def asked(self, study: Study) -> list[str]:
        aspects = [aspect.question for aspect in read_aspects(study.aspects)]
        return [*super().asked(study), *aspects]

    def prepare(self, study: Study) -> None:
        study.aspects = study.aspects or rating_texts.PRESETS[rating_texts.USUAL]

    def obstacle(self, dataset: Dataset) -> str:
        if _listed(dataset).exists():
            return ""

        message = (
            "%(dataset)s has no candidates to rate. Import it with a candidates.csv."
        )
        return message % {"dataset": dataset.name}

    def draw(self, study: Study) -> tuple[list[Subject], Sequence[int]]:
        rows = _listed(study.dataset).order_by("pk")
        firsts: dict[tuple[int, str], int] = {}
        for key, image, caption in rows.values_list("pk", "image", "caption"):
            firsts.setdefault((image, caption), key)

        positions = np.random.default_rng(study.seed).permutation(len(firsts))
        subjects = [
            Subject(image, candidate=key) for (image, _text), key in firsts.items()
        ]
        return subjects, positions.tolist()

    def questions_each(self, study: Study) -> NDArray[np.int64]:
        """Return that each distinct caption of an image is one question."""
        captions = _listed(study.dataset).order_by().values("image", "caption")
        return np.ones(captions.distinct().count(), dtype=np.int64)

    def show(self, leases: Sequence[Lease]) -> list[ShownQuestion]:
        """Return the caption; with the study's settings, references and the image beside it.

        The parts are `caption`, `references` (one a line), and the image's `src` and `alt`.
        """
        study = leases[0].annotator.study
        questions = Question.objects.select_related("candidate", "image__dataset")
        if study.shows_references:
            questions = questions.prefetch_related("image__references")
        rows = questions.in_bulk([lease.question_id for lease in leases])
        return [_shown(study, lease, rows[lease.question_id]) for lease in leases]

    def length_besides(self, study: Study, lease: Lease) -> int:
        if not study.shows_references:
            return 0
        images = Question.objects.filter(pk=lease.question_id).values("image")
        shown = Reference.objects.filter(image__in=images)
        return int(shown.aggregate(sum=Sum(Length("caption"), default=0))["sum"])

    # Answers

    def read(self, study: Study, lease: Lease, sent: Mapping[str, Any]) -> Given:
        scales = scales_of({"aspects": study.aspects})
        given = {
            name.removeprefix(FIELD): sent[name]
            for name in sent
            if name.startswith(FIELD)
        }
        if given.keys() != scales.keys():
            raise NotAnAnswer(list(given))

        values = [
            [name, _value(scale, given[name], offers_tie=study.ties)]
            for name, scale in scales.items()
        ]
        return Given(content=values)

    def is_right(self, gold: str, given: Given) -> bool:
        values = dict(given.content)
        ranges: list[tuple[str, float, float]] = json.loads(gold or "[]")
        return all(
            values.get(name) is not None and low <= float(values[name]) <= high
            for name, low, high in ranges
        )

    def with_hits(self, answers: pd.DataFrame) -> pd.DataFrame:
        hits = [
            gold
            and ("right" if self.is_right(gold, Given(content=content)) else "wrong")
            for gold, content in zip(answers["answer"], answers["content"], strict=True)
        ]
        answer = answers["answer"].where(answers["answer"] == "", "right")
        return answers.assign(choice=hits, answer=answer)

    def checks(self, answers: pd.DataFrame, rules: FlagRules) -> pd.DataFrame:
        is_check = answers["answer"] != ""
        right = (answers["choice"] == answers["answer"]).astype(float).where(is_check)
        rows = answers.assign(right=right, question=answers["reference"])
        lines = rows.assign(answer=np.arange(len(rows))).explode("content")
        pairs = lines["content"].tolist()
        values = [np.nan if value is None else float(value) for _name, value in pairs]
        return raters(
            lines.assign(aspect=[name for name, _value in pairs], rating=values), rules
        )

    def simulate(self, lease: Lease, character: Character) -> Mapping[str, Any]:
        """Rate by the words shared with the most similar reference, or else at random.

        Half of all words of the two are enough for the best rating.
        """
        question = Question.objects.select_related("candidate").get(
            pk=lease.question_id
        )
        references = question.image.references.values_list("caption", flat=True)
        caption = str(question.candidate)
        share = max((shared_words(caption, each) for each in references), default=0.0)

        sent = {}
        for name, scale in scales_of(
            {"aspects": lease.annotator.study.aspects}
        ).items():
            is_careful = character.random.random() < character.reliability
            part = min(2 * share, 1) if is_careful else character.random.random()
            value = scale.low + part * (scale.high - scale.low)
            sent[FIELD + name] = f"{round(value)}"
        return sent

    # Files

    def answers(self, table: pd.DataFrame, *, is_foreign: bool) -> pd.DataFrame:
        """Return one row for each answer: its lines differ in aspect, and in source.

        Lines of unknown annotators, and of several sources collected elsewhere, are answers of
        their own. Raises FaultyDataset for an aspect that is rated twice.
        """
        lines = table.assign(
            source=table["source"] if is_foreign else "",
            line=np.where(table["annotator"] == "", np.arange(len(table)), -1),
        )
        about = [*_REST, "source", "line"]
        lines = lines if is_foreign else lines.drop_duplicates([*about, "aspect"])
        is_again = lines.duplicated([*about, "aspect"])
        if is_again.any():
            first = lines[is_again].iloc[0]
            remedy = "An annotator rates each aspect of a caption once: keep one of the lines"
            what = f"is rated twice by {first['annotator']}"
            problem = Problem(
                RATINGS.file, what, remedy, None, "caption", first["caption"]
            )
            raise FaultyDataset([problem])

        contents: dict[Row, list[list[Any]]] = defaultdict(list)
        rows = zip(*(lines[name] for name in about), strict=True)
        for row, aspect, text in zip(
            rows, lines["aspect"], lines["rating"], strict=True
        ):
            contents[row].append([aspect, _stored(text)])

        joined = pd.DataFrame(list(contents), columns=about).astype("str")
        return joined.assign(content=pd.Series([*contents.values()], dtype=object))

    def captions_of(self, answers: pd.DataFrame, gold: pd.DataFrame) -> pd.DataFrame:
        columns = ["image", "caption", "source"]
        return pd.concat([answers[columns], gold.assign(source="")[columns]])

    def subjects(self, table: pd.DataFrame, keys: Keys) -> Iterator[Subject]:
        firsts: dict[tuple[str, ...], int] = {}
        for (image, caption, _source), key in keys.candidates.items():
            firsts.setdefault((image, caption), key)

        for image, caption, source in rows_of(table, *self.about):
            exact = keys.candidates.get((image, caption, source))
            candidate = firsts[image, caption] if exact is None or not source else exact
            yield Subject(keys.images[image], candidate=candidate)

    def given(self, answers: pd.DataFrame) -> tuple[Iterable[str], Iterable[str]]:
        return repeat(""), map(json.dumps, cells(answers, "content"))

    def gold(self, table: pd.DataFrame) -> "tuple[pd.DataFrame, pd.Series[str]]":
        ranges: dict[Row, list[list[Any]]] = defaultdict(list)
        columns = ("image", "caption", "aspect", "low", "high")
        for image, caption, aspect, low, high in rows_of(table, *columns):
            ranges[image, caption].append([aspect, _stored(low), _stored(high)])

        subjects = pd.DataFrame(list(ranges), columns=["image", "caption"], dtype="str")
        return subjects, pd.Series(
            [json.dumps(each) for each in ranges.values()], dtype="str"
        )

    def lines(self, study: Study) -> Callable[[Iterable[Row]], Iterator[Row]]:
        """Return what makes a line for each aspect and each source of an answer's row."""
        at = {
            name: RATINGS.columns.index(name) for name in ("rating", "source", "aspect")
        }

        def expanded(rows: Iterable[Row]) -> Iterator[Row]:
            waiting = iter(rows)
            while batch := list(islice(waiting, BATCH)):
                shared = _sources(study, {row[0] for row in batch})
                for row in batch:
                    sources = shared.get((row[0], row[1]), [row[at["source"]]])
                    for aspect, rating in json.loads(row[at["rating"]]):
                        for source in sources:
                            line = list(row)
                            line[at["rating"]] = rating
                            line[at["source"]] = source
                            line[at["aspect"]] = aspect
                            yield tuple(line)

        return expanded

    def gold_lines(self, rows: Iterable[Row]) -> Iterator[Row]:
        for *about, gold, _gold, _again in rows:
            for aspect, low, high in json.loads(gold):
                yield (*about, aspect, low, high)

    def blank(self, answers: AnswerQuerySet) -> list[str]:
        said = answers.annotate(said=Cast("content", TextField()))
        named = said.exclude(said__startswith='[["", ')
        return [] if named.exists() else ["aspect"]


def _listed(dataset: Dataset) -> Any:
    return Candidate.objects.filter(image__dataset=dataset, listed=True)


def _sources(study: Study, images: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Return the sources of each listed caption of some images, where answers are about all."""
    shared: dict[tuple[str, str], list[str]] = defaultdict(list)
    if study.collected_elsewhere:
        return shared

    listed = _listed(study.dataset).filter(image__name__in=images).order_by("pk")
    for image, caption, source in listed.values_list(
        "image__name", "caption", "source"
    ):
        shared[image, caption].append(source)
    return shared


def _shown(study: Study, lease: Lease, question: Question) -> ShownQuestion:
    caption = str(question.candidate)
    shown = {"key": str(lease.key), "caption": caption}
    if study.shows_references:
        references = sorted(question.image.references.all(), key=lambda row: row.number)
        others = [row.caption for row in references if row.caption != caption]
        shown["references"] = "\n".join(others)
    if study.shows_image:
        shown |= {"src": question.image.source, "alt": question.image.alt}
    if max(len(caption), len(shown.get("references", ""))) >= LONG:
        shown["long"] = "yes"

    return shown


def _value(scale: Scale, text: object, *, offers_tie: bool) -> float | None:
    """Read the rating of one aspect, None for “can't tell”; raises NotAnAnswer."""
    if text == UNSURE and offers_tie:
        return None
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise NotAnAnswer(text)

    value = float(text)
    if not scale.holds(value):
        raise NotAnAnswer(text)

    return int(value) if value.is_integer() else value


def _stored(text: str) -> Any:
    """Return a rating as a number where it is written as numbers are, else as its text."""
    if not text:
        return None
    number = float(text)
    value = int(number) if number.is_integer() else number
    return value if repr(value) == text else text


_FOLDER = "judging/kinds/rating"
_SETTINGS = "ties label_tie aspects shows_image shows_references gold_rate repeat_rate"
RATING = _Rating(
    "rating",
    template=f"{_FOLDER}/question.html",
    script=f"{_FOLDER}.js",
    folder=_FOLDER,
    question=rating_texts.QUESTION,
    texts=rating_texts.OF_RATINGS,
    invitation=rating_texts.INVITATION,
    account="People saw one caption at a time, and rated it on the scales of study.json.",
    captions=("caption",),
    settings=frozenset(_SETTINGS.split()),
    table=RATINGS,
    fields=fields_of(
        RATINGS.columns,
        image="question__image__name",
        caption="question__candidate__caption",
        rating="value",
        annotator="annotator__name",
        source="question__candidate__source",
        aspect="value",
        reason="status_reason",
    ),
    about=("image", "caption", "source"),
    asks_about="caption",
    flag_words={
        "gold": "gold: %(gold_right)s of %(gold)s right",
        "repeats": (
            "repeats differ by %(repeat_difference).2f, random ratings by %(repeat_chance).2f"
        ),
        "fast": "fast: median %(median)s s, %(fast)s of ratings under %(fastest)s s",
        "constant": "one grade in %(same)s of ratings",
        "contrary": "correlation with others: %(correlation).2f",
    },
    spreads_images=True,
    value=Cast("content", TextField()),
)
