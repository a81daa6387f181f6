"""The page of whom to pay, and its downloads."""

import pytest
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Event, Study
from tests.annotation.quality.test_payment import person

pytestmark = pytest.mark.django_db


def shown(office: Client, study: Study) -> str:
    return office.get(reverse("study_pay", args=[study.name])).text


def test_the_page_shows_people_with_their_checks(office: Client, study: Study) -> None:
    person(study, "5f3a77c0ffee", 3, 4)
    page = shown(office, study)

    assert "<code>5f3a77c0ffee</code>" in page
    assert "3 of 4" in page


def test_a_code_for_who_declined_is_not_denied(office: Client, study: Study) -> None:
    assert "Without an entry for them under “When people finish”" in shown(
        office, study
    )


def test_the_codes_of_outcomes_in_the_file_are_explained(
    office: Client, study: Study
) -> None:
    page = shown(office, study)
    assert "<code>screened_out</code> did not consent" in page
    assert "<code>stopped</code> stopped early" in page


def test_an_empty_list_says_so(office: Client, study: Study) -> None:
    assert "Nobody has judged or finished yet." in shown(office, study)


def test_a_download_is_logged(office: Client, study: Study) -> None:
    person(study, "p1", 4, 4)
    response = office.get(reverse("study_pay_file", args=[study.name, "approve.csv"]))

    assert response.text == "p1\n"
    assert (
        response["Content-Disposition"]
        == 'attachment; filename="small-triplet-approve.csv"'
    )

    event = Event.objects.get()
    assert (event.what, event.details) == ("exported pay list", {"file": "approve.csv"})


def test_other_files_are_missing(office: Client, study: Study) -> None:
    address = reverse("study_pay_file", args=[study.name, "votes.csv"])
    assert office.get(address).status_code == 404
    assert not Event.objects.exists()
