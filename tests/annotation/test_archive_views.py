"""Archiving and deleting studies and datasets on their pages."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Dataset, Event, Study
from tercet.annotation.models.study import Rank, State
from tercet.annotation.studies.creation import copy_study, create_study
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def closed(study: Study) -> Study:
    Study.objects.update(state=State.CLOSED)
    study.refresh_from_db()
    return study


def post(browser: Client, name: str, row: Study | Dataset, **sent: str) -> str:
    return squeeze(browser.post(reverse(name, args=[row.name]), sent, follow=True).text)


def listed(browser: Client, name: str, **query: str) -> str:
    return squeeze(browser.get(reverse(name), query).text)


def settings_of(browser: Client, study: Study) -> str:
    return squeeze(browser.get(reverse("study_settings", args=[study.name])).text)


def whole_group(browser: Client, study: Study) -> str:
    address = reverse("study_setting_group", args=[study.name, "whole"])
    return squeeze(browser.get(address).text)


def test_an_archived_study_leaves_the_list_and_can_be_taken_back(
    office: Client, closed: Study
) -> None:
    assert "Archived" not in listed(office, "studies")

    sent = office.post(reverse("study_archive", args=[closed.name]), {"archived": "on"})
    assert sent["Location"] == reverse("studies"), (
        "the message is at the top of the list"
    )
    assert "The study is archived." in listed(office, "studies")

    assert "Take out of the archive" in whole_group(office, closed)
    assert "Reopen the study" not in settings_of(office, closed)

    assert "Small study" not in listed(office, "studies")
    assert "Archived (1)" in listed(office, "studies")
    assert "Small study" in listed(office, "studies", archived="yes")

    assert office.get(closed.get_absolute_url()).status_code == 200
    assert "The study is out of the archive." in post(office, "study_archive", closed)
    assert "Small study" in listed(office, "studies")

    titles = office.get(reverse("study_log", args=[closed.name])).text
    assert "Archived the study" in titles
    assert "Took the study out of the archive" in titles


def test_an_open_study_is_not_archived(office: Client, study: Study) -> None:
    shown = post(office, "study_archive", study, archived="on")
    assert "Pause or close the study before you archive it." in shown
    assert not Study.objects.exclude(archived_at=None).exists()


def test_the_button_of_an_open_study_is_disabled_with_the_reason(
    office: Client, study: Study
) -> None:
    shown = whole_group(office, study)
    assert 'value="on" disabled' in shown
    assert "Pause or close the study before you archive it." in shown
    assert f'href="{reverse("study_settings", args=[study.name])}#state"' in shown

    Study.objects.update(state=State.CLOSED)
    assert 'value="on" disabled' not in whole_group(office, study)


def test_an_archived_study_cannot_be_opened(office: Client, closed: Study) -> None:
    post(office, "study_archive", closed, archived="on")
    shown = post(office, "study_state", closed, state="open")

    assert "Take the study out of the archive first." in shown
    assert Study.objects.get().state == State.CLOSED


def test_a_copy_of_an_archived_study_is_listed(
    office: Client, closed: Study, administrator: User
) -> None:
    post(office, "study_archive", closed, archived="on")
    closed.refresh_from_db()
    copy_study(closed, administrator)

    assert "Small study (copy)" in listed(office, "studies")


@pytest.mark.parametrize("title", ["", "Small", "small study"])
def test_a_study_is_deleted_only_where_its_title_is_typed(
    office: Client, closed: Study, title: str
) -> None:
    refused = post(office, "study_delete", closed, title=title)
    assert '<details class="below" open><summary>Delete this study' in refused

    reloaded = office.get(reverse("study_delete", args=[closed.name]))
    assert reloaded["Location"] == reverse("study_settings", args=[closed.name])
    assert Study.objects.exists()

    shown = post(office, "study_delete", closed, title=" Small  study ")
    assert "Deleted the study “Small study”." in shown
    assert not Study.objects.exists()

    system = office.get(reverse("system")).text
    assert "Deleted a study" in system
    assert "Small study" in system


def test_an_open_study_is_not_deleted(office: Client, study: Study) -> None:
    shown = post(office, "study_delete", study, title=study.title)
    assert "Pause or close the study before you delete it." in shown
    assert Study.objects.exists()


def test_an_owner_without_other_studies_sees_the_home_page_afterwards(
    closed: Study, person: User
) -> None:
    closed.roles.create(user=person, rank=Rank.OWNER)
    browser = Client()
    browser.force_login(person)
    address = reverse("study_delete", args=[closed.name])

    response = browser.post(address, {"title": closed.title}, follow=True)
    assert response.redirect_chain == [(reverse("home"), 302)]
    assert "Deleted the study" in response.text


def test_an_archived_dataset_leaves_the_lists_and_can_be_taken_back(
    office: Client, study: Study
) -> None:
    dataset = study.dataset
    assert f'<option value="{dataset.pk}"' in listed(office, "study_new")

    shown = post(office, "dataset_archive", dataset, archived="on")
    assert "The dataset is archived." in shown
    assert "New study" not in shown

    assert 'href="/datasets/small/"' not in listed(office, "datasets")
    assert "Archived (1)" in listed(office, "datasets")
    assert 'href="/datasets/small/"' in listed(office, "datasets", archived="yes")

    assert f'<option value="{dataset.pk}"' not in listed(office, "study_new")
    assert study.title in listed(office, "studies")
    assert "The dataset is out of the archive." in post(
        office, "dataset_archive", dataset
    )
    assert 'href="/datasets/small/"' in listed(office, "datasets")

    whats = Event.objects.order_by("pk").values_list("what", flat=True)
    assert list(whats) == ["archived dataset", "took dataset from archive"]


def test_a_dataset_is_deleted_only_where_its_title_is_typed(
    office: Client, dataset: Dataset
) -> None:
    shown = post(office, "dataset_delete", dataset, title="large")
    assert "Nothing was deleted: the title is “small”." in shown
    assert '<details class="below" open><summary>Delete this dataset' in shown
    assert 'id="delete-title"' in shown

    shown = post(office, "dataset_delete", dataset, title="small")
    assert "Deleted small." in shown
    assert not Dataset.objects.exists()


def test_titles_of_studies_are_numbered(dataset: Dataset, administrator: User) -> None:
    studies = [
        create_study(Study(dataset=dataset, title=title))
        for title in ("Dogs", "Dogs", "")
    ]
    studies += [
        create_study(Study(dataset=dataset, title="x" * 2000)) for _ in range(2)
    ]
    copies = [copy_study(studies[0], administrator) for _ in range(2)]

    titles = [study.title for study in (*studies, *copies)]
    assert titles[:3] == ["Dogs", "Dogs (2)", "small, triplet"]
    assert titles[4] == "x" * 1996 + " (2)"
    assert titles[5:] == ["Dogs (copy)", "Dogs (copy) (2)"]


def test_a_title_of_another_study_is_refused_on_the_settings_page(
    office: Client, study: Study
) -> None:
    create_study(Study(dataset=study.dataset, title="Taken"))
    address = reverse("study_setting_group", args=[study.name, "basics"])
    response = office.post(address, {"title": "Taken"})

    assert response.status_code == 422
    assert "Another study has this title." in response.text
