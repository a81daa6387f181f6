"""Upload a dataset: take its files, check them in a dry run, and import them."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from uuid import UUID

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import (
    FileResponse,
    Http404,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from analysis.dataset.csv_tables import FaultyDataset
from analysis.dataset.folder import Reading, problems_csv, read
from analysis.dataset.guessing import foreign_files
from analysis.progress import Progress
from analysis.texts import Text
from annotation.exchange.importing import (
    NAME_LENGTH,
    NameTaken,
    asks_if_finished,
    dataset_name,
    import_dataset,
    preview,
)
from annotation.exchange.streaming import watched_page
from annotation.exchange.zipfiles import archive_of, dataset_folder
from annotation.forms.upload import (
    FormatForm,
    ImportForm,
    UploadForm,
    is_loose,
)
from annotation.models import Dataset, Upload
from annotation.operations.cleanup import delete_old_uploads, delete_upload
from annotation.permissions import administrators_only
from annotation.requests import AuthenticatedHttpRequest
from annotation.tasks import request_evaluation

UNNAMED = "dataset"
"""The name of an upload whose files suggest none."""
MAX_PROBLEMS = 1_000
"""Problems on the page; all of them are in the file to download."""


@administrators_only
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: AuthenticatedHttpRequest) -> HttpResponse:
    """Take a dataset folder, as a zip or as its files."""
    form = UploadForm(request.POST or None, request.FILES or None)

    if request.method == "POST" and form.is_valid():
        delete_old_uploads(timezone.now())
        upload = _save_upload(form.cleaned_data["file"], request.user)
        return redirect("upload_check", upload.key)

    status = 422 if form.is_bound else 200
    return render(request, "upload/upload.html", {"form": form}, status=status)


def _save_upload(files: "list[UploadedFile[bytes]]", user: User) -> Upload:
    stem = Path(files[0].name or "").stem if len(files) == 1 else ""
    name = slugify(stem)[:NAME_LENGTH] or UNNAMED

    with archive_of(files) if is_loose(files[0]) else files[0] as file:
        return Upload.objects.create(file=file, name=name, created_by=user)


@administrators_only
@require_http_methods(["GET", "HEAD", "POST"])
def upload_check(
    request: AuthenticatedHttpRequest, key: UUID
) -> HttpResponseBase:
    """Check an upload in a dry run; a POST says how to read third-party files."""
    upload = get_object_or_404(Upload, key=key)
    work = partial(_check, request, upload)
    return watched_page(request, _("Import a dataset"), work)


def _check(
    request: AuthenticatedHttpRequest, upload: Upload, progress: Progress
) -> str:
    """Read the upload; return HTML that shows its problems, or what would be imported."""
    try:
        with dataset_folder(Path(upload.file.path), upload.name) as folder:
            forms = _format_forms(request, upload, folder)
            if any(form.errors for form in forms):
                context = {"upload": upload, "forms": forms, "refused": True}
                return render_to_string(
                    "upload/formats.html", context, request
                )

            reading = read(
                folder, progress, upload.formats, references_alone=True
            )
    except FaultyDataset as error:
        return _problems_page(request, upload, error)

    if reading.problems:
        faulty = FaultyDataset(reading.problems, reading.more)
        return _problems_page(request, upload, faulty, reading.warnings, forms)

    form = ImportForm(initial={"name": upload.name})
    return _valid_page(request, upload, reading, form, forms)


def _format_forms(
    request: AuthenticatedHttpRequest, upload: Upload, folder: Path
) -> list[FormatForm]:
    """Return a form for each third-party file; valid choices are stored with the upload."""
    if request.method == "POST":
        posted = _forms_of(upload, folder, request.POST)
        for form in posted:
            form.full_clean()
        _refuse_duplicate_tables(posted, folder)

        if any(form.errors for form in posted):
            return posted
        upload.keep_formats(
            {form.file.path.name: form.format for form in posted}
        )

    return _forms_of(upload, folder)


def _refuse_duplicate_tables(
    forms: Iterable[FormatForm], folder: Path
) -> None:
    """Add an error to forms whose table the folder or an earlier form already has."""
    taken = {path.name for path in folder.iterdir()}

    for form in forms:
        table = form.cleaned_data.get("table", "")
        if table and table in taken:
            message = _(
                "There is already a file %(table)s. Choose another table."
            )
            form.add_error("table", message % {"table": table})
        taken.add(table)


def _forms_of(
    upload: Upload, folder: Path, data: QueryDict | None = None
) -> list[FormatForm]:
    files = foreign_files(folder, upload.formats)
    return [
        FormatForm(file, data, prefix=f"file{n}")
        for n, file in enumerate(files)
    ]


def _valid_page(
    request: AuthenticatedHttpRequest,
    upload: Upload,
    reading: Reading,
    form: ImportForm,
    forms: Iterable[FormatForm] = (),
) -> str:
    if not asks_if_finished(reading.dataset):
        form = form.without_question()

    context = {
        "upload": upload,
        "counts": preview(reading.dataset),
        "warnings": reading.warnings,
        "form": form,
        "forms": forms,
    }
    return render_to_string("upload/check.html", context, request)


def _problems_page(
    request: AuthenticatedHttpRequest,
    upload: Upload,
    error: FaultyDataset,
    warnings: Iterable[Text] = (),
    forms: Iterable[FormatForm] = (),
) -> str:
    upload.problems_file.write_text(
        problems_csv(error.problems), encoding="utf-8"
    )

    context = {
        "upload": upload,
        "problems": error.problems[:MAX_PROBLEMS],
        "count": error.count,
        "kept": len(error.problems),
        "warnings": warnings,
        "forms": forms,
    }
    return render_to_string("upload/problems.html", context, request)


@administrators_only
@require_safe
def upload_problems(
    request: AuthenticatedHttpRequest, key: UUID
) -> FileResponse:
    """Send all problems of an upload as CSV."""
    upload = get_object_or_404(Upload, key=key)
    if not upload.problems_file.is_file():
        raise Http404

    file = upload.problems_file.open("rb")
    return FileResponse(
        file, as_attachment=True, filename=f"{upload.name}-problems.csv"
    )


@administrators_only
@require_POST
def upload_import(
    request: AuthenticatedHttpRequest, key: UUID
) -> HttpResponseBase:
    """Import a checked upload, all or nothing."""
    upload = get_object_or_404(Upload, key=key)
    form = ImportForm(request.POST)

    if form.is_valid():
        try:
            name = dataset_name(form.cleaned_data["name"])
        except NameTaken as error:
            form.add_error("name", str(error))
        else:
            title = _("Importing %(name)s") % {"name": name}
            work = partial(_import, request, upload, name, form.collecting)
            return watched_page(request, title, work)

    if "collection" not in request.POST:
        form = form.without_question()
    return render(
        request,
        "upload/import.html",
        {"upload": upload, "form": form},
        status=422,
    )


def _import(
    request: AuthenticatedHttpRequest,
    upload: Upload,
    name: str,
    collecting: bool,
    progress: Progress,
) -> str:
    """Import the upload; return HTML that shows what was imported, or why nothing was."""
    title = name if upload.name == UNNAMED else upload.name

    try:
        with dataset_folder(Path(upload.file.path), title) as folder:
            reading = read(
                folder, progress, upload.formats, references_alone=True
            )
            dataset = import_dataset(
                reading.sound(),
                name,
                folder,
                request.user,
                progress,
                collecting=collecting,
            )
    except FaultyDataset as error:
        return _problems_page(request, upload, error)
    except NameTaken as error:
        form = ImportForm(
            {"name": name, "collection": "unfinished" if collecting else ""}
        )
        form.full_clean()
        form.add_error("name", str(error))
        return _valid_page(request, upload, reading, form)

    delete_upload(upload)
    return _imported_page(request, dataset, reading)


def _imported_page(
    request: AuthenticatedHttpRequest, dataset: Dataset, reading: Reading
) -> str:
    """Begin to compute results of the studies that came along, and say what was imported."""
    studies = list(dataset.studies.all())
    for study in studies:
        request_evaluation(study)

    context = {
        "dataset": dataset,
        "counts": preview(reading.dataset),
        "studies": studies,
    }
    return render_to_string("upload/imported.html", context, request)
