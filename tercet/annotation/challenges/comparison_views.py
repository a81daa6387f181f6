"""Studies in which people compare the submissions of a challenge: the human column."""

from django.http import HttpResponse
from django.shortcuts import redirect

from tercet.annotation.challenges.comparisons import (
    ComparisonPlan,
    create_comparison,
    forecast_of,
)
from tercet.annotation.challenges.forms import ComparisonForm
from tercet.annotation.challenges.pages import challenge_page
from tercet.annotation.challenges.permissions import owners_only
from tercet.annotation.challenges.tasks import renew_boards, request_boards
from tercet.annotation.judging.kinds import kind_for
from tercet.annotation.models import Challenge, Question
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import form_page, show_success
from tercet.annotation.studies.creation import Unsuitable


@owners_only
@form_page
def challenge_studies(request: UserRequest, challenge: Challenge) -> HttpResponse:
    """Estimate and create a study of submissions, or update the human column."""
    if "update" in request.POST:
        request_boards(challenge)
        show_success(request, "The human column is being computed.")
        return redirect("challenge_studies", challenge.name)

    data = request.POST or None
    form = ComparisonForm(challenge, data)
    if "create" in request.POST and form.is_valid():
        try:
            study = create_comparison(challenge, _plan(form), request.user)
        except Unsuitable as error:
            form.add_error(None, str(error))
        else:
            show_success(request, "The study is a draft. Open it on this page.")
            return redirect("study_settings", study.name)

    return _page(request, challenge, form)


def _page(
    request: UserRequest, challenge: Challenge, form: ComparisonForm
) -> HttpResponse:
    renew_boards(challenge)
    comparisons = challenge.comparisons.select_related("study")
    studies = [row.study for row in comparisons]
    forecast = {}
    if form.is_valid():
        plan = _plan(form)
        wage = form.cleaned_data["wage"]
        questions = plan.images * plan.pairs_per_image
        forecast = {
            "forecast": forecast_of(challenge, plan, wage),
            "questions": questions,
        }

    is_faulty = request.method == "POST" and not form.is_valid()
    return challenge_page(
        request,
        "studies",
        challenge,
        {
            "form": form,
            "scored": form.submissions.count(),
            "kind": kind_for(challenge.dataset),
            "comparisons": Question.objects.progress_of(studies),
            **forecast,
        },
        422 if is_faulty else 200,
    )


def _plan(form: ComparisonForm) -> ComparisonPlan:
    data = form.cleaned_data
    submissions = list(data["submissions_chosen"])
    return ComparisonPlan(submissions, data["images"], data["votes"], data["human"])
