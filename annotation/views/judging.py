from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
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
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.forms.voting import UndoForm, VoteForm
from annotation.judging import flow
from annotation.judging.leases import HELD, top_up_leases
from annotation.judging.questions import questions_of
from annotation.judging.sync import SAVED, Message, Reply, Undo, exchange, read_message, take
from annotation.judging.texts import quizzes_of, text_of
from annotation.judging.votes import Answer, last_vote, undo
from annotation.models import Annotator, Image, Lease, Study
from annotation.models.study import Outcome, State, Step
from annotation.permissions import annotator_in, cookie_of, may_see


def annotator_or_login(request: HttpRequest, study: Study) -> Annotator | HttpResponseBase:
    annotator = annotator_in(request, study)
    if annotator:
        return annotator
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect_to_login(reverse("judge", args=[study.name]))


@never_cache
@require_safe
def judge(request: HttpRequest, name: str) -> HttpResponseBase:
    """Where this annotator is on their way: a step before judging, a question, or the end."""
    study = get_object_or_404(Study.objects.select_related("dataset"), name=name)
    annotator = annotator_or_login(request, study)
    return page_of(request, annotator) if isinstance(annotator, Annotator) else annotator


@require_safe
def offline(request: HttpRequest, name: str) -> HttpResponse:
    """The browser's worker that shows the judging page without a connection."""
    return render(request, "judging/offline.js", content_type="text/javascript")


