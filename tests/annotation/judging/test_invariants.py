"""What must always be true of a study, whatever people and researchers do in whatever order."""

import random
from collections import Counter
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging import leases
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.annotators import test_annotator as new_test_annotator
from tercet.annotation.judging.answers import (
    AnswerMessage,
    StudyEnded,
    last_vote,
    record,
    undo,
)
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.choice import TIE
from tercet.annotation.judging.kinds.kind import NotAnAnswer
from tercet.annotation.judging.leases import (
    LEASES_AT_FIRST,
    end_expired_leases,
    top_up_leases,
)
from tercet.annotation.judging.networks import most_of_network, note_network
from tercet.annotation.models import Annotator, Answer, Dataset, Lease, Study
from tercet.annotation.models.answer import Purpose, Side, Status
from tercet.annotation.models.study import LinkUsers, Order, State
from tercet.annotation.participation.sync import synchronize
from tercet.annotation.quality.exclusion import (
    exclude_annotator,
    exclude_vote,
    readmit_annotator,
    readmit_vote,
)
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import NotPossible, raise_votes, set_state
from tercet.annotation.studies.settings import change_settings
from tests.annotation.questions import COUNTERS, LEASE, VOTE, choose, recount
from tests.support.examples import examples
from tests.support.folders import dataset_folder, write_csv

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

NUMBERS = st.integers(0, 1_000)
SIDES = [{"side": side} for side in (*Side.values, TIE, "left-2", "right-1", "")]
ANSWERS: dict[str, list[dict[str, str]]] = {
    "triplet": SIDES,
    "pairwise": SIDES,
    "rating": [{"aspect-quality": value} for value in ("1", "3", "4", "5", "", TIE)],
    "sentence": [{"text": text} for text in ("A dog runs.", "A cat", "", "<b>dog</b>")],
}
"""What a page may send, also in vain, by the kind of the study."""
GOLD = {"triplet": "B", "pairwise": "B", "rating": '[["quality", 1, 2]]'}
OPTIONS = st.fixed_dictionaries(
    {
        "stop_early": st.booleans(),
        "ties": st.booleans(),
        "scale": st.sampled_from([2, 5]),
        "question_order": st.sampled_from(Order),
        "link_users": st.sampled_from([LinkUsers.ANYWHERE, LinkUsers.PLACE]),
    }
)
EXAMPLES = {"sqlite": 6, "postgresql": 2}
"""Stories of each kind, by database: a step takes longer on the latter."""
PAIRS = [
    ("p1", "dog", "a dog", "a cat", "HI"),
    ("p2", "dog", "one dog", "two dogs", "HC"),
]
REFERENCES = [("dog", f"a dog, seen {number} times") for number in range(3)]


CANDIDATES = [("dog", caption, "net") for caption in ("a dog", "a cat", "two dogs")]
Confirmed = tuple[Any, ...]
"""The question of an answer, its choice, strength and content, and the side of B."""


@pytest.fixture
def dogs(tmp_path: Path) -> Dataset:
    """Two pairs with three references, and three captions of two images, so that people meet."""
    folder = dataset_folder(tmp_path / "dogs", REFERENCES, PAIRS, candidates=CANDIDATES)
    images = [(name, f"https://example.org/{name}.png") for name in ("dog", "bus")]
    write_csv(folder / "images.csv", ("image", "url"), images)
    return import_dataset(load(folder), "dogs", folder)


