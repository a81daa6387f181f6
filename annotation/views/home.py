from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from annotation.models import Study, Triplet
from annotation.models.vote import Status


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What Tercet is; for annotators the studies they can judge in."""
    if not request.user.is_authenticated:
        return render(request, "home.html")
    if request.user.is_staff:
        return redirect("studies")
    own = Q(annotators__user=request.user, annotators__votes__status=Status.VALID)
    asking = Exists(Triplet.objects.open().filter(study=OuterRef("pk")))
    studies = Study.objects.annotate(
        own_votes=Count("annotators__votes", filter=own), is_asking=asking
    )
    return render(request, "home.html", {"studies": studies})
