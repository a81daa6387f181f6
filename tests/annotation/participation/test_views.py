"""An annotator's way through a study: consent to completion, a page each."""

import html
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.codes import CODE_CHARACTERS
from tercet.annotation.judging.leases import claim, top_up_leases
from tercet.annotation.models import Annotator, Exit, Lease, Role, Study
from tercet.annotation.models.study import Accounts, Outcome, Rank, State

pytestmark = pytest.mark.django_db

COMPREHENSION = """What do you choose?
- [ ] The longer
- [x] The nearer

And if both seem near?
- [x] Go on
- [ ] Stop
"""
RIGHT = {"question-0": "1", "question-1": "0"}
PRACTICE = """A dog.
- [x] A hound.
- [ ] A cat.
> A hound is a dog.

A hill.
- [ ] A lake.
- [x] A small mountain.
"""
ALL = ["consent", "instructions", "comprehension", "practice"]


@pytest.fixture
def browser(study: Study) -> Client:
    """Somebody of the crowd who has just come in."""
    Study.objects.update(
        crowd_is_open=True, comprehension=COMPREHENSION, practice=PRACTICE
    )
    browser = Client()
    browser.post(
        reverse("crowd", args=[study.crowd_code], query={"PROLIFIC_PID": "p/1"})
    )

    return browser


def steps(*names: str) -> None:
    Study.objects.update(steps=names)


def shown(browser: Client, study: Study) -> str:
    response = browser.get(reverse("judge", args=[study.name]))
    assert response.status_code == 200

    return html.unescape(response.getvalue().decode())


def say(browser: Client, study: Study, step: str, **fields: str) -> str:
    """Send a page's form; gives the page that comes of it."""
    address = reverse(f"step_{step}", args=[study.name])
    response = browser.post(address, fields, follow=True)

    assert response.status_code == 200

    return html.unescape(response.getvalue().decode())


def judge_next(browser: Client, study: Study) -> str:
    """Judge one question without JavaScript; gives the next page."""
    key = re.search(r'id="key" value="([^"]+)"', shown(browser, study))
    assert key
    address = reverse("cast_vote", args=[study.name])
    response = browser.post(address, {"key": key[1], "side": "left"}, follow=True)

    return html.unescape(response.getvalue().decode())


def me() -> Annotator:
    return Annotator.objects.get(external_id="p/1")


JUDGING = 'id="judge"'


def test_the_steps_come_in_their_order_and_only_those_that_the_study_has(
    browser: Client, study: Study
) -> None:
    steps(*reversed(ALL))
    assert "I agree and begin" in shown(browser, study)
    assert "How to judge" in say(browser, study, "consent", agree="yes")
    assert "Before you begin" in say(browser, study, "instructions")

    tried = {"try": "0"} | RIGHT
    assert "Practice 1 of 2" in say(browser, study, "comprehension", **tried)

    steps("instructions")
    assert JUDGING in shown(browser, study)


def test_nothing_is_leased_before_judging(browser: Client, study: Study) -> None:
    steps(*ALL)
    shown(browser, study)
    say(browser, study, "consent", agree="yes")

    assert not Lease.objects.exists()


@pytest.mark.parametrize(
    "step", ["instructions", "practice", "comprehension", "finish", "rest", "resume"]
)
def test_no_step_can_be_passed_over(browser: Client, study: Study, step: str) -> None:
    steps(*ALL)
    fields = {"try": "0", "read": "1"} | RIGHT
    assert "I agree and begin" in say(browser, study, step, **fields)


def test_the_texts_are_the_studys_own_or_the_default_ones(
    browser: Client, study: Study
) -> None:
    steps("instructions")
    assert "whose meaning is closer to A" in shown(browser, study)

    Study.objects.update(instructions="Look *closely*.\n<script>alert(1)</script>")
    own = browser.get(reverse("judge", args=[study.name])).getvalue().decode()

    assert "Look <em>closely</em>." in own
    assert "<script>alert" not in own
    assert "whose meaning is closer to A" not in own


