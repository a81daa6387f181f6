"""The API: programs read a study, and add to a draft's dataset, with the study's token.

What programs submit to challenges is in `web.challenges.api`.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.contrib.auth.models import User
from django.db.models import Exists, Min, OuterRef
from django.http import HttpRequest
from django.utils import timezone
from ninja import NinjaAPI, Query, Schema, Status
from ninja.errors import HttpError
from ninja.openapi.docs import Swagger
from ninja.security import HttpBearer
from ninja.throttling import AuthRateThrottle
from pydantic import BaseModel, ConfigDict, Field

from tercet.analysis.tables.csv_tables import FaultyDataset, shortened
from tercet.annotation.challenges.api import listed_problem
from tercet.annotation.challenges.api import router as submissions
from tercet.annotation.datasets.additions import (
    Addition,
    Entry,
    add_pairs,
    add_references,
)
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Answer, ApiToken, Study
from tercet.annotation.models.answer import AnswerQuerySet
from tercet.annotation.results.digests import is_current
from tercet.annotation.results.report_page import last_report, summary_in
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.progress import annotator_counts
from tercet.annotation.studies.tokens import find_token

_RATE = "120/m"
"""Requests with one token, in each process of the web server."""
MAX_VOTES = 1_000
_MAX_ENTRIES = 1_000
"""References or pairs of one request."""
MAX_PROBLEMS = 100
"""Problems that one answer lists."""
MAX_KEY = 2**63 - 1
_SETTLE = timedelta(seconds=10)
"""Votes that were given at the same time may become visible in another order than their keys."""


Cell = str | int | float | None
"""A cell of a table; the checks of the import say what is wrong with it."""


class StudyToken(HttpBearer):
    """The token of the study that the address names.

    To others, a study that exists looks like one that does not.
    """

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        match = request.resolver_match
        return find_token(match.kwargs["name"], token) if match else None


class _ApiRequest(HttpRequest):
    """A request with a valid token."""

    auth: ApiToken


class Error(Schema):
    detail: str


class Progress(Schema):
    """Counts of a study; `needed` is the number of votes that it needs in all.

    `annotators` have at least one vote that counts. Of all who `joined`, `voted` gave an answer
    that they did not undo, `only_checks` only answers to gold questions and repeats, `undid_all`
    undid all of theirs, and `excluded` are excluded.
    """

    study: str
    title: str
    state: str
    triplets: int
    finished: int
    votes: int
    needed: int
    annotators: int
    joined: int
    voted: int
    only_checks: int
    undid_all: int
    excluded: int


class ListedVote(Schema):
    """A vote, with the columns of votes.csv."""

    pair: str
    reference: int | None
    annotator: str
    choice: str
    strength: int | None
    b_side: str
    seconds: float | None
    active_seconds: float | None
    created_at: datetime | None
    status: str
    status_at: datetime | None
    reason: str
    purpose: str


class ListedRating(Schema):
    """A rating of one aspect, with the columns of ratings.csv; null means “can't tell”."""

    image: str
    caption: str
    rating: int | float | None
    annotator: str
    source: str
    aspect: str
    seconds: float | None
    active_seconds: float | None
    created_at: datetime | None
    status: str
    status_at: datetime | None
    reason: str
    purpose: str


class ListedSentence(Schema):
    """A sentence, with the columns of sentences.csv."""

    image: str
    sentence: str
    annotator: str
    seconds: float | None
    active_seconds: float | None
    created_at: datetime | None
    status: str
    status_at: datetime | None
    reason: str
    purpose: str
    rules: str


class Votes(Schema):
    """What some answers say: votes, ratings or sentences, by the protocol of the study.

    An answer that rates has a line for each aspect and each source of the caption. `cursor` is the
    `after` of the next request, `more` whether to send it now.
    """

    votes: list[ListedVote] | list[ListedRating] | list[ListedSentence]
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


class NewReference(BaseModel):
    """A reference, with the columns of references.csv."""

    model_config = ConfigDict(extra="allow")
    image: Cell = None
    caption: Cell = None
    author: Cell = None
    origin: Cell = None


class NewReferences(BaseModel):
    references: Annotated[
        list[NewReference], Field(min_length=1, max_length=_MAX_ENTRIES)
    ]


class NewPair(BaseModel):
    """A pair, with the columns of pairs.csv."""

    model_config = ConfigDict(extra="allow")
    pair: Cell = None
    image: Cell = None
    candidate_b: Cell = None
    candidate_c: Cell = None
    category: Cell = None
    source_b: Cell = None
    source_c: Cell = None
    winner: Cell = None


class NewPairs(BaseModel):
    pairs: Annotated[list[NewPair], Field(min_length=1, max_length=_MAX_ENTRIES)]


class Added(Schema):
    """How many entries were added, how many there are now, and how many questions."""

    added: int
    total: int
    triplets: int
    warnings: list[str]


class ListedProblem(Schema):
    """What is wrong with an entry, counted from 1, and what to do about it."""

    entry: int | None
    column: str
    value: str
    what: str
    remedy: str


