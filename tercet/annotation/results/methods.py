"""Describe how judgments were collected, for the methods section of a paper."""

import re
from collections import Counter
from collections.abc import Iterator
from statistics import median

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, F, FloatField, Max, Min, Q, Sum
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import override

from tercet.analysis.dataset.pair_generation import merged_in_words
from tercet.analysis.number_texts import counted as counted_as
from tercet.analysis.number_texts import fixed
from tercet.analysis.tables.schema import SIMULATED
from tercet.annotation.datasets.pair_generation import merged_captions
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Answer, Study
from tercet.annotation.models.answer import AnswerQuerySet, Choice, Purpose, Status
from tercet.annotation.models.study import Outcome, State, Step
from tercet.annotation.participation.flow import has_step
from tercet.annotation.participation.texts import questions_of
from tercet.annotation.quality.adjudication import VOTES
from tercet.annotation.quality.checks import minutes_until_done
from tercet.annotation.studies.announced import announced_minutes, announced_pay
from tercet.annotation.studies.progress import counted_annotators

_DROPOUTS = {
    Outcome.SCREENED_OUT: "declined consent",
    Outcome.FAILED: "failed the comprehension questions",
    Outcome.STOPPED: "stopped early",
    Outcome.NO_WORK: "found no question left",
}
_STEPS = {
    Step.INSTRUCTIONS: "read instructions",
    Step.COMPREHENSION: "answered comprehension questions",
    Step.PRACTICE: "practised with feedback",
}
_UNPAID = re.compile(
    r"\b(unpaid|nothing|none|no pay|not paid|volunt\w+)\b", re.IGNORECASE
)
_MAX_REASONS = 3
"""The most frequent reasons of exclusions, which the text quotes."""
_MAX_TIMES = 10_000
"""The latest votes of which the median time is taken."""


@override("en")  # like the rest of an export
def methods_text(study: Study, people: int, votes: int) -> str:
    """Return sentences about a study, with the numbers of people and of votes that count.

    There are none without votes, or for votes that were collected elsewhere.
    """
    if not votes or study.collected_elsewhere:
        return ""

    return " ".join(_sentences(study, people, votes))


def _sentences(study: Study, people: int, votes: int) -> Iterator[str]:
    kind = kind_of(study)
    simulated = counted_annotators(study).filter(name__startswith=SIMULATED).count()
    persons = max(people - simulated, 0)
    questions = study.questions.progress()["triplets"]
    answered = study.questions.filter(answers__gt=0).count()
    of = f"{answered:,} of " if 0 < answered < questions else ""
    asked = ", ".join(f"“{question}”" for question in questions_of(study))
    yield (
        f"{_in_words(persons, people - persons)} gave {counted_as(votes, kind.answer)} on "
        f"{of}{counted_as(questions, 'question')} ({asked}), with "
        f"{counted_as(study.votes, kind.answer)} required per question."
    )
    if kind.chooses:
        yield from _questions(study)
    if "shows_image" in kind.settings:
        beside = {"the image": study.shows_image, "references": study.shows_references}
        shown = [name for name, is_shown in beside.items() if is_shown]
        how = f"beside {_enumerated(shown)}" if shown else "by itself"
        yield f"Each caption was shown {how}."
    recruitment = _recruitment(study)
    if recruitment and persons:
        yield f"They were recruited{recruitment}."
    if persons:
        yield from _pay(study)
    if study.ethics_approval:
        yield f"The study was approved by {_phrase(study.ethics_approval)}."

    steps = [words for step, words in _STEPS.items() if has_step(study, step)]
    if steps and persons:
        yield f"Before judging, people {_enumerated(steps)}."
    yield from _checks(study)
    yield from _times(study)
    if kind.chooses:
        yield from _agreement(study)
    yield from _exclusions(study)
    yield from _dropouts(study)
    if kind.chooses:
        yield from _adjudications(study)


