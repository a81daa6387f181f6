"""Who may see what."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from annotation.models import Annotator, Dataset, Study
from annotation.people import annotator_of

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
COOKIE_SECONDS = 365 * 24 * 3600


def administrators_only(view: View[P]) -> View[P]:
    """Others are sent to the login page, or told that the page is not for them."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            back = request.get_full_path() if request.method in {"GET", "HEAD"} else reverse("home")
            return redirect_to_login(back)
        if not request.user.is_staff:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def annotator_in(request: HttpRequest, study: Study) -> Annotator | None:
    """The annotator that a request comes from: its join cookie's, or its account's."""
    pk = request.get_signed_cookie(cookie_name(study), default=None)
    joined = study.annotators.filter(pk=pk).first() if pk else None
    if joined or not request.user.is_authenticated:
        return joined
    return annotator_of(study, request.user)


def remember(response: HttpResponseBase, annotator: Annotator) -> None:
    """Set the cookie by which a browser without an account is known in the study."""
    response.set_signed_cookie(
        cookie_name(annotator.study),
        str(annotator.pk),
        max_age=COOKIE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def cookie_name(study: Study) -> str:
    return f"annotator-{study.pk}"


def may_see(request: HttpRequest, dataset: Dataset) -> bool:
    """Whether the images of a dataset may be shown."""
    return request.user.is_authenticated or any(
        annotator_in(request, study) for study in dataset.studies.all()
    )
