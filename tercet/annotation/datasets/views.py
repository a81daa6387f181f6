"""Datasets: their list, pages, pairs and download."""

from copy import copy

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.forms import BaseForm
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from tercet.analysis.dataset.pair_generation import merged_in_words
from tercet.analysis.tables.schema import listed_categories
from tercet.annotation.archive_views import DeletionForm, change_archive, delete_by
from tercet.annotation.datasets.forms import BatchForm, DatasetForm
from tercet.annotation.datasets.pair_generation import (
    add_pairs,
    is_used,
    last_batch,
    merged_captions,
    possible_counts,
    take_back_pairs,
)
from tercet.annotation.models import (
    Candidate,
    Dataset,
    Image,
    Pair,
    Reference,
    Upload,
    Worker,
)
from tercet.annotation.models.dataset import CATEGORY_LABELS
from tercet.annotation.operations.deletion.deleting import delete_dataset
from tercet.annotation.participation.forms import PairsForm
from tercet.annotation.permissions import administrators_only
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import (
    file_response,
    form_on,
    refusals_shown,
    show_success,
    zip_response,
)
from tercet.annotation.results.downloads import dataset_zip
from tercet.annotation.studies.lifecycle import describe_dataset

_SAMPLE_IMAGES = 8


@administrators_only
@require_safe
def datasets(request: UserRequest) -> HttpResponse:
    """List the datasets, or those in the archive."""
    shows_archive = request.GET.get("archived") == "yes"
    archived = Dataset.objects.filter(archived_at__isnull=False)
    rows = Dataset.objects.filter(archived_at__isnull=not shows_archive)
    counted = rows.annotate(images_count=_count_of(Image), pairs_count=_count_of(Pair))

    context = {
        "datasets": counted,
        "shows_archive": shows_archive,
        "archived": archived.count(),
        "uploads": () if shows_archive else Upload.objects.not_imported(),
        "has_worker": Worker.objects.alive().exists(),
        "keep_days": settings.KEEP_UPLOADS.days,
    }
    return render(request, "datasets/datasets.html", context)


def _count_of(model: type[Image] | type[Pair]) -> Coalesce:
    """Count the rows of `model` in each dataset, by a subquery: two joins would multiply rows."""
    rows = model._default_manager.filter(dataset=OuterRef("pk")).order_by()
    counted = rows.values("dataset").annotate(count=Count("pk"))
    count = counted.values("count")
    return Coalesce(Subquery(count), 0)


@administrators_only
@require_safe
def dataset(request: UserRequest, name: str) -> HttpResponse:
    """Show a dataset."""
    return _dataset_page(request, get_object_or_404(Dataset, name=name))


def _dataset_page(
    request: UserRequest, dataset: Dataset, **refused: BaseForm
) -> HttpResponse:
    """Render the page of a dataset, with a form that was refused if one was."""
    context = _contents_of(dataset) | {
        "about_form": DatasetForm(dataset),
        "deletion_form": DeletionForm(dataset.title),
        **refused,
    }
    if "form" not in refused and context["candidates"] and not context["is_used"]:
        context["form"] = PairsForm(possible_counts(dataset))
    status = 422 if refused else 200
    return render(request, "datasets/dataset.html", context, status=status)


