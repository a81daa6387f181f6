"""The documentation on the site, and the links to it."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from tercet.annotation.documentation.rendering import (
    address_of,
    rendered,
    sections_of,
    titles,
)
from tercet.annotation.documentation.sections import SECTIONS, section_of
from tercet.annotation.models import Study
from tercet.annotation.studies.setting_groups import GROUPS
from tests.support.addresses import addresses

pytestmark = pytest.mark.django_db

NO_PAGES = {"home", "healthz", "readyz", "metrics", "image", "offline"}
"""The front page, which is about everything, and what is no page."""


def test_every_page_has_a_section_of_its_own() -> None:
    lacking = {name for name in addresses() if section_of(name) == SECTIONS[""]}
    assert lacking - {"documentation", "documentation_picture"} == NO_PAGES


@pytest.mark.parametrize("section", sorted({*SECTIONS.values()}))
def test_every_section_is_a_heading_of_the_documentation(section: str) -> None:
    name, _mark, anchor = section.partition("#")
    assert not anchor or anchor in headings(name)


def headings(page: str) -> set[str]:
    sections = sections_of(page).values()
    return {anchor for section in sections for anchor in section.anchors}


def test_groups_of_settings_are_those_that_there_are() -> None:
    named = [name.partition(" ")[2] for name in SECTIONS if " " in name]
    assert named
    assert set(named) <= set(GROUPS)


@pytest.mark.parametrize("name", sorted(titles()))
def test_every_section_is_shown_and_its_links_lead_somewhere(name: str) -> None:
    browser = Client()
    for section in sections_of(name):
        assert browser.get(address_of(name, section)).status_code == 200

        html = rendered(name, section)
        assert html.count("<h1") == 1
        assert ".md" not in re.sub(r"<(code|pre).*?</\1>", "", html, flags=re.DOTALL)
        for address in re.findall(r'(?:href|src)="(/[^"#]+)', html):
            assert browser.get(address).status_code == 200


def test_headings_have_the_anchors_of_sphinx() -> None:
    assert {"3-a-program", "what-is-always-checked"} <= headings("own-metric")


def test_a_heading_of_the_third_level_is_in_its_section() -> None:
    address = address_of("deploying", "the-page-system")
    assert address == "/docs/deploying/health/#the-page-system"
    assert 'id="the-page-system"' in rendered("deploying", "health")

    assert address_of("deploying", "nothing") == "/docs/deploying/"
    assert address_of("studies", "pay-people") == "/docs/studies/pay-people/"


@pytest.mark.parametrize("name", ["nothing", "reference", "conf"])
def test_what_is_no_page_is_missing(name: str) -> None:
    for address in (f"/docs/{name}/", f"/docs/studies/{name}/"):
        assert Client().get(address).status_code == 404


@pytest.mark.parametrize("file", ["conf.py", "studies.md", "..%2Fmanage.py", "no.png"])
def test_only_pictures_are_sent(file: str) -> None:
    assert Client().get(f"/docs/pictures/{file}").status_code == 404


def test_pages_link_to_their_section(office: Client, study: Study) -> None:
    def link(name: str, *more: str) -> str:
        page = office.get(reverse(name, args=[study.name, *more])).text
        return page.partition('href="/docs/')[2].partition('"')[0]

    assert link("study_pay") == "studies/pay-people/"
    assert link("study_setting_group", "question") == "studies/ask-your-own-question/"
    assert link("study_setting_group", "pace") == "dataset/study-settings/"


def test_a_page_that_does_not_exist_links_to_the_documentation() -> None:
    assert 'href="/docs/index/"' in Client().get("/nothing-here/").text


def test_the_documentation_lies_beside_the_code() -> None:
    assert Path(settings.DOCS_DIR, "studies.md").is_file()
