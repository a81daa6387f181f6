"""Create a study, change its settings and its state, archive and delete it, and show its log."""

from collections.abc import Mapping
from copy import copy
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from tercet.annotation.models import Dataset, Study
from tercet.annotation.models.study import Accounts, Outcome, State
from tercet.annotation.operations.deletion import delete_study
from tercet.annotation.participation.texts import (
    missing_facts,
    steps_in_english,
    steps_without_text,
)
from tercet.annotation.permissions import (
    administrators_only,
    may_see_names,
    owners_only,
    researchers_only,
    studies_of,
)
from tercet.annotation.requests import UserRequest
from tercet.annotation.studies.audit import lines_of, title_of
from tercet.annotation.studies.creation import (
    Unsuitable,
    copy_study,
    create_draft,
    images_with_fewer,
)
from tercet.annotation.studies.forecast import forecast
from tercet.annotation.studies.lifecycle import (
    TRANSITIONS,
    NotPossible,
    raise_votes,
    set_state,
)
from tercet.annotation.studies.roles import is_owner
from tercet.annotation.studies.settings import save_settings
from tercet.annotation.tasks import request_final_evaluation
from tercet.annotation.web.archive import DeletionForm, change_archive, delete_by
from tercet.annotation.web.participation.preview_views import previews
from tercet.annotation.web.responses import form_on, form_page, get_or_post, safe_page
from tercet.annotation.web.studies.forms import (
    PLANNED,
    ExitForm,
    ForecastForm,
    NewStudyForm,
    SettingsForm,
    StateForm,
    VotesForm,
    exit_forms,
)
from tercet.annotation.web.studies.setting_groups import (
    OPEN,
    SettingGroup,
    setting_groups,
)

EVENTS_PER_PAGE = 50
_STATE_MEANINGS: dict[State, Promise] = {
    State.DRAFT: gettext_lazy(
        "Nobody can judge yet; every link says that the study is not open."
    ),
    State.OPEN: gettext_lazy(
        "Everybody with a link or an account that may judge can judge."
    ),
    State.PAUSED: gettext_lazy("The study is paused; no new questions are shown."),
    State.CLOSED: gettext_lazy(
        "The study has ended. Annotators who return see their completion code."
    ),
}
_CLOSE = (
    gettext_lazy("Close the study"),
    gettext_lazy(
        "Questions already shown can still be answered; then people get their completion codes."
    ),
)
ACTIONS: dict[tuple[State, State], tuple[Promise, Promise]] = {
    (State.DRAFT, State.OPEN): (
        gettext_lazy("Open the study"),
        gettext_lazy("People can start judging. You can pause the study at any time."),
    ),
    (State.OPEN, State.PAUSED): (
        gettext_lazy("Pause the study"),
        gettext_lazy(
            "Questions already shown can still be answered; no new ones are shown."
        ),
    ),
    (State.OPEN, State.CLOSED): _CLOSE,
    (State.PAUSED, State.OPEN): (
        gettext_lazy("Resume the study"),
        gettext_lazy("People get questions again, where they stopped."),
    ),
    (State.PAUSED, State.CLOSED): _CLOSE,
    (State.CLOSED, State.OPEN): (
        gettext_lazy("Reopen the study"),
        gettext_lazy(
            "People can judge again, with the same links. All votes are kept."
        ),
    ),
}
"""The button for each change of state, and what it means for people who are judging."""


@administrators_only
@get_or_post
def study_new(request: UserRequest) -> HttpResponse:
    """Create a draft of a study."""
    values = {name: request.GET[name] for name in PLANNED if name in request.GET}
    initial = {"dataset": _only_dataset(), **values}
    form = NewStudyForm(request.POST or None, initial=initial)

    if request.method == "POST" and form.is_valid():
        try:
            study = create_draft(form.save(commit=False), request.user)
        except Unsuitable as error:
            form.add_error(error.field, str(error))
        else:
            created = study.triplets.count()
            message = ngettext(
                "Created %(count)s question. The study is a draft until you open it.",
                "Created %(count)s questions. The study is a draft until you open it.",
                created,
            )
            messages.success(request, message % {"count": intcomma(created)})
            _warn_of_fewer_references(request, study)
            return redirect("study_settings", study.name)

    status = 422 if form.is_bound else 200
    return render(request, "studies/settings/new.html", {"form": form}, status=status)