class Judging(RuleBasedStateMachine):
    """Four people, one who tries the study out, and a researcher; undone when it is over.

    Two of the people, or all, come from one network by a link for people anywhere, or at one place.
    """

    dataset: Dataset
    kind: str

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.stack.enter_context(transaction.atomic())
        self.keys: list[UUID] = []
        self.confirmed: dict[UUID, Confirmed] = {}

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.stack.close()

    @initialize(
        options=OPTIONS,
        checks=st.sampled_from([0.4, 0]),
        networks=st.integers(1, 3),
        chance=NUMBERS,
        judged=st.lists(st.integers(0, 5), min_size=5, max_size=5),
    )
    def begin(
        self,
        options: dict[str, Any],
        checks: float,
        networks: int,
        chance: int,
        judged: list[int],
    ) -> None:
        random.seed(chance)
        rates = {"gold_rate": checks, "repeat_rate": checks}
        plan = Study(
            dataset=self.dataset, protocol=self.kind, votes=2, enforced_seconds=0
        )
        for name, value in (options | rates).items():
            setattr(plan, name, value)
        self.study = create_study(plan)
        self.study.questions.filter(position=0).update(gold=GOLD.get(self.kind, ""))
        self.people = [new_annotator(self.study) for _ in range(4)]
        for number, person in enumerate(self.people):
            note_network(person, f"192.0.2.{number % networks}")

        self.people.append(new_test_annotator(self.study))
        for number, votes in enumerate(judged):
            self.judge(number, "B", votes)

    def person(self, number: int) -> Annotator:
        return self.people[number % len(self.people)]

    def judge(self, number: int, choice: str, votes: int) -> None:
        for _ in range(votes):
            held = top_up_leases(self.person(number), LEASES_AT_FIRST)
            self.note(held)
            if not held:
                break  # and nothing changes until somebody else does something

            self.confirm(self.answer(held[0], choice), held[0].key)

    def answer(self, lease: Lease, choice: str) -> Answer:
        """Choose B or C, or give the first or second of other answers."""
        if kind_of(self.study).chooses:
            return choose(lease, choice)

        sent = ANSWERS[self.kind][choice == "C"]
        return record(AnswerMessage(lease.key, sent))

    def sent(self, number: int) -> dict[str, str]:
        return ANSWERS[self.kind][number % len(ANSWERS[self.kind])]

    def some_vote(self, number: int) -> Answer | None:
        votes = Answer.objects.order_by("pk")
        return votes[number % len(votes)] if votes else None

    def note(self, leases: list[Lease]) -> None:
        self.keys += [lease.key for lease in leases if lease.key not in self.keys]

    def confirm(self, cast: Answer, key: UUID) -> None:
        """The server says that it has a vote; sent again, it is what it was at first."""
        told = (
            *(cast.question_id, cast.choice, cast.strength, cast.content),
            cast.b_side,
        )
        assert cast.key == key
        assert self.confirmed.setdefault(key, told) == told

    @rule(number=NUMBERS, wanted=st.integers(1, LEASES_AT_FIRST))
    def somebody_asks(self, number: int, wanted: int) -> None:
        self.note(top_up_leases(self.person(number), wanted))

    @rule(number=NUMBERS, choice=st.sampled_from("BBC"), votes=st.integers(2, 8))
    def somebody_judges_for_a_while(self, number: int, choice: str, votes: int) -> None:
        self.judge(number, choice, votes)

    @rule(number=NUMBERS, sent=NUMBERS)
    def somebody_votes(self, number: int, sent: int) -> None:
        """On any question ever given, late or again perhaps."""
        if self.keys:
            key = self.keys[-1 - number % len(self.keys)]
            with suppress(NotAnAnswer, StudyEnded):
                self.confirm(record(AnswerMessage(key, self.sent(sent))), key)

    @rule(number=NUMBERS, other=NUMBERS, sent=NUMBERS)
    def a_page_sends_a_vote_and_asks_for_more(
        self, number: int, other: int, sent: int
    ) -> None:
        if self.keys:
            key = self.keys[-1 - number % len(self.keys)]
            reply = synchronize(
                self.person(other).pk, [AnswerMessage(key, self.sent(sent))]
            )
            self.note(reply.leases)
            if reply.results == ["saved"]:
                self.confirm(Answer.objects.get(key=key), key)

    @rule(number=st.integers(0, 3) | NUMBERS)
    def somebody_undoes(self, number: int) -> None:
        """Any vote; only an annotator's last is taken back."""
        if self.confirmed:
            key = list(self.confirmed)[-1 - number % len(self.confirmed)]
            cast = Answer.objects.get(key=key)
            assert cast.annotator is not None
            is_last = cast == last_vote(cast.annotator)

            if is_last and not cast.annotator.may_undo:
                with pytest.raises(StudyEnded):
                    undo(key)
                return

            again = undo(key)
            assert (again is not None) == is_last

            self.note([again] if again else [])

    @rule(number=NUMBERS, choice=st.sampled_from("BC"), votes=st.integers(0, 6))
    def somebody_votes_late(self, number: int, choice: str, votes: int) -> None:
        held = list(self.person(number).leases.all())
        past = timezone.now() - timedelta(seconds=1)
        Lease.objects.filter(annotator=self.person(number)).update(expires_at=past)
        end_expired_leases(self.study)
        for other in range(1, len(self.people)):
            self.judge(number + other, choice, votes)

        for lease in held[::2]:
            with suppress(StudyEnded):
                self.confirm(self.answer(lease, choice), lease.key)

    @rule(hours=st.integers(-48, 48))
    def the_clock_jumps(self, hours: int) -> None:
        jump = timedelta(hours=hours)
        Lease.objects.update(
            expires_at=F("expires_at") + jump, created_at=F("created_at") + jump
        )
        Annotator.objects.update(asked_at=F("asked_at") + jump)
        Answer.objects.update(created_at=F("created_at") + jump)

    @rule(number=NUMBERS)
    def the_researcher_excludes_somebody(self, number: int) -> None:
        exclude_annotator(self.person(number), None, "a reason")

    @rule()
    def the_researcher_readmits_somebody(self) -> None:
        for person in Annotator.objects.exclude(excluded_at=None).order_by(
            "excluded_at"
        )[:1]:
            readmit_annotator(person, None)

    @rule(number=NUMBERS)
    def the_researcher_excludes_a_vote(self, number: int) -> None:
        if cast := self.some_vote(number):
            exclude_vote(cast, None, "a reason")

    @rule(number=NUMBERS)
    def the_researcher_readmits_a_vote(self, number: int) -> None:
        if cast := self.some_vote(number):
            readmit_vote(cast, None)

    @rule(state=st.sampled_from([State.OPEN, State.PAUSED, State.CLOSED]))
    def the_researcher_changes_the_state(self, state: State) -> None:
        with suppress(NotPossible):
            set_state(self.study, state, None)

    @rule(votes=st.integers(2, 6))
    def the_researcher_raises_the_votes(self, votes: int) -> None:
        with suppress(NotPossible):
            raise_votes(self.study, votes, None)

    @rule(stop_early=st.booleans())
    def the_researcher_changes_early_stopping(self, stop_early: bool) -> None:
        change_settings(self.study, {"stop_early": stop_early}, None)

    @invariant()
    def the_promises_hold(self) -> None:
        stored = Stored(self.study)

        for promise in PROMISES:
            promise(stored)

        assert stored.confirmed() == self.confirmed


