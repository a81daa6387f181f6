"""The API of challenges: programs submit captions with an account's token, and read scores."""

from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, File, Form, Router, Schema, UploadedFile
from ninja.errors import HttpError
from ninja.responses import Status
from ninja.security import HttpBearer

from tercet.analysis.tables.csv_tables import Problem
from tercet.annotation.challenges.forms import SubmissionForm
from tercet.annotation.challenges.permissions import find_token, splits_seen
from tercet.annotation.challenges.submission_scores import submission_figures
from tercet.annotation.challenges.submissions import check_file, on_disk
from tercet.annotation.challenges.tasks import accept_submission
from tercet.annotation.challenges.teams import is_own
from tercet.annotation.challenges.throttle import TooManyChecks, count_check
from tercet.annotation.models import ChallengeToken, Submission
from tercet.annotation.models.challenge import counts_text
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.roles import is_owner

MAX_PROBLEMS = 200


class SubmitterToken(HttpBearer):
    """The token of an account for the challenge that the address names."""

    def authenticate(self, request: HttpRequest, token: str) -> ChallengeToken | None:
        match = request.resolver_match
        return find_token(match.kwargs["name"], token) if match else None


class _SubmitterRequest(HttpRequest):
    """A request with a valid token."""

    auth: ChallengeToken


class Refusal(Schema):
    detail: str


class FileProblem(Schema):
    """What is wrong with a file: `entry` is the number of the entry or line."""

    file: str
    entry: int | None
    column: str
    value: str
    what: str
    remedy: str


class RefusedFile(Schema):
    """Why a file was refused; `problems` are the first of `count`."""

    detail: str
    count: int
    problems: list[FileProblem]


class Checked(Schema):
    """A valid file that was only checked; `captions` is how many it has."""

    captions: int
    warnings: list[str]


class SubmissionState(Schema):
    """A submission: `figures` are by split, reference count and metric, once they are shown."""

    key: UUID
    number: int
    system: str
    state: str
    progress: float
    message: str
    digest: str
    signature: str
    address: str
    warnings: list[str] = Field(default_factory=list)
    figures: dict[str, dict[str, dict[str, float]]] | None


class About(Schema):
    """What a submitter says about a system."""

    system: str
    description: str = ""
    link: str = ""
    training: str = ""
    check: bool = False


router = Router(auth=SubmitterToken(), tags=["challenges"])
_REFUSALS = {401: Refusal, 403: Refusal, 429: Refusal}


@router.post(
    "/{slug:name}/submissions",
    response=_REFUSALS | {200: Checked, 201: SubmissionState, 422: RefusedFile},
    url_name="submit",
)
def submit(
    request: _SubmitterRequest,
    name: str,
    file: Annotated[UploadedFile, File()],
    about: Annotated[About, Form()],
    response: HttpResponse,
) -> Any:
    """Check a result file and submit it; with `check`, only check it."""
    challenge = request.auth.challenge
    user = request.auth.user
    form = SubmissionForm(request.POST, request.FILES)
    if not form.is_valid():
        return Status(422, _faulty_form(form))

    try:
        count_check(user)
    except TooManyChecks as error:
        response["Retry-After"] = str(error.seconds)
        return Status(429, {"detail": str(error)})

    with on_disk(file) as path:
        result = check_file(path, challenge.splits, challenge.splits_closed)
    warnings = [str(each) for each in result.warnings]
    if result.problems:
        detail = "The file has problems. Nothing was submitted."
        return Status(422, _faulty(result.problems, result.more, detail))

    if about.check:
        captions = sum(map(len, result.captions.values()))
        return Status(200, {"captions": captions, "warnings": warnings})

    try:
        submission = accept_submission(
            challenge, user, form.details(), file, list(result.captions)
        )
    except NotPossible as error:
        raise HttpError(403, str(error)) from None

    return Status(201, _state(request, submission) | {"warnings": warnings})


def _faulty_form(form: SubmissionForm) -> dict[str, Any]:
    problems = []
    for column, errors in form.errors.items():
        what = " ".join(map(str, errors))
        problems.append(Problem("", what, "", column=column))

    return _faulty(problems, 0, "The submission was refused.")


def _faulty(problems: list[Problem], more: int, detail: str) -> dict[str, Any]:
    listed = [listed_problem(each) for each in problems[:MAX_PROBLEMS]]
    return {"detail": detail, "count": len(problems) + more, "problems": listed}


def listed_problem(problem: Problem) -> dict[str, str | int | None]:
    """Return what the API says about a problem."""
    return {
        "file": problem.file,
        "entry": problem.line,
        "column": problem.column,
        "value": problem.value,
        "what": str(problem.what),
        "remedy": str(problem.remedy),
    }


@router.get(
    "/{slug:name}/submissions/{uuid:key}",
    response=_REFUSALS | {200: SubmissionState, 404: Refusal},
    url_name="submission_state",
)
def submission_state(
    request: _SubmitterRequest, name: str, key: UUID
) -> dict[str, Any]:
    """Tell how far a submission is, and its scores."""
    challenge = request.auth.challenge
    user = request.auth.user
    submission = challenge.submissions.filter(key=key).first()
    if submission is None or not (
        is_own(user, submission) or is_owner(user, challenge)
    ):
        raise HttpError(404, "You have no such submission.")

    submission.challenge = challenge
    return _state(request, submission)


_STATE_FIELDS = (
    "key",
    "number",
    "system",
    "state",
    "progress",
    "message",
    "digest",
    "signature",
)


def _state(request: _SubmitterRequest, submission: Submission) -> dict[str, Any]:
    arguments = [submission.challenge.name, submission.key]
    path = reverse("api:submission_state", args=arguments)
    return {
        **{name: getattr(submission, name) for name in _STATE_FIELDS},
        "address": request.build_absolute_uri(path),
        "figures": _figures(request, submission),
    }


def _figures(
    request: _SubmitterRequest, submission: Submission
) -> dict[str, dict[str, dict[str, float]]] | None:
    user = request.auth.user
    exact = is_owner(user, submission.challenge)
    splits = splits_seen(user, submission)
    figures = submission_figures(submission, splits, exact=exact)
    if not figures:
        return None

    metrics = submission.challenge.metrics
    return {
        split: {
            counts_text([count]): dict(zip(metrics, values, strict=True))
            for count, values in by_count.items()
        }
        for split, by_count in figures.items()
    }
