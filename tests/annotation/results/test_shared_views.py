"""Views of results that owners share with people who have no account."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Event, Lease, SharedView, Study
from tercet.annotation.models.study import Rank, State
from tercet.annotation.operations.deletion.deleting import delete_study
from tercet.annotation.results import sharing as shared_views
from tercet.annotation.results.sharing import is_readable, share_view, take_view_back
from tercet.annotation.studies.lifecycle import NotPossible, set_state
from tercet.annotation.studies.roles import give_role
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

CHOSEN = {"category": "HC", "count": "2", "row": ["CIDEr", "METEOR"], "column": "1"}
SENT = CHOSEN | {"title": "Two metrics"}


@pytest.fixture
def closed(evaluated: Study, administrator: User) -> Study:
    """A closed study with results."""
    Study.objects.update(state=State.CLOSED, link_is_open=False)
    evaluated.refresh_from_db()
    return evaluated


@pytest.fixture
def view(closed: Study, office: Client) -> SharedView:
    """A view of two metrics in HC, with one column in its table."""
    office.post(reverse("study_share", args=[closed.name]), SENT)
    return SharedView.objects.get()


def shown(view: SharedView, browser: Client | None = None, **asked: str) -> str:
    response = (browser or Client()).get(view.get_absolute_url(), asked)
    assert response.status_code == 200
    return squeeze(response.text)


def test_a_stranger_sees_the_view_that_the_owner_chose(view: SharedView) -> None:
    page = shown(view)

    assert "<h1>Two metrics</h1>" in page
    assert 'Accuracy with <span id="chosen-count">2 references</span>, HC' in page
    assert 'data-metric="CIDEr"' in page
    assert 'data-metric="BLEU-4"' not in page
    assert re.findall(r'<th scope="col" class="number">(\w+)</th>', page) == ["1"]


def test_no_sentence_of_a_view_is_of_a_metric_that_it_leaves_out(
    view: SharedView,
) -> None:
    main = shown(view).partition("<main")[2].partition("</main>")[0]
    said = re.sub(r"<script.*?</script>|<svg.*?</svg>|<[^>]*>", " ", main)
    for left_out in ("BLEU", "ROUGE", "CIDEr-", "length"):
        assert left_out not in said
    assert re.search("Of these 2 metrics|These 2 metrics", said)
    assert "Choose two different metrics" not in said


@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_the_figure_of_a_view_can_be_saved(view: SharedView, ending: str) -> None:
    address = reverse("shared_file", args=[view.code, f"figure.{ending}"])
    assert address in shown(view)
    response = Client().get(address)
    assert response.status_code == 200
    begin = {"pdf": b"%PDF", "svg": b"<svg", "png": b"\x89PNG"}[ending]
    assert response.content.startswith(begin)
    if ending == "svg":
        assert b"series-meteor" in response.content
        assert b"series-bleu" not in response.content


def test_a_reader_changes_the_count_and_nothing_else(view: SharedView) -> None:
    page = shown(view, count="1", category="MM", row="BLEU-4")
    assert 'Accuracy with <span id="chosen-count">1 reference</span>, HC' in page
    assert 'data-metric="BLEU-4"' not in page


def test_nobody_lists_or_keeps_the_page(view: SharedView) -> None:
    file = reverse("shared_file", args=[view.code, "paper.csv"])
    for address in (view.get_absolute_url(), file):
        response = Client().get(address)
        assert response["X-Robots-Tag"] == "noindex, nofollow"
        assert "no-store" in response["Cache-Control"]
        assert "private" in response["Cache-Control"]


def test_the_table_can_be_downloaded_and_no_other_file(view: SharedView) -> None:
    address = reverse("shared_file", args=[view.code, "paper.md"])
    assert Client().get(address).text.startswith("| metric | 1 |\n")

    for file in ("votes.csv", "export.zip", "report.zip", "answer.csv"):
        address = reverse("shared_file", args=[view.code, file])
        assert Client().get(address).status_code == 404, file


def test_the_view_names_no_annotator_and_links_nowhere_inside(view: SharedView) -> None:
    page = shown(view)
    for annotator in view.study.annotators.all():
        assert annotator.name not in page
    main = page.partition("<main")[2].partition("</main>")[0]
    assert "Two metrics" in main
    assert "/studies/" not in main


def test_an_open_study_shows_nothing(view: SharedView, administrator: User) -> None:
    set_state(view.study, State.OPEN, administrator)
    response = Client().get(view.get_absolute_url())
    file = reverse("shared_file", args=[view.code, "paper.csv"])

    assert response.status_code == 404
    assert "People judge in this study again" in squeeze(response.text)
    assert view.study.title not in response.text
    assert response["X-Robots-Tag"] == "noindex, nofollow"
    assert Client().get(file).status_code == 404

    set_state(view.study, State.PAUSED, administrator)
    assert Client().get(view.get_absolute_url()).status_code == 404

    set_state(view.study, State.CLOSED, administrator)
    assert "Two metrics" in shown(view)


def test_nothing_is_shown_while_a_question_can_still_be_answered(
    study: Study, administrator: User
) -> None:
    assert claim(new_annotator(study))
    set_state(study, State.CLOSED, administrator)
    assert not is_readable(study)

    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert is_readable(study)


def test_a_view_that_was_taken_back_leads_nowhere(
    view: SharedView, office: Client
) -> None:
    office.post(reverse("study_share_back", args=[view.study.name, view.pk]))
    assert Client().get(view.get_absolute_url()).status_code == 404
    assert not SharedView.objects.exists()
    whats = Event.objects.values_list("what", flat=True)
    assert {"shared view", "took view back"} <= set(whats)


def test_taking_back_twice_is_logged_once(
    view: SharedView, administrator: User
) -> None:
    take_view_back(view, administrator)
    view.pk = 1
    take_view_back(view, administrator)
    assert Event.objects.filter(what="took view back").count() == 1


def test_a_view_of_another_study_is_not_taken_back(
    view: SharedView, study: Study, office: Client
) -> None:
    address = reverse("study_share_back", args=[study.name, view.pk])
    assert office.post(address).status_code == 404
    assert SharedView.objects.exists()


def test_a_deleted_study_shows_nothing(view: SharedView, administrator: User) -> None:
    delete_study(view.study, administrator)
    assert Client().get(view.get_absolute_url()).status_code == 404


def test_codes_cannot_be_guessed(view: SharedView) -> None:
    assert len(view.code) >= 24
    changed = view.code.swapcase()
    assert Client().get(reverse("shared_view", args=[changed])).status_code == 404


def test_results_of_an_open_study_are_not_shared(
    evaluated: Study, office: Client, administrator: User
) -> None:
    Study.objects.update(state=State.OPEN)
    response = office.post(
        reverse("study_share", args=[evaluated.name]), SENT, follow=True
    )
    assert "Results can be shared when the study is closed." in response.text
    assert not SharedView.objects.exists()


def test_only_owners_share(closed: Study, administrator: User, person: User) -> None:
    give_role(closed, person, Rank.RESEARCHER, administrator)
    browser = Client()
    browser.force_login(person)
    address = reverse("study_share", args=[closed.name])

    assert browser.post(address, SENT).status_code == 403
    page = browser.get(closed.get_absolute_url()).text
    assert "Share a view of the results" not in page

    give_role(closed, person, Rank.OWNER, administrator)
    assert browser.post(address, SENT).status_code == 302
    view = SharedView.objects.get()
    assert view.created_by == person
    assert view.get_absolute_url() in browser.get(closed.get_absolute_url()).text


@pytest.mark.parametrize("title", ["", "x" * 101])
def test_a_view_needs_a_name(closed: Study, office: Client, title: str) -> None:
    address = reverse("study_share", args=[closed.name])
    response = office.post(address, CHOSEN | {"title": title}, follow=True)
    assert "Give the view a name" in response.text
    assert not SharedView.objects.exists()


def test_what_is_stored_is_only_what_the_report_has(
    closed: Study, office: Client
) -> None:
    address = reverse("study_share", args=[closed.name])
    office.post(address, {"title": "x", "category": "y" * 1000, "row": ["z"] * 1000})
    assert len(SharedView.objects.get().query) < 1000


def test_views_of_a_study_are_limited(
    closed: Study, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_views, "MAX_VIEWS", 1)
    share_view(closed, "one", "", administrator)
    with pytest.raises(NotPossible, match="at most 1 shared views"):
        share_view(closed, "two", "", administrator)


def test_without_results_there_is_nothing_to_share(
    study: Study, office: Client
) -> None:
    Study.objects.update(state=State.CLOSED)
    address = reverse("study_share", args=[study.name])
    assert office.post(address, SENT).status_code == 404