def _warn_of_fewer_references(request: UserRequest, study: Study) -> None:
    """Say which part of the images has fewer references than the study asks for."""
    count = images_with_fewer(study)
    if not count:
        return

    message = ngettext(
        "%(count)s image has fewer references than asked for per pair: all that it has are used.",
        "%(count)s images have fewer references than asked for per pair: all that they have are "
        "used.",
        count,
    )
    messages.warning(request, message % {"count": intcomma(count)})


def _only_dataset() -> int | None:
    """Return the key of the only dataset that can be chosen."""
    listed = Dataset.objects.filter(archived_at=None)
    keys = list(listed.values_list("pk", flat=True)[:2])
    return keys[0] if len(keys) == 1 else None


@researchers_only
@form_page
def study_settings(request: UserRequest, study: Study) -> HttpResponse:
    """Show all settings to researchers; owners can change them."""
    may_change = is_owner(request.user, study)
    if request.method == "POST" and not may_change:
        raise PermissionDenied

    data = request.POST if request.method == "POST" else None
    form = SettingsForm(copy(study), data, may_change=may_change)
    exits = exit_forms(study, data, may_change=may_change)
    if data is not None and _save(study, form, exits, request.user):
        messages.success(request, _("Settings saved."))
        groups = setting_groups(study, form, exits, data.getlist("open"))
        return redirect(_address_of_settings(study, groups))

    return _settings_page(request, study, form, exits)


def _address_of_settings(study: Study, groups: Mapping[str, SettingGroup]) -> str:
    """Return the address of the settings page with the same groups open."""
    address = reverse("study_settings", args=[study.name])
    opened = [
        anchor
        for anchor, group in groups.items()
        if group.is_open and anchor not in OPEN
    ]
    query = urlencode({"open": opened}, doseq=True)
    return f"{address}?{query}" if query else address


@transaction.atomic
def _save(
    study: Study, form: SettingsForm, exits: Mapping[Outcome, ExitForm], user: User
) -> bool:
    """Save valid forms; False where one is not valid.

    The study is locked, so that nobody else saves between the validation and the save.
    """
    study.lock()
    are_valid = [
        form.is_valid(),
        *(exit_form.is_valid() for exit_form in exits.values()),
    ]
    if not all(are_valid):
        return False

    exit_values = {
        outcome.value: exit_form.exit_values for outcome, exit_form in exits.items()
    }
    save_settings(study, form.cleaned_data, exit_values, user)
    return True


def _settings_page(
    request: UserRequest,
    study: Study,
    form: SettingsForm,
    exits: Mapping[Outcome, ExitForm],
    refused: DeletionForm | None = None,
) -> HttpResponse:
    money = ForecastForm(request.GET)
    state = State(study.state)
    moves = [(after, *ACTIONS[state, after]) for after in TRANSITIONS[state]]
    can_open = State.OPEN in TRANSITIONS[state]
    gold = study.triplets.exclude(answer="").count()
    opened = (request.POST if form.is_bound else request.GET).getlist("open")

    context = {
        "study": study,
        "form": form,
        "exits": exits,
        "may_change": is_owner(request.user, study),
        "groups": setting_groups(study, form, exits, opened),
        "missing": missing_facts(study) if can_open else [],
        "in_english": steps_in_english(study) if can_open else [],
        "without_text": steps_without_text(study) if can_open else [],
        "entries": _open_entries(study),
        "standing": _STATE_MEANINGS[state],
        "moves": [] if study.archived_at else moves,
        "votes_form": VotesForm(study),
        "deletion_form": refused or DeletionForm(study.title),
        "triplets": study.triplets.count(),
        "gold": gold,
        "lacks_gold": can_open and study.gold_rate > 0 and gold == 0,
        "money": money,
        "forecast": forecast(study, **money.values),
        **previews(study, form),
    }
    status = 422 if form.is_bound or refused else 200
    return render(request, "studies/settings/settings.html", context, status=status)


