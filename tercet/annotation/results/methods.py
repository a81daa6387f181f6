"""Describe how judgments were collected, for the methods section of a paper."""

from collections.abc import Iterator

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Q

from tercet.analysis.tables.schema import SIMULATED
from tercet.annotation.models import Answer, Study
from tercet.annotation.models.answer import Purpose
from tercet.annotation.models.study import Outcome, State, Step
from tercet.annotation.participation.texts import wording_of
from tercet.annotation.quality.adjudication import VOTES

_DROPOUTS = {
    Outcome.SCREENED_OUT: "declined consent",
    Outcome.FAILED: "failed the comprehension questions",
    Outcome.STOPPED: "stopped early",
}


def methods_text(study: Study, people: int, votes: int) -> str:
    """Return sentences about a study in which so many people gave so many votes that count.

    There are none without votes, or for votes that were collected elsewhere.
    """
    if not votes or study.collected_elsewhere:
        return ""

    return " ".join(_sentences(study, people, votes))


def _sentences(study: Study, people: int, votes: int) -> Iterator[str]:
    yield (
        f"{_number(people, 'person', 'people')} gave {_number(votes, 'vote')} on "
        f"{_number(study.questions.count(), 'question')} (“{wording_of(study)['question']}”), with "
        f"{_number(study.votes, 'vote')} required per question."
    )
    if recruitment := _recruitment(study):
        yield f"They were recruited{recruitment}."
    if study.pay:
        yield f"They were paid {_phrase(study.pay)}."
    if study.ethics_approval:
        yield f"The study was approved by {_phrase(study.ethics_approval)}."

    yield from _checks(study)
    if excluded := study.annotators.real().exclude(excluded_at=None).count():
        yield f"{_number(excluded, 'person was', 'people were')} excluded."
    yield from _dropouts(study)
    yield from _adjudications(study)
    if study.annotators.filter(name__startswith=SIMULATED).exists():
        yield "Some of these annotators are simulated."


def _checks(study: Study) -> Iterator[str]:
    """Say how many votes were given on gold questions and on repeats."""
    checks = Answer.objects.valid().exclude(purpose=Purpose.STUDY)
    given = checks.filter(annotator__in=study.annotators.real())
    words = {
        Purpose.GOLD: "on questions with a known answer (gold questions)",
        Purpose.REPEAT: "on earlier questions of their own with the sides swapped",
    }

    parts = []
    for purpose, what in words.items():
        if votes := given.filter(purpose=purpose).count():
            parts.append(f"{_number(votes, 'vote')} {what}")
    if parts:
        yield (
            f"As checks, which decide no winner, people also gave {_enumerated(parts)}."
        )


def _adjudications(study: Study) -> Iterator[str]:
    """Say how many winners are decisions of adjudicators, where results use them."""
    decisions = study.adjudications.in_force()
    pairs = decisions.count()
    if study.winners == VOTES or not pairs:
        return

    people = decisions.values("adjudicator").distinct().order_by().count()
    who = "An adjudicator" if people == 1 else "Adjudicators"
    yield f"{who} decided the winner of {_number(pairs, 'pair')}."


def _dropouts(study: Study) -> Iterator[str]:
    """Say how many people declined or did not finish, as far as it is known."""
    has_begun = Q(judged__gt=0) | ~Q(outcome="") | ~Q(step=Step.CONSENT)
    everybody = study.annotators.real()
    came = everybody.filter(has_begun)
    numbers = {
        words: came.filter(outcome=outcome).count()
        for outcome, words in _DROPOUTS.items()
    }
    if study.state == State.CLOSED and study.max_judgments:
        unfinished = came.filter(outcome="")
        numbers["left before the end"] = unfinished.count()

    parts = [f"{intcomma(n)} {words}" for words, n in numbers.items() if n]
    if parts:
        count = came.count()
        people = _number(count, "person", "people")
        yield f"Of {people} who came to the study, {_enumerated(parts)}."


def _enumerated(parts: list[str]) -> str:
    *most, last = parts
    rest = ", ".join(most)
    return f"{rest} and {last}" if most else last


def _recruitment(study: Study) -> str:
    """Return what is stated of the recruitment, each part with a space before it."""
    parts = {"through": study.recruitment_platform, "from": study.countries}
    words = [f" {word} {_phrase(value)}" for word, value in parts.items() if value]
    if approval := _phrase(study.approval_rate):
        words.append(f" (approval rate: {approval})")
    return "".join(words)


def _phrase(text: str) -> str:
    """Return a text as a part of a sentence."""
    return text.strip().rstrip(".")


def _number(count: int, one: str, many: str = "") -> str:
    noun = one if count == 1 else many or f"{one}s"
    return f"{intcomma(count)} {noun}"
