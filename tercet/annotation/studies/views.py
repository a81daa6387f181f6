"""List studies; create, set up, archive and delete one; show its log."""

from collections.abc import Mapping
from copy import copy
from itertools import chain

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from tercet.analysis.number_texts import plural
from tercet.annotation import permissions
from tercet.annotation.archive_views import DeletionForm, change_archive, delete_by
from tercet.annotation.models import Dataset, Question, Study
from tercet.annotation.models.study import Outcome, State
from tercet.annotation.operations.deletion.deleting import delete_study
from tercet.annotation.participation import texts
from tercet.annotation.participation.preview_views import previews
from tercet.annotation.permissions import login_required, studies_of
from tercet.annotation.quality.crowd import crowd_standing
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    form_on,
    form_page,
    form_response,
    page_in,
    posted,
    refusals_in,
    refusals_shown,
    safe_page,
    show_success,
)
from tercet.annotation.results.tasks import request_final_evaluation
from tercet.annotation.studies import creation, forms
from tercet.annotation.studies.audit import lines_of, title_of
from tercet.annotation.studies.checklist import labels_without_code, open_entries
from tercet.annotation.studies.forecast import forecast
from tercet.annotation.studies.lifecycle import TRANSITIONS, raise_votes, set_state
from tercet.annotation.studies.roles import is_owner
from tercet.annotation.studies.setting_groups import (
    BEFORE,
    GROUPS,
    WHOLE,
    SettingGroup,
    index_of,
)
from tercet.annotation.studies.settings import save_settings

EVENTS_PER_PAGE = 12
_STATE_MEANINGS: dict[State, str] = {
    State.DRAFT: "Nobody can judge yet; every link says that the study is not open.",
    State.OPEN: "Everybody with a link or an account that may judge can judge.",
    State.PAUSED: "The study is paused; no new questions are shown.",
    State.CLOSED: "The study has ended. Annotators who return see their completion code.",
}
_CLOSE = (
    "Close the study",
    "Questions already shown can still be answered; then people get their completion codes.",
)
ACTIONS: dict[tuple[State, State], tuple[str, str]] = {
    (State.DRAFT, State.OPEN): (
        "Open the study",
        "People can start judging. You can pause the study at any time.",
    ),
    (State.OPEN, State.PAUSED): (
        "Pause the study",
        "Questions already shown can still be answered; no new ones are shown.",
    ),
    (State.OPEN, State.CLOSED): _CLOSE,
    (State.PAUSED, State.OPEN): (
        "Resume the study",
        "People get questions again, where they stopped.",
    ),
    (State.PAUSED, State.CLOSED): _CLOSE,
    (State.CLOSED, State.OPEN): (
        "Reopen the study",
        "People can judge again, with the same links. All votes are kept.",
    ),
}
"""The button for each change of state, and what it means for people who are judging."""


@permissions.administrators_only
@form_page
def study_new(request: UserRequest) -> HttpResponse:
    """Create a draft of a study."""
    listed = Dataset.objects.filter(archived_at=None)[:2]
    only = listed[0] if len(listed) == 1 else None
    values = {name: request.GET[name] for name in forms.PLANNED if name in request.GET}
    initial = {"dataset": only and only.pk, **values}
    form = forms.NewStudyForm(request.POST or None, initial=initial)

    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            study = creation.create_draft(form.save(commit=False), request.user)
            _say_created(request, study)
            return redirect("study", study.name)

    return form_response(request, "studies/settings/new.html", form)


def _say_created(request: UserRequest, study: Study) -> None:
    """Say how many questions a new study has, and which images have fewer references."""
    created = study.questions.count()
    fewer = creation.images_with_fewer(study)
    message = plural(
        created,
        "Created %(count)s question. The study is a draft until you open it.",
        "Created %(count)s questions. The study is a draft until you open it.",
    )
    show_success(request, message, count=intcomma(created))

    if fewer:
        message = plural(
            fewer,
            "%(count)s image has fewer references than asked for per pair: all that it has are "
            "used.",
            "%(count)s images have fewer references than asked for per pair: all that they have "
            "are used.",
        )
        messages.warning(request, message % {"count": intcomma(fewer)})