class Stored:
    """All rows that the promises are about, read once after each step."""

    def __init__(self, study: Study) -> None:
        needed = ("pair", "needed", "study__stop_early", "study__link_users")
        self.questions = list(study.questions.values("pk", *COUNTERS, *needed))
        self.votes = list(
            Answer.objects.values("key", "annotator", "strength", "content", *VOTE)
        )
        self.leases = list(Lease.objects.values("annotator", *LEASE))
        self.people = {
            row["pk"]: row
            for row in Annotator.objects.values(
                "pk", "judged", "excluded_at", "is_test", "network"
            )
        }

    def confirmed(self) -> dict[UUID, Confirmed]:
        names = ("question", "choice", "strength", "content", "b_side")
        return {row["key"]: tuple(row[name] for name in names) for row in self.votes}

    def not_undone(self) -> list[dict[str, Any]]:
        return [row for row in self.votes if row["status"] != Status.SUPERSEDED]

    def live(self) -> list[dict[str, Any]]:
        return [row for row in self.leases if row["live"]]


def counters_equal_a_recount(stored: Stored) -> None:
    stop_early = stored.questions[0]["study__stop_early"]
    counted = recount(
        stored.questions, stored.votes, stored.leases, stop_early=stop_early
    )
    names = ("pk", *COUNTERS)

    assert [{name: row[name] for name in names} for row in stored.questions] == [
        *counted.values()
    ]


def no_question_is_overfull(stored: Stored) -> None:
    assert all(
        row["answers"] + row["leases"] <= row["needed"] for row in stored.questions
    )


def no_network_has_more_than_its_share_of_a_question(stored: Stored) -> None:
    counted = [row for row in stored.votes if row["status"] == Status.VALID]
    given = Counter(
        (row["question"], stored.people[row["annotator"]]["network"])
        for row in (*counted, *stored.live())
        if row["purpose"] == Purpose.STUDY
    )

    for question in stored.questions:
        most = most_of_network(question["needed"])
        is_limited = question["study__link_users"] == LinkUsers.ANYWHERE

        for (pk, network), votes in given.items():
            assert (
                pk != question["pk"] or not network or votes <= most or not is_limited
            )


def nobody_is_asked_or_counted_twice(stored: Stored) -> None:
    both = [
        (row["annotator"], row["question"], row["purpose"])
        for row in (*stored.not_undone(), *stored.live())
    ]

    assert len(both) == len(set(both))


def judged_is_the_number_of_votes_that_were_not_undone(stored: Stored) -> None:
    given = Counter(row["annotator"] for row in stored.not_undone())
    assert {pk: person["judged"] for pk, person in stored.people.items()} == {
        pk: given[pk] for pk in stored.people
    }


def the_excluded_hold_and_count_nothing(stored: Stored) -> None:
    valid = [row for row in stored.votes if row["status"] == Status.VALID]
    assert all(
        stored.people[row["annotator"]]["excluded_at"] is None
        for row in (*valid, *stored.live())
    )


def who_tries_the_study_out_gives_test_votes_only(stored: Stored) -> None:
    for row in stored.votes:
        is_test = stored.people[row["annotator"]]["is_test"]
        assert is_test == (row["purpose"] == Purpose.TEST)


PROMISES = (
    counters_equal_a_recount,
    no_question_is_overfull,
    no_network_has_more_than_its_share_of_a_question,
    nobody_is_asked_or_counted_twice,
    judged_is_the_number_of_votes_that_were_not_undone,
    the_excluded_hold_and_count_nothing,
    who_tries_the_study_out_gives_test_votes_only,
)


@pytest.mark.hypothesis
@pytest.mark.parametrize("kind", ANSWERS)
def test_whatever_happens_the_promises_hold(
    kind: str, dogs: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "REPEAT_AFTER", 2)
    monkeypatch.setattr(Judging, "dataset", dogs, raising=False)
    monkeypatch.setattr(Judging, "kind", kind, raising=False)
    run_state_machine_as_test(
        Judging,
        settings=settings(
            examples(EXAMPLES[connection.vendor]),
            stateful_step_count=30,
            suppress_health_check=list(HealthCheck),
        ),
    )
