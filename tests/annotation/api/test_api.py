import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from tercet.analysis.dataset.folder import load
from tercet.analysis.tables.schema import PAIRS, RATINGS, REFERENCES, SENTENCES, VOTES
from tercet.annotation.api.studies import (
    ListedRating,
    ListedSentence,
    ListedVote,
    NewPair,
    NewReference,
)
from tercet.annotation.datasets import additions
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging import annotators
from tercet.annotation.judging.annotators import new_annotator, personal_links
from tercet.annotation.judging.answers import AnswerMessage, record, vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import (
    Annotator,
    Answer,
    ApiToken,
    Challenge,
    Dataset,
    Evaluation,
    Lease,
    Reference,
    Study,
)
from tercet.annotation.models.study import State
from tercet.annotation.results.downloads import answers_csv
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.tokens import create_token
from tests.annotation.judging.kinds.test_rating import rated
from tests.annotation.questions import answer_all, claimed
from tests.support.folders import ROOT, dataset_folder
from tests.test_documents import blocks

pytestmark = pytest.mark.django_db

MANY = 1_000
OPERATIONS = ("progress", "votes", "results", "references", "pairs")


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
    Answer.objects.update(created_at=timezone.now() - timedelta(minutes=1))


# Progress


def test_progress_counts_questions_votes_and_annotators(study: Study) -> None:
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
        "annotators": 1,
        "joined": 2,
        "voted": 1,
        "only_checks": 0,
        "undid_all": 0,
        "excluded": 0,
    }


# Votes


def test_votes_have_the_columns_of_votes_csv(voted: Study) -> None:
    assert tuple(ListedVote.model_fields) == VOTES.columns

    first = get(voted, "votes")["votes"][0]
    assert tuple(first) == VOTES.columns
    assert (first["pair"], first["reference"], first["choice"]) == ("p1", 1, "B")


def test_ratings_have_a_line_for_each_aspect_and_source(tmp_path: Path) -> None:
    assert tuple(ListedRating.model_fields) == RATINGS.columns
    study = rated(tmp_path / "rated", ties=True)
    kim, jo = new_annotator(study), new_annotator(study)
    lease = claimed_of(kim, "a dog runs")
    sent = {"aspect-correctness": "2", "aspect-overall": "50.5"}
    record(AnswerMessage(lease.key, sent))
    record(AnswerMessage(claimed(jo).key, sent | {"aspect-overall": "tie"}))
    settle()

    with CaptureQueriesContext(connection) as statements:
        page = get(study, "votes", limit=1)
    sources = [each["sql"] for each in statements if '."listed"' in each["sql"]]
    assert ["'dog'" in sql for sql in sources] == [True]
    values = ("image", "caption", "source", "aspect", "rating", "annotator")
    assert [tuple(line[name] for name in values) for line in page["votes"]] == [
        ("dog", "a dog runs", "human", "correctness", 2, kim.name),
        ("dog", "a dog runs", "net", "correctness", 2, kim.name),
        ("dog", "a dog runs", "human", "overall", 50.5, kim.name),
        ("dog", "a dog runs", "net", "overall", 50.5, kim.name),
    ]
    assert page["more"]

    rest = get(study, "votes", after=page["cursor"])
    given = {line["aspect"]: line["rating"] for line in rest["votes"]}
    assert given == {"correctness": 2, "overall": None}
    assert not rest["more"]


def claimed_of(annotator: Annotator, caption: str) -> Lease:
    """A lease on the question about a caption, which is the only one that is left."""
    annotator.study.questions.exclude(candidate__caption=caption).update(needed=0)
    lease = claimed(annotator)
    annotator.study.questions.update(needed=2)
    return lease


def test_ratings_collected_elsewhere_are_listed_as_numbers(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "rated", pairs=None)
    text = "image,caption,rating\ndog,a dog,3.0\ndog,a dog,4.5\n"
    (folder / "ratings.csv").write_text(text)
    study = import_dataset(load(folder), "rated", folder).studies.get()

    lines = get(study, "votes")["votes"]
    assert [line["rating"] for line in lines] == [3, 4.5]
    assert {(line["annotator"], line["aspect"]) for line in lines} == {("", "")}


def test_sentences_have_the_columns_of_sentences_csv(study: Study) -> None:
    assert tuple(ListedSentence.model_fields) == SENTENCES.columns
    study.dataset.images.update(url="https://example.org/picture.png")
    sentences = create_study(
        Study(dataset=study.dataset, protocol="sentence", steps=[], enforced_seconds=0)
    )
    person = new_annotator(sentences)
    record(AnswerMessage(claimed(person).key, {"text": "There is a dog."}))
    settle()

    (first,) = get(sentences, "votes")["votes"]
    assert tuple(first) == SENTENCES.columns
    assert (first["sentence"], first["annotator"]) == ("There is a dog.", person.name)
    assert first["rules"] == "short opening"


