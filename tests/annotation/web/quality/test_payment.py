"""The page of whom to pay, and its downloads."""

import pytest
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Event, Study
from tests.annotation.quality.test_payment import person

pytestmark = pytest.mark.django_db


def shown(
    office: Client, study: Study, bonus: float = 0, bonus_gold: float = 0.8
) -> str:
    Study.objects.update(bonus=bonus, bonus_gold=bonus_gold)
    return office.get(reverse("study_pay", args=[study.name])).text


def test_the_page_shows_people_with_their_bonus(office: Client, study: Study) -> None:
    person(study, "5f3a77c0ffee", 3, 4)
    page = shown(office, study, 0.75, 0.75)

    assert "<code>5f3a77c0ffee</code>" in page
    assert "3 of 4" in page
    assert ">0.75</td>" in page

    assert "Each of them with at least 75\u00a0% of their gold questions right" in page
    assert "a bonus of 0.75 in the currency of the platform." in page
    assert "bonus.csv" in page


@pytest.mark.parametrize(("bonus", "bonus_gold"), [(0, 0.75), (1, 1)])
def test_an_empty_list_of_bonuses_is_not_offered(
    office: Client, study: Study, bonus: float, bonus_gold: float
) -> None:
    person(study, "5f3a77c0ffee", 3, 4)
    page = shown(office, study, bonus, bonus_gold)

    assert "bonus.csv" not in page
    assert "approve.csv" in page


def test_the_page_leads_to_the_rule_in_the_settings(
    office: Client, study: Study
) -> None:
    page = shown(office, study)
    assert "No bonus is set." in page
    assert reverse("study_setting_group", args=[study.name, "bonus"]) in page


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


def test_a_download_follows_the_rule_and_is_logged(
    office: Client, study: Study
) -> None:
    person(study, "p1", 4, 4)
    Study.objects.update(bonus=1, bonus_gold=1)
    response = office.get(reverse("study_pay_file", args=[study.name, "bonus.csv"]))

    assert response.text == "p1,1.00\n"
    assert (
        response["Content-Disposition"]
        == 'attachment; filename="small-triplet-bonus.csv"'
    )

    event = Event.objects.get()
    assert (event.what, event.details) == ("exported pay list", {"file": "bonus.csv"})


def test_other_files_are_missing(office: Client, study: Study) -> None:
    address = reverse("study_pay_file", args=[study.name, "votes.csv"])
    assert office.get(address).status_code == 404
    assert not Event.objects.exists()
