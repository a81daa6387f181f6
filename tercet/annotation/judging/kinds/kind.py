"""What each kind of question states, and what most have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from django.db.models import F
from django.db.models.expressions import Combinable
from django.utils.functional import Promise
from numpy.typing import NDArray

from tercet.analysis.stats.people.annotator_quality import FlagRules, speed
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.schema import COUNTED
from tercet.annotation.judging.kinds.tables import Fields
from tercet.annotation.models import Annotator, Answer, Dataset, Lease, Question, Study
from tercet.annotation.models.answer import AnswerQuerySet
from tercet.annotation.models.question import Subject
from tercet.annotation.models.study import Step

ShownQuestion = dict[str, str]
"""What a page shows of a question, by the names of its parts; `key` is its lease's key."""
Beliefs = Mapping[str, str]
"""The preferred candidate, B or C, by the name of the pair."""
LONG = 240
"""Characters of a caption from which on a question is laid out for long texts."""


Row = tuple[Any, ...]
"""The cells of a line of a table, or the database fields that they are made of."""


class NotAnAnswer(ValueError):
    """What was sent does not answer a question of its kind."""


class ToChange(NotAnAnswer):
    """An answer that is not taken as it is: its hints say what to change in it."""

    def __init__(self, hints: list[str]) -> None:
        super().__init__(" ".join(hints))
        self.hints = hints


@dataclass
class Character:
    """The reliability (0..1) and beliefs of a simulated annotator, and its own generator."""

    reliability: float
    beliefs: Beliefs
    random: Random


@dataclass(frozen=True)
class Given:
    """What was answered: a choice, perhaps with its strength, or another content."""

    choice: str = ""
    content: Any = None
    strength: int | None = None


@dataclass
class Keys:
    """The keys of what an import has written, by the names in its files."""

    images: Mapping[str, int]
    references: Mapping[tuple[str, int], int]
    candidates: Mapping[tuple[str, ...], int]
    pairs: Mapping[str, int]
    pair_images: Mapping[str, str]