# Consent


def test_who_declines_takes_no_part_and_may_think_again(
    browser: Client, study: Study
) -> None:
    steps("consent")
    declined = say(browser, study, "consent", agree="no")

    assert "You are not taking part" in declined
    assert me().outcome == Outcome.SCREENED_OUT
    assert "You are not taking part" in shown(browser, study)

    assert "I agree and begin" in say(browser, study, "consent", agree="later")
    assert JUDGING in say(browser, study, "consent", agree="yes")
    assert me().outcome == ""


def test_who_declines_at_the_door_takes_no_part(study: Study) -> None:
    steps("consent")
    browser = Client()
    response = browser.post(
        reverse("join", args=[study.join_code]), {"agree": "no"}, follow=True
    )

    assert "You are not taking part" in response.getvalue().decode()


def test_who_declines_on_a_platform_gets_no_code_and_is_asked_to_return_the_task(
    study: Study,
) -> None:
    Study.objects.update(crowd_is_open=True, steps=["consent"])
    browser = Client()
    link = reverse("crowd", args=[study.crowd_code], query={"PROLIFIC_PID": "p/1"})

    declined = browser.post(link, {"agree": "no"}, follow=True).text
    assert "Please return the task on the platform" in declined
    assert "completion code:" not in declined

    assert "resume code" not in declined
    assert me().resume_code not in declined

    say(browser, study, "consent", agree="later")
    agreed = say(browser, study, "consent", agree="yes")

    assert f"Your resume code is {me().resume_code}." in agreed


def test_who_declines_at_a_shared_link_has_nothing_else_to_do(study: Study) -> None:
    steps("consent")
    link = reverse("join", args=[study.join_code])
    declined = Client().post(link, {"agree": "no"}, follow=True).text

    assert "You can close this page." in declined
    assert "return the task" not in declined


def test_consent_is_not_taken_back_by_a_page_sent_again(
    browser: Client, study: Study
) -> None:
    steps("consent")
    say(browser, study, "consent", agree="yes")
    assert JUDGING in say(browser, study, "consent", agree="no")


# Comprehension


def test_the_right_options_lead_on(browser: Client, study: Study) -> None:
    steps("comprehension")
    assert "And if both seem near?" in shown(browser, study)
    assert JUDGING in say(browser, study, "comprehension", **({"try": "0"} | RIGHT))


def test_who_is_wrong_sees_the_instructions_and_has_one_more_try(
    browser: Client, study: Study
) -> None:
    steps("comprehension")
    again = say(browser, study, "comprehension", **{"try": "0", "question-0": "0"})

    assert "you have one more try" in again
    assert "whose meaning is closer to A" in again
    assert JUDGING in say(browser, study, "comprehension", **({"try": "1"} | RIGHT))


def test_who_is_wrong_twice_is_thanked_and_out_for_good(
    browser: Client, study: Study
) -> None:
    steps("comprehension")
    for number in "01":
        told = say(
            browser, study, "comprehension", **({"try": number, "question-0": "9"})
        )

    assert "Thank you for your time" in told
    assert me().outcome == Outcome.FAILED
    assert "Thank you for your time" in say(
        browser, study, "comprehension", **({"try": "2"} | RIGHT)
    )

    assert "I agree" not in say(browser, study, "consent", agree="later")
    assert not Lease.objects.exists()


def test_one_try_sent_twice_is_one_try(browser: Client, study: Study) -> None:
    steps("comprehension")
    for _ in range(3):
        say(browser, study, "comprehension", **{"try": "0", "question-0": "0"})

    assert me().tries == 1


# Practice