def page_of(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    study = annotator.study
    if annotator.is_out:
        return done_page(request, annotator)
    if study.state == State.DRAFT and not annotator.is_test:
        return page(request, annotator, "judging/closed.html")
    ahead = next_page(request, annotator)
    if ahead:
        return ahead
    if study.state == State.PAUSED and not flow.is_finished(annotator):
        return page(request, annotator, "judging/paused.html")
    flow.finish_judging(annotator)
    return done_page(request, annotator)


def next_page(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """A step, the offer of a break or a question; None where there is nothing to judge."""
    step = flow.step_of(annotator)
    if step != Step.JUDGING:
        return STEP_PAGES[step](request, annotator) if flow.can_start(annotator) else None
    if flow.is_break_due(annotator) and annotator.study.is_open:
        return page(request, annotator, "judging/rest.html")
    held = top_up_leases(annotator, HELD)
    return judging_page(request, annotator, held) if held else None


def page(request: HttpRequest, annotator: Annotator, template: str, **more: object) -> HttpResponse:
    context = {"study": annotator.study, "annotator": annotator}
    return render(request, template, context | more)


def text_page(template: str, step: Step) -> Callable[[HttpRequest, Annotator], HttpResponse]:
    def show(request: HttpRequest, annotator: Annotator) -> HttpResponse:
        action = reverse("study_step", args=[annotator.study.name])
        return page(
            request, annotator, template, text=text_of(annotator.study, step), action=action
        )

    return show


def comprehension_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    return page(
        request,
        annotator,
        "judging/comprehension.html",
        quizzes=quizzes_of(annotator.study, Step.COMPREHENSION),
        instructions=text_of(annotator.study, Step.INSTRUCTIONS),
    )


def practice_page(
    request: HttpRequest, annotator: Annotator, chosen: int | None = None
) -> HttpResponse:
    """A practice question, or with a choice what is to be said of it."""
    quizzes = quizzes_of(annotator.study, Step.PRACTICE)
    number = min(annotator.practised, len(quizzes) - 1)
    more = {"quiz": quizzes[number], "number": number + 1, "count": len(quizzes), "chosen": chosen}
    return page(request, annotator, "judging/practice.html", **more)


STEP_PAGES: dict[Step, Callable[[HttpRequest, Annotator], HttpResponse]] = {
    Step.CONSENT: text_page("judging/consent.html", Step.CONSENT),
    Step.INSTRUCTIONS: text_page("judging/instructions.html", Step.INSTRUCTIONS),
    Step.COMPREHENSION: comprehension_page,
    Step.PRACTICE: practice_page,
}


def judging_page(request: HttpRequest, annotator: Annotator, held: list[Lease]) -> HttpResponse:
    questions = questions_of(annotator.study, held)
    annotator.judged = held[0].annotator.judged  # of the same moment as the questions
    return page(
        request,
        annotator,
        "judging/judge.html",
        question=questions[0],
        questions=questions,
        last=last_vote(annotator),
        workload=flow.workload(annotator.study, held),
        instructions=text_of(annotator.study, Step.INSTRUCTIONS),
    )


def done_page(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """The end, with the completion code: every vote is stored."""
    more = {
        "last": last_vote(annotator),
        "exit_url": flow.exit_url(annotator),
        "has_reached_limit": flow.has_reached_limit(annotator),
    }
    return page(request, annotator, "judging/done.html", outcomes=Outcome, **more)


@require_http_methods(["GET", "HEAD", "POST"])
def study_step(request: HttpRequest, name: str) -> HttpResponseBase:
    """What an annotator says on a page before judging, or on a break.

    Feedback is shown here, so a reload or another language may ask for the address itself.
    """
    if request.method != "POST":
        return redirect("judge", name)
    study = get_object_or_404(Study.objects.select_related("dataset"), name=name)
    annotator = annotator_or_login(request, study)
    if not isinstance(annotator, Annotator):
        return annotator
    take = HANDLERS.get(request.POST.get("step", ""))
    return (take(request, annotator) if take else None) or redirect("judge", name)


def take_consent(request: HttpRequest, annotator: Annotator) -> None:
    said = {"yes": True, "no": False}.get(request.POST.get("agree", ""))
    flow.record_consent(annotator, agrees=said)


def take_instructions(request: HttpRequest, annotator: Annotator) -> None:
    flow.advance(annotator, Step.INSTRUCTIONS)


def take_comprehension(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    quizzes = quizzes_of(annotator.study, Step.COMPREHENSION)
    chosen = [number_in(request, f"question-{index}") for index in range(len(quizzes))]
    wrong = flow.check_comprehension(annotator, chosen, number_in(request, "try"))
    if wrong and not annotator.outcome:
        messages.warning(
            request,
            _("Not quite: please look at the instructions again. You have one more try."),
        )
    return None


def take_practice(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """The feedback on a choice; or, once it was read, the next question."""
    if flow.step_of(annotator) != Step.PRACTICE:
        return None
    if number_in(request, "read") == annotator.practised + 1:
        flow.advance_practice(annotator)
        return None
    chosen = number_in(request, "chosen")
    return practice_page(request, annotator, chosen) if chosen is not None else None


def take_rest(request: HttpRequest, annotator: Annotator) -> None:
    flow.take_break(annotator)


HANDLERS: dict[str, Callable[[HttpRequest, Annotator], HttpResponse | None]] = {
    Step.CONSENT: take_consent,
    Step.INSTRUCTIONS: take_instructions,
    Step.COMPREHENSION: take_comprehension,
    Step.PRACTICE: take_practice,
    "rest": take_rest,
}


def number_in(request: HttpRequest, name: str) -> int | None:
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 6 else None


@csrf_exempt  # the keys in a message vouch for it, and nobody else knows them
@require_POST
def sync(request: HttpRequest, name: str) -> JsonResponse:
    """Take in what a browser has kept for the server, and say what it may show next."""
    try:
        message = read_message(request.body)
    except ValueError as error:
        return JsonResponse({"error": str(error)}, status=400)
    annotator = cookie_of(request, name) or account_in(request, name)
    try:
        reply = exchange(annotator, message.actions) if annotator else None
    except Annotator.DoesNotExist:
        reply = None
    if reply is None:
        return JsonResponse({"taken": [take(action) for action in message.actions], "login": True})
    return JsonResponse(told(reply, message))


def account_in(request: HttpRequest, name: str) -> int | None:
    study = get_object_or_404(Study, name=name)
    annotator = annotator_in(request, study)
    return annotator.pk if annotator else None


def told(reply: Reply, message: Message) -> dict[str, object]:
    """A reply for a judging page: captions of those questions only that it does not hold."""
    study = reply.annotator.study
    known: dict[str, object] = {"taken": reply.taken, "judged": reply.annotator.judged}
    if not reply.held:
        return known | {"go": reverse("judge", args=[study.name])}
    new = [lease for lease in reply.held if str(lease.key) not in message.holding]
    more: dict[str, object] = {
        "order": [lease.key for lease in reply.held],
        "questions": questions_of(study, new) if new else [],
    }
    if any(isinstance(action, Undo) for action in message.actions):
        last = last_vote(reply.annotator)
        more["last"] = last.key if last else None
    return known | more


@require_POST
def cast_vote(request: HttpRequest, name: str) -> HttpResponse:
    """Store the answer, which the key of its lease vouches for; then the next question."""
    form = VoteForm(request.POST)
    if form.is_valid():
        if take(Answer(form.cleaned_data["key"], form.cleaned_data["side"])) != SAVED:
            told = _("That question was no longer yours to answer. Here is the next.")
            messages.info(request, told)
    else:
        told = _("That was not an answer to the question. Please choose again.")
        messages.info(request, told)
    return redirect("judge", name)


@require_POST
def undo_vote(request: HttpRequest, name: str) -> HttpResponseBase:
    form = UndoForm(request.POST)
    if form.is_valid():
        undo(form.cleaned_data["key"])
    return redirect("judge", name)


@require_safe
def image(request: HttpRequest, name: str, pk: int) -> FileResponse:
    """A picture of a dataset; whatever an uploaded SVG holds, it runs nothing."""
    row = get_object_or_404(Image.objects.select_related("dataset"), pk=pk, dataset__name=name)
    path = row.dataset.folder / row.file
    if not row.file or not path.is_file() or not may_see(request, row.dataset):
        raise Http404
    response = FileResponse(path.open("rb"))
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["Cache-Control"] = "private, max-age=86400"
    return response
