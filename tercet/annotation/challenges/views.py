"""Challenges: their list, pages, leaderboards and settings."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from tercet.analysis.leaderboard.board import Board
from tercet.annotation.archive_views import DeletionForm, change_archive, delete_by
from tercet.annotation.challenges.creation import (
    advance,
    create_challenge,
    save_settings,
)
from tercet.annotation.challenges.forms import ChallengeForm, NewChallengeForm
from tercet.annotation.challenges.leaderboard import (
    TYPES,
    board_of,
    choice_of,
    page_of,
    text_of,
)
from tercet.annotation.challenges.pages import challenge_page
from tercet.annotation.challenges.permissions import (
    challenges_of,
    may_see_board,
    may_submit,
    owners_only,
    owns_any,
    submitters_only,
    visible_to_visitors,
)
from tercet.annotation.challenges.references import images_csv
from tercet.annotation.challenges.submissions import attempts_of
from tercet.annotation.challenges.tasks import renew_boards, request_boards
from tercet.annotation.challenges.teams import team_of
from tercet.annotation.models import Challenge, Worker
from tercet.annotation.models.challenge import ChallengeRank, Submitters
from tercet.annotation.operations.deletion.deleting import delete_challenge
from tercet.annotation.permissions import administrators_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    attachment,
    csv_response,
    form_on,
    form_page,
    form_response,
    posted,
    refusals_in,
    refusals_shown,
    safe_page,
    show_success,
    zip_response,
)
from tercet.annotation.results.downloads import dataset_zip
from tercet.annotation.studies.roles import is_owner

FILES = {"csv": "CSV", "tex": "LaTeX", "md": "Markdown", "json": "JSON"}
_EXACT = ("csv", "json")
"""The files with exact figures for owners. What shows fewer decimals is the same for all."""


@require_safe
def challenges(request: HttpRequest) -> HttpResponse:
    """List the challenges that a visitor may see, or the archived ones of them."""
    shows_archive = request.GET.get("archived") == "yes"
    visible = challenges_of(request.user)
    rows = visible.filter(archived_at__isnull=not shows_archive)

    context = {
        "shows_archive": shows_archive,
        "archived": visible.filter(archived_at__isnull=False).count(),
        "owns_any": owns_any(request.user),
        "challenges": [
            (challenge, challenge.submissions.scored().count()) for challenge in rows
        ],
    }
    return render(request, "challenges/challenges.html", context)


@administrators_only
@form_page
def challenge_new(request: UserRequest) -> HttpResponse:
    """Create a challenge of a dataset."""
    initial = {"dataset": request.GET.get("dataset")}
    form = NewChallengeForm(posted(request), initial=initial)
    if form.is_valid():
        with refusals_in(form):
            challenge = create_challenge(form.save(commit=False), request.user)
            request_boards(challenge)
            show_success(request, "The challenge is created.")
            return redirect(challenge)

    return form_response(request, "challenges/new.html", form)


@visible_to_visitors
@safe_page
def challenge(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Show what a challenge asks for, and the first lines of its leaderboard."""
    user = request.user
    context: dict[str, object] = {
        "sees_board": any(
            may_see_board(user, challenge, split) for split in challenge.splits
        ),
        "scored": challenge.submissions.scored().count(),
        "images": challenge.dataset.images.count(),
        "lacks_people": _lacks_people(challenge),
    }
    if may_submit(user, challenge):
        team = team_of(user, challenge)
        context |= {
            "team": team,
            "members": team.members if team else [],
            "own": challenge.submissions.of(user, team),
            "attempts": attempts_of(user, challenge),
            "has_worker": Worker.objects.alive().exists(),
        }
    return challenge_page(request, "challenge", challenge, context)


def _lacks_people(challenge: Challenge) -> bool:
    """Return whether nobody has been let in; where every account may submit, nobody has yet."""
    if challenge.roles.filter(rank=ChallengeRank.SUBMITTER).exists():
        return False
    return (
        challenge.submitters == Submitters.INVITED or not challenge.submissions.exists()
    )