def test_practice_tells_after_each_choice_what_was_right(
    browser: Client, study: Study
) -> None:
    steps("practice")
    assert "Practice 1 of 2" in shown(browser, study)

    told = say(browser, study, "practice", chosen="0")
    assert "Yes, this is the expected answer" in told
    assert "A hound is a dog." in told

    second = say(browser, study, "practice", read="1")
    assert "Practice 2 of 2" in second

    wrong = say(browser, study, "practice", chosen="0")
    assert "The expected answer is the other one" in wrong
    assert 'class="option chosen"' in wrong

    assert 'class="option right"' in wrong
    assert wrong.index("Your choice") < wrong.rindex("The expected answer")
    assert JUDGING in say(browser, study, "practice", read="2")


def test_the_default_practice_tells_what_most_people_choose(
    browser: Client, study: Study
) -> None:
    Study.objects.update(steps=["practice"], practice="")
    shown(browser, study)

    assert "Yes, most people choose this one" in say(
        browser, study, "practice", chosen="0"
    )

    wrong = say(browser, study, "practice", chosen="1")
    assert "Most people choose the other one" in wrong
    assert "expected answer" not in wrong


def test_feedback_sent_again_passes_over_nothing(browser: Client, study: Study) -> None:
    steps("practice")
    for _ in range(2):
        assert "Practice 2 of 2" in say(browser, study, "practice", read="1")


@pytest.mark.parametrize(
    "fields", [{}, {"chosen": "x"}, {"read": "2"}, {"chosen": "-1"}]
)
def test_practice_goes_on_only_with_a_choice(
    browser: Client, study: Study, fields: dict[str, str]
) -> None:
    steps("practice")
    assert "Practice 1 of 2" in say(browser, study, "practice", **fields)
    assert me().practised == 0


def test_practice_is_no_vote(browser: Client, study: Study) -> None:
    steps("practice")
    say(browser, study, "practice", chosen="0")
    assert not me().answers.exists()


# Breaks


def test_a_break_is_offered_every_so_many_judgments(
    browser: Client, study: Study
) -> None:
    Study.objects.update(break_every=2)
    assert JUDGING in judge_next(browser, study)
    assert "Time for a break?" in judge_next(browser, study)

    assert "You have judged 2 questions" in shown(browser, study)
    assert JUDGING in say(browser, study, "rest")
    assert JUDGING in judge_next(browser, study)
    assert "Time for a break?" in judge_next(browser, study)


def test_no_break_is_offered_to_who_is_done(browser: Client, study: Study) -> None:
    Study.objects.update(break_every=2, max_judgments=2)
    judge_next(browser, study)
    assert "Thank you" in judge_next(browser, study)


# The end


def test_at_their_limit_people_are_thanked_with_a_code(
    browser: Client, study: Study
) -> None:
    Study.objects.update(max_judgments=2)
    pages = [shown(browser, study), judge_next(browser, study)]
    last = judge_next(browser, study)

    code = me().code
    assert re.fullmatch(rf"[{CODE_CHARACTERS}]{{4}}-[{CODE_CHARACTERS}]{{4}}", code)
    assert "Thank you" in last

    assert f'id="code">{code}<' in last
    assert me().outcome == Outcome.DONE
    assert not any(code in earlier for earlier in pages)
    assert shown(browser, study).count(code) == 1, "it stays the same"


def test_a_fixed_code_is_on_no_page_before_the_end(
    browser: Client, study: Study
) -> None:
    steps(*ALL)
    Study.objects.update(max_judgments=1, break_every=1)

    for outcome in Outcome:
        Exit.objects.create(
            study=study, outcome=outcome, code="C0DE", url="https://e.org/{code}"
        )

    pages = [
        shown(browser, study),
        say(browser, study, "consent", agree="yes"),
        say(browser, study, "instructions"),
        say(browser, study, "comprehension", **({"try": "0"} | RIGHT)),
        say(browser, study, "practice", read="1"),
        say(browser, study, "practice", read="2"),
    ]

    assert JUDGING in pages[-1]
    assert not any("C0DE" in page for page in pages)
    assert "C0DE" in judge_next(browser, study)