class Refused(Schema):
    """The problems of a request that was not stored; `more` counts those that are not listed."""

    detail: str
    problems: list[ListedProblem]
    more: int


class Results(Schema):
    """The newest results; `votes` and `digest` are of the votes that they were computed from.

    `current` says whether these are the votes that count now.
    """

    computed_at: datetime | None
    votes: int
    digest: str
    current: bool
    sentence: str
    accuracy: list[Accuracy]


api = NinjaAPI(
    title="Tercet",
    version="1",
    description="Read the progress, votes and results of a study with its token, and add "
    "references and pairs to the dataset of a draft. Submit captions to a challenge with a token "
    "of your account.",
    docs=Swagger({"validatorUrl": None}),  # asks another host otherwise
    urls_namespace="api",
    auth=StudyToken(),
    throttle=AuthRateThrottle(_RATE),
)
api.add_router("/challenges", submissions)
_ERRORS = {401: Error, 429: Error}


@api.get("/studies/{slug:name}/progress", response=_ERRORS | {200: Progress})
def progress(request: _ApiRequest, name: str) -> dict[str, Any]:
    """Count triplets, votes and annotators."""
    study = request.auth.study
    about = {"study": study.name, "title": study.title, "state": study.state}

    return about | study.questions.progress() | annotator_counts(study)


@api.get("/studies/{slug:name}/votes", response=_ERRORS | {200: Votes})
def votes(
    request: _ApiRequest,
    name: str,
    after: Annotated[int, Query(ge=0, le=MAX_KEY)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_VOTES)] = MAX_VOTES,
) -> dict[str, Any]:
    """List what at most `limit` answers say, oldest first, from the one after `after`."""
    study = request.auth.study
    kind = kind_of(study)
    found = _settled_votes(study).filter(pk__gt=after).annotate(value=kind.value)
    rows = list(found.values_list("pk", *kind.fields)[: limit + 1])
    shown = rows[:limit]
    lines = kind.lines(study)(cells for _key, *cells in shown)

    return {
        "votes": [_listed(kind.table.columns, cells) for cells in lines],
        "cursor": shown[-1][0] if shown else after,
        "more": len(rows) > limit,
    }


def _settled_votes(study: Study) -> AnswerQuerySet:
    """Select the study's votes before the first of the last seconds, so that none is skipped.

    A subquery, unlike a join, keeps the database from sorting all votes for each page.
    """
    is_of_study = Exists(study.questions.filter(pk=OuterRef("question")))
    rows = Answer.objects.real().filter(is_of_study).order_by("pk")

    recent = Answer.objects.filter(created_at__gt=timezone.now() - _SETTLE)
    first = recent.aggregate(first=Min("pk"))["first"]
    return rows if first is None else rows.filter(pk__lt=first)


def _listed(columns: Sequence[str], cells: Sequence[Any]) -> dict[str, Any]:
    listed = dict(zip(columns, cells, strict=True))
    annotator = listed["annotator"] or ""
    return listed | {"annotator": annotator}


@api.get("/studies/{slug:name}/results", response=_ERRORS | {200: Results, 404: Error})
def results(request: _ApiRequest, name: str) -> dict[str, Any]:
    """Return the sentence and the table of accuracies of the newest results."""
    done = last_report(request.auth.study)
    summary = summary_in(done.folder) if done else None
    if done is None or summary is None:
        raise HttpError(404, "There are no results: compute them first.")

    votes = request.auth.study.questions.progress()["votes"]
    about = {
        "computed_at": done.finished_at,
        "votes": done.votes,
        "digest": done.digest,
        "current": is_current(done, votes),
    }
    return about | summary


@api.post(
    "/studies/{slug:name}/references",
    response=_ERRORS | {201: Added, 409: Error, 422: Refused},
)
def references(request: _ApiRequest, name: str, body: NewReferences) -> Status[Any]:
    """Add references to the dataset of a draft, all or none."""
    return _added(request, add_references, body.references)


@api.post(
    "/studies/{slug:name}/pairs",
    response=_ERRORS | {201: Added, 409: Error, 422: Refused},
)
def pairs(request: _ApiRequest, name: str, body: NewPairs) -> Status[Any]:
    """Add pairs to the dataset of a draft, all or none."""
    return _added(request, add_pairs, body.pairs)


def _added(
    request: _ApiRequest,
    add: Callable[[Study, Sequence[Entry], User | None], Addition],
    given: Sequence[BaseModel],
) -> Status[Any]:
    """Return the status and the answer of a request that adds entries."""
    entries = [each.model_dump(exclude_unset=True) for each in given]
    token = request.auth

    try:
        return Status(201, asdict(add(token.study, entries, token.created_by)))
    except FaultyDataset as error:
        return Status(422, _refused(error))
    except NotPossible as error:
        return Status(409, {"detail": str(error)})


def _refused(error: FaultyDataset) -> dict[str, Any]:
    """Return the first problems of entries."""
    listed = [
        listed_problem(each) | {"value": shortened(each.value)}
        for each in error.problems[:MAX_PROBLEMS]
    ]
    return {
        "detail": "Nothing was stored.",
        "problems": listed,
        "more": error.count - len(listed),
    }