def _contents_of(dataset: Dataset) -> dict[str, object]:
    """What the page of a dataset shows besides the forms."""
    by_category = dataset.pairs.values_list("category").annotate(Count("pk"))
    counts = dict(by_category.order_by())
    categories = [
        (category, CATEGORY_LABELS.get(category, ""), counts[category])
        for category in listed_categories(counts)
    ]
    candidates = Candidate.objects.filter(image__dataset=dataset, listed=True)
    with_references = dataset.images.prefetch_related("references")
    images = with_references.order_by("pk")
    samples = images[:_SAMPLE_IMAGES]
    batch = last_batch(dataset)
    used = is_used(dataset)
    merged = merged_captions(dataset)

    return {
        "dataset": dataset,
        "images": dataset.images.count(),
        "references": Reference.objects.filter(image__dataset=dataset).count(),
        "candidates": candidates.count(),
        "pairs": sum(counts.values()),
        "equal_pairs": sum(counts.values()) - dataset.pairs.askable().count(),
        "merged": merged_in_words(merged) if merged else "",
        "categories": categories,
        "is_used": used,
        "only_deleted": used and not is_used(dataset, by_deleted=False),
        "batch": batch,
        "last_pairs": dataset.pairs.filter(batch=batch).count() if batch else 0,
        "samples": samples,
        "has_pictures": any(image.source for image in samples),
        "studies": dataset.studies.all(),
        "challenges": dataset.challenges.all(),
        "keep_days": settings.KEEP_UPLOADS.days,
    }


@administrators_only
@form_on("dataset")
def dataset_about(request: UserRequest, name: str) -> HttpResponse:
    """Change what a dataset says about itself."""
    dataset = get_object_or_404(Dataset, name=name)
    form = DatasetForm(copy(dataset), request.POST)
    if not form.is_valid():
        return _dataset_page(request, dataset, about_form=form)

    describe_dataset(dataset, form.cleaned_data, request.user)
    show_success(request, "Saved.")
    return redirect(dataset)


@administrators_only
@form_on("dataset")
def dataset_pairs(request: UserRequest, name: str) -> HttpResponse:
    """Generate pairs of a dataset, the first ones or more."""
    dataset = get_object_or_404(Dataset, name=name)
    form = PairsForm(possible_counts(dataset), request.POST)
    if not form.is_valid():
        return _dataset_page(request, dataset, form=form)

    try:
        with refusals_shown(request):
            seed = form.cleaned_data["seed"]
            count = add_pairs(dataset, form.counts, seed, request.user)
            show_success(request, "Created %(pairs)s pairs.", pairs=intcomma(count))
    except ValueError as error:
        form.add_error(None, str(error))
        return _dataset_page(request, dataset, form=form)

    return redirect(dataset)


@administrators_only
@require_POST
def dataset_pairs_back(request: UserRequest, name: str) -> HttpResponse:
    """Take back the pairs that were generated last."""
    dataset = get_object_or_404(Dataset, name=name)
    form = BatchForm(request.POST)
    batch = form.cleaned_data["batch"] if form.is_valid() else 0
    with refusals_shown(request):
        count = take_back_pairs(dataset, batch, request.user)
        show_success(request, "Took back %(pairs)s pairs.", pairs=intcomma(count))

    return redirect(dataset)


@administrators_only
@require_POST
def dataset_archive(request: UserRequest, name: str) -> HttpResponse:
    """Archive a dataset, or take it out of the archive."""
    dataset = get_object_or_404(Dataset, name=name)
    change_archive(request, dataset)
    return redirect(dataset)


@administrators_only
@form_on("dataset")
def dataset_delete(request: UserRequest, name: str) -> HttpResponse:
    """Delete a dataset whose title was typed, unless a study uses it."""
    dataset = get_object_or_404(Dataset, name=name)
    form = DeletionForm(dataset.title, request.POST)
    if not form.is_valid():
        return _dataset_page(request, dataset, deletion_form=form)
    if not delete_by(delete_dataset, request, dataset):
        return redirect(dataset)

    return redirect("datasets")


@administrators_only
@require_safe
def dataset_download(request: UserRequest, name: str) -> HttpResponseBase:
    """Send the dataset folder as a zip."""
    dataset = get_object_or_404(Dataset, name=name)
    return zip_response(f"{dataset.name}.zip", dataset_zip(dataset))


@administrators_only
@require_safe
def dataset_left_out(request: UserRequest, name: str) -> FileResponse:
    """Send the list of the lines that the import of a dataset left out."""
    path = get_object_or_404(Dataset, name=name).left_out_file
    return file_response(f"{name}-{path.name}", path)
