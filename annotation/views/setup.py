"""Setting a study up: making it, its settings, its state, and the log of all that was done."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.forms.study import (
    ExitForm,
    ForecastForm,
    NewStudyForm,
    SettingsForm,
    StateForm,
    VotesForm,
    exit_forms,
)
from annotation.judging.flow import QUIZZES
from annotation.judging.quizzes import FaultyQuiz, Quiz, read_quizzes
from annotation.judging.texts import usual_text
from annotation.models import Dataset, Study
from annotation.models.study import SWITCHES, Outcome, Rank, State, Step
from annotation.permissions import administrators_only, has_rank, owners_only, researchers_only
from annotation.studies.creation import copy_for_owner, create_draft, save_settings
from annotation.studies.forecast import forecast
from annotation.studies.history import lines_of, title_of
from annotation.studies.lifecycle import NEXT, NotPossible, lock_study, raise_votes, set_state
from annotation.studies.triplets import NoPairs, NoPictures

EVENTS_A_PAGE = 50
STANDING: dict[State, Promise] = {
    State.DRAFT: gettext_lazy("Nobody can judge yet: every link says that the study is not open."),
    State.OPEN: gettext_lazy("Whoever has a link or an account that may judge can judge now."),
    State.PAUSED: gettext_lazy("Nobody is given a question. Pages say that the study pauses."),
    State.CLOSED: gettext_lazy("The study has ended. Who comes back finds their completion code."),
}
MOVES: dict[tuple[State, State], tuple[Promise, Promise]] = {
    (State.DRAFT, State.OPEN): (
        gettext_lazy("Open the study"),
        gettext_lazy("People can judge from now on. You can pause it at any time."),
    ),
    (State.OPEN, State.PAUSED): (
        gettext_lazy("Pause it"),
        gettext_lazy(
            "Questions that are on people's pages can still be answered; no new ones are given."
        ),
    ),
    (State.OPEN, State.CLOSED): (
        gettext_lazy("Close it"),
        gettext_lazy(
            "The same, and people are thanked and given their completion codes "
            "after the questions they hold."
        ),
    ),
    (State.PAUSED, State.OPEN): (
        gettext_lazy("Go on"),
        gettext_lazy("People are given questions again, where they stopped."),
    ),
    (State.PAUSED, State.CLOSED): (
        gettext_lazy("Close it"),
        gettext_lazy(
            "People are thanked and given their completion codes after the questions they hold."
        ),
    ),
    (State.CLOSED, State.OPEN): (
        gettext_lazy("Reopen it"),
        gettext_lazy("People can judge again, with the same links; no vote is lost."),
    ),
}
"""What a change of state is called, and what it means for people who are judging."""


@dataclass(frozen=True)
class StepPreview:
    """How the text of a step reads: as Markdown, as questions, or why it is neither."""

    step: Step
    text: str = ""
    quizzes: tuple[Quiz, ...] = ()
    fault: str = ""


def preview_of(step: Step, text: str) -> StepPreview:
    if step not in QUIZZES:
        return StepPreview(step, text=text)
    try:
        return StepPreview(step, quizzes=tuple(read_quizzes(text)))
    except FaultyQuiz as error:
        return StepPreview(step, fault=str(error))


def previews(study: Study, texts: Mapping[str, str]) -> list[StepPreview]:
    return [
        preview_of(step, texts.get(step, "").strip() or usual_text(step, study.protocol))
        for step in SWITCHES
    ]


@administrators_only
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: HttpRequest) -> HttpResponse:
    only = Dataset.objects.values_list("pk", flat=True)[:2]
    initial = {"dataset": request.GET.get("dataset") or (only[0] if len(only) == 1 else None)}
    form = NewStudyForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            row = create_draft(form.save(commit=False), cast(User, request.user))
        except (NoPairs, NoPictures) as error:
            form.add_error("dataset", str(error))
        else:
            made = row.triplets.count()
            messages.success(
                request,
                _("Made %(triplets)s triplets. The study is a draft until you open it.")
                % {"triplets": intcomma(made)},
            )
            return redirect("study_settings", row.name)
    return render(request, "study/new.html", {"form": form}, status=422 if form.is_bound else 200)


@researchers_only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_settings(request: HttpRequest, study: Study) -> HttpResponse:
    """All settings on one page: researchers see them, owners change them."""
    may_change = has_rank(request.user, study, Rank.OWNER)
    if request.method == "POST" and not may_change:
        raise PermissionDenied
    data = request.POST if request.method == "POST" else None
    form = SettingsForm(copy(study), data, may_change=may_change)
    exits = exit_forms(study, data, may_change=may_change)
    if data is not None and is_saved(study, form, exits, cast(User, request.user)):
        messages.success(request, _("The settings are saved."))
        return redirect("study_settings", study.name)
    context = {"form": form, "exits": exits, "may_change": may_change}
    status = 422 if form.is_bound else 200
    return render(
        request, "study/settings.html", context | surroundings(request, study, form), status=status
    )


@transaction.atomic
def is_saved(
    study: Study, form: SettingsForm, exits: Mapping[Outcome, ExitForm], user: User
) -> bool:
    """Save what is right; nobody else saves between the check and this."""
    lock_study(study)
    if not all([form.is_valid(), *(each.is_valid() for each in exits.values())]):
        return False
    leaving = {outcome.value: each.leaving for outcome, each in exits.items()}
    save_settings(study, form.cleaned_data, leaving, user)
    return True


def surroundings(request: HttpRequest, study: Study, form: SettingsForm) -> dict[str, object]:
    """What the page of the settings shows besides the form."""
    texts = {step.value: str(form[step.value].value() or "") for step in SWITCHES}
    money = ForecastForm(request.GET)
    return {
        "study": study,
        "texts": [
            {"switch": switch, "field": form[shown.step.value], "preview": shown}
            for switch, shown in zip(form["steps"], previews(study, texts), strict=True)
        ],
        "standing": STANDING[State(study.state)],
        "moves": moves(study),
        "votes_form": VotesForm(study),
        "triplets": study.triplets.count(),
        "gold": study.triplets.exclude(answer="").count(),
        "money": money,
        "forecast": forecast(study, **money.values),
    }


def moves(study: Study) -> list[tuple[State, Promise, Promise]]:
    """The states that a study can be brought to, with their buttons and what they mean."""
    state = State(study.state)
    return [(after, *MOVES[state, after]) for after in NEXT[state]]


@researchers_only
@require_POST
def study_preview(request: HttpRequest, study: Study) -> HttpResponse:
    """How the texts on the settings page read, before they are saved."""
    texts = {step.value: request.POST.get(step, "") for step in SWITCHES}
    context = {"study": study, "previews": previews(study, texts)}
    return render(request, "study/preview.html", context)


@owners_only
@require_POST
def study_state(request: HttpRequest, study: Study) -> HttpResponse:
    form = StateForm(request.POST)
    if form.is_valid():
        try:
            set_state(study, State(form.cleaned_data["state"]), cast(User, request.user))
        except NotPossible as error:
            messages.error(request, str(error))
        else:
            said = {"state": study.get_state_display()}
            messages.success(request, _("The study is %(state)s now.") % said)
    return redirect("study_settings", study.name)


@owners_only
@require_POST
def study_votes(request: HttpRequest, study: Study) -> HttpResponse:
    form = VotesForm(study, request.POST)
    if form.is_valid():
        try:
            besides = raise_votes(study, form.cleaned_data["votes"], cast(User, request.user))
        except NotPossible as error:
            messages.error(request, str(error))
        else:
            words = ngettext(
                "One more vote is asked for.", "%(votes)s more votes are asked for.", besides
            )
            messages.success(request, words % {"votes": intcomma(besides)})
    else:
        messages.error(request, " ".join(map(str, form.errors["votes"])))
    return redirect("study_settings", study.name)


@owners_only
@require_POST
def study_copy(request: HttpRequest, study: Study) -> HttpResponse:
    row = copy_for_owner(study, cast(User, request.user))
    messages.success(request, _("This is the copy: a draft with the same settings and questions."))
    return redirect("study_settings", row.name)


@researchers_only
@never_cache
@require_safe
def study_log(request: HttpRequest, study: Study) -> HttpResponse:
    events = study.events.select_related("by")
    page = Paginator(events, EVENTS_A_PAGE).get_page(request.GET.get("page"))
    rows = [(event, title_of(event), lines_of(event)) for event in page]
    return render(request, "study/log.html", {"study": study, "page": page, "rows": rows})
