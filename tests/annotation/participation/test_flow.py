"""An annotator's way through a study, without its pages."""

import pytest
from django.db.models import F

from tercet.annotation.judging import codes
from tercet.annotation.judging.annotators import new_annotator, new_crowd_annotator
from tercet.annotation.judging.annotators import test_annotator as new_test_annotator
from tercet.annotation.judging.answers import last_vote, undo, vote
from tercet.annotation.judging.leases import top_up_leases
from tercet.annotation.models import Annotator, Exit, Study
from tercet.annotation.models.answer import Side
from tercet.annotation.models.study import SWITCHES, Order, Outcome, State, Step, Time
from tercet.annotation.participation import exits, flow
from tercet.annotation.participation.texts import quizzes_of
from tests.annotation.questions import answer_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(study: Study) -> Study:
    """One with all steps."""
    study.steps = [step.value for step in SWITCHES]
    study.save()
    return study


def at(annotator: Annotator, step: Step) -> Annotator:
    annotator.step = step
    annotator.save()
    return annotator


def right(study: Study) -> list[int | None]:
    return [quiz.right for quiz in quizzes_of(study, Step.COMPREHENSION)]


def stored(annotator: Annotator) -> Annotator:
    return Annotator.objects.get(pk=annotator.pk)


def test_the_steps_follow_one_another(annotator: Annotator) -> None:
    seen = [flow.step_of(annotator)]
    while seen[-1] != Step.JUDGING:
        flow.advance(annotator, seen[-1])
        seen.append(flow.step_of(stored(annotator)))

    assert seen == list(Step)


def test_nobody_judges_before_the_questionnaire_is_filled_in(
    annotator: Annotator,
) -> None:
    annotator.study.questionnaire_before = "How old are you?\n[age: number]"
    at(annotator, Step.JUDGING)

    assert not flow.is_judging(annotator)

    flow.record_answers(annotator, Time.BEFORE, {})
    flow.record_answers(annotator, Time.BEFORE, {"age": "3"})

    assert flow.is_judging(annotator)
    assert annotator.questionnaires.get().answers == {}


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.SCREENED_OUT])
def test_who_is_out_is_not_asked(annotator: Annotator, outcome: Outcome) -> None:
    for time in Time:
        setattr(annotator.study, f"questionnaire_{time}", "Why?\n[why: text]")

    at(annotator, Step.COMPREHENSION).outcome = outcome
    assert not any(flow.is_questionnaire_due(annotator, time) for time in Time)


def test_who_found_no_question_at_first_is_asked_after_judging(
    annotator: Annotator,
) -> None:
    annotator.study.questionnaire_after = "Why?\n[why: text]"
    annotator.outcome, annotator.judged = Outcome.NO_WORK, 1
    assert flow.is_questionnaire_due(annotator, Time.AFTER)


def test_a_step_that_is_not_the_present_one_changes_nothing(
    annotator: Annotator,
) -> None:
    flow.advance(annotator, Step.PRACTICE)
    assert flow.step_of(annotator) == Step.CONSENT

    flow.advance(at(annotator, Step.JUDGING), Step.JUDGING)
    assert flow.step_of(annotator) == Step.JUDGING


def test_steps_that_the_study_leaves_out_are_passed_over(
    study: Study, annotator: Annotator
) -> None:
    study.steps = [Step.PRACTICE]
    assert flow.step_of(annotator) == Step.PRACTICE

    study.steps = []
    assert flow.step_of(annotator) == Step.JUDGING


def test_a_step_without_questions_is_passed_over(
    study: Study, annotator: Annotator
) -> None:
    study.protocol = "pairwise"
    assert flow.step_of(at(annotator, Step.PRACTICE)) == Step.JUDGING


def test_who_declines_is_screened_out_without_a_code_and_may_think_again(
    annotator: Annotator,
) -> None:
    flow.record_consent(annotator, agrees=False)
    assert stored(annotator).is_out
    assert stored(annotator).code == ""

    flow.record_consent(annotator, agrees=None)
    assert not stored(annotator).is_out

    flow.record_consent(annotator, agrees=True)
    assert flow.step_of(stored(annotator)) == Step.INSTRUCTIONS


