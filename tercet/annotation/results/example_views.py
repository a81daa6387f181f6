"""The example: what visitors without an account may see of a study, and three of its questions."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from tercet.annotation.participation.texts import wording_of
from tercet.annotation.responses import form_page
from tercet.annotation.results.example import example_questions, find_example


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
