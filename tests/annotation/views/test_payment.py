"""The page of whom to pay, and its downloads."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Event, Study
from tests.annotation.studies.test_payment import person

pytestmark = pytest.mark.django_db


def shown(office: Client, study: Study, **rule: str | int) -> str:
    return office.get(reverse("study_pay", args=[study.name]), rule).text


def test_the_page_shows_people_with_their_bonus(office: Client, study: Study) -> None:
    person(study, "5f3a77c0ffee", 3, 4)
    page = shown(office, study, amount="0.75", gold=75)
    assert "<code>5f3a77c0ffee</code>" in page
    assert "3 of 4" in page
    assert ">0.75</td>" in page
    assert "bonus.csv?amount=0.75&amp;gold=75" in page


@pytest.mark.parametrize("rule", [{"amount": "0", "gold": 75}, {"amount": "1", "gold": 100}])
def test_an_empty_list_of_bonuses_is_not_offered(
    office: Client, study: Study, rule: dict[str, str | int]
) -> None:
    person(study, "5f3a77c0ffee", 3, 4)
    page = shown(office, study, **rule)
    assert "bonus.csv" not in page
    assert "approve.csv" in page


def test_a_faulty_rule_is_told_and_gives_no_bonus(office: Client, study: Study) -> None:
    person(study, "p1", 4, 4)
    page = shown(office, study, amount="-1", gold=101)
    assert "greater than or equal to 0" in page
    assert "less than or equal to 100" in page
    assert ">0.00</td>" in page


def test_the_codes_of_outcomes_in_the_file_are_explained(office: Client, study: Study) -> None:
    page = shown(office, study)
    assert "<code>screened_out</code> did not consent" in page
    assert "<code>stopped</code> stopped early" in page


def test_an_empty_list_says_so(office: Client, study: Study) -> None:
    assert "Nobody has judged or finished yet." in shown(office, study)


def test_a_download_follows_the_rule_and_is_logged(office: Client, study: Study) -> None:
    person(study, "p1", 4, 4)
    address = reverse("study_pay_file", args=[study.name, "bonus.csv"])
    response = office.get(address, {"amount": "1", "gold": "100"})
    assert response.text == "p1,1.00\n"
    assert response["Content-Disposition"] == 'attachment; filename="small-triplet-bonus.csv"'
    event = Event.objects.get()
    assert (event.what, event.details) == ("exported pay list", {"file": "bonus.csv"})


def test_other_files_are_missing(office: Client, study: Study) -> None:
    address = reverse("study_pay_file", args=[study.name, "votes.csv"])
    assert office.get(address).status_code == 404
    assert not Event.objects.exists()