def _in_words(persons: int, simulated: int) -> str:
    parts = []
    if persons:
        parts.append(counted_as(persons, "person", "people"))
    if simulated:
        parts.append(counted_as(simulated, "simulated annotator"))

    return " and ".join(parts)


def _questions(study: Study) -> Iterator[str]:
    """Say which pairs were drawn, which were not asked about, and how references were drawn."""
    if study.stop_early:
        yield "A pair got no more votes once its winner could no longer change."
    pairs = study.dataset.pairs
    total = pairs.count()
    equal = total - pairs.askable().count()
    drawn = pairs.filter(batch__gt=0).count()
    if drawn:
        was = "was" if drawn == 1 else "were"
        yield f"{counted_as(drawn, 'pair')} {was} drawn at random by Tercet."
    if equal:
        yield (
            f"Of {counted_as(total, 'pair')}, {intcomma(equal)} "
            f"{'has' if equal == 1 else 'have'} two equal captions: such pairs count as ties and "
            "were not asked about."
        )
    merged = merged_captions(study.dataset)
    if merged:
        yield merged_in_words(merged)
    if study.references is not None and kind_of(study).has_reference:
        drawn_references = counted_as(study.references, "reference")
        yield f"At most {drawn_references} per pair, drawn at random, made questions."


def _pay(study: Study) -> Iterator[str]:
    """Say what people were paid, as far as the words of the consent tell."""
    if not study.pay.strip():
        return

    if announced_pay(study):
        duration = announced_minutes(study)
        persons = study.annotators.real().exclude(name__startswith=SIMULATED)
        done = persons.filter(outcome=Outcome.DONE, excluded_at=None)
        minutes = [minutes_until_done(person) for person in done]
        known = [each for each in minutes if each is not None]
        text = f"They were paid {_phrase(study.pay)}"
        if duration and known:
            announced = fixed(duration, 0)
            typical = fixed(median(known), 1)
            text += (
                f" for an announced {announced} minutes, and took {typical} (median)"
            )
        yield f"{text}."
    elif _UNPAID.search(study.pay):
        yield "They were not paid."
    else:
        yield f"Their pay was stated as “{_phrase(study.pay)}”."


def _votes(study: Study) -> AnswerQuerySet:
    given = Answer.objects.filter(question__study=study)
    return given.filter(annotator__in=study.annotators.real())


def _checks(study: Study) -> Iterator[str]:
    """Say how many votes were given on gold questions and on repeats."""
    kind = kind_of(study)
    given = _votes(study).valid()
    swapped = " with the sides swapped" if kind.chooses else ""
    words = {
        Purpose.GOLD: "on questions with a known answer (gold questions)",
        Purpose.REPEAT: f"on earlier questions of their own{swapped}",
    }

    parts = []
    for purpose, what in words.items():
        if votes := given.filter(purpose=purpose).count():
            parts.append(f"{counted_as(votes, kind.answer)} {what}")
    if parts:
        effect = "decide no winner" if kind.chooses else "count in no result"
        yield f"As checks, which {effect}, annotators also gave {_enumerated(parts)}."


def _times(study: Study) -> Iterator[str]:
    """Say when answers were given, and how long they took."""
    counted = _votes(study).counted()
    dates = counted.aggregate(first=Min("created_at"), last=Max("created_at"))
    if dates["first"] and dates["last"]:
        first, last = dates["first"].date(), dates["last"].date()
        when = f"on {first}" if first == last else f"from {first} to {last}"
        answers = f"{kind_of(study).answer}s".capitalize()
        yield f"{answers} were given {when}{_median_time(counted)}."


