"""The digest of the votes that count: equal for equal votes, and for no others."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import undo, vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.judging.quotas import recount
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.models.answer import Purpose, Side
from tercet.annotation.quality.exclusion import exclude_annotator, readmit_annotator
from tercet.annotation.results import digests
from tercet.annotation.results.digests import digest_of, state_of
from tests.annotation.judging.ballots import crowd, put

pytestmark = pytest.mark.django_db


def put_all(study: Study, people: dict[str, str], *, backwards: bool = False) -> None:
    """Give each person, by name, the votes of these letters on the questions in their order."""
    for name, choices in people.items():
        Annotator.objects.get_or_create(study=study, name=name)
        assert len(choices) <= study.questions.count()

    votes = [
        (name, question, {"t": "tie"}.get(letter, letter))
        for name, choices in people.items()
        for question, letter in zip(
            study.questions.order_by("pk"), choices, strict=False
        )
    ]
    for name, question, choice in reversed(votes) if backwards else votes:
        put(study.annotators.get(name=name), question, choice)


def digest_with(study: Study, people: dict[str, str], **order: bool) -> str:
    Answer.objects.all().delete()
    put_all(study, people, **order)
    return digest_of(study)


def test_the_order_of_votes_does_not_matter(study: Study) -> None:
    votes = {"ann": "BBCt", "bob": "CBtB"}
    assert digest_with(study, votes) == digest_with(study, votes, backwards=True)


@pytest.mark.parametrize(
    "others",
    [
        {"ann": "CBCB", "bob": "CCBB"},  # one vote turned
        {"ann": "CCBB", "bob": "BBCC"},  # the votes of two people exchanged
        {"ann": "BCCB", "cyd": "CCBB"},  # another person with the same votes
        {"ann": "BCCB", "bob": "CCB"},  # one vote fewer
        {"ann": "CBBC", "bob": "CCBB"},  # turned where the keys of questions add up
        {"ann": "BtCB", "bob": "CCBB"},  # a tie in the place of a choice
    ],
)
def test_other_votes_have_another_digest(study: Study, others: dict[str, str]) -> None:
    votes = {"ann": "BCCB", "bob": "CCBB"}
    assert digest_with(study, votes) != digest_with(study, others)


def test_as_many_votes_by_another_person_have_another_digest_until_readmission(
    study: Study, administrator: User
) -> None:
    careless, _ = crowd(study, ["good", "good"])
    before = digest_of(study)
    exclude_annotator(careless, administrator, "careless")
    assert digest_of(study) != before

    again = readmit_annotator(careless, administrator)
    assert again == (12, 0)
    assert digest_of(study) == before


def test_votes_that_do_not_count_change_no_digest(study: Study) -> None:
    person = new_annotator(study)
    before = digest_of(study)
    first, second, third = study.questions.order_by("pk")[:3]
    put(person, first, status="excluded")
    put(person, second, status="surplus")
    put(person, third, purpose=Purpose.GOLD)
    assert digest_of(study) == before


@pytest.mark.parametrize("name", ["votes", "stop_early", "winners"])
def test_settings_that_decide_results_are_in_it(study: Study, name: str) -> None:
    before = digest_of(study)
    setattr(study, name, {"votes": 5, "stop_early": True, "winners": "decisions"}[name])
    assert digest_of(study) != before


def judge(study: Study, _by: User) -> None:
    lease = claim(new_annotator(study))
    assert lease is not None
    vote(lease.key, Side.LEFT)


def judge_undo_and_judge(study: Study, by: User) -> None:
    judge(study, by)
    last = Answer.objects.latest("pk")
    assert last.key is not None
    lease = undo(last.key)
    assert lease is not None
    vote(lease.key, Side.RIGHT)


def exclude(study: Study, by: User) -> None:
    exclude_annotator(crowd(study, ["good"])[0], by, "careless")


@pytest.mark.parametrize("change", [judge, judge_undo_and_judge, exclude])
def test_the_state_of_a_large_study_changes_with_its_votes(
    study: Study, administrator: User, change: Callable[[Study, User], None]
) -> None:
    judge(study, administrator)
    before = state_of(study)
    change(study, administrator)
    assert state_of(study) != before


def test_the_digest_of_a_large_study_is_computed_once_while_nothing_changes(
    study: Study, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, _, _ = crowd(study, ["good", "good", "contrary"])
    recount(study.questions.all())
    exact = digest_of(study)
    monkeypatch.setattr(digests, "MAX_LIVE_VOTES", 12)
    assert digest_of(study) == exact

    with CaptureQueriesContext(connection) as queries:
        assert digest_of(study) == exact
    assert not any("annotation_answer" in each["sql"] for each in queries)

    exclude_annotator(person, administrator, "careless")
    changed = digest_of(study)
    assert changed != exact
    monkeypatch.undo()
    assert changed == digest_of(study)
