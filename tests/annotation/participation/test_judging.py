import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django.fixtures import DjangoAssertNumQueries

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import annotator_of
from tercet.annotation.judging.kinds.kind import LONG
from tercet.annotation.judging.leases import LEASES_AT_FIRST
from tercet.annotation.models import (
    AccountSession,
    Annotator,
    Answer,
    Candidate,
    Dataset,
    Image,
    Lease,
    Reference,
    Remark,
    Study,
)
from tercet.annotation.models.answer import Side, Status
from tercet.annotation.participation.sync import MAX_ACTIONS
from tercet.annotation.permissions import cookie_name
from tercet.annotation.studies.creation import create_study
from tests.annotation.full import SVG
from tests.annotation.questions import pair_of
from tests.support.folders import REFERENCES, dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db
NONE_JUDGED = (
    '<span class="judged">0 judged, </span><span class="state">all saved</span>'
)


@pytest.fixture
def browser(study: Study) -> Client:
    """Somebody who came by the join link."""
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    browser.get(reverse("home"))  # which shows the resume code, once
    return browser


@pytest.fixture
def somebody(browser: Client, study: Study) -> Annotator:
    """The annotator that `browser` is."""
    return study.annotators.get()


def page(browser: Client, study: Study) -> str:
    response = browser.get(reverse("judge", args=[study.name]))
    assert response.status_code == 200

    return squeeze(response.getvalue().decode())


def key_in(text: str) -> str:
    found = re.search(r'id="key" value="([^"]+)"', text)
    assert found
    return found[1]


def press(browser: Client, study: Study, **fields: object) -> list[str]:
    """Send an answer; gives the messages that the next page will show."""
    response = browser.post(reverse("cast_vote", args=[study.name]), fields)
    assert response["Location"] == reverse("judge", args=[study.name])

    return [str(message) for message in get_messages(response.wsgi_request)]


def asked(annotator: Annotator) -> Lease:
    """The question on the annotator's page."""
    return annotator.leases.select_related("question__pair").order_by("turn")[0]


def answer(browser: Client, study: Study, side: str = "left") -> str:
    key = key_in(page(browser, study))
    assert press(browser, study, key=key, side=side) == []

    return key


# The question


def test_without_an_identity_one_logs_in_first(study: Study) -> None:
    address = reverse("judge", args=[study.name])
    assert Client().get(address)["Location"] == f"{reverse('login')}?next={address}"
    assert not Annotator.objects.exists()


def test_the_page_of_a_deleted_study_is_not_found(
    browser: Client, study: Study
) -> None:
    key = keys_held(browser, study)[0]
    study.delete()
    address = reverse("judge", args=[study.name])

    assert send(browser, study, chosen(key)) == {"taken": ["gone"], "go": address}

    answer = browser.get(address)
    assert answer.status_code == 404
    assert "The study is over and was removed" in answer.text


def test_a_question_shows_a_and_both_candidates_by_side(
    browser: Client, somebody: Annotator, study: Study
) -> None:
    shown = page(browser, study)
    lease = asked(somebody)
    pair, a = pair_of(lease.question), str(lease.question.reference)
    b, c = pair.b.caption, pair.c.caption
    left, right = (b, c) if lease.b_side == Side.LEFT else (c, b)

    places = [
        shown.index(text)
        for text in (a, "more similar to A?", f">{left}<", f">{right}<")
    ]

    assert places == sorted(places)
    assert NONE_JUDGED in shown


def test_a_question_is_in_the_words_of_the_researcher(
    browser: Client, study: Study
) -> None:
    words = {
        "question": "Which summary is <better>?",
        "question_help": "Think of what it says.",
        "label_a": "Article",
        "label_left": "Summary 1",
        "label_right": "Summary 2",
        "label_tie": "Equally good",
    }
    Study.objects.update(**words, ties=True)
    shown = html.unescape(page(browser, study))

    places = [
        shown.index(words[name]) for name in ("label_a", "question", "label_left")
    ]

    assert places == sorted(places)
    assert all(text in shown for text in words.values())
    assert not re.search("more similar to A|Sentence A:|I can.t tell", shown)


