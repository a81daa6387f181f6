"""Archive and delete studies."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from tercet.annotation.models import Study
from tercet.annotation.operations.deletion import delete_study
from tercet.annotation.permissions import owners_only, studies_of
from tercet.annotation.requests import UserRequest
from tercet.annotation.web.archive import DeletionForm, change_archive, delete_by
from tercet.annotation.web.responses import form_on
from tercet.annotation.web.studies.setup_views import deletion_refused


@owners_only
@require_POST
def study_archive(request: UserRequest, study: Study) -> HttpResponse:
    """Archive a study, or take it out of the archive; show the message at the top of a page."""
    if change_archive(request, study):
        return redirect("studies")

    return redirect("study_settings", study.name)


@owners_only
@form_on("study_settings")
def study_delete(request: UserRequest, study: Study) -> HttpResponse:
    """Delete a study whose title was typed."""
    form = DeletionForm(study.title, request.POST)
    if not form.is_valid():
        return deletion_refused(request, study, form)
    if not delete_by(delete_study, request, study):
        return redirect("study_settings", study.name)

    return redirect("studies" if studies_of(request.user).exists() else "home")
