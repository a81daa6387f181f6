import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.analysis.stats.people.annotator_quality import FlagRules
from tercet.annotation.judging.annotators import new_annotator, new_crowd_annotator
from tercet.annotation.models import Annotator, Study
from tercet.annotation.models.answer import Status
from tercet.annotation.models.study import Rank, Time
from tercet.annotation.quality import views
from tercet.annotation.quality.exclusion import exclude_annotator, exclude_vote
from tests.annotation.judging.ballots import crowd, put
from tests.annotation.questions import answer_all, pair_of
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def page(office: Client, study: Study, name: str = "study_quality", *args: int) -> str:
    answer = office.get(reverse(name, args=[study.name, *args]))
    assert answer.status_code == 200

    return squeeze(answer.getvalue().decode())


def send(office: Client, study: Study, name: str, **fields: object) -> str:
    """What the page says that comes after a form was sent."""
    answer = office.post(reverse(name, args=[study.name]), fields, follow=True)
    assert answer.status_code == 200

    notes = answer.getvalue().decode().partition('<div class="notes" role="status">')[2]
    found = re.search(r'<p class="note[^>]*>(.*?)</p>', notes, re.S)
    assert found, "nothing was said"

    return found[1]


def free_places(study: Study) -> int:
    totals = study.questions.progress()
    return totals["needed"] - totals["votes"]


# The page


def test_a_study_without_votes_says_so_and_how_to_switch_checks_on(
    office: Client, study: Study
) -> None:
    shown = page(office, study)
    assert "No votes of named annotators" in shown
    assert shown.count("This study asks none.") == 2
    assert reverse("study_gold", args=[study.name]) in shown


def test_a_study_with_checks_is_not_told_to_switch_them_on(
    office: Client, study: Study
) -> None:
    Study.objects.update(gold_rate=0.1, repeat_rate=0.1)
    study.questions.update(gold="B")
    assert "This study asks none." not in page(office, study)


def test_a_study_without_votes_has_no_model_to_disagree_with(
    office: Client, study: Study
) -> None:
    assert "They agree on every question." not in page(office, study)


def test_everybody_is_listed_with_their_checks(
    office: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.annotation.quality.checks.rules_of", many_votes)
    people = crowd(study, ["good", "good", "contrary"])

    shown = page(office, study)
    assert all(person.name in shown for person in people)
    assert "3 annotators; none is flagged. Votes in all: 36." in shown

    assert "need 20 votes per person; 3 people have fewer." in shown
    assert "They agree on every question." in shown


def test_flags_come_first_and_can_be_ticked_at_once(
    office: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = crowd(study, ["good", "good", "fast"])[-1]
    monkeypatch.setattr("tercet.annotation.quality.checks.rules_of", few_votes)
    shown = page(office, study)

    assert "1 of 3 annotators is flagged" in shown
    assert "fast: median 0.2 s, 100\N{NO-BREAK SPACE}% of votes under 1 s" in shown
    assert " checked>" not in shown

    ticked = office.get(
        reverse("study_quality", args=[study.name]), {"tick": "flagged"}
    )
    boxes = re.findall(r'value="(\d+)"[^>]*checked>', squeeze(ticked.text))

    assert boxes == [str(person.pk)]


def many_votes(_study: Study) -> FlagRules:
    return FlagRules(least_votes=20)


def few_votes(_study: Study) -> FlagRules:
    return FlagRules(least_votes=5)


# Excluding annotators


def test_an_annotator_is_excluded_with_a_reason_and_the_places_reopen(
    office: Client, study: Study, administrator: User
) -> None:
    person = new_annotator(study)
    answer_all(person)
    said = send(office, study, "annotator_exclude", chosen=person.pk, reason="clicks")

    assert said == "Annotators excluded: 1, with 12 votes. Votes missing now: 36."
    assert free_places(study) == 36

    person.refresh_from_db()
    assert (person.excluded_by, person.excluded_reason) == (administrator, "clicks")

    shown = page(office, study)
    assert "clicks" in shown
    assert "Include again" in shown


def test_an_exclusion_is_taken_back(
    office: Client, study: Study, administrator: User
) -> None:
    person = new_annotator(study)
    answer_all(person)
    exclude_annotator(person, administrator, "a mistake")

    assert (
        send(office, study, "annotator_readmit", chosen=person.pk)
        == "Votes that count again: 12."
    )
    assert free_places(study) == 24


def test_votes_whose_places_were_filled_are_told_as_surplus(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    answer_all(person)
    exclude_annotator(person, None, "a mistake")
    for _ in range(3):
        answer_all(new_annotator(study))

    said = send(office, study, "annotator_readmit", chosen=person.pk)
    assert "Votes that count again: 0." in said
    assert "Kept as surplus, because others have voted instead: 12." in said


def test_many_are_excluded_with_one_reason(office: Client, study: Study) -> None:
    people = crowd(study, ["left", "left", "good"])
    said = send(
        office,
        study,
        "annotator_exclude",
        chosen=[one.pk for one in people[:2]],
        reason="left",
    )

    assert said.startswith("Annotators excluded: 2, with ")
    assert list(study.annotators.filter(excluded_at=None)) == [people[2]]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"reason": "clicks"}, "Select at least one row"),
        ({"reason": "clicks", "chosen": 10**6}, "selected rows is not in this study"),
        ({"reason": "clicks", "chosen": "all"}, "selected rows is not in this study"),
    ],
)
@pytest.mark.parametrize("name", ["annotator_exclude", "vote_exclude"])
def test_an_exclusion_of_nobody_is_met_with_words(
    office: Client, study: Study, name: str, fields: dict[str, object], told: str
) -> None:
    assert told in send(office, study, name, **fields)


