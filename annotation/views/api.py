"""The API: programs read a study's progress, votes and results with its token."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db.models import Exists, Min, OuterRef
from django.http import HttpRequest
from django.utils import timezone
from ninja import NinjaAPI, Query, Schema
from ninja.errors import HttpError
from ninja.security import HttpBearer
from ninja.throttling import AuthRateThrottle

from analysis.dataset.schema import VOTES
from annotation.exchange.exporting import VOTE_FIELDS
from annotation.models import ApiToken, Study, Vote
from annotation.models.evaluation import State
from annotation.models.vote import VoteQuerySet
from annotation.results.summary import summary_in
from annotation.studies.progress import annotator_counts
from annotation.studies.tokens import find_token

RATE = "120/m"
"""Requests with one token, in each process of the web server."""
MAX_VOTES = 1_000
MAX_KEY = 2**63 - 1
SETTLE = timedelta(seconds=10)
"""Votes that were given at the same time may become visible in another order than their keys."""


class StudyToken(HttpBearer):
    """The token of the study that the address names.

    To others, a study that exists looks like one that does not.
    """

    def authenticate(
        self, request: HttpRequest, token: str
    ) -> ApiToken | None:
        match = request.resolver_match
        return find_token(match.kwargs["name"], token) if match else None


class ApiRequest(HttpRequest):
    """A request with a valid token."""

    auth: ApiToken


class Error(Schema):
    detail: str


class Progress(Schema):
    """Counts of a study; `needed` is the number of votes that it needs in all."""

    study: str
    title: str
    state: str
    triplets: int
    finished: int
    votes: int
    needed: int
    annotators: int
    voted: int
    excluded: int


class ListedVote(Schema):
    """A vote, with the columns of votes.csv."""

    pair: str
    reference: int | None
    annotator: str
    choice: str
    b_side: str
    seconds: float | None
    active_seconds: float | None
    created_at: datetime | None
    status: str
    status_at: datetime | None
    reason: str
    purpose: str


class Votes(Schema):
    """Some votes; `cursor` is the `after` of the next request, `more` whether to send it now."""

    votes: list[ListedVote]
    cursor: int
    more: bool


class Accuracy(Schema):
    """A row of accuracy.csv: accuracy and its interval are 0 to 1, metric_ties is a mean."""

    metric: str
    category: str
    reference_count: int | str
    pairs: int
    accuracy: float | None
    low: float | None
    high: float | None
    human_ties: int
    metric_ties: float


class Results(Schema):
    """The newest results; `votes` is the number of votes that they were computed from."""

    computed_at: datetime | None
    votes: int
    sentence: str
    accuracy: list[Accuracy]


api = NinjaAPI(
    title="Tercet",
    version="1",
    description="Read the progress, votes and results of a study with its token.",
    docs_url=None,
    urls_namespace="api",
    auth=StudyToken(),
    throttle=AuthRateThrottle(RATE),
)
ERRORS = {401: Error, 429: Error}


@api.get("/studies/{slug:name}/progress", response=ERRORS | {200: Progress})
def progress(request: ApiRequest, name: str) -> dict[str, Any]:
    """Count triplets, votes and annotators."""
    study = request.auth.study
    about = {"study": study.name, "title": study.title, "state": study.state}

    return about | study.triplets.progress() | annotator_counts(study)


@api.get("/studies/{slug:name}/votes", response=ERRORS | {200: Votes})
def votes(
    request: ApiRequest,
    name: str,
    after: Annotated[int, Query(ge=0, le=MAX_KEY)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_VOTES)] = MAX_VOTES,
) -> dict[str, Any]:
    """List votes, oldest first, from the one after the cursor `after`."""
    found = _settled_votes(request.auth.study).filter(pk__gt=after)
    rows = list(found.values_list("pk", *VOTE_FIELDS)[: limit + 1])
    shown = rows[:limit]

    return {
        "votes": [_listed(values) for _, *values in shown],
        "cursor": shown[-1][0] if shown else after,
        "more": len(rows) > limit,
    }


def _settled_votes(study: Study) -> VoteQuerySet:
    """Select the study's votes before the first of the last seconds, so that none is skipped.

    A subquery, unlike a join, keeps the database from sorting all votes for each page.
    """
    is_of_study = Exists(study.triplets.filter(pk=OuterRef("triplet")))
    rows = Vote.objects.real().filter(is_of_study).order_by("pk")

    recent = Vote.objects.filter(created_at__gt=timezone.now() - SETTLE)
    first = recent.aggregate(first=Min("pk"))["first"]
    return rows if first is None else rows.filter(pk__lt=first)


def _listed(values: list[Any]) -> dict[str, Any]:
    vote = dict(zip(VOTES.columns, values, strict=True))
    return vote | {"annotator": vote["annotator"] or ""}


@api.get(
    "/studies/{slug:name}/results",
    response=ERRORS | {200: Results, 404: Error},
)
def results(request: ApiRequest, name: str) -> dict[str, Any]:
    """Return the sentence and the table of accuracies of the newest results."""
    done = request.auth.study.evaluations.filter(state=State.DONE).first()
    summary = summary_in(done.folder) if done else None
    if done is None or summary is None:
        raise HttpError(404, "There are no results: compute them first.")

    return {
        "computed_at": done.finished_at,
        "votes": done.votes,
        "sentence": summary.sentence,
        "accuracy": summary.accuracy,
    }
