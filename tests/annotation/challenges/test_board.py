"""The leaderboard: who stands on it, in which order, under which name, and its files."""

import json
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.challenges import scoring
from tercet.annotation.challenges.scoring import write_boards
from tercet.annotation.challenges.submissions import Details
from tercet.annotation.challenges.tasks import (
    accept_submission,
    compute_boards,
    request_boards,
)
from tercet.annotation.models import Challenge
from tests.annotation.challenges.conftest import (
    CAPTIONS,
    OTHERS,
    new_challenge,
    results,
    score,
    submit,
)
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

WORSE = {"dog": "a bus", "cat": "a bus stop"}


def page(browser: Client, challenge: Challenge, **query: str) -> str:
    address = reverse("challenge_leaderboard", args=[challenge.name])
    return squeeze(browser.get(address, query).text)


def positions(text: str, *names: str) -> list[int]:
    return [text.index(f">{name}<") for name in names]


@pytest.fixture
def scored(challenge: Challenge, person: User, administrator: User) -> Challenge:
    """Two scored submissions of a public challenge."""
    score(submit(challenge, person, "good", CAPTIONS))
    score(submit(challenge, administrator, "bad", WORSE))
    challenge.refresh_from_db()

    return challenge


def test_owners_read_the_figures_that_others_read(
    scored: Challenge, office: Client
) -> None:
    file = scored.board_file("hidden")
    content = json.loads(file.read_text())
    content["rows"][0]["scores"][0]["figures"]["BLEU-1"]["figure"] = 0.42549
    file.write_text(json.dumps(content))

    table = reverse("challenge_leaderboard_file", args=[scored.name, "md"])
    for browser in (office, Client()):
        assert "0.426" in page(browser, scored)
        assert "0.426" in browser.get(table).text
    exact = reverse("challenge_leaderboard_file", args=[scored.name, "csv"])
    assert "0.42549" in office.get(exact).text


def test_a_new_challenge_has_the_human_row_and_baselines(challenge: Challenge) -> None:
    assert "There is no leaderboard yet." in page(Client(), challenge)

    request_boards(challenge)
    assert "The leaderboard is being computed." in page(Client(), challenge)

    compute_boards.call(challenge.pk)
    shown = page(Client(), challenge)

    for name in (
        "Human caption",
        "Random caption of another image",
        "Most frequent caption",
    ):
        assert name in shown


def test_rows_are_ordered_by_the_metric_of_the_address(scored: Challenge) -> None:
    for by in ("BLEU-1", "CIDEr-D", "nonsense"):
        shown = page(Client(), scored, by=by)
        good, bad = positions(shown, "good", "bad")
        assert good < bad


def test_each_reference_count_has_its_figures(scored: Challenge) -> None:
    pages = [
        page(Client(), scored, **query)
        for query in ({}, {"count": "2"}, {"count": "all"})
    ]
    first, of_two, of_all = (text.partition("<tbody>")[2] for text in pages)

    assert of_two != of_all
    assert first.partition("</tbody>")[0] == of_two.partition("</tbody>")[0]


def test_files_have_the_names_and_the_figures(scored: Challenge) -> None:
    def text(form: str) -> str:
        address = reverse("challenge_leaderboard_file", args=[scored.name, form])
        return Client().get(address).getvalue().decode()

    assert text("csv").splitlines()[1].startswith("good,system,2,2,2,BLEU-1,")
    assert "| good |" in text("md")
    assert "good &" in text("tex")
    assert json.loads(text("json"))["rows"][0]["system"] == "good"

    missing = reverse("challenge_leaderboard_file", args=[scored.name, "exe"])
    assert Client().get(missing).status_code == 404


def test_names_are_hidden_from_all_but_owners_until_they_are_revealed(
    scored: Challenge, office: Client
) -> None:
    Challenge.objects.update(anonymous=True)
    csv = reverse("challenge_leaderboard_file", args=[scored.name, "csv"])

    for text in (page(Client(), scored), Client().get(csv).getvalue().decode()):
        assert "System 1" in text
        assert "good" not in text
    assert "good" in page(office, scored)

    Challenge.objects.update(anonymous=False)
    assert "good" in page(Client(), scored)


def test_systems_of_one_name_are_told_apart(challenge: Challenge, person: User) -> None:
    for captions in (CAPTIONS, OTHERS):
        score(submit(challenge, person, "same", captions))

    shown = page(Client(), challenge)
    assert all(name in shown for name in ("same (1)", "same (2)"))


def test_a_hidden_submission_leaves_at_once(scored: Challenge) -> None:
    scored.submissions.filter(system="bad").update(shown=False)
    assert ">bad<" not in page(Client(), scored)


@pytest.mark.parametrize(
    ("rules", "who", "seen"),
    [
        ({"leaderboard": "public"}, "stranger", True),
        ({"leaderboard": "submitters"}, "account", True),
        ({"leaderboard": "owners"}, "account", False),
        ({"scores_shown": "after_end"}, "account", False),
        ({"leaderboard": "owners", "scores_shown": "after_end"}, "owner", True),
    ],
)
def test_the_board_is_for_its_audience(
    scored: Challenge,
    submitter: Client,
    office: Client,
    rules: dict[str, str],
    who: str,
    seen: bool,
) -> None:
    Challenge.objects.update(**rules)
    browser = {"stranger": Client(), "account": submitter, "owner": office}[who]

    assert (">good<" in page(browser, scored)) == seen

    csv = reverse("challenge_leaderboard_file", args=[scored.name, "csv"])
    assert (browser.get(csv).status_code == 200) == seen


def test_scores_are_shown_after_the_end(scored: Challenge) -> None:
    Challenge.objects.update(scores_shown="after_end")
    assert ">good<" not in page(Client(), scored)

    Challenge.objects.update(closes_at=timezone.now() - timedelta(minutes=1))
    assert ">good<" in page(Client(), scored)


def test_a_board_that_another_worker_computed_of_more_stays(
    scored: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    Challenge.objects.update(revision=8)
    scored.refresh_from_db()
    Challenge.objects.update(board_revision=9)
    before = scored.board_file("hidden").read_text()
    monkeypatch.setattr(scoring, "_board_text", lambda *_: "of an earlier revision")

    write_boards(scored)
    assert scored.board_file("hidden").read_text() == before


def test_the_development_split_has_a_board_of_its_own(
    administrator: User, person: User, tmp_path: Path
) -> None:
    other = new_challenge(tmp_path / "development", administrator)
    development = other.dataset
    development.images.filter(name="dog").update(name="hen")
    development.images.filter(name="cat").update(name="cow")
    other.delete()

    challenge = new_challenge(
        tmp_path / "hidden", administrator, development=development
    )
    file = ContentFile(
        zipped(results(), results({"hen": "a hen", "cow": "a cow"})), "both.zip"
    )
    details = Details("both")
    score(
        accept_submission(challenge, person, details, file, ["hidden", "development"])
    )

    shown = page(Client(), challenge, split="development")
    assert ">both<" in shown
    assert shown != page(Client(), challenge)


def zipped(*files: bytes) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for number, content in enumerate(files):
            archive.writestr(f"{number}.json", content)

    return buffer.getvalue()
