"""How annotators enter a study: shared link, crowd link, personal links, and test mode."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.judging.annotators import (
    crowd_annotator,
    new_annotator,
    test_annotator,
)
from annotation.judging.flow import has_step, record_consent
from annotation.judging.texts import text_of
from annotation.models import Annotator, Study
from annotation.models.study import Step
from annotation.permissions import (
    annotator_in,
    delete_annotator_cookie,
    researchers_only,
    set_annotator_cookie,
)
from annotation.requests import AuthenticatedHttpRequest

UNFILLED = "{{%"
"""How Prolific's placeholders begin, which the platform replaces."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponseBase:
    """Enter by the shared link; a cookie identifies the annotator from then on."""
    study = get_object_or_404(Study, join_code=code)
    if annotator_in(request, study):
        return redirect("judge", study.name)
    if not study.link_is_open:
        return _closed_page(request, study)

    return _entry_page(request, study, lambda: new_annotator(study))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def crowd(request: HttpRequest, code: str) -> HttpResponseBase:
    """Enter by the crowd link; URL parameters of the platform identify the annotator."""
    study = get_object_or_404(Study, join_code=code)
    person = _parameter(request, study.person_parameter)

    known = (
        study.annotators.filter(external_id=person).first() if person else None
    )
    if known:
        return _enter(known)
    if not person or not study.crowd_is_open:
        return _closed_page(request, study, nameless=not person)

    names = [study.study_parameter, study.session_parameter]
    parameters = {name: _parameter(request, name) for name in names if name}
    return _entry_page(
        request, study, lambda: crowd_annotator(study, person, parameters)
    )


def _parameter(request: HttpRequest, name: str) -> str:
    """Return a URL parameter without NUL characters; empty for an unfilled placeholder."""
    value = request.GET.get(name, "").replace("\0", "").strip()[:200]
    return "" if UNFILLED in value else value


@never_cache
@require_safe
def personal(request: HttpRequest, token: str) -> HttpResponseBase:
    """Enter by a personal link."""
    annotators = Annotator.objects.select_related("study").exclude(token="")
    return _enter(get_object_or_404(annotators, token=token))


@researchers_only
@require_POST
def study_try(request: AuthenticatedHttpRequest, study: Study) -> HttpResponse:
    """Try the study out as a new test annotator, or leave the test mode."""
    if "leave" not in request.POST:
        return _enter(test_annotator(study))

    response = redirect(study)
    delete_annotator_cookie(response, study)
    return response


def _enter(annotator: Annotator) -> HttpResponse:
    response = redirect("judge", annotator.study.name)
    set_annotator_cookie(response, annotator)
    return response


def _entry_page(
    request: HttpRequest,
    study: Study,
    create_annotator: Callable[[], Annotator],
) -> HttpResponse:
    """Show the first page of a study; only its button creates an annotator."""
    if not study.is_open:
        return _closed_page(request, study)

    asks_consent = has_step(study, Step.CONSENT)
    if request.method == "POST":
        annotator = create_annotator()
        agrees = not asks_consent or request.POST.get("agree") == "yes"
        record_consent(annotator, agrees=agrees)
        return _enter(annotator)

    if not asks_consent:
        return render(request, "judging/join.html", {"study": study})

    context = {
        "study": study,
        "text": text_of(study, Step.CONSENT),
        "action": "",
    }
    return render(request, "judging/consent.html", context)


def _closed_page(
    request: HttpRequest, study: Study, *, nameless: bool = False
) -> HttpResponse:
    return render(
        request, "judging/closed.html", {"study": study, "nameless": nameless}
    )