@dataclass(frozen=True)
class Kind(ABC):
    """A kind of question; `name` is the protocol of its studies.

    Attributes
    ----------
    template, script
        What the judging page shows of a question, and the module with the keys that answer it.
    folder
        Of further templates: `shortcuts` (those keys), `preview` (a question on settings pages),
        `answer_head` and `answer` (columns of a table of answers), `checks_head`, `checks` and
        `meanings` (columns of the table of annotators, and what they mean).
    unit, asks_about, answer
        What its questions are called in commands, what a question is about, and what an answer is
        called.
    question, texts, invitation
        How it is asked, the default texts of the steps before judging, and what people who are
        invited read about it.
    account
        What people saw and did, for readers of an export.
    settings
        The settings that only some kinds have, and this one has.
    captions
        The parts of a shown question that are captions.
    chooses
        Whether an answer is a choice: only choices have sides, winners and decisions.
    spreads_images
        Whether an annotator is asked about another image next, where there is one.
    is_reviewed
        Whether researchers accept or exclude the answers one by one.
    has_reference, has_image
        Whether annotators see a reference, and the image.
    flag_words
        What the flags of annotators say, with the columns of their checks.
    value
        The expression of what an answer says, which is compared with that of a repeat.
    table, fields
        The table of the answers in a dataset folder, and the database fields of its columns.
    about
        The columns of that table that say what a question is about.
    """

    name: str
    template: str
    script: str
    folder: str
    question: Promise
    texts: Mapping[Step, Promise]
    invitation: Promise
    account: str
    captions: tuple[str, ...]
    table: Table
    fields: Fields
    about: tuple[str, ...]
    settings: frozenset[str] = frozenset()
    unit: str = "questions"
    asks_about: str = "pair"
    answer: str = "answer"
    chooses: bool = False
    spreads_images: bool = False
    is_reviewed: bool = False
    has_reference: bool = False
    has_image: bool = False
    flag_words: Mapping[str, str] = field(default_factory=dict)
    value: Combinable = field(default_factory=lambda: F("choice"))

    # Questions

    def prepare(self, study: Study) -> None:
        """Fill in settings of a new study without which its questions mean nothing."""
        return

    def shows_image(self, study: Study) -> bool:
        """Return whether the annotators of a study see the image."""
        return self.has_image

    def asked(self, study: Study) -> list[str]:
        """Return what a question asks; nothing where it is the question of the kind."""
        return [study.question] if study.question else []

    @abstractmethod
    def obstacle(self, dataset: Dataset) -> str:
        """Say why a study cannot ask about a dataset; empty where it can."""

    @abstractmethod
    def draw(self, study: Study) -> tuple[list[Subject], Sequence[int]]:
        """Return what a study asks about, and the position of each in the order of asking.

        Both depend on the study's settings and seed.
        """

    @abstractmethod
    def questions_each(self, study: Study) -> NDArray[np.int64]:
        """Return how many questions a study will ask about each of its pairs, captions or images.

        Their sum is what `draw` draws; nothing is written.
        """

    @abstractmethod
    def show(self, leases: Sequence[Lease]) -> list[ShownQuestion]:
        """Return what a page shows of the questions of leases, in their order."""

    def length_besides(self, study: Study, lease: Lease) -> int:
        """Return the characters that a question shows besides the captions it is about."""
        return 0

    def side(self, question: Question, annotator: Annotator) -> str:
        """Return the side on which B is shown; empty where there are no sides."""
        return ""

    def page_data(self, study: Study) -> Mapping[str, object]:
        """Return what the kind's script on the judging page needs to know of a study."""
        return {}

    # Answers

    @abstractmethod
    def read(self, study: Study, lease: Lease, sent: Mapping[str, Any]) -> Given:
        """Read what a page or form has sent in answer to the question of a lease.

        Raises NotAnAnswer.
        """

    def is_right(self, gold: str, given: Given) -> bool:
        """Return whether an answer is the one that a gold question expects."""
        return given.choice == gold

    def with_hits(self, answers: pd.DataFrame) -> pd.DataFrame:
        """Return valid answers with `choice` equal to `answer` where a check was passed."""
        return answers

    def checks(self, answers: pd.DataFrame, rules: FlagRules) -> pd.DataFrame:
        """Measure how far each annotator can be trusted, by valid answers `with_hits`.

        The columns are annotator, votes, flags (of `flag_words`), and what templates show.
        """
        own = answers[answers["purpose"].isin(COUNTED) & (answers["annotator"] != "")]
        votes = own.groupby("annotator").size().rename("votes")
        table = speed(own, rules).join(votes, how="outer").rename_axis("annotator")
        no_flags = pd.Series([()] * len(table), table.index, dtype=object)
        return table.assign(flags=no_flags).reset_index()

    def repeatable(self, answers: AnswerQuerySet) -> AnswerQuerySet:
        """Select the answers whose questions can be asked again, to see if they are the same."""
        return answers

    def repeated_side(self, answer: Answer) -> str:
        """Return the side on which B is shown where a question is asked again."""
        return ""

    @abstractmethod
    def simulate(self, lease: Lease, character: Character) -> Mapping[str, Any]:
        """Return what a simulated annotator sends in answer to the question of a lease."""

    # Files

    def answers(self, table: pd.DataFrame, *, is_foreign: bool) -> pd.DataFrame:
        """Return a row for each answer in the lines of the table, which may be collected elsewhere.

        Raises FaultyDataset.
        """
        return table

    def captions_of(self, answers: pd.DataFrame, gold: pd.DataFrame) -> pd.DataFrame:
        """Return the captions, by image and source, that only answers or gold may name."""
        return pd.DataFrame(columns=["image", "caption", "source"], dtype="str")

    def gold(self, table: pd.DataFrame) -> "tuple[pd.DataFrame, pd.Series[str]]":
        """Return rows that each name a gold question, and its `Question.gold`."""
        return table, table["answer"]

    def gold_lines(self, rows: Iterable[Row]) -> Iterable[Row]:
        """Return the lines of gold.csv for rows of questions, in which gold is the last cells."""
        return rows

    def lines(self, study: Study) -> Callable[[Iterable[Row]], Iterable[Row]]:
        """Return what makes the lines of the table from rows with the fields of answers."""
        return iter

    def blank(self, answers: AnswerQuerySet) -> list[str]:
        """Return the columns of the table that say nothing about these answers."""
        return []

    @abstractmethod
    def subjects(self, table: pd.DataFrame, keys: Keys) -> Iterator[Subject]:
        """Yield what each row of a table of the study is about."""

    @abstractmethod
    def given(
        self, answers: pd.DataFrame
    ) -> tuple[Iterable[str], Iterable[str | None]]:
        """Return the choices, and the contents as JSON, of the rows of the table of answers."""
