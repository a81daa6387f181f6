"""Who may see and do what in a challenge."""

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from tercet.annotation.challenges.teams import is_own
from tercet.annotation.models import Challenge, ChallengeToken, Dataset, Submission
from tercet.annotation.models.challenge import (
    HIDDEN,
    Audience,
    ChallengeRank,
    Submitters,
)
from tercet.annotation.permissions import Member, guard
from tercet.annotation.studies.roles import is_owner
from tercet.annotation.studies.tokens import digest_of

_FORM, _OPERATION = "challenge_submit", "api:submit"
"""The names of the addresses that take submissions."""
_BEARER = "Bearer "


def may_submit(user: Member, challenge: Challenge) -> bool:
    """Return whether an account may submit, apart from dates and limits."""
    if not user.is_authenticated:
        return False
    if user.is_staff or challenge.submitters == Submitters.ALL:
        return True

    return challenge.roles.filter(user=user).exists()


def may_caption(user: Member, dataset: Dataset) -> bool:
    """Return whether an account may submit captions of the images of a dataset."""
    of_dataset = Q(dataset=dataset) | Q(development=dataset)
    rows = Challenge.objects.filter(of_dataset)
    return any(may_submit(user, challenge) for challenge in rows)


def _may_see(user: Member, challenge: Challenge) -> bool:
    return challenge.leaderboard == Audience.PUBLIC or may_submit(user, challenge)


_CHALLENGES = Challenge.objects.select_related("dataset", "development")
visible_to_visitors = guard(_CHALLENGES, _may_see, _may_see)
submitters_only = guard(_CHALLENGES, may_submit, _may_see)
owners_only = guard(_CHALLENGES, is_owner, _may_see)
"""Decorators of views, which receive the challenge, not its name."""


def may_see_board(user: Member, challenge: Challenge, split: str = HIDDEN) -> bool:
    """Return whether a visitor may see the scores of all submissions on a split.

    Scores on the development split, whose references are public, are not kept until the end.
    """
    if is_owner(user, challenge):
        return True
    if challenge.leaderboard == Audience.OWNERS:
        return False
    if split == HIDDEN and not challenge.shows_scores:
        return False

    return _may_see(user, challenge)


def may_see_submission(user: Member, submission: Submission) -> bool:
    """Return whether a visitor may see the page of a submission."""
    challenge = submission.challenge
    if is_own(user, submission) or is_owner(user, challenge):
        return True

    return bool(splits_seen(user, submission))


def splits_seen(user: Member, submission: Submission) -> list[str]:
    """Return the splits of a submission on which a visitor may see its scores."""
    splits: list[str] = submission.splits
    return [each for each in splits if _may_see_scores(user, submission, each)]


def _may_see_scores(user: Member, submission: Submission, split: str) -> bool:
    challenge = submission.challenge
    if is_owner(user, challenge):
        return True
    if is_own(user, submission):
        return split != HIDDEN or challenge.shows_scores

    is_shown = submission.is_listed and submission.on_board
    return is_shown and may_see_board(user, challenge, split)


def find_token(challenge_name: str, token: str) -> ChallengeToken | None:
    """Return the row of a token; None if its account may not submit to this challenge."""
    rows = ChallengeToken.objects.select_related("challenge", "user")
    challenge = Challenge.objects.filter(name=challenge_name)
    found = rows.filter(challenge__in=challenge, digest=digest_of(token)).first()
    if found is None or not found.user.is_active:
        return None

    return found if may_submit(found.user, found.challenge) else None


def is_submission(request: HttpRequest) -> bool:
    """Return whether a request is sent by who may submit to where submissions are sent to.

    It may have a larger body than others.
    """
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return False

    name = str(match.kwargs.get("name"))
    if match.view_name == _FORM:
        challenge = Challenge.objects.filter(name=name).first()
        return challenge is not None and may_submit(request.user, challenge)
    if match.view_name == _OPERATION:
        given = request.headers.get("Authorization", "")
        token = given.removeprefix(_BEARER)
        return find_token(name, token) is not None

    return False


def owns_any(user: Member) -> bool:
    """Return whether an account may change any challenge, or a deleted one."""
    if not user.is_authenticated:
        return False
    return (
        user.is_staff or user.challenge_roles.filter(rank=ChallengeRank.OWNER).exists()
    )


def challenges_of(user: Member) -> QuerySet[Challenge]:
    """Select the challenges that a visitor may see."""
    public = Q(leaderboard=Audience.PUBLIC)
    if not user.is_authenticated:
        return Challenge.objects.filter(public)
    if user.is_staff:
        return Challenge.objects.all()

    with_role = user.challenge_roles.values("challenge")
    own = Q(pk__in=with_role)
    for_all = Q(submitters=Submitters.ALL)
    return Challenge.objects.filter(public | own | for_all)
