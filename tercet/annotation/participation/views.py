"""The judging pages: the steps before judging, questions, breaks, and the end."""

from collections.abc import Callable, Sequence
from functools import wraps
from math import ceil
from uuid import UUID

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
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from tercet.analysis.dataset.caption_language import may_be_in
from tercet.annotation.challenges.permissions import may_caption
from tercet.annotation.judging.answers import (
    AnswerMessage,
    StudyEnded,
    TooManyUndos,
    record,
    undo,
    undoable_vote,
)
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.judging.kinds.kind import NotAnAnswer, ShownQuestion, ToChange
from tercet.annotation.judging.leases import leases_per_page, top_up_leases
from tercet.annotation.judging.pace import TooFast
from tercet.annotation.models import Annotator, Dataset, Image, Lease, Study
from tercet.annotation.models.dataset import content_of
from tercet.annotation.models.study import SWITCHES, Outcome, State, Step, Time
from tercet.annotation.participation import exits, flow, forms, texts
from tercet.annotation.participation.entry_views import take_consent
from tercet.annotation.participation.questionnaire_form import QuestionnaireForm
from tercet.annotation.participation.remarks import comment, report
from tercet.annotation.participation.sync import (
    REFUSALS,
    Message,
    Reply,
    Undo,
    apply_all,
    read_message,
    synchronize,
)
from tercet.annotation.permissions import annotator_in, annotator_key_in, may_see_images
from tercet.annotation.responses import form_on, gone_page, safe_page, show_success

_RELOAD_SECONDS = 15
"""Between two looks for a question, while others hold all of them."""
REDIRECT_SECONDS = 15
"""How long the last page is shown before it goes on to the redirect URL."""
_AnnotatorView = Callable[[HttpRequest, Annotator], HttpResponse]
_FORMER_STEPS = (*SWITCHES, "questionnaire", "finish", "rest", "stop", "resume")
_IMAGE_POLICY = "default-src 'none'; sandbox; style-src 'unsafe-inline'"
"""The content security policy of images: an uploaded SVG runs no scripts."""


def _annotators_only(view: _AnnotatorView) -> Callable[..., HttpResponse]:
    """Give a view the annotator of its request; redirect others to the login page.

    A study in which somebody may not judge looks like one that does not exist, except to those
    who have judged in it: after it was deleted, a login would not help them.
    """

    @wraps(view)
    def guarded(request: HttpRequest, name: str) -> HttpResponse:
        study = Study.objects.select_related("dataset").filter(name=name).first()
        annotator = annotator_in(request, study) if study else None
        if annotator:
            return view(request, annotator)

        if study is None and annotator_key_in(request, name):
            return gone_page(request)
        if request.user.is_authenticated:
            raise Http404

        return redirect_to_login(reverse("judge", args=[name]))

    return guarded


@require_safe
def offline(request: HttpRequest, name: str) -> HttpResponse:
    """Send the service worker that shows the judging page without a connection."""
    return render(request, "judging/offline.js", content_type="text/javascript")


