"""What is deleted and can still be taken back: its list, taking it back, and purging at once."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from tercet.annotation.models import Challenge, Dataset, Study, Worker
from tercet.annotation.operations.deletion.deleting import (
    Deletable,
    deleted_for,
    hasten_purge,
    may_take_back,
    take_back,
)
from tercet.annotation.permissions import administrators_only, login_required
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import refusals_shown, safe_page, show_success

_KINDS: dict[str, type[Deletable]] = {
    "study": Study,
    "challenge": Challenge,
    "dataset": Dataset,
}
_LABELS = {Study: "study", Challenge: "challenge", Dataset: "dataset"}


@dataclass(frozen=True)
class _DeletedRow:
    """A line of the list; `is_over` says that it can no longer be taken back."""

    owned: Deletable
    label: str
    is_over: bool

    @property
    def kind(self) -> str:
        return str(self.owned._meta.model_name)


@login_required
@safe_page
def deleted(request: UserRequest) -> HttpResponse:
    """List what an account may take back."""
    now = timezone.now()
    rows = [
        _DeletedRow(
            owned, _LABELS[type(owned)], owned.purge_at is None or owned.purge_at <= now
        )
        for owned in deleted_for(request.user)
    ]
    context = {"rows": rows, "has_worker": Worker.objects.alive().exists()}
    return render(request, "owned/deleted.html", context)


@login_required
@require_POST
def deleted_take_back(request: UserRequest, kind: str, pk: int) -> HttpResponse:
    """Take back what was deleted, and show it."""
    owned = _find(request, kind, pk)

    with refusals_shown(request):
        shown = take_back(owned, request.user)
        text = "“%(title)s” is back."
        if shown.name != owned.name:
            text = "“%(title)s” is back, now with the short name %(name)s."

        show_success(request, text, title=shown.title, name=shown.name)
        return redirect(shown)
    return redirect("deleted")


@administrators_only
@require_POST
def deleted_purge(request: UserRequest, kind: str, pk: int) -> HttpResponse:
    """Let the worker delete for good at once."""
    owned = _find(request, kind, pk)

    with refusals_shown(request):
        hasten_purge(owned, request.user)
        text = "“%(title)s” is being deleted for good."
        show_success(request, text, title=owned.title)

    return redirect("deleted")


def _find(request: UserRequest, kind: str, pk: int) -> Deletable:
    """Return what an address names, if the account may take it back; raises Http404."""
    model = _KINDS.get(kind)
    if model is None:
        raise Http404

    rows: QuerySet[Any] = model.everything.all()
    owned: Deletable = get_object_or_404(rows, pk=pk)
    if not may_take_back(request.user, owned):
        raise Http404
    return owned
