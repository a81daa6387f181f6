from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import cast
from uuid import UUID

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from analysis.dataset.folder import FaultyDataset, Reading, problems_csv, read
from analysis.dataset.guessing import foreign_files
from analysis.progress import Progress
from annotation.exchange.importing import (
    NAME_LENGTH,
    NameTaken,
    dataset_name,
    import_dataset,
    preview,
)
from annotation.exchange.streaming import watched_page
from annotation.exchange.zipfiles import archive_of, dataset_folder
from annotation.forms.upload import FormatForm, ImportForm, UploadForm, is_loose
from annotation.models import Upload
from annotation.permissions import administrators_only
from annotation.tasks import request_evaluation

PROBLEMS_SHOWN = 1_000
KEPT = timedelta(days=2)


@administrators_only
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Take a dataset folder in, as a zip or as its files; its dry run comes next."""
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        remove_old()
        row = save_upload(form.cleaned_data["file"], cast(User, request.user))
        return redirect("upload_check", row.key)
    return render(
        request, "upload/upload.html", {"form": form}, status=422 if form.is_bound else 200
    )


def save_upload(files: "list[UploadedFile[bytes]]", user: User) -> Upload:
    stem = Path(files[0].name or "").stem if len(files) == 1 else ""
    name = slugify(stem)[:NAME_LENGTH] or "dataset"
    with archive_of(files) if is_loose(files[0]) else files[0] as file:
        return Upload.objects.create(file=file, name=name, created_by=user)


def remove_old() -> None:
    for row in Upload.objects.filter(created_at__lt=timezone.now() - KEPT):
        remove(row)


def remove(row: Upload) -> None:
    row.problems_file.unlink(missing_ok=True)
    row.file.delete(save=False)
    row.delete()


@administrators_only
@require_http_methods(["GET", "HEAD", "POST"])
def upload_check(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """The dry run: every problem, or what would come in. What is sent says how to read files."""
    row = get_object_or_404(Upload, key=key)
    title = _("Dry run of %(name)s") % {"name": row.name}
    return watched_page(request, title, partial(check, request, row))


def check(request: HttpRequest, row: Upload, progress: Progress) -> str:
    try:
        with dataset_folder(Path(row.file.path), row.name) as folder:
            forms = format_forms(request, row, folder)
            if any(form.errors for form in forms):
                context = {"upload": row, "forms": forms, "refused": True}
                return render_to_string("upload/formats.html", context, request)
            reading = read(folder, progress, row.formats)
    except FaultyDataset as error:
        return problems_page(request, row, error)
    if reading.problems:
        return problems_page(request, row, FaultyDataset(reading.problems), reading.warnings, forms)
    return checked_page(request, row, reading, ImportForm(initial={"name": row.name}), forms)


def format_forms(request: HttpRequest, row: Upload, folder: Path) -> list[FormatForm]:
    """A form for each foreign file; what was sent is kept with the upload where all is valid."""
    if request.method == "POST":
        sent = forms_of(row, folder, request.POST)
        for form in sent:
            form.full_clean()
        refuse_doubles(sent, folder)
        if any(form.errors for form in sent):
            return sent
        row.keep_formats({form.file.path.name: form.format for form in sent})
    return forms_of(row, folder)


def refuse_doubles(forms: Iterable[FormatForm], folder: Path) -> None:
    """Tell those forms so that name a table which the folder or a form before has already."""
    taken = {path.name for path in folder.iterdir()}
    for form in forms:
        table = form.cleaned_data.get("table", "")
        if table and table in taken:
            words = _("There is %(table)s already: choose another table.")
            form.add_error("table", words % {"table": table})
        taken.add(table)


def forms_of(row: Upload, folder: Path, data: QueryDict | None = None) -> list[FormatForm]:
    files = foreign_files(folder, row.formats)
    return [FormatForm(file, data, prefix=f"file{n}") for n, file in enumerate(files)]


def checked_page(
    request: HttpRequest,
    row: Upload,
    reading: Reading,
    form: ImportForm,
    forms: Iterable[FormatForm] = (),
) -> str:
    context = {
        "upload": row,
        "counts": preview(reading.dataset),
        "warnings": reading.warnings,
        "form": form,
        "forms": forms,
    }
    return render_to_string("upload/check.html", context, request)


def problems_page(
    request: HttpRequest,
    row: Upload,
    error: FaultyDataset,
    warnings: Iterable[str] = (),
    forms: Iterable[FormatForm] = (),
) -> str:
    row.problems_file.write_text(problems_csv(error.problems), encoding="utf-8")
    context = {
        "upload": row,
        "problems": error.problems[:PROBLEMS_SHOWN],
        "count": len(error.problems),
        "warnings": warnings,
        "forms": forms,
    }
    return render_to_string("upload/problems.html", context, request)


@administrators_only
@require_safe
def upload_problems(request: HttpRequest, key: UUID) -> FileResponse:
    row = get_object_or_404(Upload, key=key)
    if not row.problems_file.is_file():
        raise Http404
    return FileResponse(
        row.problems_file.open("rb"), as_attachment=True, filename=f"{row.name}-problems.csv"
    )


@administrators_only
@require_POST
def upload_import(request: HttpRequest, key: UUID) -> HttpResponseBase:
    """Write the dataset, all or nothing."""
    row = get_object_or_404(Upload, key=key)
    form = ImportForm(request.POST)
    if form.is_valid():
        try:
            name = dataset_name(form.cleaned_data["name"])
        except NameTaken as error:
            form.add_error("name", str(error))
        else:
            work: Callable[[Progress], str] = partial(write, request, row, name)
            return watched_page(request, _("Importing %(name)s") % {"name": name}, work)
    return render(request, "upload/import.html", {"upload": row, "form": form}, status=422)


def write(request: HttpRequest, row: Upload, name: str, progress: Progress) -> str:
    user = cast(User, request.user)
    try:
        with dataset_folder(Path(row.file.path), row.name) as folder:
            reading = read(folder, progress, row.formats)
            if reading.problems:
                raise FaultyDataset(reading.problems)
            dataset = import_dataset(reading.dataset, name, folder, user, progress)
    except FaultyDataset as error:
        return problems_page(request, row, error)
    except NameTaken as error:
        form = ImportForm({"name": name})
        form.full_clean()
        form.add_error("name", str(error))
        return checked_page(request, row, reading, form)
    remove(row)
    studies = list(dataset.studies.all())
    for study in studies:
        request_evaluation(study)
    context = {"dataset": dataset, "counts": preview(reading.dataset), "studies": studies}
    return render_to_string("upload/imported.html", context, request)
