"""An administrator invites somebody, who sets a password and gets a role."""

from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tercet.annotation.models import Study
from tests.browser.conftest import PASSWORD, NewContext, log_in


def test_an_invited_person_comes_in_and_goes(
    page: Page, new_context: NewContext, study: Study, researcher: User
) -> None:
    log_in(page, "researcher")
    page.get_by_role("link", name="Accounts").click()
    page.get_by_label("Username").fill("newcomer")

    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_text("The account is created.")).to_be_visible()

    link = page.get_by_label("Link", exact=True).input_value()

    theirs = new_context().new_page()
    theirs.goto(link)
    theirs.get_by_label("New password", exact=True).fill(PASSWORD)
    theirs.get_by_label("New password confirmation").fill(PASSWORD)
    theirs.get_by_role("button").filter(has_text="password").click()

    page.get_by_label("Study").select_option("Small study")
    page.get_by_role("button", name="Assign role").click()

    expect(
        page.get_by_role("row", name="Small study").get_by_text("researcher")
    ).to_be_visible()

    theirs.goto("/login/?next=/studies/")
    theirs.get_by_label("Username").fill("newcomer")
    theirs.get_by_label("Password").fill(PASSWORD)

    theirs.get_by_role("button", name="Log in").click()
    expect(theirs.get_by_role("link", name="Small study")).to_be_visible()

    page.get_by_role("button", name="Deactivate").click()
    expect(page.get_by_text("deactivated")).to_be_visible()

    theirs.goto("/studies/")
    expect(theirs.get_by_label("Username")).to_be_visible()
