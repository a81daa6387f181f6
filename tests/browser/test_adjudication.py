"""A reported pair is decided, and results use the decision once the study says so."""

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from annotation.models import Study
from tests.browser.conftest import log_in, work

STUDY = "/studies/small-triplet/"


def test_a_reported_pair_is_decided_and_the_results_use_it(
    page: Page, evaluated: Study, researcher: User
) -> None:
    triplet = evaluated.triplets.earliest("pk")
    person = evaluated.annotators.get()
    person.remarks.create(triplet=triplet, reason="broken", text="It ends in the middle.")
    log_in(page, "researcher")
    page.goto(STUDY)
    page.get_by_role("link", name="Disputed and reported pairs").click()
    expect(page.get_by_label("Adjudication")).to_have_value("open")
    page.get_by_role("link", name=triplet.pair.name).click()

    expect(page.get_by_text("It ends in the middle.")).to_be_visible()
    page.get_by_role("radio", name="C", exact=True).check()
    page.get_by_label("Reason").fill("B is cut off.")
    page.get_by_role("button", name="Store the decision").click()
    expect(page.get_by_text("The decision is stored.")).to_be_visible()
    expect(page.get_by_text("B is cut off.")).to_be_visible()

    page.goto(f"{STUDY}pairs/?show=open")
    expect(page.get_by_text("No pair matches.")).to_be_visible()

    page.goto(f"{STUDY}settings/")
    page.get_by_label("Adjudicated pairs by the decision").check()
    page.get_by_role("button", name="Save").click()
    page.goto(STUDY)
    expect(page.get_by_text("Compute the results again.")).to_be_visible()
    page.get_by_role("button", name="Compute again").click()
    work()
    expect(page.get_by_text("1 pair has the decision of an adjudicator")).to_be_visible()
