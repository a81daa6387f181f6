"""Annotators that are not people: on SQLite and on PostgreSQL."""

from itertools import islice
from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.quality.payment import pay_file, payments, people_to_pay
from tercet.annotation.studies.creation import create_study
from tests.support.folders import dataset_folder

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

ALL_B = dict.fromkeys(("p1", "p2", "p3", "p4"), "B")


def run(study: Study, people: int = 3, reliability: float = 1, seed: int = 0) -> int:
    return sum(
        1 for _ in simulate(study, range(1, people + 1), reliability, ALL_B, seed)
    )


def choices() -> list[str]:
    return list(Answer.objects.values_list("choice", flat=True))


def test_a_study_is_finished_when_nobody_finds_a_question(study: Study) -> None:
    assert run(study) == 36
    assert run(study) == 0


def test_too_few_annotators_answer_what_they_can(study: Study) -> None:
    assert run(study, people=2) == 24


def test_perfect_annotators_answer_what_they_believe(study: Study) -> None:
    run(study, reliability=1)
    assert set(choices()) == {"B"}


def test_wrong_annotators_answer_the_other_way(study: Study) -> None:
    run(study, reliability=0)
    assert set(choices()) == {"C"}


def test_reliability_is_how_often_they_answer_as_they_believe(study: Study) -> None:
    study.questions.update(needed=15)
    assert run(study, people=15, reliability=0.8) == 180

    share = choices().count("B") / 180
    assert 0.7 < share < 0.9


def test_annotators_without_beliefs_prefer_what_shares_words_with_a(
    tmp_path: Path,
) -> None:
    pairs = [
        ("nearer", "dog", "a dog runs over the grass", "no tram", "HC"),
        ("farther", "dog", "no bus", "the dog chases a ball", "HC"),
    ]
    folder = dataset_folder(tmp_path / "a", pairs=pairs)
    study = create_study(
        Study(dataset=import_dataset(load(folder), "a", folder), title="Words")
    )

    assert sum(1 for _ in simulate(study, [1], 1.0, {}, 0)) == 6

    answers = set(Answer.objects.values_list("question__pair__name", "choice"))
    assert answers == {("nearer", "B"), ("farther", "C")}


def test_the_same_seed_gives_the_same_answers(study: Study) -> None:
    sides: dict[int, list[list[tuple[int, str, str]]]] = {}
    for seed in (1, 1, 2):
        other = create_study(Study(dataset=study.dataset, title="Again"))
        run(other, reliability=0.5, seed=seed)
        votes = Answer.objects.filter(question__study=other).order_by("pk")
        answers = list(
            votes.values_list("question__position", "annotator__name", "choice")
        )
        sides.setdefault(seed, []).append(answers)

    assert sides[1][0] == sides[1][1]
    assert sides[1][0] != sides[2][0]


def test_they_can_be_stopped_and_go_on(study: Study) -> None:
    assert len(list(islice(simulate(study, [1, 2, 3], 1.0, ALL_B, 0), 10))) == 10
    assert Answer.objects.count() == 10
    assert run(study) == 26
    assert Annotator.objects.count() == 3


def test_their_names_say_what_they_are(study: Study) -> None:
    run(study)
    names = Annotator.objects.order_by("name").values_list("name", flat=True)
    assert list(names) == ["simulated-01", "simulated-02", "simulated-03"]


def test_who_finds_no_question_finishes_as_people_of_a_platform_do(
    study: Study,
) -> None:
    study.crowd_is_open = True
    study.questionnaire_after = (
        "How old are you?\n[age: number, 18 to 20, required]\n\n"
        "Was it hard?\n[hard: choice]\n- yes\n- no\n\nWhy?\n[why: text]\n"
    )
    study.save()
    study.exits.create(outcome=Outcome.DONE, code="C1DONE99")
    run(study)

    for person in study.annotators.all():
        assert (person.outcome, person.code) == (Outcome.DONE, "C1DONE99")
        assert person.external_id == person.name
        answers = person.questionnaires.get().answers
        assert answers["age"] in {"18", "19", "20"}
        assert answers["hard"] in {"yes", "no"}

        times = person.answers.values_list("active_seconds", flat=True)
        spent = sum(seconds or 0 for seconds in times)
        assert person.finished_at
        assert person.created_at
        minutes = (person.finished_at - person.created_at).total_seconds()
        assert minutes == pytest.approx(spent, abs=0.1)


def test_simulated_people_are_approved_like_others(study: Study) -> None:
    study.crowd_is_open = True
    study.save()
    run(study, people=4)
    done = study.annotators.filter(outcome=Outcome.DONE).count()

    rows = payments(people_to_pay(study), {})
    assert pay_file(rows, "approve.csv").count("simulated-") == done > 0
