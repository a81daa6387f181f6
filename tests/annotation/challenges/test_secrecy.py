"""Hidden references are in no response to anybody but the owners."""

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import read
from tercet.annotation.challenges.comparisons import ComparisonPlan, create_comparison
from tercet.annotation.challenges.creation import create_challenge
from tercet.annotation.challenges.forms import NewChallengeForm
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Challenge, Pair, Reference, Study, Submission
from tercet.annotation.studies.creation import (
    Unsuitable,
    copy_study,
    create_draft,
    create_study,
)
from tercet.annotation.studies.tokens import create_token
from tests.annotation.challenges.conftest import (
    CAPTIONS,
    OTHERS,
    new_challenge,
    results,
    score,
    submit,
)
from tests.support.addresses import addresses
from tests.support.folders import dataset_folder

pytestmark = pytest.mark.django_db

SETTINGS: dict[str, Any] = {"title": "Another", "metrics": ["BLEU-1"], "counts": [2]}
FILES = {
    "valid": results(),
    "not a list": b"{}",
    "missing": results({"dog": "a dog"}),
    "unknown": results(CAPTIONS | {"bus": "a bus"}),
    "empty": results(CAPTIONS | {"dog": ""}),
    "file name": results(CAPTIONS | {"dog": "dog.jpg"}),
    "same caption": results(dict.fromkeys(CAPTIONS, "a photo")),
    "broken": b"[{",
}


@pytest.fixture
def full(challenge: Challenge, person: User, administrator: User) -> Challenge:
    """A public challenge with two scored submissions and a study of them."""
    submissions = [
        score(submit(challenge, person, "first", CAPTIONS)),
        score(submit(challenge, administrator, "second", OTHERS)),
    ]
    create_comparison(
        challenge, ComparisonPlan(submissions, 2, 1, human=True), administrator
    )
    challenge.refresh_from_db()

    return challenge


@pytest.fixture
def visitors(full: Challenge, person: User) -> dict[str, Client]:
    """A stranger, an account without a role, and a submitter with submissions."""
    other = User.objects.create_user("other")
    browsers = {"stranger": Client(), "account": Client(), "submitter": Client()}
    browsers["account"].force_login(other)
    browsers["submitter"].force_login(person)

    return browsers


def content(response: HttpResponseBase) -> bytes:
    if isinstance(response, StreamingHttpResponse | FileResponse):
        return response.getvalue()

    return response.content  # type: ignore[attr-defined,no-any-return]


def pages_of(challenge: Challenge) -> Iterator[str]:
    """Every address that can be about the challenge, its dataset, or its study."""
    comparison = challenge.comparisons.get().study
    submission = challenge.submissions.order_by("number").first()
    assert submission is not None
    pair = Pair.objects.order_by("pk").first()
    names: dict[str, list[object]] = {
        "challenges": [challenge.name],
        "datasets": [challenge.dataset.name, comparison.dataset.name],
        "studies": [comparison.name],
    }
    values: dict[str, list[object]] = {
        "key": [submission.key],
        "form": ["csv", "tex", "md", "json"],
        "file": ["dataset.zip", "votes.csv", "pay.csv", "report.zip"],
        "pk": [pair.pk if pair else 1],
        "number": [1],
        "group": ["basics"],
        "plot": ["accuracy"],
        "page": ["dataset"],
        "section": ["lines-with-problems"],
        "code": [comparison.join_code],
        "kind": ["challenge", "dataset", "study"],
        "token": ["token"],
    }

    for name, address in addresses().items():
        if name == "sign_out_everywhere":
            continue

        wanted = re.findall(r"<\w+:(\w+)>", address)
        known = values | {"name": names.get(address.partition("/")[0], [])}
        for chosen in product(*(known[each] for each in wanted)):
            yield reverse(name, kwargs=dict(zip(wanted, chosen, strict=True)))


def hidden(challenge: Challenge) -> list[bytes]:
    rows = Reference.objects.filter(image__dataset=challenge.dataset)
    captions = [caption.encode() for caption in rows.values_list("caption", flat=True)]

    assert len(captions) == 6

    return captions


def test_no_page_download_or_form_shows_a_hidden_reference(
    full: Challenge, visitors: dict[str, Client]
) -> None:
    captions = hidden(full)
    pages = list(pages_of(full))

    assert len(pages) > 100

    for who, browser in visitors.items():
        for address in pages:
            for send in (
                (browser.get, browser.post) if who == "submitter" else (browser.get,)
            ):
                shown = content(send(address))
                found = [caption for caption in captions if caption in shown]
                assert not found, (who, address)

    for who in ("account", "submitter"):
        assert visitors[who].get(reverse("account")).status_code == 200


@pytest.mark.parametrize("name", FILES)
def test_no_answer_to_a_file_quotes_a_hidden_reference(
    name: str, full: Challenge, visitors: dict[str, Client], person: User
) -> None:
    token = create_token(full, person)
    sent = {"system": "mine"}
    answers = [
        visitors["submitter"].post(
            reverse("challenge_submit", args=[full.name]),
            sent | {"file": SimpleUploadedFile("results.json", FILES[name])},
            follow=True,
        ),
        Client().post(
            reverse("api:submit", args=[full.name]),
            sent | {"file": SimpleUploadedFile("results.json", FILES[name])},
            headers={"Authorization": f"Bearer {token}"},
        ),
    ]

    for answer in answers:
        assert not [each for each in hidden(full) if each in answer.content]


