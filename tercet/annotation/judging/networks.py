"""Networks: what people of one network may hold and give.

A network is what `tercet.annotation.requests.network_of` says. It is stored only as a code: an HMAC
under a key of the study, which is destroyed when the study closes. People have one who come by the
shared link, by a platform's link without its signature, or with an account that they made
themselves; other accounts, personal links and signed links say who somebody is.

Where anybody may come, one network gives a minority of the votes of each question: at most
max(1, (n - 1) // 2) of n. `_HAS_ROOM` is that rule, on the hot path and elsewhere. Every change of
votes and leases of a question locks it, so whoever has locked a question counts exactly, in a
statement that begins after that.
"""

import hmac
import secrets
from hashlib import sha256
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func
from django.db.models.sql.compiler import SQLCompiler

from tercet.annotation.models import Annotator, Event, Question, Study
from tercet.annotation.models.base import store
from tercet.annotation.models.question import QuestionQuerySet
from tercet.annotation.models.study import CrowdProof, LinkUsers, State
from tercet.annotation.sql import execute, fetch

_HELD_BY_NEWCOMERS = """
SELECT COUNT(*) FROM annotation_lease
JOIN annotation_annotator ON annotation_annotator.id = annotator_id
WHERE study_id = %s AND network = %s AND judged = 0 AND annotator_id <> %s
    AND live AND purpose = 'study'
"""
_VOTES = """
SELECT network FROM annotation_answer
JOIN annotation_annotator ON annotation_annotator.id = annotator_id
WHERE question_id = {question} AND status = 'valid' AND purpose = 'study'
"""
_LEASES = """
UNION ALL
SELECT network FROM annotation_lease
JOIN annotation_annotator ON annotation_annotator.id = annotator_id
WHERE question_id = {question} AND live AND purpose = 'study'
"""
_FEWER = """
(SELECT COUNT(*) FROM ({given}) AS given WHERE network = %s)
    < CASE WHEN {{needed}} < 5 THEN 1 ELSE ({{needed}} - 1) / 2 END
"""
_HAS_ROOM = _FEWER.format(given=_VOTES + _LEASES)
"""Whether a network may give one more vote on a question, by its key and the votes it needs."""
_HAS_ROOM_LATER = _FEWER.format(given=_VOTES)
"""The same without leases, whose questions may become free."""
ROOM_FOR_NETWORK = _HAS_ROOM.format(
    question="annotation_question.id", needed="annotation_question.needed"
)
"""`_HAS_ROOM` on a row of `annotation_question`."""
_SELF_MADE = "created own account"
"""What the log says of an account that its owner made."""


class _HasRoom(Func):
    """One of these conditions in a query set."""

    output_field = BooleanField()

    def __init__(self, network: str, condition: str) -> None:
        super().__init__(F("pk"), F("needed"))
        self.network, self.condition = network, condition

    def as_sql(
        self,
        compiler: SQLCompiler,
        connection: BaseDatabaseWrapper,
        *_parts: Any,
        **_options: Any,
    ) -> tuple[str, tuple[str]]:
        question, needed = (
            compiler.compile(each)[0] for each in self.source_expressions
        )
        sql = self.condition.format(question=question, needed=needed)
        return f"({sql})", (self.network,)


def network_code(study: Study, network: str) -> str:
    """Return the code under which a study stores a network."""
    if not study.network_key:  # made at its first use; a closed study gets none
        rows = Study.objects.filter(pk=study.pk)
        lacking = rows.filter(network_key="").exclude(state=State.CLOSED)
        lacking.update(network_key=secrets.token_hex())
        study.network_key = rows.values_list("network_key", flat=True).get()

    key = study.network_key or secrets.token_hex()
    return hmac.new(key.encode(), network.encode(), sha256).hexdigest()


def note_network(annotator: Annotator, network: str) -> None:
    """Store from which network somebody comes who has agreed to take part.

    Nothing is stored of people who are identified otherwise, or who have a network already.
    """
    study = annotator.study
    if annotator.is_test or annotator.network or annotator.token:
        return
    if annotator.external_id and study.crowd_proof != CrowdProof.CODE:
        return
    made_by_owner = Event.objects.filter(study=None, by=annotator.user, what=_SELF_MADE)
    if annotator.user and not made_by_owner.exists():
        return

    store(annotator, network=network_code(study, network))


def lock_network(annotator: Annotator) -> None:
    """Let one newcomer of a network take questions at a time, until the transaction ends.

    It is locked after the annotator and before questions. SQLite has one writer anyway.
    """
    if connection.vendor == "postgresql":
        key = int(annotator.network[:15], 16)
        execute("SELECT pg_advisory_xact_lock(%s)", [key])


def held_by_other_newcomers(annotator: Annotator) -> int:
    """Count the questions that others of a network hold who have not voted yet."""
    values = [annotator.study_id, annotator.network, annotator.pk]
    [(held,)] = fetch(_HELD_BY_NEWCOMERS, values)
    return int(held)


def limited_network(annotator: Annotator | None) -> str:
    """Return the network of an annotator whose votes are limited; empty where none are.

    Of people who came by the shared link, they are where that is for people anywhere.
    """
    if annotator is None:
        return ""

    is_by_link = not (annotator.external_id or annotator.user_id)
    is_limited = not is_by_link or annotator.study.link_users == LinkUsers.ANYWHERE
    return annotator.network if is_limited else ""


def most_of_network(needed: int) -> int:
    """Return how many of the needed votes of a question one network may give."""
    return max(1, (needed - 1) // 2)


def has_room(annotator: Annotator | None, question: Question) -> bool:
    """Return whether an annotator's network may give one more vote on a locked question."""
    if not limited_network(annotator):
        return True

    rows = Question.objects.filter(pk=question.pk)
    return with_room(rows, annotator).exists()


def with_room(
    questions: QuestionQuerySet, annotator: Annotator | None, *, leases: bool = True
) -> QuestionQuerySet:
    """Select the questions on which an annotator's network may give one more vote.

    Without `leases`, those of the network that are held now may become free.
    """
    network = limited_network(annotator)
    if not network:
        return questions

    return questions.filter(_HasRoom(network, _HAS_ROOM if leases else _HAS_ROOM_LATER))