def _open_entries(study: Study) -> list[str]:
    """Return the ways to take part in a study besides personal links and roles."""
    entries = (
        (study.link_is_open, _("the shared link")),
        (study.crowd_is_open, _("the crowdsourcing link")),
        (study.accounts == Accounts.ALL, _("every account")),
    )
    return [name for is_open, name in entries if is_open]


@researchers_only
@require_POST
def study_preview(request: UserRequest, study: Study) -> HttpResponse:
    """Show how the texts on the settings page will look, before they are saved."""
    form = SettingsForm(copy(study), request.POST, may_change=True)
    context = {"study": study} | previews(study, form)
    return render(request, "studies/settings/preview.html", context)


@owners_only
@require_POST
def study_state(request: UserRequest, study: Study) -> HttpResponse:
    """Open, pause, close or reopen the study."""
    form = StateForm(request.POST)
    if form.is_valid():
        try:
            set_state(study, State(form.cleaned_data["state"]), request.user)
        except NotPossible as error:
            messages.error(request, str(error))
        else:
            message = _("The study is now %(state)s.")
            messages.success(request, message % {"state": study.get_state_display()})
            if study.state == State.CLOSED and request_final_evaluation(study):
                messages.success(request, _("Its results are being computed."))

    return redirect("study_settings", study.name)


@owners_only
@require_POST
def study_votes(request: UserRequest, study: Study) -> HttpResponse:
    """Increase the votes per triplet."""
    form = VotesForm(study, request.POST)

    if form.is_valid():
        try:
            count = raise_votes(study, form.cleaned_data["votes"], request.user)
        except NotPossible as error:
            messages.error(request, str(error))
        else:
            message = ngettext(
                "One more vote is needed.", "%(votes)s more votes are needed.", count
            )
            messages.success(request, message % {"votes": intcomma(count)})
    else:
        messages.error(request, " ".join(map(str, form.errors["votes"])))

    return redirect("study_settings", study.name)


@owners_only
@require_POST
def study_copy(request: UserRequest, study: Study) -> HttpResponse:
    """Copy the study's settings and questions into a new draft."""
    draft = copy_study(study, request.user)
    message = _("This is the copy, a draft with the same settings and questions.")
    messages.success(request, message)
    return redirect("study_settings", draft.name)


@owners_only
@require_POST
def study_archive(request: UserRequest, study: Study) -> HttpResponse:
    """Archive a study, or take it out of the archive; show the message at the top of a page."""
    if change_archive(request, study):
        return redirect("studies")

    return redirect("study_settings", study.name)


@owners_only
@form_on("study_settings")
def study_delete(request: UserRequest, study: Study) -> HttpResponse:
    """Delete a study whose title was typed."""
    form = DeletionForm(study.title, request.POST)
    if not form.is_valid():
        settings = SettingsForm(copy(study), None, may_change=True)
        exits = exit_forms(study, None, may_change=True)
        return _settings_page(request, study, settings, exits, form)
    if not delete_by(delete_study, request, study):
        return redirect("study_settings", study.name)

    return redirect("studies" if studies_of(request.user).exists() else "home")


@researchers_only
@safe_page
def study_log(request: UserRequest, study: Study) -> HttpResponse:
    """Show the audit log."""
    events = Paginator(study.events.select_related("by"), EVENTS_PER_PAGE)
    page = events.get_page(request.GET.get("page"))

    names = may_see_names(request.user, study)

    rows = [(event, title_of(event), lines_of(event, names=names)) for event in page]
    return render(
        request, "studies/log.html", {"study": study, "page": page, "rows": rows}
    )
