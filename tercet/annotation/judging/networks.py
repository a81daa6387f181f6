"""Networks: what people of one network may hold and give.

A network is an IPv4 address or a /64 of IPv6 (`tercet.annotation.requests.network_of`). It is
stored only as a code: an HMAC under a key of the study, which is destroyed when the study closes.
People who come by the shared link, or by a platform's link without its signature, have one;
accounts, personal links and signed links say who somebody is, so no network is stored for them.

A link for people anywhere takes from one network a minority of the votes of each question: at most
max(1, (n - 1) // 2) of n. Every change of votes and leases of a question locks it, so whoever has
locked a question counts exactly, in a statement that begins after that.
"""

import hmac
import secrets
from collections import Counter
from hashlib import sha256

from django.db import connection
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from tercet.annotation.models import Annotator, Answer, Lease, Question, Study
from tercet.annotation.models.answer import Purpose
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
GIVEN = """
SELECT network FROM annotation_answer
JOIN annotation_annotator ON annotation_annotator.id = annotator_id
WHERE question_id = {question} AND status = 'valid' AND purpose = 'study' AND external_id = ''
UNION ALL
SELECT network FROM annotation_lease
JOIN annotation_annotator ON annotation_annotator.id = annotator_id
WHERE question_id = {question} AND live AND purpose = 'study' AND external_id = ''
"""
"""The networks of the counted votes and live leases of a question by the shared link."""
HAS_ROOM = f"""
(SELECT COUNT(*) FROM ({GIVEN.format(question="annotation_question.id")}) AS given
    WHERE network = %s) < CASE WHEN needed < 5 THEN 1 ELSE (needed - 1) / 2 END
"""
"""Whether a network may give one more vote on a question of `annotation_question`."""
SHARES = f"""
SELECT network, COUNT(*) FROM ({GIVEN.format(question="%s")}) AS given
WHERE network <> '' GROUP BY network
"""


def network_code(study: Study, network: str) -> str:
    """Return the code under which a study stores a network."""
    key = _key_of(study)
    return hmac.new(key.encode(), network.encode(), sha256).hexdigest()


def _key_of(study: Study) -> str:
    """Return a study's key of networks, made at its first use; a closed study gets none."""
    if not study.network_key:
        rows = Study.objects.filter(pk=study.pk)
        lacking = rows.filter(network_key="").exclude(state=State.CLOSED)
        lacking.update(network_key=secrets.token_hex())
        study.network_key = rows.values_list("network_key", flat=True).get()

    return study.network_key or secrets.token_hex()


def note_network(annotator: Annotator, network: str) -> None:
    """Store from which network somebody comes who has agreed to take part.

    Nothing is stored of people who are identified otherwise, or who have a network already.
    """
    study = annotator.study
    is_signed = annotator.external_id and study.crowd_proof != CrowdProof.CODE
    is_known = annotator.user_id or annotator.token or is_signed
    if is_known or annotator.is_test or annotator.network:
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

    They are limited where somebody came by a shared link that is for people anywhere.
    """
    if annotator is None or annotator.external_id:
        return ""

    link_users = annotator.study.link_users
    is_anywhere = link_users == LinkUsers.ANYWHERE
    return annotator.network if is_anywhere else ""


def most_of_network(needed: int) -> int:
    """Return how many of the needed votes of a question one network may give."""
    return max(1, (needed - 1) // 2)


def has_room(annotator: Annotator, question: Question) -> bool:
    """Return whether an annotator's network may give one more vote on a locked question."""
    network = limited_network(annotator)
    if not network:
        return True

    return shares_of(question)[network] < most_of_network(question.needed)


def shares_of(question: Question) -> Counter[str]:
    """Count the votes and leases of a locked question by the networks of the shared link."""
    return Counter(dict(fetch(SHARES, [question.pk, question.pk])))


def with_room(
    questions: QuestionQuerySet, annotator: Annotator, *, leases: bool = True
) -> QuestionQuerySet:
    """Select the questions on which an annotator's network may give one more vote.

    Without `leases`, those of the network that are held now may become free.
    """
    if not limited_network(annotator):
        return questions

    given: Combinable = _count(Answer.objects.counted(), annotator)
    if leases:
        held = Lease.objects.filter(live=True, purpose=Purpose.STUDY)
        given += _count(held, annotator)

    minority = (F("needed") - 1) / 2
    few = Q(given=0) | Q(given__lt=minority)
    counted = questions.alias(given=given)
    return counted.filter(few)


def _count(
    rows: "QuerySet[Answer] | QuerySet[Lease]", annotator: Annotator
) -> Coalesce:
    """Count the rows of each question that are of an annotator's network, by the shared link."""
    of_network = rows.filter(annotator__network=annotator.network)
    by_link = of_network.filter(question=OuterRef("pk"), annotator__external_id="")
    by_question = by_link.order_by().values("question")
    counts = by_question.annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counts), 0)
