"""The judging pages: the steps before judging, questions, breaks, and the end."""

from collections.abc import Callable
from math import ceil

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db.models import F
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from tercet.annotation.challenges.permissions import may_caption
from tercet.annotation.judging.leases import leases_per_page, top_up_leases
from tercet.annotation.judging.networks import note_network
from tercet.annotation.judging.pace import TooFast
from tercet.annotation.judging.questions import questions_of
from tercet.annotation.judging.votes import Answer, StudyEnded, undo, undoable_vote
from tercet.annotation.models import Annotator, Image, Lease, Study
from tercet.annotation.models.participation.questionnaire import Time
from tercet.annotation.models.study import Outcome, State, Step
from tercet.annotation.participation import flow
from tercet.annotation.participation.remarks import comment, report
from tercet.annotation.participation.sync import (
    SAVED,
    Message,
    Reply,
    Undo,
    apply,
    apply_all,
    read_message,
    synchronize,
)
from tercet.annotation.participation.texts import (
    language_of_text,
    quizzes_of,
    text_of,
    text_of_questionnaire,
    wording_of,
)
from tercet.annotation.permissions import annotator_in, annotator_key_in, may_see_images
from tercet.annotation.requests import network_of
from tercet.annotation.web.participation.forms import (
    CommentForm,
    ReportForm,
    UndoForm,
    VoteForm,
)
from tercet.annotation.web.participation.questionnaire_form import QuestionnaireForm
from tercet.annotation.web.responses import (
    get_or_post,
    gone_page,
    safe_page,
    show_resume_code,
)

_RELOAD_SECONDS = 15
"""Between two looks for a question, while others hold all of them."""
REDIRECT_SECONDS = 15
"""How long the last page is shown before it goes on to the redirect URL."""
_StepPage = Callable[[HttpRequest, Annotator], HttpResponse]
_IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The content security policy of images: an uploaded SVG runs no scripts."""


def _annotator_or_login(
    request: HttpRequest, name: str
) -> Annotator | HttpResponseBase:
    """Return the annotator of a request, or a redirect to the login page.

    A study in which somebody may not judge looks like one that does not exist, except to those
    who have judged in it: after it was deleted, a login would not help them.
    """
    study = Study.objects.select_related("dataset").filter(name=name).first()
    annotator = annotator_in(request, study) if study else None
    if annotator:
        return annotator

    if study is None and annotator_key_in(request, name):
        return gone_page(request)
    if request.user.is_authenticated:
        raise Http404

    return redirect_to_login(reverse("judge", args=[name]))


@safe_page
def judge(request: HttpRequest, name: str) -> HttpResponseBase:
    """Show where this annotator is: a step before judging, a question, or the end."""
    annotator = _annotator_or_login(request, name)
    if not isinstance(annotator, Annotator):
        return annotator

    return _current_page(request, annotator)


@require_safe
def offline(request: HttpRequest, name: str) -> HttpResponse:
    """Send the service worker that shows the judging page without a connection."""
    return render(request, "judging/offline.js", content_type="text/javascript")


def _current_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    study = annotator.study
    if annotator.is_out:
        return _done_page(request, annotator)
    if study.state == State.DRAFT and not annotator.is_test:
        return _page(request, annotator, "participation/states/closed.html")

    next_page = _next_page(request, annotator)
    if next_page:
        return next_page
    if study.state == State.PAUSED and not flow.is_finished(annotator):
        return _page(request, annotator, "participation/states/paused.html")

    if flow.must_wait(annotator):
        return _wait_page(request, annotator)
    if flow.is_questionnaire_due(annotator, Time.AFTER):
        return _questionnaire_page(request, annotator, Time.AFTER)

    flow.finish_judging(annotator)
    return _done_page(request, annotator)


def _next_page(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """Return a step, the offer of a break or a question; None where there is nothing to judge."""
    step_page = _step_page(annotator)
    if step_page:
        return step_page(request, annotator) if flow.can_start(annotator) else None
    if flow.is_break_due(annotator) and annotator.study.is_open:
        return _page(request, annotator, "participation/states/rest.html")

    leases = top_up_leases(annotator, leases_per_page(annotator))
    if not leases:
        return None

    flow.stop_waiting(annotator)
    return _judging_page(request, annotator, leases)


def _step_page(annotator: Annotator) -> _StepPage | None:
    """Return what shows the annotator's step before judging; None where they are past all."""
    if flow.is_questionnaire_due(annotator, Time.BEFORE):
        return _questionnaire_page

    return _STEP_PAGES.get(flow.step_of(annotator))


