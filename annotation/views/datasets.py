import shutil
from collections.abc import Iterator

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, OuterRef, ProtectedError, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from analysis.dataset.pair_generation import possible_pairs
from annotation.exchange.downloads import dataset_zip
from annotation.exchange.exporting import dataset_frames
from annotation.exchange.pair_generation import PairsExist, add_pairs
from annotation.forms.voting import PairsForm
from annotation.models import Candidate, Dataset, Image, Pair, Reference
from annotation.models.dataset import Category
from annotation.permissions import administrators_only


@administrators_only
@require_safe
def datasets(request: HttpRequest) -> HttpResponse:
    rows = Dataset.objects.annotate(images_count=count_of(Image), pairs_count=count_of(Pair))
    return render(request, "dataset/datasets.html", {"datasets": rows})


def count_of(model: type[Image] | type[Pair]) -> Coalesce:
    """How many rows a dataset has of `model`; two joins would count each with each."""
    rows = model._default_manager.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    return Coalesce(Subquery(rows.annotate(count=Count("pk")).values("count")), 0)


@administrators_only
@require_safe
def dataset(request: HttpRequest, name: str) -> HttpResponse:
    row = get_object_or_404(Dataset, name=name)
    return render(
        request, "dataset/dataset.html", describe(row) | {"form": PairsForm(possible(row))}
    )


def possible(row: Dataset) -> dict[str, int]:
    """How many pairs of each category its candidates allow."""
    return possible_pairs(dataset_frames(row).candidates)


def describe(row: Dataset) -> dict[str, object]:
    """What the page of a dataset shows of it."""
    by_category = dict(row.pairs.values_list("category").annotate(Count("pk")).order_by())
    return {
        "dataset": row,
        "images": row.images.count(),
        "references": Reference.objects.filter(image__dataset=row).count(),
        "candidates": Candidate.objects.filter(image__dataset=row, listed=True).count(),
        "pairs": sum(by_category.values()),
        "categories": [
            (category.value, category.label, by_category.get(category.value, 0))
            for category in Category
        ],
        "samples": row.images.prefetch_related("references").order_by("pk")[:8],
        "studies": row.studies.all(),
    }


@administrators_only
@require_POST
def dataset_pairs(request: HttpRequest, name: str) -> HttpResponse:
    row = get_object_or_404(Dataset, name=name)
    form = PairsForm(possible(row), request.POST)
    if form.is_valid():
        try:
            made = add_pairs(row, form.counts, form.cleaned_data["seed"])
        except PairsExist as error:
            messages.error(request, str(error))
            return redirect(row)
        except ValueError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Made %(pairs)s pairs.") % {"pairs": intcomma(made)})
            return redirect(row)
    return render(request, "dataset/dataset.html", describe(row) | {"form": form}, status=422)


@administrators_only
@require_POST
def dataset_delete(request: HttpRequest, name: str) -> HttpResponse:
    """Take an import back; a dataset that a study uses stays."""
    row = get_object_or_404(Dataset, name=name)
    try:
        row.delete()
    except ProtectedError:
        words = _("%(dataset)s is used by a study, so it stays.")
        messages.error(request, words % {"dataset": row.title})
        return redirect(row)
    shutil.rmtree(row.folder, ignore_errors=True)
    messages.success(request, _("Removed %(dataset)s.") % {"dataset": row.title})
    return redirect("datasets")


@administrators_only
@require_safe
def dataset_download(request: HttpRequest, name: str) -> HttpResponseBase:
    row = get_object_or_404(Dataset, name=name)
    return zipped(f"{row.name}.zip", dataset_zip(row.name, dataset_frames(row), row.folder))


def zipped(filename: str, pieces: Iterator[bytes]) -> StreamingHttpResponse:
    """A zip file that is sent while it is made."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return StreamingHttpResponse(pieces, headers=headers, content_type="application/zip")