def test_the_way_out_tells_the_crowd_the_code_and_the_person(
    browser: Client, study: Study
) -> None:
    address = "https://crowd.example/end?cc={code}&who={person}"
    Exit.objects.create(study=study, outcome=Outcome.DONE, code="A B", url=address)
    Study.objects.update(max_judgments=1)

    last = judge_next(browser, study)
    assert 'href="https://crowd.example/end?cc=A%20B&who=p%2F1"' in last
    assert "A B" in last


def test_the_last_page_goes_on_to_the_redirect_url_by_itself(
    browser: Client, study: Study
) -> None:
    Study.objects.update(max_judgments=1)
    assert 'id="leaving"' not in judge_next(browser, study)

    Exit.objects.create(
        study=study, outcome=Outcome.DONE, url="https://crowd.example/end"
    )

    assert 'id="leaving" role="timer" data-to="https://crowd.example/end"' in shown(
        browser, study
    )

    Study.objects.update(debrief="Read this.")
    assert 'id="leaving"' not in shown(browser, study), "there is something to read"

    Study.objects.update(debrief="")
    study.annotators.update(is_test=True)

    assert 'id="leaving"' not in shown(browser, study), (
        "researchers who test are not sent away"
    )


def test_the_last_page_shows_the_debrief_to_those_who_judged(
    browser: Client, study: Study
) -> None:
    Study.objects.update(max_judgments=1, debrief="We study *metrics*.")
    page = judge_next(browser, study)

    assert "We study <em>metrics</em>." in page

    study.annotators.update(outcome=Outcome.FAILED, judged=0)
    assert "We study" not in shown(browser, study)


def test_those_who_reached_their_limit_are_not_asked_to_check_again(
    browser: Client, study: Study
) -> None:
    Study.objects.update(max_judgments=1)
    assert "Check for more questions" not in judge_next(browser, study)

    Study.objects.update(max_judgments=None)
    study.questions.update(needed=F("answers"))

    assert "Check for more questions" in shown(browser, study)


@pytest.mark.parametrize(
    ("outcome", "last"),
    [(Outcome.SCREENED_OUT, {"agree": "no"}), (Outcome.NO_WORK, {"agree": "yes"})],
)
def test_each_outcome_has_its_own_way_out(
    browser: Client, study: Study, outcome: Outcome, last: dict[str, str]
) -> None:
    steps("consent")
    for each in Outcome:
        Exit.objects.create(study=study, outcome=each, url=f"https://e.org/{each}")
    if outcome == Outcome.NO_WORK:
        study.questions.update(needed=0)

    assert f'href="https://e.org/{outcome}"' in say(browser, study, "consent", **last)


def test_when_all_is_judged_people_are_thanked(browser: Client, study: Study) -> None:
    study.questions.filter(position__gt=0).delete()
    assert "You have judged 1 question" in judge_next(browser, study)


def test_who_comes_when_all_is_done_is_told_so_at_once(
    browser: Client, study: Study
) -> None:
    steps("consent", "instructions")
    study.questions.update(needed=0)

    assert "Nothing to judge" in shown(browser, study)
    assert me().outcome == Outcome.NO_WORK

    study.questions.update(needed=3)
    assert "I agree and begin" in shown(browser, study)


def test_what_is_with_others_comes_back_later(browser: Client, study: Study) -> None:
    study.questions.update(needed=1)
    study.questions.filter(position__gt=0).delete()
    other = new_annotator(study)
    lease = Lease.objects.create(
        question=study.questions.get(),
        annotator=other,
        b_side="left",
        created_at=study.created_at,
        expires_at=study.created_at.replace(year=2100),
    )

    study.questions.update(leases=1)
    assert "Please wait a moment" in shown(browser, study)

    vote(lease.key, "left")
    assert "Nothing to judge" in shown(browser, study)


