"""The plots of findings, each on a page of its own, of which the results page takes it."""

from django.http import Http404, HttpResponse
from django.shortcuts import render

from tercet.annotation.models import Study
from tercet.annotation.permissions import researchers_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.results.report_page import last_report, report_in
from tercet.annotation.web.responses import safe_page


@researchers_only
@safe_page
def study_plot(request: UserRequest, study: Study, plot: str) -> HttpResponse:
    """Show a plot of the last report."""
    done = last_report(study)
    report = report_in(done.folder) if done else None
    findings = report.findings if report else []

    for finding in findings:
        for each in finding.plots:
            if each.name == plot:
                context = {"study": study, "done": done, "finding": finding}
                return render(request, "results/plot.html", context | {"plot": each})
    raise Http404
