from django.db.models import Exists, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from annotation.models import Annotator, Triplet
from annotation.permissions import studies_to_judge


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What Tercet is; for annotators the studies they can judge in."""
    if not request.user.is_authenticated:
        return render(request, "home.html")
    if request.user.is_staff:
        return redirect("studies")
    own = Annotator.objects.filter(study=OuterRef("pk"), user=request.user)
    asking = Exists(Triplet.objects.open().filter(study=OuterRef("pk")))
    studies = studies_to_judge(request.user).annotate(
        own_votes=Subquery(own.values("judged")), is_asking=asking
    )
    return render(request, "home.html", {"studies": studies})
