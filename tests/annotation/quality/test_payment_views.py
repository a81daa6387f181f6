"""The page of whom to pay, and its downloads."""

from codecs import BOM_UTF8

import pytest
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Event, Study
from tests.annotation.quality.test_payment import clicker, person
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def shown(office: Client, study: Study) -> str:
    return office.get(reverse("study_pay", args=[study.name])).text


def test_the_page_shows_people_with_their_checks(office: Client, study: Study) -> None:
    person(study, "5f3a77c0ffee", 3, 4)
    page = shown(office, study)

    assert "<code>5f3a77c0ffee</code>" in page
    assert "3 of 4" in page


def test_flagged_people_stand_apart_from_those_to_approve(
    office: Client, study: Study
) -> None:
    study.duration, study.pay = "8 minutes", "9 GBP per hour"
    study.save()
    person(study, "good", 4, 4)
    flagged = clicker(study)
    page = squeeze(shown(office, study))

    look, approve = page.split('<section class="card" aria-labelledby="approve">')
    assert "Look at 1 person first; 1 can be approved." in look
    assert "1.4 of 8 minutes" in look
    assert "clicker" in look
    assert "clicker" not in approve
    assert "Approve: 1 person, 1.20 GBP" in approve

    address = reverse("study_pay", args=[study.name])
    office.post(address, {f"decision-{flagged.pk}": "approve"})
    page = squeeze(shown(office, study))
    assert "2 people can be approved; there is nobody to look at first." in page
    assert "Download 2 ids to approve" in page


def test_a_decision_that_does_not_exist_is_refused(
    office: Client, study: Study
) -> None:
    flagged = clicker(study)
    address = reverse("study_pay", args=[study.name])
    page = office.post(address, {f"decision-{flagged.pk}": "all"}, follow=True).text

    assert "Nothing was saved: choose one of the decisions." in page
    flagged.refresh_from_db()
    assert flagged.pay_decision == ""


def test_a_promise_that_is_not_kept_is_said(office: Client, study: Study) -> None:
    study.duration, study.pay = "8 minutes", "9 GBP per hour"
    study.save()
    person(study, "slow", 4, 4)

    assert (
        "People took 12.0 minutes, not 8. At 1.20 GBP that is 6.00 GBP an hour; the consent "
        "promises 9.00. Paying 1.80 GBP each keeps the promise (1.80 GBP in all)."
    ) in squeeze(shown(office, study))


def test_outcomes_without_a_code_of_the_platform_are_named(
    office: Client, study: Study
) -> None:
    study.exits.create(outcome="done", code="C1DONE99")
    page = squeeze(shown(office, study))
    assert "<code>C1DONE99</code>" in page
    assert "No code:</strong> they are asked to return the task." in page


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


def test_a_list_for_excel_begins_with_the_mark_of_utf_8(
    office: Client, study: Study
) -> None:
    person(study, "p1", 4, 4)
    address = reverse("study_pay_file", args=[study.name, "pay.csv"])
    assert office.get(address).content.startswith(b"annotator,")
    assert office.get(f"{address}?bom=yes").content.startswith(BOM_UTF8 + b"annotator,")
    assert f"{address}?bom=yes" in shown(office, study)
