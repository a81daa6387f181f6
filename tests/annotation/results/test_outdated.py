"""Results of other votes than those that count now say so, on every page and in every file."""

import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.analysis.report.files import files_of
from tercet.annotation.judging.quotas import recount
from tercet.annotation.models import Evaluation, Study
from tercet.annotation.models.study import State
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.results.digests import digest_of
from tercet.annotation.results.sharing import share_view
from tercet.annotation.studies.tokens import create_token
from tests.annotation.judging.ballots import crowd
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

WARNING = "These are not the votes that count now"
UNSURE = "These may not be the votes that count now"


@pytest.fixture
def refilled(evaluated: Study, administrator: User) -> Study:
    """Closed with as many votes as were evaluated, and one person exchanged."""
    person = evaluated.annotators.order_by("pk").first()
    assert person is not None
    exclude_annotator(person, administrator, "careless")
    lacking = evaluated.questions.lacking().count()
    assert lacking == 12

    crowd(evaluated, ["contrary"])
    recount(evaluated.questions.all())
    Study.objects.update(state=State.CLOSED, link_is_open=False)
    evaluated.refresh_from_db()
    assert evaluated.questions.progress()["votes"] == 36
    return evaluated


def shown(browser: Client, address: str) -> str:
    response = browser.get(address)
    assert response.status_code == 200
    return squeeze(response.text)


def test_the_page_warns_above_the_sentence_while_as_many_other_votes_count(
    office: Client, refilled: Study
) -> None:
    for address in (
        refilled.get_absolute_url(),
        reverse("study_status", args=[refilled.name]),
    ):
        page = shown(office, address)
        assert WARNING in page
        assert "Votes, decisions on pairs or settings have changed since." in page

    page = shown(office, refilled.get_absolute_url())
    assert page.index(WARNING) < page.index('id="answer-title"')
    assert 'form="ask">Compute again</button>' in page

    Evaluation.objects.update(digest=digest_of(refilled))
    assert WARNING not in shown(office, refilled.get_absolute_url())


def test_an_evaluation_of_an_earlier_version_is_shown_with_a_doubt(
    office: Client, evaluated: Study
) -> None:
    Evaluation.objects.update(digest="")
    page = shown(office, evaluated.get_absolute_url())
    assert UNSURE in page
    assert WARNING not in page


def test_a_shared_view_and_its_files_warn_too(
    refilled: Study, administrator: User
) -> None:
    view = share_view(refilled, "A view", "", administrator)
    assert WARNING in shown(Client(), view.get_absolute_url())

    for file in ("paper.tex", "paper.md", "paper.csv"):
        address = reverse("shared_file", args=[view.code, file])
        assert WARNING in shown(Client(), address)

    Evaluation.objects.update(digest=digest_of(refilled))
    assert WARNING not in shown(Client(), view.get_absolute_url())
    assert WARNING not in shown(Client(), address)


def test_every_file_of_the_stored_report_warns_in_its_name_or_text(
    office: Client, refilled: Study
) -> None:
    listed = files_of(Evaluation.objects.get().folder)
    for file in (*listed, "report.zip", "figure.svg"):
        address = reverse("study_file", args=[refilled.name, file])
        response = office.get(address)
        assert (
            f"{refilled.name}-of-other-votes-{file}" in response["Content-Disposition"]
        )

        content = response.getvalue()
        if file.endswith((".html", ".tex", ".md")):
            assert WARNING in content.decode()
        if file == "report.zip":
            assert WARNING in votes_said_in(content)

    Evaluation.objects.update(digest=digest_of(refilled))
    for file in ("winners.csv", "table.tex", "index.html"):
        response = office.get(reverse("study_file", args=[refilled.name, file]))
        assert "other-votes" not in response["Content-Disposition"]
        assert WARNING not in response.getvalue().decode()
    whole = office.get(address.replace("figure.svg", "report.zip")).getvalue()
    assert "36 votes" in votes_said_in(whole)
    assert WARNING not in votes_said_in(whole)


def votes_said_in(archive: bytes) -> str:
    """Return what the zip of a report says of its votes."""
    with ZipFile(BytesIO(archive)) as members:
        [said] = [name for name in members.namelist() if name.endswith("VOTES.txt")]
        return members.read(said).decode()


def test_the_page_of_a_plot_warns_too(office: Client, refilled: Study) -> None:
    address = reverse("study_plot", args=[refilled.name, "accuracy"])
    page = shown(office, address)
    assert WARNING in page
    assert 'form="ask"' not in page


@pytest.mark.parametrize("file", ["paper.tex", "paper.md", "paper.csv"])
def test_tables_say_of_which_votes_they_are(
    office: Client, evaluated: Study, file: str
) -> None:
    at = timezone.now().strftime("%Y-%m-%d")
    text = shown(office, reverse("study_file", args=[evaluated.name, file]))
    digest = digest_of(evaluated)[:12]
    said = re.search(rf"36 votes, computed {at} \d\d:\d\d UTC, digest {digest}", text)
    assert said
    assert WARNING not in text


def test_the_methods_text_is_of_the_votes_that_were_evaluated(
    office: Client, refilled: Study
) -> None:
    Study.objects.update(collected_elsewhere=False)
    Evaluation.objects.update(methods="36 votes as they were.")
    assert "36 votes as they were." in shown(office, refilled.get_absolute_url())

    refilled.refresh_from_db()
    Evaluation.objects.update(digest=digest_of(refilled))
    page = shown(office, refilled.get_absolute_url())
    assert "36 votes as they were." not in page
    assert "gave 36 votes" in page


def test_programs_learn_of_which_votes_the_results_are(
    refilled: Study, administrator: User
) -> None:
    token = create_token(refilled, administrator)
    address = reverse("api:results", args=[refilled.name])
    browser = Client(headers={"Authorization": f"Bearer {token}"})
    before = browser.get(address).json()
    assert (before["votes"], before["current"]) == (36, False)

    digest = digest_of(refilled)
    Evaluation.objects.update(digest=digest)
    after = browser.get(address).json()
    assert (after["digest"], after["current"]) == (digest, True)
