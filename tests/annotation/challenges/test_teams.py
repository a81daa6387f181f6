"""Teams share attempts and submissions, and each entrant chooses the submission that counts."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.http import FileResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tercet.annotation.challenges.submissions import Details, attempts_of
from tercet.annotation.challenges.tasks import accept_submission, compute_boards
from tercet.annotation.challenges.teams import choose_final, set_team
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.models.challenge import ChallengeRank
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import give_role
from tests.annotation.challenges.conftest import (
    OTHERS,
    new_challenge,
    results,
    score,
    submit,
)
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def mate(challenge: Challenge, person: User, administrator: User) -> User:
    """Another account, in the team of `person`."""
    mate = User.objects.create_user("mate")
    for each in (person, mate):
        give_role(challenge, each, ChallengeRank.SUBMITTER, administrator)
        set_team(challenge, each, "Alder", administrator)
    return mate


@pytest.fixture
def at_mate(mate: User) -> Client:
    browser = Client()
    browser.force_login(mate)
    return browser


def address(submission: Submission, page: str) -> str:
    return reverse(page, args=[submission.challenge.name, submission.key])


def board(challenge: Challenge, **query: str) -> str:
    page = reverse("challenge_leaderboard", args=[challenge.name])
    return squeeze(Client().get(page, query).text)


def ranks(challenge: Challenge) -> list[str]:
    """The ranks of the lines of systems, empty for those that have none."""
    lines = board(challenge).split("<tr")
    systems = [line for line in lines if "/submissions/" in line]
    return [line.split('<td class="number">')[1].split("<")[0] for line in systems]


def choose(submission: Submission, browser: Client, **data: str) -> str:
    page = address(submission, "submission_final")
    return squeeze(browser.post(page, data, follow=True).text)


def test_the_limit_counts_what_the_team_submits(
    challenge: Challenge, person: User, mate: User
) -> None:
    Challenge.objects.update(per_day=2)
    challenge.refresh_from_db()
    submit(challenge, person)
    assert attempts_of(mate, challenge).left == 1

    submit(challenge, mate)
    with pytest.raises(NotPossible, match="no attempt left"):
        submit(challenge, person)


def test_a_team_does_not_submit_a_file_twice(
    challenge: Challenge, person: User, mate: User
) -> None:
    submit(challenge, person, "mine")
    file = ContentFile(results(), "again.json")
    with pytest.raises(NotPossible, match="number 1, mine"):
        accept_submission(challenge, mate, Details("other"), file, ["hidden"])


def test_a_member_changes_what_another_one_submitted(
    challenge: Challenge, person: User, at_mate: Client
) -> None:
    own = score(submit(challenge, person, "ours"))
    page = address(own, "submission_details")
    at_mate.post(page, {"system": "renamed"})
    at_mate.post(address(own, "submission_withdrawn"), {"withdrawn": "on"})

    own.refresh_from_db()
    assert (own.system, own.withdrawn) == ("renamed", True)
    file = at_mate.get(address(own, "submission_file"))
    assert isinstance(file, FileResponse)
    assert file.getvalue() == results()
    overview = at_mate.get(challenge.get_absolute_url()).text
    assert "Submissions of your team, Alder" in overview
    assert "Members: ann, mate." in squeeze(overview)
    assert "renamed" in overview


def test_who_joins_brings_submissions_and_who_leaves_leaves_them(
    challenge: Challenge, person: User, mate: User, administrator: User
) -> None:
    set_team(challenge, person, "", administrator)
    alone = submit(challenge, person)
    set_team(challenge, person, "Alder", administrator)
    assert attempts_of(mate, challenge).in_all == 1

    set_team(challenge, person, "", administrator)
    alone.refresh_from_db()
    assert str(alone.team) == "Alder"
    assert attempts_of(person, challenge).in_all == 0


def test_the_board_names_the_team_unless_names_are_hidden(
    challenge: Challenge, person: User, mate: User
) -> None:
    score(submit(challenge, person, "ours"))
    assert "Alder" in board(challenge)
    assert ",Alder\n" in board_file(challenge, "csv")
    assert '"entrant": "Alder"' in board_file(challenge, "json")

    Challenge.objects.update(anonymous=True)
    assert "Alder" not in board(challenge)
    assert "Alder" not in board_file(challenge, "csv")
    assert "Alder" not in board_file(challenge, "json")


def test_an_owner_puts_accounts_into_teams(
    challenge: Challenge, person: User, office: Client
) -> None:
    page = reverse("challenge_role", args=[challenge.name])
    form = {"username": person.username, "rank": "submitter", "team": " The  Oaks "}
    shown = office.post(page, form, follow=True).text
    assert re.search(r"selected\s*>The Oaks</option>", shown)
    account = reverse("account_page", args=[person.pk])
    assert "submitter (The Oaks)" in squeeze(office.get(account).text)
    assert challenge.roles.get(user=person).team == challenge.teams.get()


@pytest.mark.usefixtures("mate")
def test_who_changes_a_team_or_role_comes_back_to_the_row(
    challenge: Challenge, person: User, office: Client
) -> None:
    role = challenge.roles.get(user=person)
    given = {"username": person.username, "rank": "submitter", "team": "Oaks"}
    changed = {"role": role.pk, "team": ""}

    for name, form in (("challenge_role", given), ("challenge_team", changed)):
        response = office.post(reverse(name, args=[challenge.name]), form)
        assert response["Location"].endswith(f"#role-{role.pk}")
        assert f'id="role-{role.pk}"' in office.get(response["Location"]).text


def test_an_owner_reads_how_to_create_an_account_that_is_missing(
    challenge: Challenge, office: Client
) -> None:
    page = reverse("challenge_role", args=[challenge.name])
    shown = office.post(page, {"username": "ghost", "rank": "submitter"}).text
    assert "Create it from a list, or send the link to enrol." in shown


def test_a_member_reads_for_which_team_captions_are_submitted(
    challenge: Challenge, at_mate: Client, office: Client
) -> None:
    page = reverse("challenge_submit", args=[challenge.name])
    assert "You submit for your team, Alder" in squeeze(at_mate.get(page).text)
    assert "You submit for your team" not in squeeze(office.get(page).text)


@pytest.mark.usefixtures("mate")
def test_an_owner_chooses_another_team_beside_the_account(
    challenge: Challenge, person: User, office: Client
) -> None:
    role = challenge.roles.get(user=person)
    oaks = challenge.teams.create(name="Oaks")
    page = reverse("challenge_team", args=[challenge.name])

    shown = office.post(page, {"role": role.pk, "team": oaks.pk}, follow=True).text
    role.refresh_from_db()
    assert role.team == oaks
    assert f"{person.username} is now in the team Oaks." in shown

    shown = office.post(page, {"role": role.pk, "team": ""}, follow=True).text
    role.refresh_from_db()
    assert role.team is None
    assert f"{person.username} is now in no team." in shown


@pytest.mark.usefixtures("mate")
def test_accounts_and_teams_of_other_challenges_are_not_chosen(
    challenge: Challenge,
    person: User,
    administrator: User,
    office: Client,
    tmp_path: Path,
) -> None:
    role = challenge.roles.get(user=person)
    other = new_challenge(tmp_path / "other", administrator)
    team = other.teams.create(name="Oaks")
    page = reverse("challenge_team", args=[challenge.name])

    for form in ({"role": role.pk, "team": team.pk}, {"role": "\x00", "team": ""}):
        shown = office.post(page, form, follow=True).text
        assert "This account or team is not here any more." in shown
    assert challenge.roles.get(user=person).team == role.team


def board_file(challenge: Challenge, form: str) -> str:
    parts = [challenge.name, form]
    response = Client().get(reverse("challenge_leaderboard_file", args=parts))
    name = f"{challenge.name}-leaderboard-hidden.{form}"
    assert name in response["Content-Disposition"]
    return response.text


def test_only_who_owns_a_challenge_is_led_to_deleted_ones(
    challenge: Challenge, administrator: User, person: User, submitter: Client
) -> None:
    page = reverse("challenges")
    assert "Recently deleted" not in submitter.get(page).text
    give_role(challenge, person, ChallengeRank.OWNER, administrator)
    assert "Recently deleted" in submitter.get(page).text


def test_what_is_chosen_is_ranked_and_the_others_of_its_team_are_not(
    challenge: Challenge, person: User, mate: User, administrator: User, at_mate: Client
) -> None:
    first = score(submit(challenge, person, "first"))
    second = score(submit(challenge, mate, "second", OTHERS))
    score(submit(challenge, administrator, "office"))
    assert ranks(challenge) == ["1", "2", "3"]

    assert "This submission counts." in choose(second, at_mate, final="on")
    assert sorted(ranks(challenge)) == ["", "1", "2"]
    assert ">counts</span>" in board(challenge)
    assert "first (not ranked)" in board_file(challenge, "md")
    assert '"counts": false' in board_file(challenge, "json")

    choose(first, at_mate, final="on")
    second.refresh_from_db()
    assert not second.final

    choose(first, at_mate)
    assert ranks(challenge) == ["1", "2", "3"]


def test_the_overview_says_what_counts_without_a_choice(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    said = "All on the leaderboard are ranked, unless you let one count."
    assert said not in squeeze(submitter.get(challenge.get_absolute_url()).text)
    submit(challenge, person)
    assert said in squeeze(submitter.get(challenge.get_absolute_url()).text)


def test_only_what_is_on_the_leaderboard_can_be_chosen(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    waiting = submit(challenge, person)
    assert "Only a submission on the leaderboard" in (
        choose(waiting, submitter, final="on")
    )
    scored = score(waiting)
    submitter.post(address(scored, "submission_withdrawn"), {"withdrawn": "on"})
    assert "Only a submission on the leaderboard" in (
        choose(scored, submitter, final="on")
    )


def test_a_withdrawn_submission_counts_no_more_and_reveals_nothing(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    first = score(submit(challenge, person, "first"))
    score(submit(challenge, person, "second", OTHERS))
    choose(first, submitter, final="on")
    submitter.post(address(first, "submission_withdrawn"), {"withdrawn": "on"})
    compute_boards.call(challenge.pk)

    assert ranks(challenge) == ["1"]
    assert ">counts</span>" not in board(challenge)


def test_after_the_end_nobody_chooses_by_the_scores(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    own = score(submit(challenge, person))
    Challenge.objects.update(closes_at=timezone.now())
    assert "while the challenge is open" in choose(own, submitter, final="on")
    own.refresh_from_db()
    assert not own.final


def test_the_list_of_own_submissions_offers_the_choice_while_it_is_open(
    challenge: Challenge, person: User, submitter: Client
) -> None:
    own = score(submit(challenge, person))
    page = address(own, "submission_final")
    assert page in submitter.get(challenge.get_absolute_url()).text
    Challenge.objects.update(closes_at=timezone.now())
    assert page not in submitter.get(challenge.get_absolute_url()).text
    assert page not in submitter.get(own.get_absolute_url()).text


def test_others_choose_nothing(
    challenge: Challenge, person: User, office: Client
) -> None:
    own = score(submit(challenge, person))
    page = address(own, "submission_final")
    assert office.post(page, {"final": "on"}).status_code == 404


def test_the_database_knows_one_that_counts(
    challenge: Challenge, person: User, mate: User
) -> None:
    submit(challenge, person)
    submit(challenge, mate)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.update(final=True)


def test_a_choice_of_a_page_that_is_old_is_checked_anew(
    challenge: Challenge, person: User
) -> None:
    own = score(submit(challenge, person))
    Submission.objects.update(withdrawn=True)
    with pytest.raises(NotPossible):
        choose_final(own, is_final=True, by=person)


def test_who_joins_a_team_keeps_a_choice_unless_the_team_has_one(
    challenge: Challenge, person: User, mate: User, administrator: User
) -> None:
    set_team(challenge, person, "", administrator)
    submit(challenge, person)
    submit(challenge, mate)
    for user in (person, mate):
        Submission.objects.filter(user=user).update(final=True)

    set_team(challenge, person, "Birch", administrator)
    assert Submission.objects.filter(final=True).count() == 2
    Submission.objects.filter(user=person).update(team=None)
    set_team(challenge, person, "Alder", administrator)
    assert Submission.objects.get(final=True).user == mate