def test_pages_hold_every_vote_once_and_oldest_first(voted: Study) -> None:
    seen: list[dict[str, Any]] = []
    after, more = 0, True

    while more:
        page = get(voted, "votes", limit=7, after=after)
        assert len(page["votes"]) <= 7

        seen += page["votes"]
        after, more = page["cursor"], page["more"]

    lines = "".join(answers_csv(voted)).splitlines()[1:]
    assert [
        f"{vote['pair']},{vote['reference']},{vote['annotator']}" for vote in seen
    ] == [",".join(line.split(",")[:3]) for line in lines]
    assert len(seen) == 36


def test_the_last_cursor_finds_later_votes(study: Study) -> None:
    answer_all(new_annotator(study))
    settle()
    cursor = get(study, "votes")["cursor"]

    assert get(study, "votes", after=cursor) == {
        "votes": [],
        "cursor": cursor,
        "more": False,
    }

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
    "query",
    [
        {"limit": MANY + 1},
        {"limit": 0},
        {"after": -1},
        {"after": 2**63},
        {"after": "x"},
    ],
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


def test_there_are_no_results_before_the_first_or_without_their_files(
    evaluated: Study,
) -> None:
    done = Evaluation.objects.get()
    (done.folder / "accuracy.csv").unlink()

    assert "compute them" in get(evaluated, "results", 404)["detail"]

    done.delete()
    get(evaluated, "results", 404)


# Adding to a draft


@pytest.fixture
def draft(study: Study) -> Study:
    study.state = State.DRAFT
    study.save()
    return study


def post(study: Study, operation: str, entries: list[Any], status: int = 201) -> Any:
    owner, _ = User.objects.get_or_create(username="owner", is_staff=True)
    response = Client().post(
        reverse(f"api:{operation}", args=[study.name]),
        {operation: entries},
        content_type="application/json",
        headers={"Authorization": f"Bearer {create_token(study, owner)}"},
    )

    assert response.status_code == status, response.content

    return response.json()


PAIR = {"pair": "p9", "image": "dog", "candidate_b": "a dog", "candidate_c": "one dog"}


def test_entries_have_the_columns_of_their_tables() -> None:
    assert tuple(NewReference.model_fields) == REFERENCES.columns
    assert tuple(NewPair.model_fields) == PAIRS.columns


def test_references_follow_those_of_their_image_and_are_asked_about(
    draft: Study,
) -> None:
    sent = [
        {"image": "dog", "caption": "a fourth"},
        {"image": "owl", "caption": "an owl", "x": 1},
    ]
    answer = post(draft, "references", sent)

    assert (answer["added"], answer["total"], answer["triplets"]) == (2, 8, 14)
    assert "'x'" in answer["warnings"][0]

    added = Reference.objects.filter(image__dataset=draft.dataset).order_by("-pk")[:2]
    assert [(each.image.name, each.number) for each in added] == [
        ("owl", 1),
        ("dog", 4),
    ]
    assert draft.questions.filter(reference__caption="a fourth").count() == 2


def test_pairs_are_added_with_their_questions(draft: Study) -> None:
    post(draft, "references", [{"image": "owl", "caption": 7}])
    owls = {
        **PAIR,
        "pair": "owls",
        "image": "owl",
        "category": "HC",
        "source_b": "human",
    }
    answer = post(draft, "pairs", [PAIR, owls])

    assert (answer["added"], answer["total"], answer["triplets"]) == (2, 6, 16)

    (event, _) = draft.events.filter(what="added to dataset")
    assert event.details == {"pairs": 2}
    assert event.by

    pair = draft.dataset.pairs.get(name="owls")
    assert (pair.b.caption, pair.b.source, pair.category) == ("a dog", "human", "HC")


def test_gold_stays_and_trials_go(draft: Study) -> None:
    first = draft.questions.earliest("pk")
    first.gold = "B"
    first.save()
    tester = annotators.test_annotator(draft)
    lease = claim(tester)
    assert lease
    vote(lease.key, "left")
    post(draft, "pairs", [PAIR])

    (again,) = draft.questions.exclude(gold="")
    assert (again.pair, again.reference, again.gold) == (
        first.pair,
        first.reference,
        "B",
    )
    assert not draft.annotators.exists()


