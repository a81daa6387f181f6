"""What somebody has chosen of the results of a study, for its pages and files."""

from django.http import HttpRequest

from tercet.analysis.report.first_screen import FirstScreen
from tercet.analysis.report.view import ReportView
from tercet.annotation.models import Study


def chosen_screen(
    request: HttpRequest, study: Study, report: ReportView
) -> FirstScreen:
    """Return what the address or the form of a request chooses.

    Where it names no metrics, those are "my metrics" that were last chosen in this session.
    """
    sent = request.POST if request.method == "POST" else request.GET
    asked = dict(sent.lists())
    key = f"metrics-{study.pk}"
    mine = request.session.get(key, [])
    asked.setdefault("row", mine)

    first = FirstScreen(report, asked)
    chosen = [each.metric for each in first.mine.metrics] if first.mine else []
    if chosen != mine:
        request.session[key] = chosen
    return first
