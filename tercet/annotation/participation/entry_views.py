"""How annotators enter a study: shared link, crowd link, personal links, and test mode.

A GET never changes who a browser is in a study: a link shows a page that says as whom one enters,
and only its button, a POST, sets the cookie.
"""

from collections.abc import Callable, Mapping
from math import ceil

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tercet.annotation import permissions
from tercet.annotation.judging.annotators import (
    PersonTaken,
    new_annotator,
    new_crowd_annotator,
    replace_crowd_annotator,
    test_annotator,
    try_resume_code,
)
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.networks import note_network
from tercet.annotation.judging.pace import arrive
from tercet.annotation.models import Annotator, Study, Ticket
from tercet.annotation.models.study import Step
from tercet.annotation.participation import flow
from tercet.annotation.participation.crowd import (
    CrowdIdentity,
    IncompleteLink,
    InvalidLink,
    OtherStudy,
    read_identity,
)
from tercet.annotation.participation.entry_form import ResumeForm, find_by_resume_code
from tercet.annotation.participation.texts import text_of
from tercet.annotation.requests import UserRequest, cookie_options, network_of
from tercet.annotation.responses import form_page, form_response, gone_page, posted

_TICKET = "queue"
"""The cookie of somebody who waits to join; a study's name is its salt."""
_TICKET_SECONDS = 24 * 3600


@form_page
def join(request: HttpRequest, code: str) -> HttpResponseBase:
    """Enter by the shared link; a cookie identifies the annotator from then on."""
    study = Study.objects.filter(join_code=code).first()
    if study is None:
        return gone_page(request)

    if permissions.annotator_in(request, study):
        return redirect("judge", study.name)
    if not study.link_is_open:
        return _closed_page(request, study)
    if request.method == "POST" and "code" in request.POST:
        network = network_of(request)
        form = ResumeForm(
            lambda text: find_by_resume_code(study, text, network), request.POST
        )
        return _code_page(request, form, {"study": study})

    return _entry_page(request, study, lambda: new_annotator(study), may_resume=True)


@form_page
def crowd(request: HttpRequest, code: str) -> HttpResponseBase:
    """Enter by the crowd link; its parameters say who comes, and may prove it.

    A person who is known continues in the browser in which they began. In another one they need
    their resume code, unless the platform has signed the link. Those who declined were shown no
    code, and may read the consent again.
    """
    study = Study.objects.filter(crowd_code=code).first()
    if study is None:
        return gone_page(request)

    try:
        identity = read_identity(study, request.GET.dict(), request.get_host())
    except IncompleteLink:
        return _closed_page(request, study, nameless=True)
    except OtherStudy:
        reason = _("This link belongs to another study of the platform.")
        return _closed_page(request, study, refused=reason)
    except InvalidLink:
        reason = _(
            "The platform's signature in this link is missing, wrong or expired."
        )
        return _closed_page(request, study, refused=reason)

    known = study.annotators.filter(external_id=identity.person).first()
    if known and _is_remembered(request, known):
        return redirect("judge", study.name)
    if known and identity.is_verified:
        return _confirm_page(request, known, identity.person)
    if not study.crowd_is_open:
        return _closed_page(request, study)
    if known and not flow.may_begin_anew(known):
        return _resume_page(request, known)

    return _crowd_page(request, study, identity, known)


def _crowd_page(
    request: HttpRequest,
    study: Study,
    identity: CrowdIdentity,
    former: Annotator | None,
) -> HttpResponseBase:
    """Let somebody of a platform in who is new, or was here as `former` and did not take part."""

    def create_annotator() -> Annotator:
        if former:
            return replace_crowd_annotator(former, identity.parameters)
        return new_crowd_annotator(study, identity.person, identity.parameters)

    is_limited = not identity.is_verified
    person = identity.person
    try:
        return _entry_page(
            request, study, create_annotator, person, is_limited=is_limited
        )
    except PersonTaken:  # by another request at the same moment
        return redirect(request.get_full_path())


@form_page
def personal(request: HttpRequest, token: str) -> HttpResponseBase:
    """Enter by a personal link."""
    people = Annotator.objects.filter(study__purge_at=None).select_related("study")
    annotators = people.exclude(token="")
    matching = annotators.filter(token=token)
    annotator = matching.first()
    if annotator is None:
        return gone_page(request)

    if _is_remembered(request, annotator):
        return redirect("judge", annotator.study.name)

    return _confirm_page(request, annotator, annotator.label)


