"""By what results are known: a digest of the votes that they count, whatever their order.

The database mixes the columns of each vote into a number and adds these up by annotator, so that
a study of 500,000 votes takes half a second. Two rounds with different moduli leave no pattern of
neighbouring keys by which sums of different votes could agree.
"""

import json
from hashlib import sha256

from django.core.cache import cache
from django.db.models import BigIntegerField, Case, Count, F, Sum, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from tercet.analysis.number_texts import counted
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Answer, Evaluation, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.quality.adjudication import VOTES

MAX_LIVE_VOTES = 20_000
"""Pages of studies in which people gave more answers show what was computed before."""
_PRIMES = 2**31 - 1, 2**31 - 19
_WEIGHTS = 166_452_503, 101_390_429, 74_779_643
_SETTINGS = ("protocol", "votes", "stop_early", "winners", "collected_elsewhere")
"""Settings that decide winners, and which of them are final."""


def is_large(study: Study) -> bool:
    """Return whether pages show what was computed before."""
    given = study.annotators.aggregate(n=Sum("judged", default=0))["n"]
    return int(given) > MAX_LIVE_VOTES


def state_of(study: Study) -> str:
    """Return a text that changes with everything that may change the votes of a study.

    Each vote, undo and lease increases the first sum of its annotator; whatever else changes votes
    is in the audit log.
    """
    done = F("judged") + 2 * F("leases_given")
    people = study.annotators.aggregate(done=Sum(done, default=0))
    events = {"events": study.events.count()}
    return str(people | events)


def digest_of(study: Study) -> str:
    """Return the digest of the votes, decisions and settings that now decide the results."""
    if not is_large(study):
        return _digest(study)

    key = f"digest-{study.pk}-{study.created_at.timestamp()}-{state_of(study)}"
    hashed = sha256(key.encode()).hexdigest()
    return str(cache.get_or_set(hashed, lambda: _digest(study), timeout=None))


def is_current(done: Evaluation, votes: int) -> bool:
    """Return whether an evaluation is of the votes that count now, of which there are `votes`."""
    return done.votes == votes and done.digest == digest_of(done.study)


def _digest(study: Study) -> str:
    counted = Answer.objects.counted().filter(question__study=study)
    by_person = counted.order_by().values_list("annotator__name")
    sums = by_person.annotate(votes=Count("pk"), mixed=Sum(_mixed()))
    people = sorted((name or "", votes, int(mixed)) for name, votes, mixed in sums)

    decisions: list[tuple[int, str]] = []
    if study.winners != VOTES:
        in_force = study.adjudications.in_force()
        decisions = sorted(in_force.values_list("pair", "decision"))

    settings = [getattr(study, name) for name in _SETTINGS]
    text = json.dumps([people, decisions, settings])
    return sha256(text.encode()).hexdigest()


def _mixed() -> Combinable:
    """Return a number for the subject and the choice, or else the content, of a vote."""
    subject = Coalesce("question__pair", "question__candidate", "question__image")
    reference = Coalesce("question__reference", Value(0))
    choices = [When(choice=each, then=Value(n)) for n, each in enumerate(Choice, 1)]
    choice = Case(*choices, default=F("pk"), output_field=BigIntegerField())

    parts = zip((subject, reference, choice), _WEIGHTS, strict=True)
    mixed: Combinable = Value(0, BigIntegerField())
    for part, weight in parts:
        mixed = mixed + part * weight
    for prime in _PRIMES:
        reduced = mixed % prime
        mixed = reduced * reduced
    return mixed % _PRIMES[0]


def made_of(evaluation: Evaluation) -> str:
    """Return of which answers a result is, and when it was computed."""
    digest = f", digest {evaluation.digest[:12]}" if evaluation.digest else ""
    finished = evaluation.finished_at
    at = f", computed {finished:%Y-%m-%d %H:%M} UTC" if finished else ""
    return f"{counted(evaluation.votes, kind_of(evaluation.study).answer)}{at}{digest}"