def _page(
    request: HttpRequest, annotator: Annotator, template: str, **more: object
) -> HttpResponse:
    study = annotator.study
    context = {"study": study, "annotator": annotator, "wording": wording_of(study)}
    return render(request, template, context | more)


def _consent_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    return _text_page(request, annotator, "participation/consent.html", Step.CONSENT)


def _instructions_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    return _text_page(
        request, annotator, "participation/instructions.html", Step.INSTRUCTIONS
    )


def _text_page(
    request: HttpRequest, annotator: Annotator, template: str, step: Step
) -> HttpResponse:
    study = annotator.study
    action = reverse("study_step", args=[study.name])
    return _page(request, annotator, template, text=text_of(study, step), action=action)


def _comprehension_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    return _page(
        request,
        annotator,
        "participation/comprehension.html",
        quizzes=quizzes_of(annotator.study, Step.COMPREHENSION),
        instructions=text_of(annotator.study, Step.INSTRUCTIONS),
    )


def _practice_page(
    request: HttpRequest, annotator: Annotator, chosen: int | None = None
) -> HttpResponse:
    """Show a practice question, or with a choice the feedback on it."""
    quizzes = quizzes_of(annotator.study, Step.PRACTICE)
    index = min(annotator.practised, len(quizzes) - 1)

    return _page(
        request,
        annotator,
        "participation/practice.html",
        quiz=quizzes[index],
        number=index + 1,
        count=len(quizzes),
        chosen=chosen,
        spoken=language_of_text(annotator.study, Step.PRACTICE),
    )


def _questionnaire_page(
    request: HttpRequest,
    annotator: Annotator,
    time: Time = Time.BEFORE,
    form: QuestionnaireForm | None = None,
) -> HttpResponse:
    """Show a questionnaire, or with a form what is wrong with the answers."""
    return _page(
        request,
        annotator,
        "participation/questionnaire.html",
        time=time,
        form=form or QuestionnaireForm(text_of_questionnaire(annotator.study, time)),
    )


_STEP_PAGES: dict[Step, _StepPage] = {
    Step.CONSENT: _consent_page,
    Step.INSTRUCTIONS: _instructions_page,
    Step.COMPREHENSION: _comprehension_page,
    Step.PRACTICE: _practice_page,
}


def _judging_page(
    request: HttpRequest, annotator: Annotator, leases: list[Lease]
) -> HttpResponse:
    questions = questions_of(annotator.study, leases)
    annotator.judged = leases[
        0
    ].annotator.judged  # read at the same moment as the questions

    return _page(
        request,
        annotator,
        "judging/judge.html",
        question=questions[0],
        questions=questions,
        last=undoable_vote(annotator),
        workload=flow.workload(annotator.study, leases),
        instructions=text_of(annotator.study, Step.INSTRUCTIONS),
        report_form=ReportForm(initial={"key": questions[0]["key"]}),
    )


def _done_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Show the end, with the completion code: every vote is stored."""
    exit_url = flow.exit_url(annotator)
    stays = annotator.is_test or bool(annotator.study.debrief)

    return _page(
        request,
        annotator,
        "participation/states/done.html",
        outcomes=Outcome,
        last=undoable_vote(annotator),
        code=flow.shown_code(annotator),
        exit_url=exit_url,
        redirect_seconds=0 if stays or not exit_url else REDIRECT_SECONDS,
        has_reached_limit=flow.has_reached_limit(annotator),
        comment_form=_comment_form(annotator),
    )


def _comment_form(annotator: Annotator) -> CommentForm | None:
    """Return the form of a comment, with an earlier one; None for who has not judged."""
    if not annotator.judged:
        return None

    earlier = annotator.remarks.filter(triplet=None).first()
    return CommentForm(initial={"text": earlier.text if earlier else ""})


def _wait_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Ask to wait for questions that others hold; the page reloads itself.

    Who has judged may finish instead.
    """
    response = _page(
        request,
        annotator,
        "participation/states/wait.html",
        until=flow.wait_end(annotator),
    )
    response["Refresh"] = str(_RELOAD_SECONDS)
    return response


