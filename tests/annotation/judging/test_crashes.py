"""Many processes at once, and some that die: on SQLite and on PostgreSQL."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.networks import most_of_network
from tercet.annotation.models import Annotator, Answer, Lease, Study
from tercet.annotation.models.study import LinkUsers
from tercet.annotation.quality.exclusion import (
    exclude_annotator,
    exclude_vote,
    readmit_annotator,
    readmit_vote,
)
from tercet.annotation.studies.lifecycle import raise_votes
from tercet.annotation.studies.settings import change_settings
from tests.annotation.judging.children import environment
from tests.annotation.judging.voter import judge
from tests.annotation.kinds import SENT, simulated, study_of
from tests.annotation.questions import counters, recounted

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

ROUNDS = 20
"""Interventions of a researcher while others vote."""
OTHER_SESSIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
PROCESSES = get_context("forkserver")
"""Voters are forked from one process that has started Django."""
PROCESSES.set_forkserver_preload(["tests.annotation.judging.started", judge.__module__])


class Voter:
    """A process that judges, and what it has written."""

    def __init__(self, study: Study, output: Path, network: str = "") -> None:
        self.output = output
        output.touch()
        told, self.telling = PROCESSES.Pipe(duplex=False)

        with told, pytest.MonkeyPatch.context() as patch:
            for name, value in (environment() | {"LEASE_SECONDS": "2"}).items():
                patch.setenv(name, value)

            args = (study.name, output, told, network)
            self.process = PROCESSES.Process(target=judge, args=args)
            self.process.start()

    def confirmed(self) -> list[UUID]:
        """The keys it has printed; the last line may be torn."""
        lines = self.output.read_text().splitlines(keepends=True)[1:]
        return [UUID(line.strip()) for line in lines if line.endswith("\n")]

    def has_begun(self) -> bool:
        return bool(self.output.read_text()) or self.has_ended()

    def has_ended(self) -> bool:
        return not self.process.is_alive()

    def errors(self) -> str:
        return self.output.with_suffix(".err").read_text()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def stop(self) -> int | None:
        """Let it end what it is doing; return its exit code."""
        self.telling.close()
        self.process.join()
        return self.process.exitcode


@contextmanager
def voters(
    study: Study, number: int, folder: Path, network: str = ""
) -> Iterator[list[Voter]]:
    """Processes that have all begun, and that do not outlive the test."""
    with ExitStack() as stack:
        started = [
            Voter(study, folder / f"voter-{n}.txt", network) for n in range(number)
        ]
        for voter in started:
            stack.callback(voter.kill)

        wait_until(lambda: all(voter.has_begun() for voter in started))
        yield started


def wait_until(happened: Callable[[], bool]) -> None:
    """Wait however long a busy machine takes."""
    while not happened():
        time.sleep(0.01)


def no_other_sessions() -> bool:
    """Whether the database has ended the sessions of killed processes.

    PostgreSQL first completes the statement that a killed client had sent, perhaps its COMMIT.
    """
    if connection.vendor != "postgresql":
        return True

    with connection.cursor() as cursor:
        cursor.execute(OTHER_SESSIONS)
        [sessions] = cursor.fetchone()
        return int(sessions) == 0


def finish(study: Study) -> None:
    """Others give the answers that are left, when the leases of the dead are over."""
    Lease.objects.update(expires_at=timezone.now())
    while study.questions.lacking().exists():
        person = new_annotator(study)
        while lease := claim(person):
            record(AnswerMessage(lease.key, simulated(lease)))


def wait_for_votes(group: list[Voter], number: int, last: Voter) -> None:
    """Wait until all together have given so many votes; the last of them is still running.

    One voter may get no turn on a busy machine until the others have given all votes there are.
    """
    wait_until(
        lambda: (
            sum(len(voter.confirmed()) for voter in group) >= number or last.has_ended()
        )
    )

    assert not last.has_ended(), last.errors()


@pytest.mark.parametrize("kind", SENT)
def test_killed_processes_lose_no_confirmed_answer_and_hold_nobody_up(
    kind: str, transactional_db: None, tmp_path: Path
) -> None:
    study = study_of(kind, tmp_path / "small", votes=40)
    needed = 40 * study.questions.count()
    with voters(study, 4, tmp_path) as group:
        answers = accumulate(random.randint(0, needed // 20) for _ in group)
        for voter, number in zip(group, answers, strict=True):
            wait_for_votes(group, number, voter)
            voter.kill()

    wait_until(no_other_sessions)

    confirmed = [key for voter in group for key in voter.confirmed()]
    assert (
        len(confirmed)
        == len(set(confirmed))
        == Answer.objects.filter(key__in=confirmed).count()
    )
    assert counters(study) == recounted(study)

    finish(study)
    assert set(study.questions.values_list("answers", "leases")) == {(40, 0)}
    givers = Answer.objects.counted().values_list("question", "annotator")
    assert len(givers) == len(set(givers)) == needed
    assert counters(study) == recounted(study)


def test_eight_processes_vote_while_a_researcher_raises_excludes_and_readmits(
    study: Study, tmp_path: Path
) -> None:
    with voters(study, 8, tmp_path) as group:
        for _ in range(ROUNDS):
            steer(study)
        codes = [voter.stop() for voter in group]

    assert (codes, [voter.errors() for voter in group]) == ([0] * 8, [""] * 8)

    confirmed = [key for voter in group for key in voter.confirmed()]
    assert len(confirmed) == Answer.objects.filter(key__in=confirmed).count()
    assert counters(study) == recounted(study)


def steer(study: Study) -> None:
    """One of everything that a researcher may do while people vote."""
    raise_votes(study, study.votes + 1, None)
    change_settings(study, {"stop_early": random.random() < 0.5}, None)
    for person in Annotator.objects.order_by("?")[:2]:
        exclude_annotator(person, None, "by chance")
    for cast in Answer.objects.order_by("?")[:2]:
        exclude_vote(cast, None, "by chance")
    for person in Annotator.objects.exclude(excluded_at=None).order_by("?")[:1]:
        readmit_annotator(person, None)
    for cast in Answer.objects.filter(status="excluded").order_by("?")[:1]:
        readmit_vote(cast, None)


def test_processes_of_one_network_give_its_share_and_never_more(
    study: Study, tmp_path: Path
) -> None:
    Study.objects.update(link_users=LinkUsers.ANYWHERE)
    raise_votes(study, 9, None)
    share = study.questions.count() * most_of_network(9)

    with voters(study, 4, tmp_path, network="192.0.2.1") as group:
        while sum(len(voter.confirmed()) for voter in group) < 0.9 * share:
            assert all(
                question.answers + question.leases <= 4
                for question in study.questions.all()
            )
            assert not any(voter.has_ended() for voter in group), group[0].errors()
            time.sleep(0.05)

        assert [voter.stop() for voter in group] == [0] * 4

    assert counters(study) == recounted(study)
    assert all(
        question.answers + question.leases <= 4 for question in study.questions.all()
    )
