"""Upload a dataset: the worker checks its files in a dry run, and imports them."""

import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from tercet.analysis.dataset.files import SETTINGS
from tercet.analysis.tables.schema import ALL_TABLES
from tercet.annotation.datasets.disk import has_room
from tercet.annotation.datasets.grid_form import GridForm
from tercet.annotation.datasets.importing import (
    NAME_LENGTH,
    NameTaken,
    dataset_name,
    free_dataset_name,
)
from tercet.annotation.datasets.tasks import request_work
from tercet.annotation.datasets.upload_form import ImportForm, UploadForm, is_loose
from tercet.annotation.datasets.uploading import UNNAMED
from tercet.annotation.models import Evaluation, Upload, Worker
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.upload import Work
from tercet.annotation.operations.cleanup import delete_old_uploads, delete_upload
from tercet.annotation.permissions import administrators_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    file_response,
    form_on,
    form_page,
    form_response,
    show_success,
)
from tercet.annotation.zipfiles import archive_of

PATIENCE = 2.0
"""Seconds to wait for the worker before a page shows its progress."""
_MOST_LOST = 10
"""Losses that the page names; the others are in the file of the check."""
_REFERENCES = {"reference", "references"}
_LOOK = 0.05
"""Seconds between two looks at its state."""

_FIXED_FILES = (*(table.file for table in ALL_TABLES), *SETTINGS)
_FIXED_STEMS = {Path(file).stem for file in _FIXED_FILES}
"""The names of files that are the same in every dataset."""


@administrators_only
@form_page
def upload(request: UserRequest) -> HttpResponse:
    """Take a dataset folder, as a zip or as its files, and let the worker check it."""
    form = UploadForm(request.POST or None, request.FILES or None)

    if request.method == "POST" and form.is_valid():
        delete_old_uploads(timezone.now())
        upload = _save_upload(form.cleaned_data["file"], request.user)
        request_work(upload, Work.CHECK)
        return redirect("upload_check", upload.key)

    return form_response(request, "datasets/upload/upload.html", form)


def _save_upload(files: "list[UploadedFile[bytes]]", user: User) -> Upload:
    name = _name_of([Path(file.name or "").stem for file in files])

    with archive_of(files) if is_loose(files[0]) else files[0] as file:
        return Upload.objects.create(
            file=file, name=name, created_by=user, state=JobState.DONE
        )


def _name_of(stems: Collection[str]) -> str:
    """Name an upload after its only file, or after the first file without a fixed name."""
    own = (stem for stem in stems if len(stems) == 1 or stem not in _FIXED_STEMS)
    names = (slugify(stem)[:NAME_LENGTH] for stem in own)
    return next(filter(None, names), UNNAMED)


@administrators_only
@form_page
def upload_check(request: UserRequest, key: UUID) -> HttpResponse:
    """Show the state of an upload; a POST asks for another check, and says how to read files."""
    upload = get_object_or_404(Upload, key=key)

    if request.method == "POST" and not upload.dataset:
        return _check_as_chosen(request, upload, _forms_of(upload, request.POST))

    _wait_for(upload)
    return _upload_page(request, upload)


def _check_as_chosen(
    request: UserRequest, upload: Upload, forms: Sequence[GridForm]
) -> HttpResponse:
    """Let the worker check files again, read as the forms say."""
    if not all(form.is_valid() for form in forms):
        return _upload_page(request, upload, forms=forms, status=422)

    key = request.POST.get("forget", "")
    said: dict[str, Any] = {}
    for form in forms:
        name = form.card["key"]
        before = upload.choices.get(name)
        if name == key:
            said[name] = {}
        elif form.changed_data:
            said[name] = form.said(before or {})
        elif before is not None:
            said[name] = before
    upload.choices = said
    request_work(upload, Work.CHECK)
    show_success(request, "Now read as you chose. Nothing has been imported yet.")
    return redirect("upload_check", upload.key)


def _wait_for(upload: Upload) -> None:
    """Wait a little for a worker, so that small files need no page that shows progress."""
    if not (upload.unfinished and Worker.objects.alive().exists()):
        return

    end = time.monotonic() + PATIENCE
    while upload.unfinished and time.monotonic() < end:
        time.sleep(_LOOK)
        upload.refresh_from_db()