@get_or_post
def study_step(request: HttpRequest, name: str) -> HttpResponseBase:
    """Take what an annotator sends from a step before judging, from a break, or to stop.

    A GET goes to the judging page: feedback is shown at this address, and may be reloaded.
    """
    if request.method != "POST":
        return redirect("judge", name)

    annotator = _annotator_or_login(request, name)
    if not isinstance(annotator, Annotator):
        return annotator

    handle = HANDLERS.get(request.POST.get("step", ""))
    page = handle(request, annotator) if handle else None
    return page or redirect("judge", name)


def _take_consent(request: HttpRequest, annotator: Annotator) -> None:
    agrees = {"yes": True, "no": False}.get(request.POST.get("agree", ""))
    flow.record_consent(annotator, agrees=agrees)
    if agrees:
        note_network(annotator, network_of(request))
        show_resume_code(request, annotator)


def _take_instructions(request: HttpRequest, annotator: Annotator) -> None:
    flow.advance(annotator, Step.INSTRUCTIONS)


def _take_comprehension(request: HttpRequest, annotator: Annotator) -> None:
    quizzes = quizzes_of(annotator.study, Step.COMPREHENSION)
    chosen = [_number(request, f"question-{index}") for index in range(len(quizzes))]

    wrong = flow.check_comprehension(annotator, chosen, _number(request, "try"))
    if wrong and not annotator.outcome:
        message = _(
            "Some answers are wrong. Read the instructions again; you have one more try."
        )
        messages.warning(request, message)