# Paused, closed, draft


def test_in_a_pause_people_may_end_what_they_hold_and_are_told_to_come_back(
    browser: Client, study: Study
) -> None:
    shown(browser, study)
    Study.objects.update(state=State.PAUSED)
    for _ in range(4):
        last = judge_next(browser, study)

    assert "This study is paused" in last
    assert "You have judged 4 questions" in last
    assert me().outcome == ""

    Study.objects.update(state=State.OPEN)
    assert JUDGING in shown(browser, study)


def test_a_pause_does_not_hide_the_code_of_who_is_done(
    browser: Client, study: Study
) -> None:
    Study.objects.update(max_judgments=1)
    judge_next(browser, study)
    Study.objects.update(state=State.PAUSED)

    assert me().code in shown(browser, study)


def test_a_pause_is_told_before_any_step(browser: Client, study: Study) -> None:
    steps(*ALL)
    Study.objects.update(state=State.PAUSED)
    assert "This study is paused" in shown(browser, study)


def test_when_a_study_closes_people_get_their_code(
    browser: Client, study: Study
) -> None:
    judge_next(browser, study)
    Lease.objects.all().delete()
    study.questions.update(leases=0)

    Study.objects.update(state=State.CLOSED)
    assert me().code == ""
    assert "Your completion code" in shown(browser, study)
    assert me().outcome == Outcome.DONE


def test_before_the_beginning_annotators_are_asked_to_wait(
    browser: Client, study: Study
) -> None:
    Study.objects.update(state=State.DRAFT)
    assert "This study is not open yet" in shown(browser, study)


def test_a_step_without_an_identity_asks_who_one_is(study: Study) -> None:
    response = Client().post(reverse("step_rest", args=[study.name]))
    assert response["Location"].startswith(reverse("login"))


def test_a_form_of_a_page_of_the_last_version_is_passed_on(
    browser: Client, study: Study
) -> None:
    steps("consent", "instructions")
    former = reverse("study_step", args=[study.name])
    sent = {"step": "consent", "agree": "yes"}
    response = browser.post(former, sent, follow=True)
    assert "How to judge" in response.text

    response = browser.post(former, {"step": "nonsense"}, follow=True)
    assert "How to judge" in response.text


def test_a_page_that_was_no_answer_says_so_once(browser: Client, study: Study) -> None:
    address = reverse("cast_vote", args=[study.name])
    response = browser.post(address, {"key": "x"})
    sent = [str(message) for message in get_messages(response.wsgi_request)]

    assert sum("Please choose again" in message for message in sent) == 1
    assert "Please choose again" in shown(browser, study)
    assert "Please choose again" not in shown(browser, study)


def test_a_newcomer_is_let_in_where_all_places_are_held_too_long(
    browser: Client, study: Study
) -> None:
    steps("instructions")
    for _ in range(3):
        top_up_leases(new_annotator(study), 12)

    assert not study.questions.open().exists()

    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "I have read this" in shown(browser, study)
    assert not me().outcome


def test_nobody_is_sent_away_while_others_only_hold_the_questions(
    browser: Client, study: Study, settings: Settings
) -> None:
    study.questions.exclude(pk=study.questions.earliest("pk").pk).delete()
    for _ in range(3):
        assert claim(new_annotator(study))

    response = browser.get(reverse("judge", args=[study.name]))
    assert "Please wait a moment" in response.text
    assert response["Refresh"] == "15"
    assert study.annotators.latest("pk").outcome == ""

    settings.LEASE_SECONDS = 1
    past = timezone.now() - timedelta(seconds=2)
    Annotator.objects.exclude(waiting_since=None).update(waiting_since=past)

    assert "Please wait" not in browser.get(reverse("judge", args=[study.name])).text
    assert study.annotators.filter(outcome="no_work").count() == 1


