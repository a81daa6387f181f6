"""My metrics: chosen once for the sentence, the table, the figure, and all files of a study."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Study
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db

MINE = ["CIDEr", "METEOR"]
FILES = ("paper.tex", "paper.md", "paper.csv", "figure.svg")


def page(office: Client, study: Study, **asked: str | list[str]) -> str:
    return squeeze(office.get(study.get_absolute_url(), asked).text)


def checked(shown: str) -> list[str]:
    """The metrics that are chosen in the table."""
    boxes = re.findall(r"<input type=\"checkbox\" name=\"row\"[^>]*>", shown)
    return [re.findall(r'value="([^"]*)"', box)[0] for box in boxes if "checked" in box]


def text_of(office: Client, study: Study, file: str) -> str:
    response = office.get(reverse("study_file", args=[study.name, file]))
    assert response.status_code == 200
    return str(response.text)


def test_the_choice_holds_for_the_page_and_for_every_file_until_another(
    office: Client, evaluated: Study
) -> None:
    chosen = page(office, evaluated, row=MINE)
    assert set(checked(chosen)) == set(MINE)
    assert "hese 2 metrics" in chosen

    again = page(office, evaluated)
    assert set(checked(again)) == set(MINE)
    assert "hese 2 metrics" in again
    for file in FILES:
        text = text_of(office, evaluated, file)
        assert re.search("METEOR|series-meteor", text)
        assert not re.search("ROUGE|series-rouge", text), file

    everything = page(office, evaluated, row="")
    assert len(checked(everything)) > 2
    assert "ROUGE" in text_of(office, evaluated, "paper.csv")


def test_a_choice_is_of_one_study_and_one_session(
    office: Client, evaluated: Study, administrator: object
) -> None:
    page(office, evaluated, row=MINE)
    other = Client()
    other.force_login(administrator)  # type: ignore[arg-type]
    assert len(checked(page(other, evaluated))) > 2


def test_metrics_that_are_not_chosen_stay_in_the_table(
    office: Client, evaluated: Study
) -> None:
    shown = page(office, evaluated, row=MINE)
    assert '<tr data-metric="BLEU-4" class="dim">' in shown
    assert ">All metrics</a>" in shown


@pytest.mark.parametrize("file", ["figure-one-column.pdf", "figure-two-columns.pdf"])
def test_figures_for_papers_are_drawn_of_the_choice(
    office: Client, evaluated: Study, file: str
) -> None:
    address = reverse("study_file", args=[evaluated.name, file])
    assert address in page(office, evaluated, row=MINE)
    assert office.get(address).content.startswith(b"%PDF")