def _agreement(study: Study) -> Iterator[str]:
    """Say how often two votes on a question agree."""
    counted = _votes(study).counted()
    by_question = counted.order_by().values("question")
    choices = by_question.annotate(
        n=Count("pk"),
        b=Count("pk", filter=Q(choice=Choice.B)),
        c=Count("pk", filter=Q(choice=Choice.C)),
        tie=Count("pk", filter=Q(choice=Choice.TIE)),
    )
    couples = {
        name: Cast(F(name) * (F(name) - 1), FloatField())
        for name in ("n", "b", "c", "tie")
    }
    sums = choices.aggregate(
        **{f"{name}s": Sum(each) for name, each in couples.items()}
    )
    if sums["ns"]:
        share = 100 * (sums["bs"] + sums["cs"] + sums["ties"]) / sums["ns"]
        shown = fixed(share, 1)
        yield f"Two votes on the same question agreed in {shown} % of cases."


def _median_time(counted: AnswerQuerySet) -> str:
    time = Coalesce("active_seconds", "seconds")
    timed = counted.annotate(time=time).exclude(time=None).order_by("-pk")
    seconds = list(timed.values_list("time", flat=True)[:_MAX_TIMES])
    if not seconds:
        return ""
    return f", with a median of {fixed(median(seconds), 1)} seconds each"


def _exclusions(study: Study) -> Iterator[str]:
    """Say who was excluded, with how many answers and for which reasons, and which single ones."""
    noun = kind_of(study).answer
    excluded = study.annotators.real().exclude(excluded_at=None)
    lost = _votes(study).filter(status=Status.EXCLUDED, purpose=Purpose.STUDY)
    single = lost.filter(annotator__excluded_at=None).count()
    if single:
        was = "was" if single == 1 else "were"
        yield f"{counted_as(single, f'single {noun}')} {was} excluded."
    reasons = Counter(excluded.values_list("excluded_reason", flat=True))
    if not reasons:
        return

    votes = lost.filter(annotator__in=excluded).count()
    quoted = [
        f"“{_phrase(reason)}” ({intcomma(count)})"
        for reason, count in reasons.most_common(_MAX_REASONS)
        if reason.strip()
    ]
    why = f", for these reasons: {_enumerated(quoted)}" if quoted else ""
    if len(reasons) > _MAX_REASONS:
        why += ", and others"
    simulated = excluded.filter(name__startswith=SIMULATED).count()
    who = _in_words(reasons.total() - simulated, simulated)
    was = "was" if reasons.total() == 1 else "were"
    given = counted_as(votes, noun)
    yield f"{who} {was} excluded after a look at their {noun}s, with {given}{why}."


def _adjudications(study: Study) -> Iterator[str]:
    """Say how many winners are decisions of adjudicators, where results use them."""
    decisions = study.adjudications.in_force()
    pairs = decisions.count()
    if study.winners == VOTES or not pairs:
        return

    people = decisions.values("adjudicator").distinct().order_by().count()
    who = "An adjudicator" if people == 1 else "Adjudicators"
    yield f"{who} decided the winner of {counted_as(pairs, 'pair')}."


def _dropouts(study: Study) -> Iterator[str]:
    """Say how many people declined or did not finish, as far as it is known."""
    has_begun = Q(judged__gt=0) | ~Q(outcome="") | ~Q(step=Step.CONSENT)
    persons = study.annotators.real().exclude(name__startswith=SIMULATED)
    came = persons.filter(has_begun)
    numbers = {
        words: came.filter(outcome=outcome).count()
        for outcome, words in _DROPOUTS.items()
    }
    if study.state == State.CLOSED and study.max_judgments:
        limit = counted_as(study.max_judgments, "judgment")
        short = came.filter(judged__lt=study.max_judgments, excluded_at=None)
        has_waited = Q(outcome="", waiting_since__isnull=False)
        without = short.filter(has_waited | Q(outcome=Outcome.DONE))
        ended = short.filter(outcome="", waiting_since=None)
        numbers[f"had no question left before {limit}"] = without.count()
        when_closed = f"had given fewer than {limit} when the study was closed"
        numbers[when_closed] = ended.count()

    parts = [f"{intcomma(n)} {words}" for words, n in numbers.items() if n]
    if parts:
        count = came.count()
        people = counted_as(count, "person", "people")
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