BEFORE = """How old are you?
[age: number, 18 to 99, required]

Do you read?
[habit: choice]
- yes
- no
"""
AFTER = "Was anything unclear?\n[unclear: text]\n"


def answer(browser: Client, study: Study, time: str, **answers: str) -> str:
    """Send the answers to a questionnaire; gives the page that comes of it."""
    fields = {f"questionnaire-{name}": text for name, text in answers.items()}
    return say(browser, study, "questionnaire", time=time, **fields)


def answers(time: str) -> dict[str, str] | None:
    filled = me().questionnaires.filter(time=time).first()
    return filled.answers if filled else None


@pytest.mark.parametrize("own", ["", "Do you *agree*?"])
def test_the_consent_ends_with_what_ethics_boards_ask_for(
    browser: Client, study: Study, own: str
) -> None:
    steps("consent")
    assert "<strong>Institution:</strong>" not in shown(browser, study)

    Study.objects.update(
        consent=own,
        institution="Lab <1>",
        contact="<a@b.org>",
        questionnaire_after=AFTER,
    )
    page = shown(browser, study)

    assert "<strong>Institution:</strong> Lab <1></li>" in page
    assert '<a href="mailto:a@b.org">' in page
    assert "asked to fill in a questionnaire" in page

    assert "<strong>Pay:</strong>" not in page
    assert ("<em>agree</em>" if own else "Taking part is voluntary") in page


def test_the_consent_speaks_of_passwords_only_where_annotators_may_log_in(
    browser: Client, study: Study, person: User
) -> None:
    Study.objects.update(steps=["consent"], accounts=Accounts.INVITED)
    page = shown(browser, study)

    assert "a code that is made from your IP address" in page
    assert "password" not in page

    role = Role.objects.create(study=study, user=person, rank=Rank.ANNOTATOR)
    assert "a wrong password" in shown(browser, study)

    role.delete()
    Study.objects.update(accounts=Accounts.ALL, link_is_open=False, crowd_is_open=False)
    page = shown(browser, study)

    assert "a wrong password" in page
    assert "a code that is made from your IP address" not in page

    Study.objects.update(crowd_is_open=True)
    assert "a code that is made from your IP address" in shown(browser, study)

    Study.objects.update(crowd_proof="jwt")
    assert "a code that is made from your IP address" not in shown(browser, study)


def test_the_consent_to_another_question_speaks_of_no_images(
    browser: Client, study: Study
) -> None:
    steps("consent")
    assert "descriptions of images" in shown(browser, study)

    Study.objects.update(question="Which summary is better?")
    page = shown(browser, study)

    assert "how people compare texts" in page
    assert "descriptions of images" not in page
    assert "Taking part is voluntary" in page


def test_a_questionnaire_comes_after_the_consent(browser: Client, study: Study) -> None:
    Study.objects.update(steps=["consent", "instructions"], questionnaire_before=BEFORE)
    assert "I agree and begin" in answer(browser, study, "before", age="30")
    assert "How old are you?" in say(browser, study, "consent", agree="yes")
    assert "How to judge" in answer(browser, study, "before", age="30")

    answer(browser, study, "before", age="31")
    assert answers("before") == {"age": "30"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "This field is required."),
        ({"age": "17"}, "greater than or equal to 18"),
        ({"age": "many"}, "Enter a number."),
        ({"age": "30", "habit": "maybe"}, "Select a valid choice."),
    ],
)
def test_answers_that_are_not_valid_are_asked_again(
    browser: Client, study: Study, given: dict[str, str], problem: str
) -> None:
    Study.objects.update(questionnaire_before=BEFORE)
    page = answer(browser, study, "before", **given)

    assert problem in page
    assert "How old are you?" in page
    assert answers("before") is None


def test_who_judges_already_is_not_asked_about_themselves(
    browser: Client, study: Study
) -> None:
    judge_next(browser, study)
    Study.objects.update(questionnaire_before=BEFORE)
    assert JUDGING in shown(browser, study)


