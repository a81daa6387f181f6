import json
import re
from pathlib import Path

import pandas as pd
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from analysis.dataset import GROUPS
from analysis.dataset import CATEGORIES, VOTES
from analysis.plots import plotted
from analysis.report import REPORT, signature
from analysis.tables import csv_text
from annotation.access import administrators_only
from annotation.exporting import study_frames, vote_frame
from annotation.forms import StudyForm
from annotation.models import Evaluation, Study
from annotation.models.evaluation import State
from annotation.tasks import page_plot, request_evaluation
from annotation.triplets import NoPairs, NoPictures, create_study
from annotation.views.datasets import zipped

FILES = {
    "accuracy.csv": "Accuracy",
    "winners.csv": "Winners of pairs",
    "triplets.csv": "Winners of triplets",
    "accuracy.pdf": "Plot, PDF",
    "accuracy.svg": "Plot, SVG",
    "accuracy.png": "Plot, PNG",
    REPORT: "Options and versions",
}
PLOT = re.compile(r"accuracy(-[a-z]+)*\.(png|svg|pdf)")
STATES = ("B", "C", "tie", "unfinished")


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
    """The results page: how far the collection is, winners, accuracies as they stand."""
    row = get_object_or_404(Study.objects.select_related("dataset"), name=name)
    Evaluation.objects.filter(study=row).give_up_silent()
    latest = row.evaluations.first()
    done = row.evaluations.filter(state=State.DONE).first()
    totals = row.triplets.progress()
    context = {
        "study": row,
        "totals": totals,
        "annotators": row.annotators.filter(votes__isnull=False).distinct().count(),
        "join_url": request.build_absolute_uri(reverse("join", args=[row.join_code])),
        "latest": latest,
        "done": done,
        "new_votes": totals["votes"] - done.votes if done else 0,
        "files": FILES,
    }
    if done:
        context |= tables(done.folder)
    return render(request, "study.html", context)


def tables(folder: Path) -> dict[str, object]:
    """The winners by category and the accuracies of a report folder, as the page shows them."""
    if not (folder / REPORT).is_file():
        return {}
    winners = pd.read_csv(folder / "winners.csv", keep_default_na=False)
    accuracy = pd.read_csv(folder / "accuracy.csv")
    provenance = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    return {
        "winners": winners_by_category(winners),
        "pairs": len(winners),
        "unfinished": provenance["pairs_unfinished"],
        "simulated": provenance["simulated_votes"],
        "signature": signature(provenance),
        "plots": plots_of(accuracy),
        **accuracy_at_most(accuracy),
    }


def plots_of(accuracy: pd.DataFrame) -> list[dict[str, str]]:
    """The plots of a report: what each shows, and its files for light and dark pages."""
    return [
        {
            "title": ", ".join(metrics),
            "light": page_plot(plot, "light"),
            "dark": page_plot(plot, "dark"),
        }
        for plot, metrics in plotted(list(accuracy["metric"].unique())).items()
    ]


def winners_by_category(winners: pd.DataFrame) -> list[dict[str, object]]:
    """For each category: its pairs, and how many are won by B, by C, tied and unfinished."""
    shown = winners["winner"].where(winners["state"] != "unfinished", "unfinished")
    table = pd.crosstab(winners["category"], shown).reindex(columns=list(STATES), fill_value=0)
    counts = {category: [int(n) for n in row] for category, *row in table.itertuples()}
    return [
        {
            "category": category,
            "pairs": sum(counts[category]),
            "states": list(zip(STATES, counts[category], strict=True)),
        }
        for category in CATEGORIES
        if category in counts
    ]


def accuracy_at_most(accuracy: pd.DataFrame) -> dict[str, object]:
    """The accuracies at the largest reference count that every pair has, best metric first."""
    whole = accuracy[accuracy["category"] == "mean"]
    count = max(whole["reference_count"][whole["pairs"] == whole["pairs"].max()])
    table = accuracy[accuracy["reference_count"] == count]
    groups = [group for group in GROUPS if (table["category"] == group).any()]
    cells = table.set_index(["metric", "category"]).to_dict("index")
    means = table[table["category"] == "mean"].sort_values("accuracy", ascending=False)
    rows = [(name, [cells[name, group] for group in groups]) for name in means["metric"]]
    return {"count": count, "groups": groups, "rows": rows}


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
    """The progress of the evaluation under way: a piece of the results page, asked for again."""
    row = get_object_or_404(Study, name=name)
    Evaluation.objects.filter(study=row).give_up_silent()
    return render(request, "evaluation.html", {"latest": row.evaluations.first(), "study": row})


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
    known = file in FILES or PLOT.fullmatch(file)
    if done is None or not known or not (done.folder / file).is_file():
        raise Http404
    shown = file.endswith(".svg") and "download" not in request.GET
    path = done.folder / file
    return FileResponse(path.open("rb"), as_attachment=not shown, filename=f"{row.name}-{file}")


def attached(filename: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{filename}"'}