def test_problems_are_listed_by_entry_and_nothing_is_stored(draft: Study) -> None:
    faulty = [
        PAIR,
        {**PAIR, "candidate_b": " "},
        {**PAIR, "pair": "p1"},
        {**PAIR, "pair": "p8", "image": "nowhere", "winner": "D"},
    ]
    answer = post(draft, "pairs", faulty, 422)

    assert answer["detail"] == "Nothing was stored."

    found = {(each["entry"], each["column"]) for each in answer["problems"]}
    assert found == {
        (2, "candidate_b"),
        (2, "pair"),
        (3, "pair"),
        (4, "image"),
        (4, "winner"),
    }
    assert all(each["what"] and each["remedy"] for each in answer["problems"])
    assert draft.dataset.pairs.count() == 4

    answer = post(draft, "pairs", [{"pair": "only"}], 422)
    assert {each["column"] for each in answer["problems"]} >= {"image"}


def test_answers_and_requests_are_bounded(draft: Study) -> None:
    answer = post(draft, "pairs", [PAIR] * 500, 422)
    assert len(answer["problems"]) == 100
    assert answer["more"] == 399

    wrong: tuple[list[Any], ...] = ([PAIR] * 1_001, [], [{"pair": {}}])
    for sent in wrong:
        post(draft, "pairs", sent, 422)


def test_only_drafts_of_their_own_dataset_take_anything(draft: Study) -> None:
    Study.objects.filter(pk=draft.pk).update(state=State.OPEN)
    assert "draft" in post(draft, "pairs", [PAIR], 409)["detail"]

    Study.objects.filter(pk=draft.pk).update(state=State.DRAFT)
    create_study(Study(dataset=draft.dataset, title="Other", steps=[]))

    assert "Another study" in post(draft, "references", [{}], 409)["detail"]


def test_a_large_dataset_takes_nothing(
    draft: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request checks all of it: one of 220,000 rows took 14 s."""
    monkeypatch.setattr(additions, "MAX_SIZE", 10)
    assert "more than 10 references" in post(draft, "pairs", [PAIR], 409)["detail"]


def test_a_development_split_takes_nothing(draft: Study) -> None:
    hidden = Dataset.objects.create(name="hidden", title="Hidden")
    Challenge.objects.create(
        name="small", title="Small", dataset=hidden, development=draft.dataset
    )

    assert "development split" in post(draft, "references", [{}], 409)["detail"]


def test_pairs_without_a_picture_are_refused_where_it_is_shown(draft: Study) -> None:
    Study.objects.filter(pk=draft.pk).update(protocol="pairwise")
    assert "have no file" in post(draft, "pairs", [PAIR], 409)["detail"]
    assert draft.dataset.pairs.count() == 4


# Tokens


def test_a_token_is_shown_once_and_stored_as_a_digest(
    office: Client, study: Study
) -> None:
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


def test_a_token_ends_with_the_rights_of_its_creator(
    study: Study, administrator: User
) -> None:
    headers = {"Authorization": f"Bearer {create_token(study, administrator)}"}
    address = reverse("api:progress", args=[study.name])

    assert Client().get(address, headers=headers).status_code == 200

    User.objects.filter(pk=administrator.pk).update(is_active=False)
    assert Client().get(address, headers=headers).status_code == 401

    User.objects.filter(pk=administrator.pk).update(is_active=True, is_staff=False)
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
        *(f"/api/studies/{{name}}/{operation}" for operation in OPERATIONS),
        "/api/challenges/{name}/submissions",
        "/api/challenges/{name}/submissions/{key}",
    ]

    methods = [list(each) for each in described["paths"].values()]
    assert methods == [["get"]] * 3 + [["post"]] * 3 + [["get"]]
    for token in ("StudyToken", "SubmitterToken"):
        assert described["components"]["securitySchemes"][token]["scheme"] == "bearer"


def run_documented(kind: str, site: LiveServer, study: Study, by: User) -> list[str]:
    """Run a program of the documentation as a process; return the lines that it prints."""
    document = blocks(ROOT / "docs" / "api.md")
    (program,) = [text for name, text in document if name == f"python {kind}"]
    environment = {
        "TERCET_SITE": site.url,
        "TERCET_STUDY": study.name,
        "TERCET_TOKEN": create_token(study, by),
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )

    return done.stdout.splitlines()


def test_the_client_of_the_documentation_works(
    live_server: LiveServer, evaluated: Study, administrator: User
) -> None:
    lines = run_documented("client", live_server, evaluated, administrator)
    assert lines[:2] == ["36 of 36 votes", "36 votes read"]


def test_the_program_of_the_documentation_adds_to_a_draft(
    live_server: LiveServer, draft: Study, administrator: User
) -> None:
    lines = run_documented("draft", live_server, draft, administrator)
    assert lines == [
        "1 reference added",
        "13 questions",
        "1 pair is in the dataset already",
    ]
