"""Who may see what."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse

from annotation.judging.annotators import annotator_of
from annotation.models import Annotator, Dataset, Study
from annotation.models.study import Accounts, Rank, State

P = ParamSpec("P")
Member = User | AnonymousUser
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
StudyView = Callable[Concatenate[HttpRequest, Study, P], HttpResponseBase]
COOKIE_SECONDS = 365 * 24 * 3600
RANKS = [Rank.ANNOTATOR, Rank.RESEARCHER, Rank.OWNER]
"""Each may do what those before it may."""


def administrators_only(view: View[P]) -> View[P]:
    """Others are sent to the login page, or told that the page is not for them."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return to_login(request)
        if not request.user.is_staff:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def researchers_only(view: StudyView[P]) -> Callable[..., HttpResponseBase]:
    """For the study's researchers and owners; the view gets the study instead of its name."""
    return members_only(Rank.RESEARCHER, view)


def owners_only(view: StudyView[P]) -> Callable[..., HttpResponseBase]:
    return members_only(Rank.OWNER, view)


def members_only(least: Rank, view: StudyView[P]) -> Callable[..., HttpResponseBase]:
    @wraps(view)
    def guarded(
        request: HttpRequest, name: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return to_login(request)
        study = Study.objects.select_related("dataset").filter(name=name).first()
        if study is None:
            raise Http404
        if not has_rank(request.user, study, least):
            raise PermissionDenied
        return view(request, study, *args, **kwargs)

    return guarded


def to_login(request: HttpRequest) -> HttpResponseBase:
    back = request.get_full_path() if request.method in {"GET", "HEAD"} else reverse("home")
    return redirect_to_login(back)


def has_rank(user: Member, study: Study, least: Rank) -> bool:
    """Whether an account may do in a study what this rank may. Administrators may do everything."""
    if not user.is_authenticated:
        return False
    enough = RANKS[RANKS.index(least) :]
    return user.is_staff or study.roles.filter(user=user, rank__in=enough).exists()


def studies_of(user: Member) -> QuerySet[Study]:
    """The studies whose results an account may see."""
    if not user.is_authenticated:
        return Study.objects.none()
    if user.is_staff:
        return Study.objects.all()
    ranks = RANKS[RANKS.index(Rank.RESEARCHER) :]
    return Study.objects.filter(roles__user=user, roles__rank__in=ranks)


def studies_to_judge(user: User) -> QuerySet[Study]:
    """The open studies that an account may judge in."""
    may = Q(accounts=Accounts.ALL) | Q(pk__in=user.study_roles.values("study"))
    return Study.objects.filter(may, state=State.OPEN)


def annotator_in(request: HttpRequest, study: Study) -> Annotator | None:
    """The annotator that a request comes from: its cookie's, or its account's.

    An account that has judged stays the same annotator, whatever becomes of its rights.
    """
    known = joined(request, study)
    if known or not request.user.is_authenticated:
        return known
    if may_judge(request.user, study):
        return annotator_of(study, request.user)
    return study.annotators.filter(user=request.user).first()


def joined(request: HttpRequest, study: Study) -> Annotator | None:
    """The annotator whose cookie a browser has."""
    pk = cookie_of(request, study.name)
    known = study.annotators.filter(pk=pk).first() if pk else None
    if known:
        known.study = study
    return known


def cookie_of(request: HttpRequest, name: str) -> int | None:
    """The key of the annotator that a browser says it is in the study of this name; signed."""
    value = request.get_signed_cookie(cookie_name(name), default=None)
    return int(value) if value else None


def may_judge(user: Member, study: Study) -> bool:
    """Whether an account may judge in a study."""
    if study.accounts == Accounts.ALL:
        return user.is_authenticated
    return has_rank(user, study, Rank.ANNOTATOR)


def remember(response: HttpResponseBase, annotator: Annotator) -> None:
    """Set the cookie by which a browser without an account is known in the study."""
    response.set_signed_cookie(
        cookie_name(annotator.study.name),
        str(annotator.pk),
        max_age=COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def forget(response: HttpResponseBase, study: Study) -> None:
    response.delete_cookie(cookie_name(study.name), samesite="Lax")


def cookie_name(study: str) -> str:
    return f"annotator-{study}"


def may_see(request: HttpRequest, dataset: Dataset) -> bool:
    """Whether the images of a dataset may be shown."""
    return request.user.is_staff or any(
        joined(request, study) or may_judge(request.user, study) for study in dataset.studies.all()
    )