def _upload_page(
    request: UserRequest,
    upload: Upload,
    form: ImportForm | None = None,
    forms: Iterable[GridForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the progress or the result of the work, with a form for what may come next."""
    studies = upload.dataset.studies.all() if upload.dataset else ()
    shown = list(_forms_of(upload) if forms is None else forms)
    asking = [each for each in shown if each.questions]
    context = {
        "upload": upload,
        "cards": upload.result.get("files", ()),
        "form": form or _import_form(upload),
        "open_grid": asking[0] if asking else None,
        "grids": [each for each in shown if each not in asking[:1]],
        "refused": any(each.errors for each in shown),
        "button": _button_of(upload),
        "lost": upload.result.get("lost", ())[:_MOST_LOST],
        "studies": studies,
        "has_worker": Worker.objects.alive().exists(),
        "has_room": has_room(),
        "ahead": _evaluation_ahead_of(upload),
    }
    return render(request, "datasets/upload/state.html", context, status=status)


def _button_of(upload: Upload) -> str:
    """Return what would be imported, and without which files."""
    counts = upload.result.get("counts") or upload.result.get("rest") or {}
    named = {"pair", "pairs", "vote", "votes", "candidate", "candidates"}
    chosen = named if named & counts.keys() else {"image", "images"}
    chosen |= set() if "pairs" in counts or "pair" in counts else _REFERENCES
    parts = [f"{count:,} {name}" for name, count in counts.items() if name in chosen]
    unread = upload.result.get("unread", ())
    without = f" without {', '.join(unread[:2])}" if unread else ""
    return f"Import {' and '.join(parts[:2])}{without}"


def _evaluation_ahead_of(upload: Upload) -> Evaluation | None:
    """Return the evaluation that a worker computes while an upload waits."""
    if upload.state != JobState.WAITING:
        return None

    running = Evaluation.objects.filter(state=JobState.RUNNING)
    return running.select_related("study").first()


def _import_form(upload: Upload, data: QueryDict | None = None) -> ImportForm:
    """Return the form of what to import, with what was ordered before a further check."""
    name = upload.order.get("name") or free_dataset_name(upload.name)
    collection = "unfinished" if upload.order.get("collecting") else "finished"
    form = ImportForm(data, initial={"name": name, "collection": collection})
    if not upload.result.get("asks"):
        del form.fields["collection"]
    return form


def _forms_of(upload: Upload, data: QueryDict | None = None) -> list[GridForm]:
    cards = upload.result.get("files", ())
    return [
        GridForm(card, data, prefix=f"file{number}")
        for number, card in enumerate(cards)
        if card.get("columns")
    ]


@administrators_only
@require_safe
def upload_problems(request: UserRequest, key: UUID) -> FileResponse:
    """Send all problems of an upload as CSV."""
    upload = get_object_or_404(Upload, key=key)
    return file_response(f"{upload.name}-problems.csv", upload.problems_file)


@administrators_only
@form_on("upload_check")
def upload_import(request: UserRequest, key: UUID) -> HttpResponse:
    """Let the worker import a checked upload, all or nothing.

    Where its files are to be read otherwise than they were checked, they are checked first.
    """
    upload = get_object_or_404(Upload, key=key)
    if upload.unfinished or upload.dataset or not upload.may_be_imported:
        return redirect("upload_check", upload.key)

    forms = _forms_of(upload, request.POST)
    is_read_otherwise = any(form.differs for form in forms)
    form = _import_form(upload, request.POST)

    if _take_order(upload, form):
        if is_read_otherwise:
            return _check_as_chosen(request, upload, forms)

        request_work(upload, Work.IMPORT)
        return redirect("upload_check", upload.key)

    shown = forms if is_read_otherwise else None
    return _upload_page(request, upload, form, shown, status=422)


def _take_order(upload: Upload, form: ImportForm) -> bool:
    """Set what to import as a form says, unless something is wrong with it."""
    if not form.is_valid():
        return False

    try:
        name = dataset_name(form.cleaned_data["name"])
    except NameTaken as error:
        form.add_error("name", str(error))
        return False

    upload.order = {
        "name": name,
        "collecting": form.collecting,
        "leave_out": not upload.is_valid,
    }
    return True


@administrators_only
@require_POST
def upload_discard(request: UserRequest, key: UUID) -> HttpResponse:
    """Delete an upload that is not imported, unless the worker has it."""
    upload = get_object_or_404(Upload, key=key)
    if upload.unfinished or upload.dataset:
        return redirect("upload_check", upload.key)

    delete_upload(upload)
    show_success(request, "Removed %(name)s.", name=upload.name)
    return redirect("datasets")
