"""Sentences for the methods section."""

import pytest
from django.utils.translation import override

from annotation.judging.annotators import new_annotator
from annotation.models import Annotator, Study
from annotation.simulation import simulate
from annotation.studies.exclusion import exclude_annotator
from annotation.studies.methods import methods_text, people_counted
from tests.annotation.questions import answer_all

pytestmark = pytest.mark.django_db

FIRST = (
    "1 person gave 1,000 votes on 12 questions (“Which sentence is more similar to A?”), with "
    "3 votes required per question."
)


def stated(**values: str) -> Study:
    Study.objects.update(**values)
    return Study.objects.get()


def test_what_nobody_stated_is_left_out(study: Study) -> None:
    with override("de"):
        assert methods_text(study, 1, 1000) == FIRST


def test_recruitment_pay_and_approval_are_stated(study: Study) -> None:
    study = stated(
        recruitment_platform="Prolific",
        countries="Ireland",
        approval_rate="at least 95 %",
        pay="9 GBP per hour.",
        ethics_approval="the board (7)",
    )
    assert methods_text(study, 1, 1000).removeprefix(f"{FIRST} ") == (
        "They were recruited through Prolific from Ireland (approval rate: at least 95 %). "
        "They were paid 9 GBP per hour. The study was approved by the board (7)."
    )
    study = stated(recruitment_platform="", countries="", pay="", ethics_approval="")
    assert methods_text(study, 1, 1000).endswith("recruited (approval rate: at least 95 %).")


def test_who_was_excluded_or_simulated_is_not_hidden(study: Study, annotator: Annotator) -> None:
    exclude_annotator(annotator, None, "guesses")
    assert methods_text(study, 2, 5).endswith("1 person was excluded.")
    exclude_annotator(new_annotator(study), None, "guesses")
    list(simulate(study, [1], 0.9, {}, 0))
    said = "2 people were excluded. Some of these annotators are simulated."
    assert methods_text(study, 2, 5).endswith(said)


def test_who_was_excluded_gave_no_votes_that_count(study: Study, annotator: Annotator) -> None:
    for person in (annotator, new_annotator(study)):
        answer_all(person)
    new_annotator(study)
    assert people_counted(study) == 2
    exclude_annotator(annotator, None, "guesses")
    assert people_counted(study) == 1


def test_nothing_is_said_without_votes(study: Study) -> None:
    assert methods_text(study, 0, 0) == ""


def test_nothing_is_said_of_votes_that_were_collected_elsewhere(study: Study) -> None:
    study.collected_elsewhere = True
    assert methods_text(study, 2, 5) == ""
