from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.cache import cache
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import annotator_in, may_see, remember
from annotation.assignment import NoSuchLease, claim, last_vote, undo, vote
from annotation.forms import UndoForm, VoteForm
from annotation.models import Annotator, Image, Lease, Study, Triplet
from annotation.models.vote import Side
from annotation.people import new_annotator

SECONDS_A_PROGRESS_HOLDS = 3


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponse:
    """The door of a study's join link. Only the button makes an annotator, not a preview."""
    study = get_object_or_404(Study, join_code=code)
    if annotator_in(request, study):
        return redirect("judge", study.name)
    if request.method != "POST":
        return render(request, "join.html", {"study": study})
    response = redirect("judge", study.name)
    remember(response, new_annotator(study))
    return response


@never_cache
@require_safe
def judge(request: HttpRequest, name: str) -> HttpResponseBase:
    """The next question for this annotator, or thanks where there is none."""
    study = get_object_or_404(Study, name=name)
    annotator = annotator_in(request, study)
    if annotator is None:
        return redirect_to_login(request.get_full_path())
    lease = claim(annotator)
    context = {"study": study, "votes": annotator.votes.valid().count(), "share": share(study)}
    context["last"] = last_vote(annotator)
    if lease is None:
        return render(request, "done.html", context)
    return render(request, "judge.html", context | question(lease))


def question(lease: Lease) -> dict[str, object]:
    """What a person sees of a triplet: captions by side, and nothing that tells B from C."""
    related = ("pair__b", "pair__c", "pair__image__dataset", "reference")
    triplet = Triplet.objects.select_related(*related).get(pk=lease.triplet_id)
    b, c = triplet.pair.b.caption, triplet.pair.c.caption
    left, right = (b, c) if lease.b_side == Side.LEFT else (c, b)
    return {
        "key": lease.key,
        "reference": triplet.reference,
        "image": triplet.pair.image,
        "options": [(Side.LEFT, "1", "←", left), (Side.RIGHT, "2", "→", right)],
    }


def share(study: Study) -> float:
    """The share of the study's votes that are there (0..1), a few seconds old at the most."""

    def counted() -> float:
        totals = study.triplets.progress()
        return totals["votes"] / max(totals["needed"], 1)

    return float(cache.get_or_set(f"share-{study.pk}", counted, SECONDS_A_PROGRESS_HOLDS) or 0)


@require_POST
def cast_vote(request: HttpRequest, name: str) -> HttpResponse:
    """Store the answer, which the key of its lease vouches for; then the next question."""
    form = VoteForm(request.POST)
    if form.is_valid():
        try:
            vote(form.cleaned_data["key"], form.cleaned_data["side"])
        except NoSuchLease:
            messages.info(request, "That question was no longer yours to answer. Here is the next.")
    else:
        messages.info(request, "That was not an answer to the question. Please choose again.")
    return redirect("judge", name)


@require_POST
def undo_vote(request: HttpRequest, name: str) -> HttpResponseBase:
    study = get_object_or_404(Study, name=name)
    annotator: Annotator | None = annotator_in(request, study)
    if annotator is None:
        return redirect_to_login(reverse("judge", args=[name]))
    form = UndoForm(request.POST)
    if form.is_valid():
        undo(annotator, form.cleaned_data["key"])
    return redirect("judge", name)


@require_safe
def image(request: HttpRequest, name: str, pk: int) -> FileResponse:
    """A picture of a dataset; whatever an uploaded SVG holds, it runs nothing."""
    row = get_object_or_404(Image.objects.select_related("dataset"), pk=pk, dataset__name=name)
    path = row.dataset.folder / row.file
    if not row.file or not path.is_file() or not may_see(request, row.dataset):
        raise Http404
    response = FileResponse(path.open("rb"))
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["Cache-Control"] = "private, max-age=86400"
    return response
