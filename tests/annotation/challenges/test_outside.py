"""Metrics from outside in challenges."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from tercet.annotation.challenges.comparisons import ComparisonPlan, create_comparison
from tercet.annotation.challenges.leaderboard import board_of
from tercet.annotation.models import Challenge, Study
from tercet.annotation.results.forms import EvaluationForm
from tercet.annotation.results.tasks import Asked, compute, request_evaluation
from tercet.annotation.studies.creation import Unsuitable
from tests.annotation.challenges.conftest import (
    CAPTIONS,
    OTHERS,
    new_challenge,
    score,
    submit,
)
from tests.annotation.conftest import Enable
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def hidden(tmp_path: Path, administrator: User) -> Callable[..., Challenge]:
    def made(name: str = "hidden") -> Challenge:
        metrics = ["BLEU-1", "words"]
        return new_challenge(tmp_path / name, administrator, metrics=metrics)

    return made


def test_hidden_references_are_scored_only_where_the_file_says_so(
    enable: Enable, hidden: Callable[..., Challenge]
) -> None:
    enable()
    with pytest.raises(Unsuitable, match="cannot have these metrics: words"):
        hidden()

    enable("hidden_references = true")
    assert hidden("another").metrics == ["BLEU-1", "words"]


def test_a_metric_by_which_lower_scores_are_better_cannot_be_chosen(
    enable: Enable, hidden: Callable[..., Challenge], office: Client
) -> None:
    enable("hidden_references = true")
    page = reverse("challenge_settings", args=[hidden().name])
    assert 'value="words"' in office.get(page).text

    enable("hidden_references = true\nhigher_is_better = false")
    form = {
        "title": "Small challenge",
        "submitters": "all",
        "scores_shown": "at_once",
        "leaderboard": "public",
        "metrics": ["words"],
    }
    refused = office.post(page, form)

    assert refused.status_code == 422
    assert "words is not one of the available choices" in refused.text
    with pytest.raises(Unsuitable, match="cannot have these metrics: words"):
        hidden("another")


def test_a_board_has_the_figures_and_the_mark_of_a_metric_from_outside(
    enable: Enable, hidden: Callable[..., Challenge], person: User
) -> None:
    enable("hidden_references = true")
    challenge = hidden()
    submission = score(submit(challenge, person))
    board = board_of(challenge, "hidden", exact=True)
    assert board

    assert board.rows[0].cells[None]["words"].figure == pytest.approx(5.5)
    assert board.column("words", None).title == "words?"
    assert "words version:1|" in submission.signature

    address = reverse("challenge_leaderboard", args=[challenge.name])
    shown = squeeze(Client().get(address).text)
    assert ">words?</a>" in shown
    assert "?: training data undeclared." in shown

    file = reverse("challenge_leaderboard_file", args=[challenge.name, "md"])
    assert "| words? |" in Client().get(file).text


def test_results_of_a_comparison_have_only_what_may_see_hidden_references(
    enable: Enable, challenge: Challenge, person: User, administrator: User
) -> None:
    systems = {"first": CAPTIONS, "second": OTHERS}
    submissions = [
        score(submit(challenge, person, name, captions))
        for name, captions in systems.items()
    ]
    plan = ComparisonPlan(submissions, 2, 3, human=False)
    study = create_comparison(challenge, plan, administrator)

    enable("hidden_references = true")
    assert "metrics" in EvaluationForm(study).fields

    enable()
    assert "metrics" not in EvaluationForm(study).fields
    evaluation = request_evaluation(study, Asked(metrics=("words",)))
    with pytest.raises(ValueError, match="words is not enabled for these captions"):
        compute.call(evaluation.pk)


def test_a_submission_says_that_a_metric_failed_and_quotes_nothing(
    enable: Enable, hidden: Callable[..., Challenge], person: User
) -> None:
    enable("hidden_references = true", bounds=[0, 1])
    submission = submit(hidden(), person)
    with pytest.raises(Exception, match="metric words"):
        score(submission)

    submission.refresh_from_db()
    assert submission.message.startswith("A metric from outside failed on the server.")
    assert not any(caption in submission.message for caption in CAPTIONS.values())


def test_the_command_refuses_a_metric_that_may_not_see_hidden_references(
    enable: Enable, voted: Study
) -> None:
    enable()
    with pytest.raises(CommandError, match="unknown: words"):
        call_command("create_challenge", voted.dataset.name, "--metrics", "words")
