"""The start page."""

from django.db.models import Exists, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from tercet.annotation.models import Annotator, Challenge, Question
from tercet.annotation.permissions import studies_to_judge
from tercet.annotation.results.example import find_example


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Say what Tercet is and show an example, or list what an account takes part in."""
    if not request.user.is_authenticated:
        return render(request, "home.html", {"example": find_example()})
    if request.user.is_staff:
        return redirect("studies")

    own = Annotator.objects.filter(study=OuterRef("pk"), user=request.user)
    open_questions = Question.objects.open().filter(study=OuterRef("pk"))
    studies = studies_to_judge(request.user).annotate(
        own_votes=Subquery(own.values("judged")), is_asking=Exists(open_questions)
    )
    own_challenges = Challenge.objects.filter(
        roles__user=request.user, archived_at=None
    )
    context = {"studies": studies, "challenges": own_challenges}
    return render(request, "home.html", context)
