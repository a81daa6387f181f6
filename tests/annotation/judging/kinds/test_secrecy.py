"""What annotators receive does not depend on what they are not to know, whatever the kind."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Concat
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record
from tercet.annotation.models import (
    Answer,
    Candidate,
    Image,
    Lease,
    Pair,
    Question,
    Reference,
    Study,
)
from tercet.annotation.models.answer import Purpose
from tests.annotation.kinds import SENT, study_of
from tests.annotation.questions import claimed

pytestmark = pytest.mark.django_db

DRAWN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9A-Za-z]{64}\b")
"""The keys of leases, and the tokens of forms: drawn anew each time."""
GOLD = {"triplet": "C", "pairwise": "C", "rating": '[["quality", 1, 2]]'}
OTHERS: dict[str, dict[str, Any]] = {
    "triplet": {"choice": "tie"},
    "pairwise": {"choice": "tie"},
    "rating": {"content": [["quality", 1]]},
    "sentence": {"content": {"text": "A secret sentence.", "rules": "tense"}},
}


@pytest.fixture(params=SENT)
def study(request: pytest.FixtureRequest, tmp_path: Path) -> Study:
    """A study in which somebody has given an answer."""
    study = study_of(request.param, tmp_path / "small", shows_image=True)
    other = claimed(new_annotator(study))
    record(AnswerMessage(other.key, SENT[study.protocol]))
    return study


@pytest.fixture
def browser(study: Study) -> Client:
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    browser.get(reverse("judge", args=[study.name]))
    return browser


def received(browser: Client, study: Study, *deeds: object) -> list[str]:
    """What an annotator gets who looks, sends something, and looks again; then it is undone."""
    random.seed(0)
    page, sync = (reverse(name, args=[study.name]) for name in ("judge", "sync"))
    with transaction.atomic():
        replies = [browser.get(page), send(browser, sync), send(browser, sync, *deeds)]
        replies += [browser.get(page), send(browser, sync)]
        transaction.set_rollback(True)

    return [DRAWN.sub("drawn", reply.getvalue().decode()) for reply in replies]


def send(browser: Client, address: str, *deeds: object) -> HttpResponseBase:
    message = json.dumps({"deeds": deeds})
    return browser.post(address, message, content_type="application/json")


def test_nothing_of_sources_gold_and_other_answers_reaches_an_annotator(
    study: Study, browser: Client
) -> None:
    key = str(study.annotators.latest("pk").leases.earliest("turn").key)
    deeds = [
        {"do": "vote", "key": key, **SENT[study.protocol]},
        {"do": "undo", "key": key},
    ]
    before = received(browser, study, *deeds)
    assert before[2].count('"saved"') == 2

    Candidate.objects.update(source=Concat(Value("secret-"), "pk"))
    Pair.objects.update(category="secret", name=Concat(Value("secret-"), "pk"))
    Reference.objects.update(author="secret")
    Question.objects.update(gold=GOLD.get(study.protocol, ""))
    Answer.objects.update(**OTHERS[study.protocol])
    if study.protocol != "triplet":
        Reference.objects.update(caption="secret")
    if study.protocol == "sentence":
        Image.objects.update(alt="secret")

    assert received(browser, study, *deeds) == before

    Candidate.objects.update(caption="what annotators see")
    Image.objects.update(url="https://example.org/another.png")
    assert received(browser, study, *deeds) != before


@pytest.mark.parametrize("purpose", [Purpose.GOLD, Purpose.REPEAT])
def test_a_check_looks_like_any_other_question(
    study: Study, browser: Client, purpose: Purpose
) -> None:
    before = received(browser, study)
    Lease.objects.update(purpose=purpose)
    assert received(browser, study) == before
