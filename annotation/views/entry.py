"""The doors of a study: the shared link, the crowd's, personal ones, and the test mode."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.judging.annotators import crowd_annotator, new_annotator, test_annotator
from annotation.judging.flow import has_step, record_consent
from annotation.judging.texts import text_of
from annotation.models import Annotator, Study
from annotation.models.study import Step
from annotation.permissions import annotator_in, forget, remember, researchers_only

UNFILLED = "{{%"
"""How Prolific's places for a person, a study and a session begin."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponseBase:
    """The shared link: the browser's cookie is the identity."""
    study = get_object_or_404(Study, join_code=code)
    if annotator_in(request, study):
        return redirect("judge", study.name)
    if not study.link_is_open:
        return shut(request, study)
    return door(request, study, lambda: new_annotator(study))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def crowd(request: HttpRequest, code: str) -> HttpResponseBase:
    """The crowd's link: the platform says in the address who comes, so they can come again."""
    study = get_object_or_404(Study, join_code=code)
    person = parameter_in(request, study.person_parameter)
    known = study.annotators.filter(external_id=person).first() if person else None
    if known:
        return enter(known)
    if not person or not study.crowd_is_open:
        return shut(request, study, nameless=not person)
    parameters = filter(None, (study.study_parameter, study.session_parameter))
    told = {name: parameter_in(request, name) for name in parameters}
    return door(request, study, lambda: crowd_annotator(study, person, told))


def parameter_in(request: HttpRequest, parameter: str) -> str:
    """What an address says, without the character that PostgreSQL cannot keep.

    A place that no platform has filled in says nothing.
    """
    told = request.GET.get(parameter, "").replace("\0", "").strip()[:200]
    return "" if UNFILLED in told else told


@never_cache
@require_safe
def personal(request: HttpRequest, token: str) -> HttpResponseBase:
    """A link of one person."""
    rows = Annotator.objects.select_related("study").exclude(token="")
    return enter(get_object_or_404(rows, token=token))


@researchers_only
@require_POST
def study_try(request: HttpRequest, study: Study) -> HttpResponse:
    """Begin to try a study out as somebody new, or leave off."""
    if "leave" not in request.POST:
        return enter(test_annotator(study))
    response = redirect(study)
    forget(response, study)
    return response


def enter(annotator: Annotator) -> HttpResponse:
    response = redirect("judge", annotator.study.name)
    remember(response, annotator)
    return response


def door(request: HttpRequest, study: Study, newcomer: Callable[[], Annotator]) -> HttpResponse:
    """What a newcomer sees first. Only its button makes an annotator, not a preview of a link."""
    if not study.is_open:
        return shut(request, study)
    asks_consent = has_step(study, Step.CONSENT)
    if request.method == "POST":
        annotator = newcomer()
        record_consent(annotator, agrees=not asks_consent or request.POST.get("agree") == "yes")
        return enter(annotator)
    if asks_consent:
        context = {"study": study, "text": text_of(study, Step.CONSENT), "action": ""}
        return render(request, "judging/consent.html", context)
    return render(request, "judging/join.html", {"study": study})


def shut(request: HttpRequest, study: Study, *, nameless: bool = False) -> HttpResponse:
    return render(request, "judging/closed.html", {"study": study, "nameless": nameless})