def test_who_declines_gets_a_code_that_the_study_sets(annotator: Annotator) -> None:
    chosen = Exit.objects.create(
        study=annotator.study, outcome=Outcome.SCREENED_OUT, code="NO-CONSENT"
    )
    flow.record_consent(annotator, agrees=False)

    assert exits.shown_code(annotator) == "NO-CONSENT"

    chosen.delete()
    assert exits.shown_code(annotator) == "", "also if a code was stored before"


def test_a_redirect_url_with_a_code_has_one_for_who_declines(
    annotator: Annotator,
) -> None:
    Exit.objects.create(
        study=annotator.study,
        outcome=Outcome.SCREENED_OUT,
        url="https://e.org/?cc={code}",
    )
    flow.record_consent(annotator, agrees=False)

    assert exits.exit_url(annotator) == f"https://e.org/?cc={stored(annotator).code}"
    assert stored(annotator).code
    assert exits.shown_code(annotator) == ""


def test_consent_is_asked_once(annotator: Annotator) -> None:
    flow.record_consent(at(annotator, Step.JUDGING), agrees=False)
    assert not annotator.is_out


def test_all_right_leads_on(study: Study, annotator: Annotator) -> None:
    at(annotator, Step.COMPREHENSION)
    assert flow.check_comprehension(annotator, right(study), 0) == []
    assert flow.step_of(stored(annotator)) == Step.PRACTICE


@pytest.mark.parametrize("chosen", [[], [None, None], [1, 1], [99, 1]])
def test_wrong_and_missing_choices_are_told_by_their_numbers(
    annotator: Annotator, chosen: list[int | None]
) -> None:
    at(annotator, Step.COMPREHENSION)
    wrong = flow.check_comprehension(annotator, chosen, 0)

    assert 0 in wrong
    assert (1 in wrong) == (chosen[1:] != [1])


def test_who_is_wrong_twice_is_out(study: Study, annotator: Annotator) -> None:
    at(annotator, Step.COMPREHENSION)
    flow.check_comprehension(annotator, [], 0)
    flow.check_comprehension(annotator, [], 0)

    assert not stored(annotator).is_out

    flow.check_comprehension(annotator, [], 1)
    assert stored(annotator).outcome == Outcome.FAILED


def test_practice_ends_after_its_last_question(
    study: Study, annotator: Annotator
) -> None:
    at(annotator, Step.PRACTICE)
    for _ in quizzes_of(study, Step.PRACTICE):
        assert flow.step_of(annotator) == Step.PRACTICE
        flow.advance_practice(annotator)

    assert flow.step_of(stored(annotator)) == Step.JUDGING


def test_a_break_is_due_every_so_many_judgments(
    study: Study, annotator: Annotator
) -> None:
    study.break_every = 5
    due = []

    for judged in range(12):
        annotator.judged = judged
        if flow.is_break_due(annotator):
            due.append(judged)
            flow.take_break(annotator)

    assert due == [5, 10]

    study.break_every = 0
    annotator.judged = 500

    assert not flow.is_break_due(annotator)


def test_no_break_is_due_after_the_last_judgment(
    study: Study, annotator: Annotator
) -> None:
    study.break_every = study.max_judgments = annotator.judged = 5
    assert not flow.is_break_due(annotator)


def test_nobody_is_led_through_steps_to_a_study_without_questions(study: Study) -> None:
    person, tester = new_annotator(study), new_test_annotator(study)
    assert flow.can_start(person)

    study.state = State.PAUSED
    assert not flow.can_start(person)
    assert flow.can_start(tester)

    study.state = State.OPEN
    study.questions.update(answers=3)

    assert not flow.can_start(person)


def test_the_end_says_whether_somebody_judged(
    study: Study, annotator: Annotator
) -> None:
    flow.finish_judging(annotator)
    assert stored(annotator).outcome == Outcome.NO_WORK

    answer_all(annotator)
    flow.finish_judging(stored(annotator))
    done = stored(annotator)

    assert done.outcome == Outcome.DONE

    flow.finish_judging(done)
    assert (stored(annotator).code, stored(annotator).finished_at) == (
        done.code,
        done.finished_at,
    )


def test_a_code_is_the_studys_or_ones_own(study: Study) -> None:
    Exit.objects.create(study=study, outcome=Outcome.DONE, code="C0DE")
    people = [new_annotator(study) for _ in range(3)]
    flow.finish(people[0], Outcome.DONE)
    for person in people[1:]:
        flow.finish(person, Outcome.NO_WORK)

    codes = [person.code for person in people]
    assert codes[0] == "C0DE"
    assert len(set(codes)) == 3


