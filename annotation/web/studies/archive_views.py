"""Archive and delete studies and datasets."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tercet.annotation.models import Dataset, Study
from tercet.annotation.operations.deletion import delete_dataset, delete_study
from tercet.annotation.permissions import administrators_only, owners_only, studies_of
from tercet.annotation.requests import AuthenticatedHttpRequest
from tercet.annotation.studies.lifecycle import (
    NotPossible,
    archive_dataset,
    archive_study,
    take_dataset_from_archive,
    take_study_from_archive,
)
from tercet.annotation.web.datasets.views import dataset_page
from tercet.annotation.web.responses import form_on
from tercet.annotation.web.studies.archive_forms import ArchiveForm, DeletionForm
from tercet.annotation.web.studies.setup_views import deletion_refused


@owners_only
@require_POST
def study_archive(request: AuthenticatedHttpRequest, study: Study) -> HttpResponse:
    """Archive a study, or take it out of the archive; show the message at the top of a page."""
    form = ArchiveForm(request.POST)
    archives = form.is_valid() and form.cleaned_data["archived"]
    try:
        change = archive_study if archives else take_study_from_archive
        change(study, request.user)
    except NotPossible as error:
        messages.error(request, str(error))
        return redirect("study_settings", study.name)

    if archives:
        messages.success(request, _("The study is archived."))
        return redirect("studies")

    messages.success(request, _("The study is out of the archive."))
    return redirect("study_settings", study.name)


@owners_only
@form_on("study_settings")
def study_delete(request: AuthenticatedHttpRequest, study: Study) -> HttpResponse:
    """Delete a study whose title was typed."""
    form = DeletionForm(study.title, request.POST)
    if not form.is_valid():
        return deletion_refused(request, study, form)

    try:
        delete_study(study, request.user)
    except NotPossible as error:
        messages.error(request, str(error))
        return redirect("study_settings", study.name)

    message = _("Deleted the study “%(title)s”.")
    messages.success(request, message % {"title": study.title})
    return redirect("studies" if studies_of(request.user).exists() else "home")


@administrators_only
@require_POST
def dataset_archive(request: AuthenticatedHttpRequest, name: str) -> HttpResponse:
    """Archive a dataset, or take it out of the archive."""
    dataset = get_object_or_404(Dataset, name=name)
    form = ArchiveForm(request.POST)
    archives = form.is_valid() and form.cleaned_data["archived"]

    change = archive_dataset if archives else take_dataset_from_archive
    change(dataset, request.user)
    message = (
        _("The dataset is archived.")
        if archives
        else _("The dataset is out of the archive.")
    )
    messages.success(request, message)
    return redirect(dataset)


@administrators_only
@form_on("dataset")
def dataset_delete(request: AuthenticatedHttpRequest, name: str) -> HttpResponse:
    """Delete a dataset whose title was typed, unless a study uses it."""
    dataset = get_object_or_404(Dataset, name=name)
    form = DeletionForm(dataset.title, request.POST)
    if not form.is_valid():
        return dataset_page(request, dataset, deletion_form=form)

    try:
        delete_dataset(dataset, request.user)
    except NotPossible as error:
        messages.error(request, str(error))
        return redirect(dataset)

    message = _("Deleted %(dataset)s.")
    messages.success(request, message % {"dataset": dataset.title})
    return redirect("datasets")
