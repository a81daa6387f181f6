import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from analysis.dataset.schema import VOTES
from annotation.exchange.downloads import votes_csv
from annotation.judging import annotators
from annotation.judging.annotators import new_annotator, personal_links
from annotation.models import ApiToken, Evaluation, Study, Vote
from annotation.studies.tokens import create_token
from annotation.views.api import ListedVote
from tests.annotation.questions import answer_all
from tests.folders import ROOT
from tests.test_documents import blocks

pytestmark = pytest.mark.django_db

MANY = 1_000


def get(study: Study, operation: str, /, status: int = 200, **query: int | str) -> Any:
    """What the API answers to a program with a new token of the study."""
    owner, _ = User.objects.get_or_create(username="owner", is_staff=True)
    response = Client().get(
        reverse(f"api:{operation}", args=[study.name]),
        query,
        headers={"Authorization": f"Bearer {create_token(study, owner)}"},
    )
    assert response.status_code == status, response.content
    return response.json()


def settle() -> None:
    """Let the votes be of a minute ago."""
    Vote.objects.update(created_at=timezone.now() - timedelta(minutes=1))


# Progress


def test_progress_counts_triplets_votes_and_annotators(study: Study) -> None:
    answer_all(new_annotator(study))
    new_annotator(study)
    assert get(study, "progress") == {
        "study": study.name,
        "title": "Small study",
        "state": "open",
        "triplets": 12,
        "finished": 0,
        "votes": 12,
        "needed": 36,
        "annotators": 2,
        "voted": 1,
        "excluded": 0,
    }


# Votes


def test_votes_have_the_columns_of_votes_csv(voted: Study) -> None:
    assert tuple(ListedVote.model_fields) == VOTES.columns
    first = get(voted, "votes")["votes"][0]
    assert tuple(first) == VOTES.columns
    assert (first["pair"], first["reference"], first["choice"]) == ("p1", 1, "B")


def test_pages_hold_every_vote_once_and_oldest_first(voted: Study) -> None:
    seen: list[dict[str, Any]] = []
    after, more = 0, True
    while more:
        page = get(voted, "votes", limit=7, after=after)
        assert len(page["votes"]) <= 7
        seen += page["votes"]
        after, more = page["cursor"], page["more"]

    lines = "".join(votes_csv(voted)).splitlines()[1:]
    assert [f"{vote['pair']},{vote['reference']},{vote['annotator']}" for vote in seen] == [
        ",".join(line.split(",")[:3]) for line in lines
    ]
    assert len(seen) == 36


def test_the_last_cursor_finds_later_votes(study: Study) -> None:
    answer_all(new_annotator(study))
    settle()
    cursor = get(study, "votes")["cursor"]
    assert get(study, "votes", after=cursor) == {"votes": [], "cursor": cursor, "more": False}

    answer_all(new_annotator(study))
    settle()
    assert len(get(study, "votes", after=cursor)["votes"]) == 12


def test_votes_wait_some_seconds_so_that_none_is_skipped(study: Study) -> None:
    answer_all(new_annotator(study))
    settle()
    answer_all(new_annotator(study))
    assert len(get(study, "votes")["votes"]) == 12


def test_names_and_test_annotators_stay_on_the_site(study: Study) -> None:
    (kim,) = personal_links(study, ["Kim"])
    answer_all(kim)
    answer_all(annotators.test_annotator(study))
    settle()

    votes = get(study, "votes")["votes"]
    assert {vote["annotator"] for vote in votes} == {kim.name}
    assert "Kim" not in json.dumps(votes)


@pytest.mark.parametrize(
    "query", [{"limit": MANY + 1}, {"limit": 0}, {"after": -1}, {"after": 2**63}, {"after": "x"}]
)
def test_a_page_has_bounds(study: Study, query: dict[str, Any]) -> None:
    get(study, "votes", 422, **query)


# Results


def test_results_are_the_sentence_and_the_accuracies(evaluated: Study) -> None:
    found = get(evaluated, "results")
    assert found["votes"] == 36
    assert found["sentence"]
    best = next(row for row in found["accuracy"] if row["category"] == "all")
    assert 0 <= best["accuracy"] <= 1
    lines = (Evaluation.objects.get().folder / "accuracy.csv").read_text().splitlines()
    assert len(found["accuracy"]) == len(lines) - 1


def test_there_are_no_results_before_the_first_or_without_their_files(evaluated: Study) -> None:
    done = Evaluation.objects.get()
    (done.folder / "accuracy.csv").unlink()
    assert "compute them" in get(evaluated, "results", 404)["detail"]

    done.delete()
    get(evaluated, "results", 404)


# Tokens


def test_a_token_is_shown_once_and_stored_as_a_digest(office: Client, study: Study) -> None:
    address = reverse("study_api", args=[study.name])
    assert "There is no token" in office.get(address).getvalue().decode()

    response = office.post(address)
    token = response.context["created"]
    assert token in response.getvalue().decode()
    assert token not in office.get(address).getvalue().decode()
    assert token not in ApiToken.objects.get().digest


def test_a_revoked_token_opens_nothing(office: Client, study: Study) -> None:
    token = office.post(reverse("study_api", args=[study.name])).context["created"]
    address = reverse("api:progress", args=[study.name])
    headers = {"Authorization": f"Bearer {token}"}
    assert Client().get(address, headers=headers).status_code == 200

    shown = office.post(reverse("study_api_revoke", args=[study.name]), follow=True)
    assert "The token is revoked." in shown.getvalue().decode()
    assert Client().get(address, headers=headers).status_code == 401


def test_the_log_has_tokens_but_not_their_text(office: Client, study: Study) -> None:
    token = office.post(reverse("study_api", args=[study.name])).context["created"]
    office.post(reverse("study_api_revoke", args=[study.name]))
    log = office.get(reverse("study_log", args=[study.name])).getvalue().decode()
    assert "Created an API token" in log
    assert "Revoked the API token" in log
    assert token not in log


def test_a_token_that_asks_too_often_waits(study: Study, administrator: User) -> None:
    headers = {"Authorization": f"Bearer {create_token(study, administrator)}"}
    address = reverse("api:results", args=[study.name])
    codes = [Client().get(address, headers=headers).status_code for _ in range(120)]
    assert set(codes) == {404}

    refused = Client().get(address, headers=headers)
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 60


# Its description


def test_the_description_names_every_operation_and_its_token() -> None:
    described = Client().get("/api/openapi.json").json()
    assert list(described["paths"]) == [
        f"/api/studies/{{name}}/{operation}" for operation in ("progress", "votes", "results")
    ]
    assert described["components"]["securitySchemes"]["StudyToken"]["scheme"] == "bearer"


def test_the_client_of_the_documentation_works(
    live_server: LiveServer, evaluated: Study, administrator: User
) -> None:
    document = blocks(ROOT / "docs" / "api.md")
    (client,) = [text for kind, text in document if kind == "python client"]
    environment = {
        "TERCET_SITE": live_server.url,
        "TERCET_STUDY": evaluated.name,
        "TERCET_TOKEN": create_token(evaluated, administrator),
    }
    done = subprocess.run(
        [sys.executable, "-c", client],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("36 of 36 votes\n36 votes read\n")