def _take_practice(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """Show feedback on a choice, or go on once the feedback was read."""
    if flow.step_of(annotator) != Step.PRACTICE:
        return None
    if _number(request, "read") == annotator.practised + 1:
        flow.advance_practice(annotator)
        return None

    chosen = _number(request, "chosen")
    return _practice_page(request, annotator, chosen) if chosen is not None else None


def _take_questionnaire(
    request: HttpRequest, annotator: Annotator
) -> HttpResponse | None:
    """Store the answers, or show what is wrong with them."""
    time = request.POST.get("time", "")
    if time not in Time.values or not flow.is_questionnaire_due(annotator, Time(time)):
        return None

    text = text_of_questionnaire(annotator.study, time)
    form = QuestionnaireForm(text, request.POST)
    if not form.is_valid():
        return _questionnaire_page(request, annotator, Time(time), form)

    flow.record_answers(annotator, Time(time), form.answers)
    return None


def _take_break(request: HttpRequest, annotator: Annotator) -> None:
    flow.take_break(annotator)


def _take_stop(request: HttpRequest, annotator: Annotator) -> None:
    flow.stop(annotator)


def _take_finish(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """Finish somebody who has judged and does not want to wait for more."""
    if not flow.may_finish(annotator):
        return None
    if flow.is_questionnaire_due(annotator, Time.AFTER):
        return _questionnaire_page(request, annotator, Time.AFTER)

    flow.finish_judging(annotator)
    return None


def _take_resume(request: HttpRequest, annotator: Annotator) -> None:
    flow.resume(annotator)


HANDLERS: dict[str, Callable[[HttpRequest, Annotator], HttpResponse | None]] = {
    Step.CONSENT: _take_consent,
    Step.INSTRUCTIONS: _take_instructions,
    Step.COMPREHENSION: _take_comprehension,
    Step.PRACTICE: _take_practice,
    "questionnaire": _take_questionnaire,
    "rest": _take_break,
    "stop": _take_stop,
    "finish": _take_finish,
    "resume": _take_resume,
}


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 6 else None


@csrf_exempt  # the keys in a message authorize it, and nobody else knows them
@require_POST
def sync(request: HttpRequest, name: str) -> JsonResponse:
    """Take the actions that a browser has stored, and say what it may show next."""
    try:
        message = read_message(request.body)
    except ValueError as error:
        return JsonResponse({"error": str(error)}, status=400)

    annotator = annotator_key_in(request, name) or _annotator_key_of_account(
        request, name
    )
    try:
        return JsonResponse(_answer(name, annotator, message))
    except TooFast as error:
        _count_refusal(annotator)
        headers = {"Retry-After": str(ceil(error.seconds))}
        return JsonResponse({"error": str(error)}, status=429, headers=headers)


def _answer(name: str, annotator: int | None, message: Message) -> dict[str, object]:
    """Carry out the actions of a message; raises TooFast."""
    if annotator is None:
        return {"taken": apply_all(message.actions), "login": True}

    try:
        reply = synchronize(annotator, message.actions)
    except Annotator.DoesNotExist:  # deleted, perhaps with the study
        taken = apply_all(message.actions)
        return {"taken": taken, "go": reverse("judge", args=[name])}

    return _payload(reply, message)


def _count_refusal(annotator: int | None) -> None:
    """Count a vote that was refused as too fast, for the Quality page."""
    if annotator:
        Annotator.objects.filter(pk=annotator).update(refused=F("refused") + 1)


def _annotator_key_of_account(request: HttpRequest, name: str) -> int | None:
    study = Study.objects.filter(name=name).first()
    annotator = annotator_in(request, study) if study else None
    return annotator.pk if annotator else None


def _payload(reply: Reply, message: Message) -> dict[str, object]:
    """Return the reply as JSON, with the captions of those questions that the page lacks."""
    study = reply.annotator.study
    payload: dict[str, object] = {
        "taken": reply.results,
        "judged": reply.annotator.judged,
    }
    if not reply.leases:
        return payload | {"go": reverse("judge", args=[study.name])}

    new = [lease for lease in reply.leases if str(lease.key) not in message.held_keys]
    payload["order"] = [lease.key for lease in reply.leases]
    payload["questions"] = questions_of(study, new) if new else []

    is_undone = any(isinstance(action, Undo) for action in message.actions)
    if is_undone or not message.actions:
        last = undoable_vote(reply.annotator)
        payload["last"] = last.key if last else None

    return payload


@require_POST
def cast_vote(request: HttpRequest, name: str) -> HttpResponse:
    """Store an answer, which the key of its lease authorizes, and show the next question."""
    form = VoteForm(request.POST)
    if not form.is_valid():
        messages.info(request, _("That was not a valid answer. Please choose again."))
        return redirect("judge", name)

    try:
        result = apply(Answer(form.cleaned_data["key"], form.cleaned_data["side"]))
    except TooFast:
        _count_refusal(annotator_key_in(request, name))
        messages.info(
            request, _("That was too fast. Please read the question and answer again.")
        )
    else:
        if result != SAVED:
            message = _("That question is no longer assigned to you. Here is the next.")
            messages.info(request, message)

    return redirect("judge", name)


@require_POST
def undo_vote(request: HttpRequest, name: str) -> HttpResponseBase:
    """Undo the annotator's last vote, and ask its question again."""
    form = UndoForm(request.POST)
    try:
        if form.is_valid():
            undo(form.cleaned_data["key"])
    except StudyEnded:
        message = _("The study has ended. Votes can no longer be undone.")
        messages.info(request, message)

    return redirect("judge", name)


@require_POST
def report_question(request: HttpRequest, name: str) -> HttpResponse:
    """Store a report on a question, and skip it where that was asked for and is allowed."""
    form = ReportForm(request.POST)
    skips = "skip" in request.POST
    if form.is_valid() and report(**form.cleaned_data, skips=skips):
        messages.success(request, _("Thank you. The problem is noted."))
    else:
        messages.info(request, _("The problem could not be saved."))

    return redirect("judge", name)


@require_POST
def leave_comment(request: HttpRequest, name: str) -> HttpResponseBase:
    """Store an annotator's comment on the study."""
    annotator = _annotator_or_login(request, name)
    if not isinstance(annotator, Annotator):
        return annotator

    form = CommentForm(request.POST)
    if form.is_valid() and annotator.judged:
        comment(annotator, form.cleaned_data["text"])
        messages.success(request, _("Thank you. Your comment is saved."))

    return redirect("judge", name)


@require_safe
def image(request: HttpRequest, name: str, pk: int) -> FileResponse:
    """Send an image of a dataset."""
    row = get_object_or_404(
        Image.objects.select_related("dataset"), pk=pk, dataset__name=name
    )
    path = row.dataset.folder / row.file
    if (
        not row.file
        or not path.is_file()
        or not (
            may_see_images(request, row.dataset)
            or may_caption(request.user, row.dataset)
        )
    ):
        raise Http404

    response = FileResponse(path.open("rb"))
    response["Content-Security-Policy"] = _IMAGE_POLICY
    response["Cache-Control"] = "private, max-age=86400"
    return response
