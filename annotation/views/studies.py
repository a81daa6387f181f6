from datetime import timedelta
from pathlib import Path
from typing import cast, get_args

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from analysis.dataset.csv_injection import defused
from analysis.dataset.csv_tables import csv_pieces
from analysis.dataset.schema import VOTES
from analysis.figures.style import ImageFormat
from analysis.report.folder import PAGE, REPORT
from annotation.exchange.downloads import dataset_zip, study_zip
from annotation.exchange.exporting import study_frames, vote_frame
from annotation.models import Evaluation, Study, Vote
from annotation.models.evaluation import State
from annotation.models.study import Rank
from annotation.permissions import has_rank, researchers_only, studies_of
from annotation.results import report_page
from annotation.studies.audit import log
from annotation.tasks import is_due, request_evaluation
from annotation.views.datasets import zipped

FILES = {
    "report.zip": gettext_lazy("The whole report as a zip file"),
    "winners.csv": gettext_lazy("Winners of pairs"),
    "triplets.csv": gettext_lazy("Winners of triplets"),
    REPORT: gettext_lazy("Options and versions"),
}
HARMLESS = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The policy of a report's files: captions of anybody are in them."""
PATIENCE = timedelta(seconds=10)
"""Before a page says how to start the worker."""


@login_required
@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    """The studies that an account sees the results of."""
    own = studies_of(request.user).select_related("dataset")
    if not own and not request.user.is_staff:
        raise PermissionDenied
    rows = [(study, study.triplets.progress()) for study in own]
    return render(request, "study/studies.html", {"studies": rows})


@researchers_only
@never_cache
@require_safe
def study(request: HttpRequest, row: Study) -> HttpResponse:
    """The results page: how far the collection is, and all findings of the last report."""
    status = status_of(row)
    done = status["done"]
    report = report_page.report_in(done.folder) if isinstance(done, Evaluation) else None
    context = {
        "report": report,
        "other": compared_with(report),
        "files": FILES,
        "page": PAGE,
        "kinds": get_args(ImageFormat),
        "may_name": has_rank(request.user, row, Rank.OWNER),
    }
    return render(request, "study/study.html", status | context)


def status_of(row: Study) -> dict[str, object]:
    """What changes while the page is open: votes, and the evaluation under way."""
    Evaluation.objects.filter(study=row).give_up_silent()
    latest = row.evaluations.first()
    done = row.evaluations.filter(state=State.DONE).first()
    totals = row.triplets.progress()
    voted = Vote.objects.filter(annotator=OuterRef("pk"))
    return {
        "study": row,
        "totals": totals,
        "annotators": row.annotators.real().filter(Exists(voted)).count(),
        "latest": latest,
        "done": done,
        "new_votes": totals["votes"] - done.votes if done else 0,
        "due": is_due(latest, totals["votes"]),
        "waits_long": latest is not None and latest.created_at + PATIENCE < timezone.now(),
    }


def compared_with(report: report_page.Report | None) -> Study | None:
    """The study of the other protocol that a report was made with, if it is still there."""
    name = report.provenance.get("other_study") if report else None
    return Study.objects.filter(name=name).first() if name else None


@researchers_only
@require_POST
def study_evaluate(request: HttpRequest, row: Study) -> HttpResponse:
    request_evaluation(row)
    return redirect(f"{row.get_absolute_url()}#results")


@researchers_only
@never_cache
@require_safe
def study_status(request: HttpRequest, row: Study) -> HttpResponse:
    """Votes and the evaluation under way: pieces of the results page, asked for again."""
    return render(request, "study/status.html", status_of(row))


@researchers_only
@require_safe
def study_file(request: HttpRequest, row: Study, file: str) -> HttpResponseBase:
    """A file of the study: its votes and dataset folder as they are now, or of its last report."""
    if file == VOTES.file:
        pieces = csv_pieces(defused(vote_frame(row)), VOTES.columns)
        headers = attached(f"{row.name}-{file}")
        return StreamingHttpResponse(pieces, headers=headers, content_type="text/csv")
    if file == "dataset.zip":
        folder = dataset_zip(row.name, study_frames(row), row.dataset.folder)
        return zipped(f"{row.name}.zip", folder)
    if file == "export.zip":
        return export(request, row)
    done = row.evaluations.filter(state=State.DONE).first()
    if done is None:
        raise Http404
    return report_file(done.folder, file, row.name)


def export(request: HttpRequest, row: Study) -> HttpResponseBase:
    """The whole study as a zip; owners may have it with what tells who the annotators are."""
    names = request.GET.get("names") == "yes"
    if names:
        if not has_rank(request.user, row, Rank.OWNER):
            raise PermissionDenied
        log(row, cast(User, request.user), "exported names")
    filename = f"{row.name}-export{'-with-names' if names else ''}.zip"
    return zipped(filename, study_zip(row, timezone.now(), names=names))


def report_file(folder: Path, file: str, name: str) -> HttpResponseBase:
    """A file that the report lists, or all of them as a zip; the report's page is shown."""
    listed = report_page.files_of(folder)
    if file == "report.zip" and listed:
        return zipped(f"{name}-{file}", report_page.zipped(folder, f"{name}-report"))
    if file not in listed or not (folder / file).is_file():
        raise Http404
    response = FileResponse(
        (folder / file).open("rb"), as_attachment=file != PAGE, filename=f"{name}-{file}"
    )
    response["Content-Security-Policy"] = HARMLESS
    return response


def attached(filename: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{filename}"'}
