"""The start page, and the example: what visitors without an account may see of a study."""

from django.db.models import Exists, OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from tercet.annotation.models import Annotator, Challenge, Question
from tercet.annotation.participation.texts import wording_of
from tercet.annotation.permissions import studies_to_judge
from tercet.annotation.responses import form_page
from tercet.annotation.results.example import example_questions, find_example


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


@form_page
def example_question(request: HttpRequest, number: int) -> HttpResponse:
    """Ask one of the questions, or show what most people chose. Nothing is stored."""
    example = find_example()
    questions = example_questions(example.study) if example else []
    if example is None or not 1 <= number <= len(questions):
        raise Http404

    question = questions[number - 1]
    chosen = request.POST.get("chosen", "")
    context = {
        "study": example.study,
        "wording": wording_of(example.study),
        "question": question,
        "number": number,
        "count": len(questions),
        "next": number + 1 if number < len(questions) else None,
        "chosen": chosen if chosen in ("B", "C") else "",
        "winner": "B" if question.lead > 0 else "C",
    }
    return render(request, "example/question.html", context)
