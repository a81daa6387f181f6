"""Choices on five points, which also say how much better a caption is."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import load, write
from tercet.analysis.dataset.winners import pair_winners
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.kinds.kind import NotAnAnswer
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import Annotator, Answer, Study
from tercet.annotation.participation.simulation import simulate
from tests.annotation.questions import answer_all, claimed, pair_of
from tests.support.folders import contents
from tests.support.pages import squeeze

pytestmark = [pytest.mark.voting, pytest.mark.django_db]


@pytest.fixture
def study(study: Study) -> Study:
    """A study on five points."""
    Study.objects.update(scale=5, enforced_seconds=0)
    return Study.objects.get()


@pytest.fixture
def browser(study: Study) -> Client:
    """Somebody who came by the join link."""
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    return browser


@pytest.mark.parametrize(
    ("point", "side", "strength"),
    [
        ("left-2", "left", 2),
        ("left-1", "left", 1),
        ("tie", "", 0),
        ("right-1", "right", 1),
        ("right-2", "right", 2),
    ],
)
def test_a_point_is_a_choice_and_its_strength(
    study: Study, annotator: Annotator, point: str, side: str, strength: int
) -> None:
    lease = claimed(annotator)
    cast = vote(lease.key, point)
    expected = {lease.b_side: "B", "": "tie"}.get(side, "C")
    assert (cast.choice, cast.strength) == (expected, strength)
    assert Answer.objects.get().strength == strength


@pytest.mark.parametrize("point", ["left", "left-3", "left-0", "tie-0", "", None, []])
def test_what_is_no_point_is_no_answer(
    study: Study, annotator: Annotator, point: str
) -> None:
    lease = claimed(annotator)
    with pytest.raises(NotAnAnswer):
        vote(lease.key, point)


@pytest.mark.parametrize("point", ["left-1", "right-2", "tie"])
def test_two_points_have_no_strength(
    study: Study, annotator: Annotator, point: str
) -> None:
    Study.objects.update(scale=2)
    lease = claim(Annotator.objects.get())
    assert lease
    with pytest.raises(NotAnAnswer):
        vote(lease.key, point)
    assert vote(lease.key, "left").strength is None


def test_simulated_annotators_give_strengths(study: Study) -> None:
    list(simulate(study, range(3), 1, {}, 0))
    votes = set(Answer.objects.values_list("choice", "strength"))
    assert {strength for _choice, strength in votes} == {0, 1, 2}
    assert all((choice == "tie") == (strength == 0) for choice, strength in votes)


def test_an_export_with_strengths_is_imported_byte_for_byte(
    study: Study, tmp_path: Path
) -> None:
    list(simulate(study, range(3), 1, {}, 0))
    first, second = tmp_path / "first", tmp_path / "second"
    write(study_frames(study), first, study.dataset.folder)
    again = import_dataset(load(first), "again", first).studies.get()
    write(study_frames(again), second, again.dataset.folder)

    assert contents(first) == contents(second)
    header = (first / "votes.csv").read_text().splitlines()[0]
    assert header.startswith("pair,reference,annotator,choice,strength,")


def test_the_page_of_a_pair_has_the_mean_strength_that_the_analysis_has(
    office: Client, study: Study, annotator: Annotator
) -> None:
    answer_all(annotator, "left-2")
    winners = pair_winners(study_frames(study)).set_index("pair")["strength"]
    question = study.questions.first()
    assert question
    pair = pair_of(question)
    text = squeeze(office.get(reverse("study_pair", args=[study.name, pair.pk])).text)

    mean = winners[pair.name]
    sign = "+" if mean > 0 else ""
    assert f"Mean strength {sign}{mean:.2f}, from" in text


def test_the_page_offers_five_points_and_takes_them_without_a_script(
    browser: Client, study: Study
) -> None:
    browser.get(reverse("home"))  # which shows the resume code, once
    text = browser.get(reverse("judge", args=[study.name])).text
    assert text.count('type="radio" name="side"') == 5
    for label in ("Clearly the first", "Rather the first", "Equal"):
        assert label in text

    key = text.split('id="key" value="')[1].split('"')[0]
    sent = {"key": key, "side": "right-2"}
    browser.post(reverse("cast_vote", args=[study.name]), sent)
    assert Answer.objects.get().strength == 2


def test_the_scale_can_be_changed_in_a_draft_only(office: Client, study: Study) -> None:
    address = reverse("study_setting_group", args=[study.name, "basics"])
    for state, is_locked in (("draft", False), ("open", True)):
        Study.objects.update(state=state)
        field = office.get(address).text.split('name="scale"')[1].split(">")[0]
        assert ("disabled" in field) is is_locked