@permissions.researchers_only
@require_POST
def study_try(request: UserRequest, study: Study) -> HttpResponse:
    """Try the study out as a new test annotator, or leave the test mode."""
    if "leave" not in request.POST:
        return _enter(test_annotator(study))

    response = redirect("study_settings", study.name)
    permissions.delete_annotator_cookie(response, study)
    return response


def _is_remembered(request: HttpRequest, annotator: Annotator) -> bool:
    return permissions.annotator_key_in(request, annotator.study.name) == annotator.pk


def _enter(annotator: Annotator) -> HttpResponse:
    response = redirect("judge", annotator.study.name)
    permissions.set_annotator_cookie(response, annotator)
    return response


def _entry_page(
    request: HttpRequest,
    study: Study,
    create_annotator: Callable[[], Annotator],
    person: str = "",
    *,
    is_limited: bool = True,
    may_resume: bool = False,
) -> HttpResponse:
    """Show the first page of a study; only its button creates an annotator.

    `is_limited` is false for people whom a platform vouches for. With `may_resume`, the page also
    asks for the resume code of people whose browser has lost its cookie.
    """
    if not study.is_open:
        return _closed_page(request, study)

    asks_consent = flow.has_step(study, Step.CONSENT)
    if request.method == "POST":
        key = request.get_signed_cookie(_TICKET, default=None, salt=study.name) or ""
        ticket = arrive(study, network_of(request), key) if is_limited else None
        if ticket:
            return _queue_page(request, study, ticket)

        annotator = create_annotator()
        agrees = not asks_consent or request.POST.get("agree") == "yes"
        take_consent(request, annotator, agrees)
        return _enter(annotator)

    context: dict[str, object] = {"study": study, "person": person}
    if may_resume:
        context["resume_form"] = ResumeForm(lambda _code: None)
    if not asks_consent:
        context["invitation"] = kind_of(study).invitation
        return render(request, "participation/join.html", context)

    context |= {"text": text_of(study, Step.CONSENT), "action": ""}
    return render(request, "participation/consent.html", context)


def take_consent(
    request: HttpRequest, annotator: Annotator, agrees: bool | None
) -> None:
    """Record whether somebody agrees; say how to continue elsewhere where a code is needed."""
    flow.record_consent(annotator, agrees=agrees)
    if not agrees:
        return

    note_network(annotator, network_of(request))
    if annotator.resume_code:
        message = _(
            "Your resume code is %(code)s. Keep it to continue on another device."
        )
        messages.info(request, message % {"code": annotator.resume_code})


def _queue_page(request: HttpRequest, study: Study, ticket: Ticket) -> HttpResponse:
    """Say when a newcomer can join, as many others of their address have just joined.

    The browser keeps its ticket in a signed cookie.
    """
    agree = request.POST.get("agree")
    context = {"study": study, "until": ticket.enters_at, "agree": agree}
    response = render(request, "judging/queue.html", context, status=429)

    wait = ticket.enters_at - timezone.now()
    left = ceil(wait.total_seconds())
    seconds = max(1, left)
    response["Retry-After"] = str(seconds)
    options = cookie_options() | {"salt": study.name, "max_age": _TICKET_SECONDS}
    response.set_signed_cookie(_TICKET, str(ticket.key), **options)
    return response


def _confirm_page(
    request: HttpRequest, annotator: Annotator, person: str
) -> HttpResponse:
    """Say as whom one enters; its button makes the browser this annotator."""
    if request.method == "POST":
        return _enter(annotator)

    context = {"study": annotator.study, "person": person}
    return render(request, "participation/states/confirm.html", context)


def _resume_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Ask for the resume code of somebody who began in another browser."""

    def find(code: str) -> Annotator | None:
        return annotator if try_resume_code(annotator, code) else None

    about = {"study": annotator.study, "person": annotator.external_id}
    return _code_page(request, ResumeForm(find, posted(request)), about)


def _code_page(
    request: HttpRequest, form: ResumeForm, about: Mapping[str, object]
) -> HttpResponse:
    """Let somebody in whose resume code is right; ask for it else."""
    if form.is_valid():
        return _enter(form.cleaned_data["code"])

    return form_response(request, "participation/resume.html", form, **about)


def _closed_page(
    request: HttpRequest, study: Study, *, nameless: bool = False, refused: str = ""
) -> HttpResponse:
    context = {"study": study, "nameless": nameless, "refused": refused}
    return render(request, "participation/states/closed.html", context)