def test_the_same_words_are_on_the_pages_before(study: Study) -> None:
    Study.objects.update(
        steps=["practice"], question="Which is shorter?", label_left="First"
    )
    browser = Client()
    join = reverse("join", args=[study.join_code])

    assert "Which is shorter?" in browser.get(join).text
    assert 'id="judge"' in browser.post(join, follow=True).text, (
        "the default practice is about captions"
    )

    Study.objects.update(practice="A\n- [x] 1\n- [ ] 2")
    study.annotators.all().delete()
    practice = browser.post(join, follow=True).text

    assert "Which is shorter?" in practice
    assert '<span class="label">First</span>' in practice


def test_long_texts_have_a_layout_of_their_own(browser: Client, study: Study) -> None:
    assert 'class="judge"' in page(browser, study)

    Reference.objects.update(caption="word " * LONG)
    shown = page(browser, study)

    assert 'class="judge long"' in shown
    assert '"long": "yes"' in shown


def test_a_reload_shows_the_same_question(browser: Client, study: Study) -> None:
    first, second = page(browser, study), page(browser, study)
    assert uncovered(first) == uncovered(second)
    assert Lease.objects.count() == LEASES_AT_FIRST


def test_a_page_holds_the_questions_that_can_be_judged_offline(
    browser: Client, somebody: Annotator, study: Study
) -> None:
    shown = page(browser, study)
    found = re.search(
        r'<script id="questions" type="application/json">(.+?)</script>', shown
    )
    assert found
    questions = json.loads(found[1])

    leases = somebody.leases.order_by("turn")
    assert [question["key"] for question in questions] == [
        str(lease.key) for lease in leases
    ]
    assert all(
        question.keys() == {"key", "a", "left", "right"} for question in questions
    )
    assert questions[0]["key"] == key_in(shown)


def test_a_question_is_never_kept_by_a_cache(browser: Client, study: Study) -> None:
    response = browser.get(reverse("judge", args=[study.name]))
    assert "no-store" in response["Cache-Control"]


def test_captions_are_never_markup(browser: Client, study: Study) -> None:
    for question in study.questions.select_related("pair__b", "pair__c", "reference"):
        pair = pair_of(question)
        for row in (pair.b, pair.c, question.reference):
            assert row is not None
            row.caption = "<script>alert(1)</script>"
            row.save()

    assert "<script>alert" not in page(browser, study)


def test_which_side_is_b_cannot_be_told_from_the_page(
    browser: Client, study: Study, somebody: Annotator
) -> None:
    page(browser, study)
    study.questions.exclude(pk=asked(somebody).question.pk).delete()
    pages = {}

    for side in Side.values:
        Lease.objects.update(b_side=side)
        pages[side] = page(browser, study)

    pair = pair_of(asked(somebody).question)
    swapped = (
        pages["left"]
        .replace(pair.b.caption, "\0")
        .replace(pair.c.caption, pair.b.caption)
        .replace("\0", pair.c.caption)
    )

    assert uncovered(swapped) == uncovered(pages["right"])


