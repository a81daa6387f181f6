from datetime import timedelta
from pathlib import Path
from typing import get_args

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from analysis.dataset import VOTES
from analysis.plots import Format
from analysis.report import PAGE, REPORT
from analysis.tables import csv_text
from annotation import reports
from annotation.access import administrators_only
from annotation.exporting import study_frames, vote_frame
from annotation.forms import StudyForm
from annotation.models import Evaluation, Study, Vote
from annotation.models.evaluation import State
from annotation.tasks import is_due, request_evaluation
from annotation.triplets import NoPairs, NoPictures, create_study
from annotation.views.datasets import zipped

FILES = {
    "report.zip": "The whole report as a zip file",
    "winners.csv": "Winners of pairs",
    "triplets.csv": "Winners of triplets",
    REPORT: "Options and versions",
}
HARMLESS = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The policy of a report's files: captions of anybody are in them."""
PATIENCE = timedelta(seconds=10)
"""Before a page says how to start the worker."""


@administrators_only
@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    rows = [(study, study.triplets.progress()) for study in Study.objects.select_related("dataset")]
    return render(request, "studies.html", {"studies": rows})


@administrators_only
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: HttpRequest) -> HttpResponse:
    initial = {"dataset": request.GET.get("dataset")}
    form = StudyForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        form.instance.created_by_id = request.user.pk
        try:
            row = create_study(form.save(commit=False))
        except (NoPairs, NoPictures) as error:
            form.add_error("dataset", str(error))
        else:
            messages.success(request, f"Made {row.triplets.count():,} triplets.")
            return redirect(row)
    return render(request, "study_new.html", {"form": form}, status=422 if form.is_bound else 200)


@administrators_only
@never_cache
@require_safe
def study(request: HttpRequest, name: str) -> HttpResponse:
    """The results page: how far the collection is, and all findings of the last report."""
    row = get_object_or_404(Study.objects.select_related("dataset"), name=name)
    standing = standing_of(row)
    done = standing["done"]
    report = reports.report_in(done.folder) if isinstance(done, Evaluation) else None
    context = {
        "join_url": request.build_absolute_uri(reverse("join", args=[row.join_code])),
        "report": report,
        "other": compared_with(report),
        "files": FILES,
        "page": PAGE,
        "kinds": get_args(Format),
    }
    return render(request, "study.html", standing | context)


def standing_of(row: Study) -> dict[str, object]:
    """What changes while the page is open: votes, and the evaluation under way."""
    Evaluation.objects.filter(study=row).give_up_silent()
    latest = row.evaluations.first()
    done = row.evaluations.filter(state=State.DONE).first()
    totals = row.triplets.progress()
    voted = Vote.objects.filter(annotator=OuterRef("pk"))
    return {
        "study": row,
        "totals": totals,
        "annotators": row.annotators.filter(Exists(voted)).count(),
        "latest": latest,
        "done": done,
        "new_votes": totals["votes"] - done.votes if done else 0,
        "due": is_due(latest, totals["votes"]),
        "waits_long": latest is not None and latest.created_at + PATIENCE < timezone.now(),
    }


def compared_with(report: reports.Report | None) -> Study | None:
    """The study of the other protocol that a report was made with, if it is still there."""
    name = report.provenance.get("other_study") if report else None
    return Study.objects.filter(name=name).first() if name else None


@administrators_only
@require_POST
def study_evaluate(request: HttpRequest, name: str) -> HttpResponse:
    row = get_object_or_404(Study, name=name)
    request_evaluation(row)
    return redirect(f"{row.get_absolute_url()}#results")


@administrators_only
@never_cache
@require_safe
def evaluation(request: HttpRequest, name: str) -> HttpResponse:
    """Votes and the evaluation under way: pieces of the results page, asked for again."""
    row = get_object_or_404(Study, name=name)
    return render(request, "standing.html", standing_of(row))


@administrators_only
@require_safe
def study_file(request: HttpRequest, name: str, file: str) -> HttpResponseBase:
    """A file of the study: its votes and dataset folder as they are now, or of its last report."""
    row = get_object_or_404(Study.objects.select_related("dataset"), name=name)
    if file == VOTES.file:
        text = csv_text(vote_frame(row), VOTES.columns)
        return HttpResponse(text, headers=attached(f"{row.name}-{file}"), content_type="text/csv")
    if file == "dataset.zip":
        return zipped(row.name, study_frames(row), row.dataset.folder)
    done = row.evaluations.filter(state=State.DONE).first()
    if done is None:
        raise Http404
    return report_file(done.folder, file, row.name)


def report_file(folder: Path, file: str, name: str) -> HttpResponseBase:
    """A file that the report lists, or all of them as a zip; the report's page is shown."""
    listed = reports.files_of(folder)
    if file == "report.zip" and listed:
        pieces = reports.zipped(folder, f"{name}-report")
        headers = attached(f"{name}-{file}")
        return StreamingHttpResponse(pieces, headers=headers, content_type="application/zip")
    if file not in listed or not (folder / file).is_file():
        raise Http404
    response = FileResponse(
        (folder / file).open("rb"), as_attachment=file != PAGE, filename=f"{name}-{file}"
    )
    response["Content-Security-Policy"] = HARMLESS
    return response


def attached(filename: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{filename}"'}