@visible_to_visitors
@safe_page
def challenge_leaderboard(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Show the leaderboard, ordered by any column."""
    renew_boards(challenge)
    split = _split_in(request, challenge)
    board = _board_in(request, challenge)
    shown = None
    if board:
        choice = choice_of(board, request.GET)
        names = _sees_names(request, challenge)
        shown = page_of(board, challenge, split, choice, names=names)

    return challenge_page(
        request,
        "leaderboard",
        challenge,
        {
            "sees_board": may_see_board(request.user, challenge, split),
            "board": shown,
            "split": split,
            "outdated": challenge.board_revision < challenge.revision,
            "has_worker": Worker.objects.alive().exists(),
            "scored": challenge.submissions.scored().count(),
            "files": FILES,
        },
    )


def _split_in(request: UserRequest, challenge: Challenge) -> str:
    """Return the split that the address names, by default the one of the phase."""
    split = request.GET.get("split", "")
    return split if split in challenge.splits else next(iter(challenge.splits_taken))


def _board_in(
    request: UserRequest, challenge: Challenge, *, exact: bool = False
) -> Board | None:
    """Return the leaderboard of the split that the address names, if it may be seen."""
    split = _split_in(request, challenge)
    if not may_see_board(request.user, challenge, split):
        return None

    return board_of(challenge, split, exact=exact)


def _sees_names(request: UserRequest, challenge: Challenge) -> bool:
    return not challenge.anonymous or is_owner(request.user, challenge)


@visible_to_visitors
@safe_page
def challenge_leaderboard_file(
    request: UserRequest, challenge: Challenge, form: str
) -> HttpResponse:
    """Send the leaderboard as a file."""
    exact = form in _EXACT and is_owner(request.user, challenge)
    board = _board_in(request, challenge, exact=exact)
    if board is None or form not in TYPES:
        raise Http404

    split = _split_in(request, challenge)
    choice = choice_of(board, request.GET)
    names = _sees_names(request, challenge)
    return HttpResponse(
        text_of(board, challenge, form, choice, names=names),
        headers=attachment(f"{challenge.name}-leaderboard-{split}.{form}"),
        content_type=TYPES[form],
    )


@submitters_only
@require_safe
def challenge_images(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Send the list of images that captions are submitted of."""
    text = images_csv(challenge.dataset, request.build_absolute_uri)
    return csv_response(request, f"{challenge.name}-images.csv", text)


@submitters_only
@require_safe
def challenge_development(
    request: UserRequest, challenge: Challenge
) -> HttpResponseBase:
    """Send the development split, with its references."""
    if challenge.development is None:
        raise Http404

    name = f"{challenge.name}-development.zip"
    return zip_response(name, dataset_zip(challenge.development))


@owners_only
@form_page
def challenge_settings(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Show and save the settings of a challenge."""
    before = {name: getattr(challenge, name) for name in ChallengeForm.Meta.fields}
    form = ChallengeForm(posted(request), instance=challenge)
    if form.is_valid():
        with refusals_in(form):
            if save_settings(form.instance, before, request.user):
                request_boards(challenge)
            show_success(request, "Saved.")
            return redirect("challenge_settings", challenge.name)

    return _settings_page(request, challenge, form, DeletionForm(challenge.title))


def _settings_page(
    request: UserRequest,
    challenge: Challenge,
    form: ChallengeForm,
    deletion_form: DeletionForm,
) -> HttpResponse:
    """Show the settings of a challenge, with status 422 if a form was refused."""
    status = 422 if form.is_bound or deletion_form.is_bound else 200
    return challenge_page(
        request,
        "settings",
        challenge,
        {
            "form": form,
            "deletion_form": deletion_form,
            "submissions": challenge.submissions.count(),
        },
        status,
    )


@owners_only
@require_POST
def challenge_phase(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Begin the phase after the one that the page showed."""
    with refusals_shown(request):
        advance(challenge, request.POST.get("after", ""), request.user)
        message = "The challenge is now: %(phase)s."
        show_success(request, message, phase=challenge.phase)
    return redirect(challenge)


@owners_only
@require_POST
def challenge_archive(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Archive a challenge, or take it out of the archive."""
    change_archive(request, challenge)
    return redirect(reverse("challenge_settings", args=[challenge.name]) + "#archive")


@owners_only
@form_on("challenge_settings")
def challenge_delete(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Delete a challenge whose title was typed, unless it has submissions."""
    form = DeletionForm(challenge.title, request.POST)
    if not form.is_valid():
        settings_form = ChallengeForm(instance=challenge)
        return _settings_page(request, challenge, settings_form, form)

    if not delete_by(delete_challenge, request, challenge):
        return redirect("challenge_settings", challenge.name)
    return redirect("challenges")