def uncovered(text: str) -> str:
    """A page without the token that is new each time."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)


def test_the_end_is_told_with_thanks(browser: Client, study: Study) -> None:
    for _ in range(12):
        answer(browser, study)

    shown = page(browser, study)
    assert "Thank you" in shown
    assert "You have judged 12 questions" in shown
    assert reverse("undo_vote", args=[study.name]) in shown


def test_a_pairwise_question_shows_the_image_and_no_sentence_a(
    dataset: Dataset,
) -> None:
    Image.objects.update(url="https://example.org/picture.png", alt="a meadow")
    study = create_study(
        Study(dataset=dataset, title="Which?", steps=[], protocol="pairwise")
    )
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))

    shown = page(browser, study)
    assert 'src="https://example.org/picture.png"' in shown
    assert "describes the image better?" in shown

    assert "The image that both sentences describe" in shown
    assert 'alt="a meadow"' in shown
    assert not [caption for _, caption in REFERENCES if caption in shown]


def test_a_caption_of_another_language_claims_none(
    browser: Client, study: Study
) -> None:
    assert '"foreign"' not in page(browser, study)

    Study.objects.update(language="en")
    Reference.objects.update(caption="un chien court dans la neige avec un homme")
    Candidate.objects.update(caption="a dog on the grass")
    shown = page(browser, study)
    assert re.search(r'<span id="a" lang=""[^>]*>un chien', shown)
    assert re.search(r'<span id="left" lang="en"[^>]*>a dog', shown)
    assert '"foreign": "a"' in shown


def test_an_image_without_words_of_its_own_is_told_as_what_it_is(
    dataset: Dataset,
) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    study = create_study(
        Study(dataset=dataset, title="Which?", steps=[], protocol="pairwise")
    )
    browser = Client()

    browser.post(reverse("join", args=[study.join_code]))
    assert 'alt="The image that both sentences describe"' in page(browser, study)


def test_captions_are_in_the_language_of_the_study(
    browser: Client, study: Study
) -> None:
    Study.objects.update(language="en-NZ")
    assert page(browser, study).count('lang="en-NZ" dir="auto"') == 3


@pytest.mark.parametrize("ties", [True, False])
def test_cannot_tell_is_offered_where_the_study_says_so(
    browser: Client, study: Study, ties: bool
) -> None:
    Study.objects.update(ties=ties)
    assert ("I can't tell" in html.unescape(page(browser, study))) == ties


# The answer


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_answer_is_stored_and_the_next_question_shown(
    browser: Client, somebody: Annotator, study: Study, side: str
) -> None:
    key = answer(browser, study, side)
    cast = Answer.objects.get()

    assert str(cast.key) == key
    assert cast.annotator == somebody
    assert cast.choice == ("B" if cast.b_side == side else "C")

    shown = page(browser, study)
    assert key_in(shown) != key
    assert NONE_JUDGED.replace("0", "1") in shown


def test_an_answer_sent_twice_counts_once(browser: Client, study: Study) -> None:
    key = answer(browser, study)
    assert press(browser, study, key=key, side="right") == []
    assert Answer.objects.count() == 1


def test_an_answer_counts_though_the_session_is_over(
    study: Study, person: User
) -> None:
    browser = Client()
    browser.force_login(person)
    key = key_in(page(browser, study))

    AccountSession.objects.all().delete()
    assert press(browser, study, key=key, side="left") == []
    assert Answer.objects.get().annotator == annotator_of(study, person)


def test_an_answer_counts_though_all_cookies_are_gone(
    browser: Client, study: Study
) -> None:
    key = key_in(page(browser, study))
    assert press(Client(), study, key=key, side="left") == []
    assert Answer.objects.count() == 1


def test_an_answer_to_a_question_never_asked_is_refused_kindly(
    browser: Client, study: Study
) -> None:
    (told,) = press(browser, study, key=uuid4(), side="left")
    assert "no longer assigned to you" in told
    assert told in page(browser, study)
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"side": "left"},
        {"key": "x", "side": "left"},
        {"side": "B"},
        {"side": "up"},
        {"side": ""},
    ],
)
def test_what_is_no_answer_is_asked_again(
    browser: Client, study: Study, fields: dict[str, str]
) -> None:
    key = key_in(page(browser, study))
    (told,) = press(
        browser,
        study,
        **{"key": key} | fields if fields.get("side") != "left" else fields,
    )

    assert "Please choose again" in told
    assert key_in(page(browser, study)) == key
    assert not Answer.objects.exists()


def test_an_answer_needs_the_token_of_its_page(study: Study) -> None:
    browser = Client(enforce_csrf_checks=True)
    shown = browser.get(reverse("join", args=[study.join_code])).getvalue().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown)
    assert token
    with_token = {"csrfmiddlewaretoken": token[1]}
    browser.post(reverse("join", args=[study.join_code]), with_token)
    key = key_in(page(browser, study))

    address = reverse("cast_vote", args=[study.name])
    assert browser.post(address, {"key": key, "side": "left"}).status_code == 403
    assert not Answer.objects.exists()

    assert (
        browser.post(address, {"key": key, "side": "left"} | with_token).status_code
        == 302
    )
    assert Answer.objects.count() == 1


# Undo


def test_undo_takes_the_last_vote_back_and_asks_again(
    browser: Client, study: Study
) -> None:
    assert 'id="undoing" hidden' in page(browser, study)

    answer(browser, study)
    assert 'id="undoing" hidden' not in page(browser, study)

    response = take_back(browser, study)
    assert response["Location"] == reverse("judge", args=[study.name])

    undone = Answer.objects.get()
    assert undone.status == Status.SUPERSEDED

    again = page(browser, study)
    assert str(undone.question.reference) in again
    assert NONE_JUDGED in again


def test_undo_sent_twice_takes_one_vote_back(browser: Client, study: Study) -> None:
    answer(browser, study)
    answer(browser, study)
    key = str(Answer.objects.latest("pk").key)
    for _ in range(2):
        browser.post(reverse("undo_vote", args=[study.name]), {"key": key})

    assert Answer.objects.valid().count() == 1


def take_back(browser: Client, study: Study) -> HttpResponseBase:
    key = str(Answer.objects.latest("pk").key)
    response: HttpResponseBase = browser.post(
        reverse("undo_vote", args=[study.name]), {"key": key}
    )

    return response


def test_a_tie_is_no_answer_where_none_is_offered(
    browser: Client, study: Study
) -> None:
    assert press(browser, study, key=key_in(page(browser, study)), side="tie")
    assert not Answer.objects.exists()


def test_a_tie_is_an_answer_where_one_is_offered(browser: Client, study: Study) -> None:
    Study.objects.update(ties=True)
    answer(browser, study, "tie")
    assert Answer.objects.get().choice == "tie"


def test_the_key_of_a_vote_is_enough_to_undo_it(browser: Client, study: Study) -> None:
    answer(browser, study)
    take_back(Client(), study)
    assert Answer.objects.get().status == Status.SUPERSEDED


@pytest.mark.parametrize("fields", [{}, {"key": "x"}, {"key": str(uuid4())}])
def test_what_is_no_key_undoes_nothing(
    browser: Client, study: Study, fields: dict[str, str]
) -> None:
    answer(browser, study)
    response = browser.post(reverse("undo_vote", args=[study.name]), fields)

    assert response["Location"] == reverse("judge", args=[study.name])
    assert Answer.objects.get().status == Status.VALID


# What a browser kept, sent at once


def send(
    browser: Client, study: Study, *deeds: object, **more: object
) -> dict[str, Any]:
    response = post(browser, study, json.dumps({"deeds": deeds} | more))
    assert response.status_code == 200

    told: dict[str, Any] = response.json()
    return told


def post(browser: Client, study: Study, body: str) -> Any:
    address = reverse("sync", args=[study.name])
    return browser.post(address, body, content_type="application/json")


def chosen(key: object, side: str = "left", **more: object) -> dict[str, object]:
    return {"do": "vote", "key": str(key), "side": side} | more


def undoing(key: object) -> dict[str, str]:
    return {"do": "undo", "key": str(key)}


def keys_held(browser: Client, study: Study) -> list[str]:
    keys: list[str] = send(browser, study)["order"]
    return keys


def test_votes_are_acknowledged_and_the_next_questions_given(
    browser: Client, study: Study
) -> None:
    first, second, *rest = keys_held(browser, study)
    told = send(browser, study, chosen(first), chosen(second, "right"), holding=rest)

    assert told["taken"] == ["saved", "saved"]
    assert told["judged"] == 2

    new = [question["key"] for question in told["questions"]]
    assert told["order"] == [*rest, *new]
    assert len(told["order"]) == LEASES_AT_FIRST

    assert "last" not in told
    assert {str(vote.key) for vote in Answer.objects.all()} == {first, second}


def test_a_message_sent_twice_counts_once(browser: Client, study: Study) -> None:
    key = keys_held(browser, study)[0]
    for side in ("left", "right"):
        assert send(browser, study, chosen(key, side))["taken"] == ["saved"]

    cast = Answer.objects.get()
    assert cast.choice == ("B" if cast.b_side == "left" else "C")


def test_times_are_kept_as_far_as_they_can_be_known(
    browser: Client, study: Study
) -> None:
    first, second, third, _ = keys_held(browser, study)
    send(browser, study, chosen(first, active=1.5), chosen(second, active=2, waited=60))
    send(browser, study, chosen(third, active="long", waited=None))

    votes = {
        str(vote.key): (vote.active_seconds, vote.seconds)
        for vote in Answer.objects.all()
    }

    assert votes[first][0] == 1.5

    assert votes[first][1] is not None
    assert votes[second] == (2, None)
    assert votes[third][0] is None


def test_votes_without_an_identity_are_taken_and_then_one_is_asked_who_one_is(
    browser: Client, study: Study
) -> None:
    key = keys_held(browser, study)[0]
    told = send(Client(), study, chosen(key))

    assert told == {"taken": ["saved"], "login": True}
    assert Answer.objects.get().annotator == study.annotators.get()


def test_a_message_of_nobody_makes_nobody(study: Study) -> None:
    assert send(Client(), study) == {"taken": [], "login": True}
    assert not Annotator.objects.exists()


def test_no_deed_holds_up_those_behind_it(browser: Client, study: Study) -> None:
    first, second, *_ = keys_held(browser, study)
    odd: list[object] = [
        None,
        7,
        {},
        {"do": "vote"},
        chosen("no key"),
        chosen(first, "up"),
        chosen(first, "tie"),
        chosen(uuid4()),
        {"do": "sing", "key": first},
    ]
    told = send(browser, study, *odd, chosen(second))

    assert told["taken"] == [*["gone"] * 5, *["invalid"] * 2, *["gone"] * 2, "saved"]
    assert str(Answer.objects.get().key) == second


def test_a_vote_loads_no_setting_of_the_study_by_itself(
    browser: Client, study: Study
) -> None:
    first, *_others = keys_held(browser, study)
    with CaptureQueriesContext(connection) as queries:
        assert send(browser, study, chosen(first))["taken"] == ["saved"]

    statements = [each["sql"] for each in queries.captured_queries]
    assert statements

    assert not [sql for sql in statements if 'FROM "annotation_study" WHERE' in sql]


@pytest.mark.parametrize("deed", [chosen, undoing])
def test_unknown_keys_cost_no_more_than_one(
    browser: Client,
    study: Study,
    deed: Callable[[object], object],
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    keys_held(browser, study)
    for sender in (browser, Client()):
        with django_assert_max_num_queries(20):
            told = send(sender, study, *(deed(uuid4()) for _ in range(MAX_ACTIONS)))
        assert len(told["taken"]) == MAX_ACTIONS


@pytest.mark.parametrize(
    "body",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        '{"deeds": 1}',
        "7",
        "null",
        "[" * 5000,
        '{"deeds": [], "holding": 7}',
    ],
)
def test_what_is_no_message_is_refused_in_words(
    browser: Client, study: Study, body: str
) -> None:
    response = post(browser, study, body)
    assert response.status_code == 400
    assert response.json()["error"].endswith(".")


def test_a_message_too_long_is_refused(browser: Client, study: Study) -> None:
    body = json.dumps({"deeds": [None] * (MAX_ACTIONS + 1)})
    assert post(browser, study, body).status_code == 400


def test_the_key_of_another_study_votes_there_and_not_here(
    browser: Client, study: Study
) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other", steps=[]))
    browser.post(reverse("join", args=[other.join_code]))
    key = keys_held(browser, other)[0]

    assert send(browser, study, chosen(key))["judged"] == 0
    assert Answer.objects.get().question.study == other


def test_an_undoing_tells_which_vote_is_the_last_now(
    browser: Client, study: Study
) -> None:
    first, second, *_ = keys_held(browser, study)
    send(browser, study, chosen(first), chosen(second))
    told = send(browser, study, undoing(second))

    assert told["taken"] == ["saved"]
    assert told["last"] == first
    assert told["judged"] == 1

    again = told["order"][0]
    assert again not in (first, second)
    assert send(browser, study, undoing(second))["last"] == first, (
        "sent twice, undone once"
    )

    assert send(browser, study)["last"] == first, (
        "a page that only asks is told as well"
    )
    assert send(browser, study, undoing(first))["last"] is None
    assert not Answer.objects.valid().exists()


def test_a_vote_and_its_undoing_may_come_in_one_message(
    browser: Client, study: Study
) -> None:
    key = keys_held(browser, study)[0]
    assert send(browser, study, chosen(key), undoing(key))["last"] is None
    assert Answer.objects.get().status == Status.SUPERSEDED


def test_at_the_end_a_browser_is_told_where_to_go(
    browser: Client, study: Study
) -> None:
    study.questions.filter(position__gt=2).delete()
    keys = keys_held(browser, study)
    told = send(browser, study, *map(chosen, keys))

    assert told["go"] == reverse("judge", args=[study.name])
    assert "questions" not in told


def test_a_break_is_where_to_go_when_it_is_due(browser: Client, study: Study) -> None:
    Study.objects.update(break_every=2)
    first, second, *_ = keys_held(browser, study)

    assert "questions" in send(browser, study, chosen(first))
    assert send(browser, study, chosen(second))["go"] == reverse(
        "judge", args=[study.name]
    )


# Pictures


@pytest.fixture
def picture(study: Study) -> str:
    """The address of an uploaded picture."""
    study.dataset.folder.mkdir(parents=True)
    (study.dataset.folder / "dog.svg").write_text(SVG)
    Image.objects.filter(name="dog").update(file="dog.svg")

    return Image.objects.get(name="dog").source


def test_a_picture_runs_nothing_whatever_it_holds(
    browser: Client, picture: str
) -> None:
    response = browser.get(picture)
    assert response.getvalue() == SVG.encode()
    assert response["Content-Type"] == "image/svg+xml"

    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy

    assert "script" not in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "private" in response["Cache-Control"]


def test_a_picture_is_not_for_strangers(picture: str) -> None:
    assert Client().get(picture).status_code == 404


def test_a_tampered_cookie_shows_no_picture(
    browser: Client, study: Study, picture: str
) -> None:
    browser.cookies[cookie_name(study.name)] = "1:forged"
    assert browser.get(picture).status_code == 404


def test_a_picture_belongs_to_its_dataset(
    office: Client, picture: str, study: Study, tmp_path: Path
) -> None:
    folder = dataset_folder(tmp_path / "other")
    import_dataset(load(folder), "other", folder)
    assert office.get(picture.replace("/small/", "/other/")).status_code == 404


@pytest.mark.parametrize("file", ["", "gone.svg", "."])
def test_a_picture_that_is_not_there_is_missing(
    office: Client, picture: str, file: str
) -> None:
    Image.objects.filter(name="dog").update(file=file)
    assert office.get(picture).status_code == 404


# Reports and comments


def send_report(browser: Client, study: Study, **fields: object) -> str:
    """Report the question on the page; gives the page that comes of it."""
    sent = {
        "key": key_in(page(browser, study)),
        "reason": "broken",
        "text": "Cut off.",
    } | fields
    return browser.post(
        reverse("report_question", args=[study.name]), sent, follow=True
    ).text


def test_a_question_is_reported_and_stays(
    browser: Client, somebody: Annotator, study: Study
) -> None:
    key = key_in(page(browser, study))
    shown = send_report(browser, study)

    assert "The problem is noted." in shown
    assert key_in(shown) == key
    assert "Report problem and skip" not in shown
    assert str(somebody.remarks.get().text) == "Cut off."


def test_a_question_is_skipped_where_the_study_allows_it(
    browser: Client, study: Study
) -> None:
    Study.objects.update(skips=True)
    shown = page(browser, study)

    assert "Report problem and skip" in shown
    assert key_in(send_report(browser, study, skip="yes")) != key_in(shown)


@pytest.mark.parametrize(
    "fields",
    [{"reason": "comment"}, {"reason": ""}, {"key": "x"}, {"text": "x" * 2_001}],
)
def test_a_report_that_is_none_is_refused(
    browser: Client, study: Study, fields: dict[str, str]
) -> None:
    assert "could not be saved" in send_report(browser, study, **fields)
    assert not Remark.objects.exists()


def test_a_comment_can_be_left_at_the_end(
    browser: Client, somebody: Annotator, study: Study
) -> None:
    address = reverse("leave_comment", args=[study.name])
    browser.post(address, {"text": "Too early."})

    assert not Remark.objects.exists(), "nothing is judged yet"

    Study.objects.update(max_judgments=1)
    answer(browser, study)

    assert "Send the comment" in page(browser, study)

    shown = browser.post(address, {"text": "All <fine>."}, follow=True).text
    assert "Your comment is saved." in shown
    assert "All &lt;fine&gt;.</textarea>" in shown
    assert somebody.remarks.get().text == "All <fine>."