def test_a_code_that_was_shown_comes_back_after_one_of_the_study(study: Study) -> None:
    Study.objects.update(steps=[])
    Exit.objects.create(study=study, outcome=Outcome.STOPPED, code="STOPPED-1")
    person = new_annotator(study)
    shown = []

    for _ in range(2):
        answer_all(person)
        person.refresh_from_db()
        flow.finish_judging(person)
        shown.append(exits.shown_code(person))
        last = last_vote(person)
        assert last is not None
        assert last.key is not None
        undo(last.key)
        person.refresh_from_db()
        flow.stop(person)
        shown.append(exits.shown_code(person))
        flow.resume(person)
        person.refresh_from_db()

    assert shown[0] == shown[2] != ""
    assert shown[1] == shown[3] == "STOPPED-1"


def test_the_way_out_holds_the_code_and_the_person_safely(study: Study) -> None:
    address = "https://example.org/?cc={code}&who={person}"
    Exit.objects.create(study=study, outcome=Outcome.DONE, code="a&b/ü", url=address)
    person = new_crowd_annotator(study, "x=1 #2", {})

    flow.finish(person, Outcome.DONE)
    assert (
        exits.exit_url(person)
        == "https://example.org/?cc=a%26b%2F%C3%BC&who=x%3D1%20%232"
    )


def test_without_an_address_there_is_no_way_out(annotator: Annotator) -> None:
    flow.finish(annotator, Outcome.DONE)
    assert exits.exit_url(annotator) == ""


def test_a_code_is_made_of_letters_that_nobody_mistakes() -> None:
    code = codes.new_code()
    assert len(code) == 9
    assert set(code) <= {*codes.CODE_CHARACTERS, "-"}
    assert not set("IO01") & set(codes.CODE_CHARACTERS)


def test_pages_that_ask_at_one_time_are_given_one_code(annotator: Annotator) -> None:
    pages = [Annotator.objects.get(pk=annotator.pk) for _ in range(3)]
    for page in pages:
        flow.finish_judging(page)

    assert len({page.code for page in pages}) == 1
    assert stored(annotator).code == pages[0].code


# How much there is to judge


def test_the_workload_is_the_limit_of_the_study(annotator: Annotator) -> None:
    annotator.study.max_judgments = 7
    assert flow.workload(annotator.study, top_up_leases(annotator, 1)) == 7


def test_without_a_limit_the_workload_is_about_what_is_left(
    study: Study, annotator: Annotator
) -> None:
    whole = study.questions.count()
    held = top_up_leases(annotator, 4)

    assert abs(flow.workload(study, held) - whole) <= 1

    for lease in held:
        vote(lease.key, Side.LEFT)

    assert abs(flow.workload(study, top_up_leases(stored(annotator), 4)) - whole) <= 1

    study.questions.filter(position__lt=6).update(stopped=True)
    late = new_annotator(study)

    assert abs(flow.workload(study, top_up_leases(late, 1)) - (whole - 6)) <= 1


def test_the_workload_is_not_above_what_can_still_be_got(
    study: Study, annotator: Annotator
) -> None:
    study.questions.filter(position__gt=3).update(answers=F("needed"))
    assert flow.workload(study, top_up_leases(annotator, 1)) <= 5


@pytest.mark.parametrize(
    ("number", "shown"), [(0, 0), (7, 7), (99, 99), (101, 110), (1323, 1400)]
)
def test_an_estimate_has_two_digits(number: int, shown: int) -> None:
    assert flow.rounded_up(number) == shown


def test_the_workload_of_shuffled_questions_is_about_the_open_ones(
    study: Study, annotator: Annotator
) -> None:
    whole = study.questions.count()
    Study.objects.update(question_order=Order.SHUFFLED)
    shuffled = Study.objects.get()

    held = top_up_leases(annotator, 4)
    assert flow.workload(shuffled, held) == whole

    vote(held[0].key, "left")
    assert flow.workload(shuffled, top_up_leases(stored(annotator), 4)) == whole

    study.questions.filter(leases=0, answers=0).update(stopped=True)
    assert flow.workload(shuffled, top_up_leases(stored(annotator), 4)) < whole