@permissions.researchers_only
@form_page
def study_settings(request: UserRequest, study: Study) -> HttpResponse:
    """Show what opening asks for, the state of the study, and a forecast."""
    return _take_group(request, study, BEFORE)


@permissions.researchers_only
@form_page
def study_setting_group(request: UserRequest, study: Study, group: str) -> HttpResponse:
    """Show another group of settings."""
    if group not in GROUPS or not GROUPS[group].means_in(study):
        raise Http404

    return _take_group(request, study, GROUPS[group])


def _take_group(
    request: UserRequest, study: Study, group: SettingGroup
) -> HttpResponse:
    """Show a group of settings to researchers; owners can change them."""
    may_change = is_owner(request.user, study)
    if request.method == "POST" and not may_change:
        raise PermissionDenied

    data = posted(request)
    form = forms.SettingsForm(copy(study), data, group.names, may_change=may_change)
    exits = {}
    if group.has_exits:
        exits = forms.exit_forms(study, data, may_change=may_change)
    if data is not None and _save(study, form, exits, request.user):
        show_success(request, "Settings saved.")
        return redirect(group.address_in(study))

    return _group_page(request, study, group, form, exits)


@transaction.atomic
def _save(
    study: Study,
    form: forms.SettingsForm,
    exits: Mapping[Outcome, forms.ExitForm],
    user: User,
) -> bool:
    """Save valid forms; False where one is not valid.

    The study is locked, so that nobody else saves between the validation and the save.
    """
    study.lock()
    are_valid = [each.is_valid() for each in exits.values()]
    if not form.is_valid() or not all(are_valid):
        return False

    exit_values = {name.value: each.exit_values for name, each in exits.items()}
    save_settings(study, form.cleaned_data, exit_values, user)
    return True


def _group_page(
    request: UserRequest,
    study: Study,
    group: SettingGroup,
    form: forms.SettingsForm,
    exits: Mapping[Outcome, forms.ExitForm],
    refused: DeletionForm | None = None,
) -> HttpResponse:
    fields = chain(form, *exits.values())
    context = {
        "study": study,
        "group": group,
        "address": group.address_in(study),
        "preview_address": group.preview_in(study),
        "parts": index_of(study),
        "form": form,
        "exits": exits,
        "faulty": [field for field in fields if field.errors],
        "may_change": is_owner(request.user, study),
        "votes_form": forms.VotesForm(study),
        "deletion_form": refused or DeletionForm(study.title),
        "questions": study.questions.count(),
        "gold": study.questions.gold().count(),
        **previews(study, form),
    }
    if group is BEFORE:
        context |= _state_context(request, study)

    status = 422 if form.is_bound or refused else 200
    return render(request, "studies/settings/settings.html", context, status=status)


def _state_context(request: UserRequest, study: Study) -> dict[str, object]:
    """Return the state of a study, what it lacks before it is opened, and what it will take."""
    money = forms.ForecastForm(study, request.GET)
    estimated = money.values
    state = State(study.state)
    moves = [(after, *ACTIONS[state, after]) for after in TRANSITIONS[state]]
    can_open = State.OPEN in TRANSITIONS[state] and not study.collected_elsewhere
    has_gold = study.questions.gold().exists()

    return {
        "missing": texts.missing_facts(study) if can_open else [],
        "in_english": texts.steps_in_english(study) if can_open else [],
        "without_text": texts.steps_without_text(study) if can_open else [],
        "without_code": labels_without_code(study) if can_open else [],
        "entries": open_entries(study),
        "standing": _STATE_MEANINGS[state],
        "moves": [] if study.archived_at else moves,
        "lacks_gold": can_open and study.gold_rate > 0 and not has_gold,
        "money": money,
        "currency": estimated["currency"],
        "crowd": crowd_standing(study),
        "forecast": forecast(study, estimated["wage"], estimated["fee"]),
    }