@safe_page
@_annotators_only
def judge(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Show where this annotator is: a step before judging, a question, or the end."""
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
        template = "participation/states/wait.html"
        until = flow.wait_end(annotator)
        response = _page(request, annotator, template, until=until)
        response["Refresh"] = str(_RELOAD_SECONDS)
        return response
    if flow.is_questionnaire_due(annotator, Time.AFTER):
        return _questionnaire_page(request, annotator, Time.AFTER)

    flow.finish_judging(annotator)
    return _done_page(request, annotator)


def _next_page(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """Return a step, the offer of a break or a question; None where there is nothing to judge."""
    step = flow.step_of(annotator)
    asks_about_person = flow.is_questionnaire_due(annotator, Time.BEFORE)
    if asks_about_person or step != Step.JUDGING:
        if not flow.can_start(annotator):
            return None
        if asks_about_person:
            return _questionnaire_page(request, annotator, Time.BEFORE)
        return _step_page(request, annotator, step)
    if flow.is_break_due(annotator) and annotator.study.is_open:
        must_return = exits.must_return(annotator, Outcome.STOPPED)
        template = "participation/states/rest.html"
        return _page(request, annotator, template, must_return=must_return)

    leases = top_up_leases(annotator, leases_per_page(annotator))
    if not leases:
        return None

    flow.stop_waiting(annotator)
    return _judging_page(request, annotator, leases)


def _page(
    request: HttpRequest, annotator: Annotator, template: str, **more: object
) -> HttpResponse:
    more |= {"study": annotator.study, "annotator": annotator}
    more["wording"] = texts.wording_of(annotator.study)
    more["kind"] = kind_of(annotator.study)
    return render(request, template, more)


def _step_page(request: HttpRequest, annotator: Annotator, step: Step) -> HttpResponse:
    """Show a step before judging."""
    if step == Step.COMPREHENSION:
        return _page(
            request,
            annotator,
            "participation/comprehension.html",
            quizzes=texts.quizzes_of(annotator.study, Step.COMPREHENSION),
            instructions=texts.text_of(annotator.study, Step.INSTRUCTIONS),
        )
    if step == Step.PRACTICE:
        return _practice_page(request, annotator)

    text = texts.text_of(annotator.study, step)
    action = reverse(f"step_{step}", args=[annotator.study.name])
    template = f"participation/{step}.html"
    return _page(request, annotator, template, text=text, action=action)


def _practice_page(
    request: HttpRequest, annotator: Annotator, chosen: int | None = None
) -> HttpResponse:
    """Show a practice question, or with a choice the feedback on it."""
    quizzes = texts.quizzes_of(annotator.study, Step.PRACTICE)
    index = min(annotator.practised, len(quizzes) - 1)

    return _page(
        request,
        annotator,
        "participation/practice.html",
        quiz=quizzes[index],
        number=index + 1,
        count=len(quizzes),
        chosen=chosen,
        spoken=texts.language_of_text(annotator.study, Step.PRACTICE),
    )


def _questionnaire_page(
    request: HttpRequest,
    annotator: Annotator,
    time: Time,
    form: QuestionnaireForm | None = None,
) -> HttpResponse:
    """Show a questionnaire, or with a form what is wrong with the answers."""
    text = texts.text_of_questionnaire(annotator.study, time)
    form = form or QuestionnaireForm(text)
    template = "participation/questionnaire.html"
    return _page(request, annotator, template, time=time, form=form)


def _shown(study: Study, leases: Sequence[Lease]) -> list[ShownQuestion]:
    """Return questions; `foreign` are the captions that are not in the study's language."""
    kind = kind_of(study)
    questions = kind.show(leases)
    for question in questions:
        foreign = [
            part
            for part in kind.captions
            if not may_be_in(question.get(part, ""), study.language)
        ]
        if foreign:
            question["foreign"] = " ".join(foreign)
    return questions


def _judging_page(
    request: HttpRequest, annotator: Annotator, leases: list[Lease], **more: object
) -> HttpResponse:
    questions = _shown(annotator.study, leases)
    # Read at the same moment as the questions.
    annotator.judged = leases[0].annotator.judged

    return _page(
        request,
        annotator,
        "judging/judge.html",
        question=questions[0],
        questions=questions,
        words={
            **_words_of_script(),
            **kind_of(annotator.study).page_data(annotator.study),
        },
        last=undoable_vote(annotator),
        workload=flow.workload(annotator.study, leases),
        instructions=texts.text_of(annotator.study, Step.INSTRUCTIONS),
        must_return=exits.must_return(annotator, Outcome.STOPPED),
        report_form=forms.ReportForm(initial={"key": questions[0]["key"]}),
        **more,
    )


def _words_of_script() -> dict[str, object]:
    """Return what the script of the judging page says."""
    return {
        "one": _("1 judged"),
        "many": _("%s judged"),
        "saved": _("all saved"),
        "waiting": _("%s waiting to be saved"),
        "offline": _(
            "No connection: your answers are kept in this browser and will be sent when it is back."
        ),
        "empty": _("The next question appears when the connection is back."),
        "undone": _("Last answer undone."),
        "ended": _("The study has ended. Votes can no longer be undone."),
        "undoing": _("Your last answer will be undone when the connection is back."),
    }


def _done_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    exit_url = exits.exit_url(annotator)
    stays = annotator.is_test or bool(annotator.study.debrief)
    earlier = annotator.remarks.filter(question=None).first()
    comment_form = forms.CommentForm(initial={"text": earlier.text if earlier else ""})

    return _page(
        request,
        annotator,
        "participation/states/done.html",
        outcomes=Outcome,
        last=undoable_vote(annotator),
        code=exits.shown_code(annotator),
        must_return=exits.must_return(annotator, annotator.outcome),
        exit_url=exit_url,
        redirect_seconds=0 if stays or not exit_url else REDIRECT_SECONDS,
        has_reached_limit=flow.has_reached_limit(annotator),
        comment_form=comment_form if annotator.judged else None,
    )


def _step(
    view: Callable[[HttpRequest, Annotator], HttpResponse | None],
) -> Callable[..., HttpResponse]:
    """Take a form of the judging pages; show the annotator's next page if the view shows none.

    Feedback is shown at the address of its form, and may be reloaded.
    """

    @form_on("judge")
    @_annotators_only
    @wraps(view)
    def taken(request: HttpRequest, annotator: Annotator) -> HttpResponse:
        page = view(request, annotator)
        return page or redirect("judge", annotator.study.name)

    return taken


@form_on("judge")
def study_step(request: HttpRequest, name: str) -> HttpResponse:
    """Pass on the form of a page that was loaded from version 0.2."""
    step = request.POST.get("step")
    page = f"step_{step}" if step in _FORMER_STEPS else "judge"
    return redirect(page, name, preserve_request=page != "judge")


@_step
def step_consent(request: HttpRequest, annotator: Annotator) -> None:
    """Begin, or leave the study, as the person decided."""
    agrees = {"yes": True, "no": False}.get(request.POST.get("agree", ""))
    take_consent(request, annotator, agrees)


@_step
def step_comprehension(request: HttpRequest, annotator: Annotator) -> None:
    """Check the answers about the instructions."""
    quizzes = texts.quizzes_of(annotator.study, Step.COMPREHENSION)
    chosen = [_number(request, f"question-{index}") for index in range(len(quizzes))]

    wrong = flow.check_comprehension(annotator, chosen, _number(request, "try"))
    text = _(
        "Some answers are wrong. Read the instructions again; you have one more try."
    )
    if wrong and not annotator.outcome:
        messages.warning(request, text)


@_step
def step_practice(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """Show feedback on a choice, or go on once the feedback was read."""
    if flow.step_of(annotator) != Step.PRACTICE:
        return None
    if _number(request, "read") == annotator.practised + 1:
        flow.advance_practice(annotator)
        return None

    chosen = _number(request, "chosen")
    return _practice_page(request, annotator, chosen) if chosen is not None else None


@_step
def step_questionnaire(
    request: HttpRequest, annotator: Annotator
) -> HttpResponse | None:
    """Store the answers, or show what is wrong with them."""
    time = request.POST.get("time", "")
    if time not in Time.values or not flow.is_questionnaire_due(annotator, Time(time)):
        return None

    text = texts.text_of_questionnaire(annotator.study, time)
    form = QuestionnaireForm(text, request.POST)
    if not form.is_valid():
        return _questionnaire_page(request, annotator, Time(time), form)

    flow.record_answers(annotator, Time(time), form.answers)
    return None


@_step
def step_finish(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """Finish somebody who has judged and does not want to wait for more."""
    if not flow.may_finish(annotator):
        return None
    if flow.is_questionnaire_due(annotator, Time.AFTER):
        return _questionnaire_page(request, annotator, Time.AFTER)

    flow.finish_judging(annotator)
    return None


@_step
def step_instructions(request: HttpRequest, annotator: Annotator) -> None:
    """Go on from the instructions."""
    flow.advance(annotator, done=Step.INSTRUCTIONS)


@_step
def step_rest(request: HttpRequest, annotator: Annotator) -> None:
    """Go on after a break."""
    flow.take_break(annotator)


@_step
def step_stop(request: HttpRequest, annotator: Annotator) -> None:
    """Stop before all questions are judged."""
    flow.stop(annotator)


@_step
def step_resume(request: HttpRequest, annotator: Annotator) -> None:
    """Go on after stopping."""
    flow.resume(annotator)


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 6 else None


@csrf_exempt  # the keys in a message authorize it, and nobody else knows them
@require_POST
def sync(request: HttpRequest, name: str) -> JsonResponse:
    """Take the actions that a browser has stored, and say what it may show next."""
    key = annotator_key_in(request, name) or _annotator_key_of_account(request, name)
    return sync_for(request, name, key)


def sync_for(request: HttpRequest, name: str, key: int | None) -> JsonResponse:
    """Do what `sync` does for the annotator with this key; None where nobody is known."""
    try:
        message = read_message(request.body)
    except ValueError as error:
        return JsonResponse({"error": str(error)}, status=400)

    try:
        return JsonResponse(_answer(name, key, message))
    except TooFast as error:
        _count_refusal(key)
        seconds = ceil(error.seconds)
        headers = {"Retry-After": str(seconds)}
        return JsonResponse({"error": str(error)}, status=429, headers=headers)


def _answer(name: str, annotator: int | None, message: Message) -> dict[str, object]:
    """Carry out the actions of a message; raises TooFast."""
    if annotator is None:
        return {"taken": apply_all(message.actions), "login": True}

    try:
        reply = synchronize(annotator, message.actions)
    except Annotator.DoesNotExist:  # deleted, perhaps with the study
        taken = apply_all(message.actions)
        address = reverse("judge", args=[name])
        return {"taken": taken, "go": address}

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
    payload: dict[str, object] = {"taken": reply.results}
    payload["judged"] = reply.annotator.judged
    if not reply.leases or reply.is_of_old_page:
        return payload | {"go": reverse("judge", args=[study.name])}

    new = [lease for lease in reply.leases if str(lease.key) not in message.held_keys]
    payload["order"] = [lease.key for lease in reply.leases]
    payload["questions"] = _shown(study, new) if new else []

    is_undone = any(isinstance(action, Undo) for action in message.actions)
    if is_undone or not message.actions:
        last = undoable_vote(reply.annotator)
        payload["last"] = last.key if last else None

    return payload


@require_POST
def cast_vote(request: HttpRequest, name: str) -> HttpResponse:
    """Store an answer, which the key of its lease authorizes, and show the next question."""
    form = forms.KeyForm(request.POST)
    try:
        if not form.is_valid():
            raise NotAnAnswer
        record(AnswerMessage(form.cleaned_data["key"], request.POST), checks_pace=True)
    except ToChange as refusal:
        page = _returned_page(request, name, form.cleaned_data["key"], refusal.hints)
        return page or redirect("judge", name)
    except NotAnAnswer:
        messages.info(request, _("That was not a valid answer. Please choose again."))
    except TooFast:
        _count_refusal(annotator_key_in(request, name))
        message = _("That was too fast. Please read the question and answer again.")
        messages.info(request, message)
    except REFUSALS:
        message = _("That question is no longer assigned to you. Here is the next.")
        messages.info(request, message)

    return redirect("judge", name)


def _returned_page(
    request: HttpRequest, name: str, key: UUID, hints: list[str]
) -> HttpResponse | None:
    """Show a question again with its answer, and what to change; None for another's question."""
    study = get_object_or_404(Study.objects.select_related("dataset"), name=name)
    annotator = annotator_in(request, study)
    if annotator is None:
        return None

    leases = top_up_leases(annotator, leases_per_page(annotator))
    in_order = sorted(leases, key=lambda lease: lease.key != key)
    if not leases or in_order[0].key != key:
        return None
    page = _judging_page(request, annotator, in_order, hints=hints, sent=request.POST)
    page.status_code = 422
    return page


@require_POST
def undo_vote(request: HttpRequest, name: str) -> HttpResponseBase:
    """Undo the annotator's last vote, and ask its question again."""
    form = forms.KeyForm(request.POST)
    try:
        if form.is_valid():
            undo(form.cleaned_data["key"])
    except StudyEnded:
        text = _("The study has ended. Votes can no longer be undone.")
        messages.info(request, text)
    except TooManyUndos:
        text = _("You have undone many answers. Wait a while before you undo another.")
        messages.info(request, text)

    return redirect("judge", name)


@require_POST
def report_question(request: HttpRequest, name: str) -> HttpResponse:
    """Store a report on a question, and skip it where that was asked for and is allowed."""
    form = forms.ReportForm(request.POST)
    skips = "skip" in request.POST
    if form.is_valid() and report(**form.cleaned_data, skips=skips):
        show_success(request, _("Thank you. The problem is noted."))
    else:
        messages.info(request, _("The problem could not be saved."))

    return redirect("judge", name)


@require_POST
@_annotators_only
def leave_comment(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Store an annotator's comment on the study."""
    form = forms.CommentForm(request.POST)
    if form.is_valid() and annotator.judged:
        comment(annotator, form.cleaned_data["text"])
        show_success(request, _("Thank you. Your comment is saved."))

    return redirect("judge", annotator.study.name)


@require_safe
def image(request: HttpRequest, name: str, pk: int) -> HttpResponseBase:
    """Send an image of a dataset, under the content type that was read at its import."""
    images = Image.objects.select_related("dataset")
    datasets = Dataset.objects.filter(name=name)
    row = get_object_or_404(images, pk=pk, dataset__in=datasets)
    dataset = row.dataset
    path = dataset.folder / row.file
    if not row.file or not path.is_file():
        raise Http404
    if not may_see_images(request, dataset) and not may_caption(request.user, dataset):
        raise Http404

    if not row.content_type:  # imported by an earlier version
        row.content_type, row.digest = content_of(path)
        row.save(update_fields=["content_type", "digest"])
    if not row.content_type:
        raise Http404

    etag = quote_etag(row.digest)
    response = get_conditional_response(request, etag=etag) or FileResponse(
        path.open("rb"), content_type=row.content_type
    )
    response["ETag"] = etag
    response["Content-Security-Policy"] = _IMAGE_POLICY
    response["Cache-Control"] = "private, max-age=86400, immutable"
    return response
