"""Submit captions to a challenge, and see what became of them."""

from pathlib import Path
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from tercet.analysis.leaderboard.result_files import ResultFile
from tercet.annotation.challenges.forms import DetailsForm, SubmissionForm
from tercet.annotation.challenges.pages import challenge_page
from tercet.annotation.challenges.permissions import (
    may_see_submission,
    owners_only,
    splits_seen,
    submitters_only,
    visible_to_visitors,
)
from tercet.annotation.challenges.submission_scores import (
    scores_csv,
    submission_figures,
)
from tercet.annotation.challenges.submissions import (
    attempts_of,
    check_file,
    check_may_submit,
    on_disk,
)
from tercet.annotation.challenges.tasks import accept_submission, request_boards
from tercet.annotation.challenges.teams import choose_final, is_own, team_of
from tercet.annotation.challenges.throttle import TooManyChecks, count_check
from tercet.annotation.models import Challenge, Submission, Worker
from tercet.annotation.models.base import store
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    csv_response,
    form_page,
    is_ticked,
    posted,
    refusals_shown,
    safe_page,
    show_success,
)
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import is_owner

MAX_PROBLEMS = 200
"""Problems on the page."""


@submitters_only
@form_page
def challenge_submit(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Check a result file, and submit it unless only a check is asked for."""
    form = SubmissionForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return _submit_page(request, challenge, form)

    try:
        count_check(request.user)
    except TooManyChecks as error:
        form.add_error(None, str(error))
        response = _submit_page(request, challenge, form, status=429)
        response["Retry-After"] = str(error.seconds)
        return response

    file = form.cleaned_data["file"]
    with on_disk(file) as path:
        result = check_file(path, challenge.splits, challenge.splits_closed)

    if result.problems or "check" in request.POST:
        found = _outcome_of_check(file.name, result)
        return _submit_page(request, challenge, form, found)

    try:
        submission = accept_submission(
            challenge, request.user, form.details(), file, list(result.captions)
        )
    except NotPossible as error:
        form.add_error(None, str(error))
        return _submit_page(request, challenge, form)

    for warning in result.warnings:
        messages.warning(request, str(warning))
    return redirect(submission)


def _outcome_of_check(file: str, result: ResultFile) -> dict[str, object]:
    return {
        "problems": result.problems[:MAX_PROBLEMS],
        "count": len(result.problems) + result.more,
        "warnings": result.warnings,
        "checked": file,
        "captions": sum(map(len, result.captions.values())),
    }


def _submit_page(
    request: UserRequest,
    challenge: Challenge,
    form: SubmissionForm,
    found: dict[str, object] | None = None,
    status: int = 422,
) -> HttpResponse:
    """Show the form; `status` is what a fault is answered with."""
    refusal = ""
    try:
        check_may_submit(request.user, challenge)
    except NotPossible as error:
        refusal = str(error)

    found = found or {}
    is_faulty = form.errors or found.get("problems")
    return challenge_page(
        request,
        "submissions/submit",
        challenge,
        {
            "form": form,
            "attempts": attempts_of(request.user, challenge),
            "team": team_of(request.user, challenge),
            "refusal": refusal,
            **found,
        },
        status if is_faulty else 200,
    )


def _submission(request: UserRequest, challenge: Challenge, key: UUID) -> Submission:
    """Return a submission that a visitor may see; raises Http404."""
    rows = challenge.submissions.select_related("user", "team")
    submission = get_object_or_404(rows, key=key)
    submission.challenge = challenge

    if not may_see_submission(request.user, submission):
        raise Http404
    return submission


@visible_to_visitors
@safe_page
def submission(request: UserRequest, challenge: Challenge, key: UUID) -> HttpResponse:
    """Show a submission: what it is, whether it is scored, and its scores."""
    found = _submission(request, challenge, key)
    owns = is_owner(request.user, challenge)
    splits = splits_seen(request.user, found)
    own = is_own(request.user, found)

    return challenge_page(
        request,
        "submissions/submission",
        challenge,
        {
            "submission": found,
            "is_own": own,
            "names": owns or own or not challenge.anonymous,
            "figures": submission_figures(found, splits, exact=False),
            "has_worker": Worker.objects.alive().exists(),
        },
    )


@submitters_only
@safe_page
def submission_file(
    request: UserRequest, challenge: Challenge, key: UUID
) -> HttpResponseBase:
    """Send the file of a submission to its submitter and to owners."""
    found = _submission(request, challenge, key)
    if not is_own(request.user, found) and not is_owner(request.user, challenge):
        raise Http404

    path = Path(found.file.path)
    return FileResponse(
        path.open("rb"),
        as_attachment=True,
        filename=f"{challenge.name}-{found.number}{path.suffix}",
    )


@owners_only
@safe_page
def submission_scores(
    request: UserRequest, challenge: Challenge, key: UUID
) -> HttpResponse:
    """Send the score of each caption of a submission to owners."""
    found = _submission(request, challenge, key)
    text = scores_csv(found)
    if text is None:
        raise Http404

    return csv_response(request, f"{challenge.name}-{found.number}-scores.csv", text)


@owners_only
@require_POST
def submission_shown(
    request: UserRequest, challenge: Challenge, key: UUID
) -> HttpResponse:
    """Show a submission on the leaderboard, or hide it."""
    found = _submission(request, challenge, key)
    store(found, shown=is_ticked(request, "shown"))
    request_boards(challenge)

    state = "on the leaderboard" if found.shown else "hidden"
    show_success(request, f"The submission is {state}.")
    return redirect(found)


@submitters_only
@form_page
def submission_details(
    request: UserRequest, challenge: Challenge, key: UUID
) -> HttpResponse:
    """Change what a submitter says about a submission."""
    found = _own_submission(request, challenge, key)
    form = DetailsForm(posted(request), instance=found)
    if not form.is_valid():
        context = {"form": form, "submission": found}
        status = 422 if form.is_bound else 200
        return challenge_page(
            request, "submissions/details", challenge, context, status
        )

    form.save()
    show_success(request, "Saved.")
    return redirect(found)


@submitters_only
@require_POST
def submission_withdrawn(
    request: UserRequest, challenge: Challenge, key: UUID
) -> HttpResponse:
    """Withdraw a submission, or take that back; it counts as an attempt all the same."""
    found = _own_submission(request, challenge, key)
    withdrawn = is_ticked(request, "withdrawn")
    store(found, withdrawn=withdrawn, final=found.final and not withdrawn)
    request_boards(challenge)

    state = "withdrawn" if found.withdrawn else "no longer withdrawn"
    show_success(request, f"The submission is {state}.")
    return redirect(found)


@submitters_only
@require_POST
def submission_final(
    request: UserRequest, challenge: Challenge, key: UUID
) -> HttpResponse:
    """Choose the submission that counts, or take that back."""
    found = _own_submission(request, challenge, key)
    is_final = is_ticked(request, "final")

    with refusals_shown(request):
        choose_final(found, is_final, request.user)
        what = "This submission counts." if is_final else "All your submissions count."
        show_success(request, what)
    return redirect(found)


def _own_submission(
    request: UserRequest, challenge: Challenge, key: UUID
) -> Submission:
    """Return a submission of the account or its team; raises Http404."""
    found = _submission(request, challenge, key)
    if not is_own(request.user, found):
        raise Http404
    return found


@owners_only
@safe_page
def challenge_submissions(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """List all submissions for the owners."""
    submissions = challenge.submissions.select_related("user", "team")
    return challenge_page(
        request, "submissions/submissions", challenge, {"submissions": submissions}
    )