@pytest.mark.parametrize("name", ["annotator_readmit", "vote_readmit"])
def test_taking_nothing_back_is_met_with_words(
    office: Client, study: Study, name: str
) -> None:
    assert "Select at least one row" in send(office, study, name)


def test_nobody_is_excluded_without_a_reason(office: Client, study: Study) -> None:
    person = new_annotator(study)
    said = send(office, study, "annotator_exclude", chosen=person.pk, reason="  ")

    assert said == "Give a reason; it is stored in the audit log."

    person.refresh_from_db()
    assert person.excluded_at is None


def test_a_form_leads_back_to_its_page_and_to_no_other_site(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    own = reverse("study_annotator", args=[study.name, person.pk])

    for came_from, leads_to in [
        (own, own),
        ("https://elsewhere.example/", reverse("study_quality", args=[study.name])),
    ]:
        answer = office.post(
            reverse("annotator_readmit", args=[study.name]),
            {"chosen": person.pk, "next": came_from},
        )
        assert answer.headers["Location"] == leads_to


# What changes without


def test_what_changes_without_chosen_annotators_is_shown(
    office: Client, study: Study
) -> None:
    people = crowd(study, ["good", "contrary", "contrary"])
    query = {"chosen": [one.pk for one in people[1:]]}
    answer = office.get(reverse("study_without", args=[study.name]), query)

    shown = squeeze(answer.getvalue().decode())
    assert "Without 24 of 36 votes, <strong>4 winners</strong> change." in shown
    assert 'Pairs HI</dt><dd>1 <span class="whole">of 1</span></dd>' in shown

    assert "a dog plays with a ball" in shown
    assert "Exclude these annotators" in shown
    assert all(not one.excluded_at for one in study.annotators.all())


def test_without_a_choice_the_flagged_are_left_out(
    office: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd(study, ["good"])
    for person in crowd(study, ["contrary", "contrary"]):
        person.answers.update(seconds=0.1)

    monkeypatch.setattr("tercet.annotation.quality.checks.rules_of", few_votes)
    assert "<strong>4 winners</strong> change." in page(office, study, "study_without")

    nobody = office.get(reverse("study_without", args=[study.name]), {"chosen": ""})
    assert "Nobody is selected, so nothing changes." in nobody.getvalue().decode()


def test_without_flags_there_is_nothing_to_leave_out(
    office: Client, study: Study
) -> None:
    crowd(study, ["good"])
    assert "Nobody is flagged" in page(office, study, "study_without")


# One annotator


def test_the_page_of_an_annotator_shows_their_votes_and_checks(
    office: Client, study: Study
) -> None:
    study.questions.update(gold="B")
    person, first = new_annotator(study), study.questions.all()[0]
    put(person, first, "B", 3.25)
    put(person, first, "C", purpose="gold")
    put(person, first, "B", purpose="repeat")

    shown = page(office, study, "study_annotator", person.pk)
    assert pair_of(first).b.caption in shown
    assert "gold: wrong" in shown

    assert "repeat: same answer" in shown
    assert "3.3" in shown

    gold = office.get(
        reverse("study_annotator", args=[study.name, person.pk]), {"show": "gold"}
    )

    assert "repeat: same answer" not in gold.getvalue().decode()

    odd = office.get(
        reverse("study_annotator", args=[study.name, person.pk]), {"show": "odd"}
    )

    assert "repeat: same answer" in odd.getvalue().decode()


def test_votes_are_shown_page_by_page(
    office: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "VOTES_PER_PAGE", 5)
    (person,) = crowd(study, ["good"])
    assert "Page 1 of 3" in page(office, study, "study_annotator", person.pk)


def test_the_page_of_an_annotator_tells_what_the_crowd_said_of_them(
    office: Client, study: Study
) -> None:
    person = new_crowd_annotator(study, "5f3a", {"SESSION_ID": "s-77", "STUDY_ID": ""})
    shown = page(office, study, "study_annotator", person.pk)

    assert "5f3a · SESSION_ID s-77 · joined" in shown
    assert "STUDY_ID" not in shown


def test_answers_to_questionnaires_are_shown_to_those_who_may_see_names(
    office: Client, study: Study, annotator: Annotator
) -> None:
    Study.objects.update(questionnaire_before="Who <are> you?\n[who: text]")
    annotator.questionnaires.create(
        time=Time.BEFORE, answers={"who": "Kim & co", "old": "=1"}
    )
    page = office.get(reverse("study_annotator", args=[study.name, annotator.pk])).text

    assert '<dt>Who &lt;are&gt; you?</dt><dd dir="auto">Kim &amp; co</dd>' in page
    assert "<dt>old</dt>" in page

    colleague = User.objects.create_user("colleague")
    study.roles.create(user=colleague, rank=Rank.RESEARCHER)
    office.force_login(colleague)

    page = office.get(reverse("study_annotator", args=[study.name, annotator.pk])).text
    assert "Kim" not in page


def test_somebody_of_another_study_is_not_found(office: Client, study: Study) -> None:
    assert (
        office.get(reverse("study_annotator", args=[study.name, 10**6])).status_code
        == 404
    )


def test_a_vote_is_excluded_with_a_reason_and_taken_back(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    answer_all(person)
    vote = person.answers.first()
    assert vote is not None

    said = send(office, study, "vote_exclude", chosen=vote.pk, reason="spilt coffee")
    assert said == "Votes excluded: 1. They will be collected again."
    assert free_places(study) == 25

    assert "1 single vote is excluded." in page(office, study)
    assert "spilt coffee" in page(office, study, "study_annotator", person.pk)
    assert (
        send(office, study, "vote_readmit", chosen=vote.pk)
        == "Votes that count again: 1."
    )
    assert free_places(study) == 24


def test_a_vote_taken_back_too_late_is_told_as_surplus(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    answer_all(person)
    vote = person.answers.earliest("pk")
    exclude_vote(vote, None, "a mistake")
    for _ in range(3):
        answer_all(new_annotator(study))

    assert "Kept as surplus" in send(office, study, "vote_readmit", chosen=vote.pk)

    vote.refresh_from_db()
    assert vote.status == Status.SURPLUS


def test_the_votes_of_the_excluded_come_back_with_them_only(
    office: Client, study: Study
) -> None:
    person = new_annotator(study)
    answer_all(person)
    exclude_annotator(person, None, "clicks")

    shown = page(office, study, "study_annotator", person.pk)
    assert 'name="reason"' not in shown
    assert 'form="readmitting"' not in shown

    vote = person.answers.earliest("pk")
    assert (
        send(office, study, "vote_readmit", chosen=vote.pk)
        == "Votes that count again: 0."
    )


@pytest.mark.parametrize("back", ["foo", "a b", "study_new"])
def test_a_form_that_came_from_nowhere_leads_back_all_the_same(
    office: Client, study: Study, back: str
) -> None:
    person = new_annotator(study)
    address = reverse("annotator_readmit", args=[study.name])
    response = office.post(address, {"chosen": [person.pk], "next": back})

    assert response.status_code == 302