@permissions.researchers_only
@require_POST
def study_preview(request: UserRequest, study: Study, group: str) -> HttpResponse:
    """Show how the texts of a group of settings will look, before they are saved."""
    names = GROUPS.get(group, BEFORE).names
    form = forms.SettingsForm(copy(study), request.POST, names, may_change=True)
    context = {"study": study} | previews(study, form)
    return render(request, "studies/settings/preview.html", context)


_PAGES_AFTER = {State.OPEN: "study_people", State.CLOSED: "study"}
"""What a study needs next once it is in a state: the links to send, or its results."""


@permissions.owners_only
@require_POST
def study_state(request: UserRequest, study: Study) -> HttpResponse:
    """Open, pause, close or reopen the study."""
    form = forms.StateForm(request.POST)
    if not form.is_valid():
        return redirect("study_settings", study.name)

    page = "study_settings"
    with refusals_shown(request):
        set_state(study, State(form.cleaned_data["state"]), request.user)
        page = _PAGES_AFTER.get(State(study.state), page)
        message = "The study is now %(state)s."
        show_success(request, message, state=study.get_state_display())
        if study.state == State.CLOSED and request_final_evaluation(study):
            show_success(request, "Its results are being computed.")

    return redirect(page, study.name)


@permissions.owners_only
@require_POST
def study_votes(request: UserRequest, study: Study) -> HttpResponse:
    """Increase the votes per question; show what it takes now."""
    form = forms.VotesForm(study, request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["votes"])))
        return redirect("study_settings", study.name)

    with refusals_shown(request):
        count = raise_votes(study, form.cleaned_data["votes"], request.user)
        message = plural(
            count, "One more vote is needed.", "%(votes)s more votes are needed."
        )
        show_success(request, message, votes=intcomma(count))

    return redirect("study_settings", study.name)


@permissions.owners_only
@require_POST
def study_copy(request: UserRequest, study: Study) -> HttpResponse:
    """Copy the study's settings and questions into a new draft."""
    draft = creation.copy_study(study, request.user)
    message = "This is the copy, a draft with the same settings and questions."
    show_success(request, message)
    return redirect("study", draft.name)


@permissions.owners_only
@require_POST
def study_archive(request: UserRequest, study: Study) -> HttpResponse:
    """Archive a study, or take it out of the archive; show the message at the top of a page."""
    if change_archive(request, study):
        return redirect("studies")

    return redirect("study_settings", study.name)


@permissions.owners_only
@form_on("study_settings")
def study_delete(request: UserRequest, study: Study) -> HttpResponse:
    """Delete a study whose title was typed."""
    form = DeletionForm(study.title, request.POST)
    if not form.is_valid():
        settings = forms.SettingsForm(study, None, WHOLE.names, may_change=True)
        return _group_page(request, study, WHOLE, settings, {}, form)
    if not delete_by(delete_study, request, study):
        return redirect("study_settings", study.name)

    sees_others = permissions.studies_of(request.user).exists()
    return redirect("studies" if sees_others else "home")


@permissions.researchers_only
@safe_page
def study_log(request: UserRequest, study: Study) -> HttpResponse:
    """Show the audit log."""
    page = page_in(request, study.events.select_related("by"), EVENTS_PER_PAGE)
    names = permissions.may_see_names(request.user, study)
    rows = [(event, title_of(event), lines_of(event, names=names)) for event in page]

    context = {"study": study, "page": page, "rows": rows}
    return render(request, "studies/log.html", context)


@login_required
@require_safe
def studies(request: UserRequest) -> HttpResponse:
    """List the studies whose results an account may see, or those of them in the archive."""
    visible = studies_of(request.user).select_related("dataset")
    if not visible and not request.user.is_staff:
        raise PermissionDenied

    shows_archive = request.GET.get("archived") == "yes"
    archived = [study for study in visible if study.archived_at]
    current = [study for study in visible if not study.archived_at]
    listed = archived if shows_archive else current

    context = {
        "studies": Question.objects.progress_of(listed),
        "shows_archive": shows_archive,
        "archived": len(archived),
    }
    return render(request, "studies/studies.html", context)