def test_a_questionnaire_comes_before_the_code(browser: Client, study: Study) -> None:
    Study.objects.update(max_judgments=1, questionnaire_after=AFTER)
    assert "Was anything unclear?" in judge_next(browser, study)
    assert me().outcome == ""

    page = answer(browser, study, "after", unclear="No, <b>nothing</b>.")
    assert "Your completion code" in page
    assert me().outcome == Outcome.DONE
    assert answers("after") == {"unclear": "No, <b>nothing</b>."}


def test_an_empty_answer_is_an_answer(browser: Client, study: Study) -> None:
    Study.objects.update(max_judgments=1, questionnaire_after=AFTER)
    judge_next(browser, study)

    assert "Your completion code" in answer(browser, study, "after")
    assert answers("after") == {}


def test_who_has_a_code_keeps_it(browser: Client, study: Study) -> None:
    Study.objects.update(max_judgments=1)
    judge_next(browser, study)
    Study.objects.update(questionnaire_after=AFTER)

    assert "Your completion code" in shown(browser, study)


@pytest.mark.parametrize(
    ("typed", "kept"), [("4.50e1", "45.0"), ("0.5", "0.5"), ("-3", "-3")]
)
def test_a_number_is_kept_without_an_exponent(
    browser: Client, study: Study, typed: str, kept: str
) -> None:
    Study.objects.update(questionnaire_before="How far?\n[far: number]")
    answer(browser, study, "before", far=typed)
    assert answers("before") == {"far": kept}


@pytest.mark.parametrize("time", ["", "never", "after"])
def test_no_questionnaire_is_filled_in_out_of_its_time(
    browser: Client, study: Study, time: str
) -> None:
    Study.objects.update(questionnaire_before=BEFORE, questionnaire_after=AFTER)
    assert "How old are you?" in answer(browser, study, time, age="30", unclear="no")
    assert not me().questionnaires.exists()


# Stopping early


def test_who_stops_gets_a_code_and_frees_the_held_questions(
    browser: Client, study: Study
) -> None:
    judge_next(browser, study)
    assert Lease.objects.filter(live=True).exists()

    last = say(browser, study, "stop")
    assert "You have stopped" in last
    assert f'id="code">{me().code}<' in last
    assert (me().outcome, me().judged) == (Outcome.STOPPED, 1)

    assert me().finished_at is not None
    assert not Lease.objects.filter(live=True).exists()
    assert not study.questions.exclude(leases=0).exists()


def test_who_stopped_is_asked_nothing_until_they_continue(
    browser: Client, study: Study
) -> None:
    judge_next(browser, study)
    say(browser, study, "stop")

    assert "You have stopped" in shown(browser, study)
    assert JUDGING in say(browser, study, "resume")
    assert me().outcome == ""


def test_a_vote_on_its_way_while_its_annotator_stops_counts(
    browser: Client, study: Study
) -> None:
    shown(browser, study)
    key = Lease.objects.filter(live=True).earliest("turn").key
    say(browser, study, "stop")

    assert vote(key, "left").counts


def test_who_is_done_or_before_judging_cannot_stop(
    browser: Client, study: Study
) -> None:
    steps("consent")
    assert "I agree and begin" in say(browser, study, "stop")

    steps()
    Study.objects.update(max_judgments=1)
    judge_next(browser, study)

    assert "Thank you" in say(browser, study, "stop")
    assert me().outcome == Outcome.DONE


# Reports


def test_no_reason_of_a_report_is_chosen_beforehand(
    browser: Client, study: Study
) -> None:
    page = shown(browser, study)
    assert '<option value="" selected>Choose a reason</option>' in page

    key = str(Lease.objects.earliest("turn").key)
    sent = {"key": key, "reason": "", "text": "Odd."}
    browser.post(reverse("report_question", args=[study.name]), sent)

    assert not me().remarks.exists()
