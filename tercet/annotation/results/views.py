"""The results of a study: its status, its last report, and the files to download."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from tercet.analysis.report.files import PAGE, REPORT
from tercet.analysis.report.paper import MAX_COUNTS
from tercet.analysis.tables.parse import reads_parquet
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Evaluation, SharedView, Study, Worker
from tercet.annotation.permissions import researchers_only
from tercet.annotation.quality import sentence_views
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import attachment, marked, safe_page, zip_response
from tercet.annotation.results.choice import chosen_screen
from tercet.annotation.results.digests import is_current, is_large
from tercet.annotation.results.downloads import answers_csv, study_folder_zip, study_zip
from tercet.annotation.results.forms import EvaluationForm, SharedViewForm
from tercet.annotation.results.methods import methods_text
from tercet.annotation.results.papers import (
    CHOSEN_FILES,
    FIGURES,
    PAPER_FIGURES,
    PAPER_FILES,
    chosen_file,
    report_file,
)
from tercet.annotation.results.report_page import last_report, lost_files, report_in
from tercet.annotation.results.table_files import tables_zip
from tercet.annotation.results.tasks import Asked, is_due, request_evaluation
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.checklist import checklist
from tercet.annotation.studies.progress import counted_annotators
from tercet.annotation.studies.roles import is_owner

FILES = {
    "report.zip": "The whole report as a zip file",
    "winners.csv": "Winners of pairs",
    "triplets.csv": "Winners of triplets",
    REPORT: "Options and versions",
}
_PARQUET_FILE = "parquet.zip"
TABLE_FILES = {
    "jsonl.zip": "All tables (JSON lines)",
    _PARQUET_FILE: "All tables (Parquet)",
    "huggingface.zip": "Hugging Face dataset",
}
"""Tables in other formats: a zip file for each of `table_files.FORMATS`."""
WORKER_PATIENCE = timedelta(seconds=10)
"""How long an evaluation waits before its page says how to start the worker."""


@researchers_only
@safe_page
def study(request: UserRequest, study: Study) -> HttpResponse:
    """Show the status of the collection and all findings of the last report."""
    if kind_of(study).is_reviewed:
        return sentence_views.results_page(request, study)

    status = _status_of(study)
    done: Evaluation | None = status["done"]
    report = report_in(done.folder) if done else None
    asked = Asked.of(status["latest"])

    first = chosen_screen(request, study, report) if report else None
    steps = None
    if not study.is_open and not study.collected_elsewhere:
        totals = status["totals"]
        newest = status["latest"], done, status["is_current"]
        steps = checklist(study, request.user, totals, *newest)

    context = {
        "checklist": steps,
        "answers_file": kind_of(study).table.file,
        "left": sum(not step.is_done for step in steps or []),
        "methods": _methods(status),
        "report": report,
        "first": first,
        "said": first,
        "figures": FIGURES,
        "paper_figures": PAPER_FIGURES,
        "lost": lost_files(report, done.folder) if report and done else [],
        "other": Study.objects.filter(name=report.other_study).first()
        if report
        else None,
        "table_files": _table_files(),
        "files": FILES,
        "most_counts": MAX_COUNTS,
        "page": PAGE,
        "may_change": is_owner(request.user, study),
        "form": EvaluationForm(study, initial=asdict(asked)),
        "shared": _shared_views(request, study),
        "share_form": SharedViewForm(),
    }
    return render(request, "results/study.html", status | context)


def _methods(status: Mapping[str, Any]) -> str:
    """Return the text for the methods section, of the votes of the results; empty without any."""
    done: Evaluation | None = status["done"]
    if done is None:
        return ""
    if not status["is_current"] or is_large(status["study"]):
        return done.methods
    return methods_text(
        status["study"], status["annotators"], status["totals"]["votes"]
    )


def _shared_views(request: UserRequest, study: Study) -> list[tuple[SharedView, str]]:
    """Return the views that owners share, each with its address; none to others."""
    if not is_owner(request.user, study):
        return []

    views = study.shared_views.select_related("created_by")
    return [
        (each, request.build_absolute_uri(each.get_absolute_url())) for each in views
    ]


def _status_of(study: Study) -> dict[str, Any]:
    """What changes while the page is open: votes, and the evaluation under way."""
    latest = study.evaluations.first()
    done = last_report(study)

    totals = study.questions.progress()
    current = done is not None and is_current(done, totals["votes"])
    return {
        "study": study,
        "totals": totals,
        "annotators": counted_annotators(study).count(),
        "latest": latest,
        "done": done,
        "is_current": current,
        "due": is_due(latest, is_current=current),
        "has_worker": Worker.objects.alive().exists(),
        "waits_long": latest is not None
        and latest.created_at + WORKER_PATIENCE < timezone.now(),
    }


@researchers_only
@require_POST
def study_evaluate(request: UserRequest, study: Study) -> HttpResponse:
    """Start an evaluation of the votes so far, as the last one or with other choices."""
    results = redirect(f"{study.get_absolute_url()}#results")
    if "counts" not in request.POST:
        request_evaluation(study)
        return results

    form = EvaluationForm(study, request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(map(str, errors)))
        return results

    asked = form.asked()
    if Asked.of(request_evaluation(study, asked)) != asked:
        message = "Results are being computed with other choices. Try again when they are done."
        messages.error(request, message)
    return results


@researchers_only
@safe_page
def study_status(request: UserRequest, study: Study) -> HttpResponse:
    """Render the parts of the results page that an open page reloads."""
    return render(request, "results/status.html", _status_of(study))


@researchers_only
@require_safe
def study_file(request: UserRequest, study: Study, file: str) -> HttpResponseBase:
    """Send a file of the study: its current votes and dataset, or a file of its last report."""
    if file == kind_of(study).table.file:
        headers = attachment(f"{study.name}-{file}")
        votes = marked(request, answers_csv(study))
        return StreamingHttpResponse(votes, headers=headers, content_type="text/csv")
    if file == "dataset.zip":
        return zip_response(f"{study.name}.zip", study_folder_zip(study))
    if file == "export.zip":
        return _export(request, study)

    if file in CHOSEN_FILES:
        return _chosen_file(request, study, file)

    if file in _table_files():
        chunks = tables_zip(study, file.removesuffix(".zip"))
        return zip_response(f"{study.name}-{file}", chunks)

    done = last_report(study)
    if done is None:
        raise Http404
    return report_file(done, file)


def _chosen_file(request: UserRequest, study: Study, file: str) -> HttpResponseBase:
    """Send a table or figure, of the metrics and counts that are chosen."""
    done = last_report(study)
    report = report_in(done.folder) if done else None
    if done is None or report is None:
        raise Http404

    first = chosen_screen(request, study, report)
    if file in PAPER_FILES and len(first.columns) > MAX_COUNTS:
        message = "At most %(count)s reference counts fit into a column of a paper."
        messages.error(request, message % {"count": MAX_COUNTS})
        return redirect(study.get_absolute_url())

    return chosen_file(first, file, done)


def _table_files() -> dict[str, str]:
    """Return the table files that can be written here, with what they are called."""
    files: dict[str, str] = {**TABLE_FILES}
    if not reads_parquet():
        del files[_PARQUET_FILE]

    return files


def _export(request: UserRequest, study: Study) -> HttpResponseBase:
    """Send the complete archive; owners may include what identifies the annotators."""
    names = request.GET.get("names") == "yes"

    if names:
        if not is_owner(request.user, study):
            raise PermissionDenied
        log(study, request.user, "exported names")

    filename = f"{study.name}-export{'-with-names' if names else ''}.zip"
    return zip_response(filename, study_zip(study, timezone.now(), names=names))


@researchers_only
@safe_page
def study_plot(request: UserRequest, study: Study, plot: str) -> HttpResponse:
    """Show a plot of the last report."""
    status = _status_of(study)
    done: Evaluation | None = status["done"]
    report = report_in(done.folder) if done else None
    findings = report.findings if report else []

    for finding in findings:
        for each in finding.plots:
            if each.name == plot:
                context = status | {"finding": finding, "plot": each}
                return render(request, "results/plot.html", context)
    raise Http404