def test_scores_of_captions_are_not_sent_to_submitters(
    full: Challenge, visitors: dict[str, Client]
) -> None:
    key = Submission.objects.filter(system="first").get().key
    address = reverse("submission_scores", args=[full.name, key])
    assert visitors["submitter"].get(address).status_code == 403


def exact_numbers(challenge: Challenge) -> set[str]:
    """All numbers of the stored leaderboard with more than four decimals, as far as the fifth."""
    board = json.loads(challenge.board_file("hidden").read_text())
    found: set[str] = set()

    def collect(part: object) -> None:
        inner = part.values() if isinstance(part, dict) else part
        if isinstance(part, float) and part != round(part, 4):
            found.add(re.sub(r"(\.\d{5}).*", r"\1", repr(part)))
        elif isinstance(part, dict | list):
            for each in inner:  # type: ignore[attr-defined]
                collect(each)

    collect(board)
    return found


def test_nobody_but_owners_gets_more_than_four_digits_of_a_score(
    full: Challenge, visitors: dict[str, Client], person: User, office: Client
) -> None:
    exact = exact_numbers(full)
    assert len(exact) > 10

    downloads = reverse("challenge_leaderboard_file", args=[full.name, "json"])
    assert all(number in office.get(downloads).text for number in exact)

    key = Submission.objects.get(system="first").key
    token = {"Authorization": f"Bearer {create_token(full, person)}"}
    program = Client(headers=token)
    state = program.get(reverse("api:submission_state", args=[full.name, key]))
    figures = state.json()["figures"]["hidden"]["2"]

    assert figures
    assert all(value == round(value, 4) for value in figures.values())

    for who, browser in (visitors | {"program": program}).items():
        for address in pages_of(full):
            shown = content(browser.get(address))
            assert not [number for number in exact if number.encode() in shown], (
                who,
                address,
            )


def test_equal_digits_share_a_rank_though_one_figure_is_larger(full: Challenge) -> None:
    path = full.board_file("hidden")
    board = json.loads(path.read_text())
    first, second = (
        row["scores"][0]["figures"]["BLEU-1"]
        for row in board["rows"]
        if row["kind"] == "system"
    )
    first["figure"], second["figure"] = 0.50001, 0.5
    first["rank"], second["rank"] = 1, 2
    path.write_text(json.dumps(board))

    address = reverse("challenge_leaderboard_file", args=[full.name, "json"])
    rows = Client().get(address).json()["rows"][:2]
    shown = [row["scores"][0]["figures"]["BLEU-1"] for row in rows]

    assert [(cell["figure"], cell["rank"]) for cell in shown] == [(0.5, 1), (0.5, 1)]


def test_no_study_can_be_made_of_hidden_references(full: Challenge) -> None:
    with pytest.raises(Unsuitable, match="hidden references of a challenge"):
        create_study(Study(dataset=full.dataset, title="Show them"))


def test_what_people_compare_is_in_no_study_for_everybody(
    full: Challenge, administrator: User
) -> None:
    compared = full.comparisons.get().study
    with pytest.raises(Unsuitable, match="hidden references of a challenge"):
        create_draft(Study(dataset=compared.dataset, title="All"), administrator)

    assert copy_study(compared, administrator).accounts == "invited"


def test_no_hidden_references_become_a_development_split(
    full: Challenge, administrator: User, tmp_path: Path
) -> None:
    other = new_challenge(tmp_path / "other", administrator)
    offered = NewChallengeForm().fields["development"].queryset  # type: ignore[attr-defined]

    for dataset in (full.dataset, full.comparisons.get().study.dataset):
        assert dataset not in offered

        made = Challenge(dataset=other.dataset, development=dataset, **SETTINGS)
        with pytest.raises(Unsuitable, match="hidden references of a challenge"):
            create_challenge(made, administrator)


def test_no_development_split_becomes_hidden_references(
    challenge: Challenge, administrator: User, tmp_path: Path
) -> None:
    public = dataset_folder(tmp_path / "public", pairs=None)
    frames = read(public, references_alone=True).sound()
    challenge.development = import_dataset(frames, "public", public)

    challenge.save()

    assert challenge.development not in NewChallengeForm().fields["dataset"].queryset  # type: ignore[attr-defined]
    with pytest.raises(Unsuitable, match="is a development split"):
        create_challenge(
            Challenge(dataset=challenge.development, **SETTINGS), administrator
        )


def test_the_human_caption_is_no_reference_of_its_comparison(full: Challenge) -> None:
    compared = full.comparisons.get().study.dataset
    human = Pair.objects.filter(dataset=compared, b__source="human")
    equal = human.filter(image__references__caption=F("b__caption"))

    assert not equal.exists()
