"""Question quotas: vote and lease counters, and the order in which rows are locked.

Every change locks the study first (where its state matters or changes), then the annotator (where
there is one), and then the questions it concerns, by ascending key, so that no two changes can
deadlock. Code that needs one more question after that skips those that are locked. Database
constraints check that votes and leases of a question never exceed what is needed.
"""

from django.db import connection
from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from tercet.annotation.judging import networks
from tercet.annotation.models import Annotator, Answer, Lease, Question, Study
from tercet.annotation.models.answer import Choice, Purpose, Side
from tercet.annotation.models.base import store
from tercet.annotation.models.question import QuestionQuerySet
from tercet.annotation.sql import Statement, execute

B_MARGIN: dict[str, int] = {Choice.B: 1, Choice.C: -1, Choice.TIE: 0, "": 0}
"""What an answer adds to the margin of B over C; nothing where it is no choice."""
LEFT_BALANCE: dict[str, int] = {Side.LEFT: 1, Side.RIGHT: -1, "": 0}
"""What a question adds to the balance of B's sides, by the side on which B is shown."""

_ADD_TO_COUNTERS = """
UPDATE annotation_question
SET answers = answers + %s, leases = leases + %s, lead = lead + %s, lean = lean + %s
{source} WHERE id = %s
"""


def for_update(table: str, *, skip_locked: bool = False) -> str:
    """Return the end of a SELECT that locks its rows of a table; empty on SQLite."""
    if not connection.features.has_select_for_no_key_update:
        return ""

    return f" FOR NO KEY UPDATE OF {table}" + (" SKIP LOCKED" if skip_locked else "")


def lock_annotator(key: int) -> Annotator:
    """Lock and return the annotator with this key."""
    rows = Annotator.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("study").get(pk=key)


def lock_question(study: Study, key: int) -> Question:
    """Lock and return a question; where pairs may stop early, lock all questions of its pair."""
    rows = study.questions.select_for_update(no_key=True)
    pair = study.questions.filter(pk=key).values("pair")
    locked = rows.filter(pair__in=pair).order_by("pk") if study.stop_early else ()
    of_pair = {row.pk: row for row in locked}
    return of_pair[key] if key in of_pair else rows.get(pk=key)


def lock_questions_of(annotator: Annotator) -> QuestionQuerySet:
    """Lock and return the questions that an annotator has voted on or holds a lease of.

    Where pairs may stop early, these are all questions of the pairs concerned.
    """
    questions = annotator.study.questions
    is_voted = Q(pk__in=annotator.answers.values("question"))
    is_leased = Q(pk__in=annotator.leases.values("question"))

    touched = questions.filter(is_voted | is_leased)
    if annotator.study.stop_early:
        touched |= questions.filter(pair__in=touched.values("pair"))

    lock_all(touched)
    return touched


def lock_all(questions: QuestionQuerySet) -> None:
    """Lock questions, by ascending key."""
    list(questions.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def may_count(annotator: Annotator | None, question: Question) -> bool:
    """Return whether a locked question has room for one more vote, by this annotator."""
    if question.answers + question.leases >= question.needed:
        return False

    return networks.has_room(annotator, question)


def addition(
    question: int,
    votes: int = 0,
    leases: int = 0,
    b_margin: int = 0,
    left_balance: int = 0,
    *,
    source: str = "",
) -> Statement:
    """Return the statement that adds to the counters of the question with this key.

    With a `source`, FROM with a table, it does so only where that has a row.
    """
    values = [votes, leases, b_margin, left_balance, question]
    return _ADD_TO_COUNTERS.format(source=source), values


def addition_of_lease(lease: Lease) -> Statement:
    """Return the statement that counts a new live lease; its question must be locked."""
    balance = LEFT_BALANCE[lease.b_side]
    return addition(lease.question_id, leases=1, left_balance=balance)


def end_lease(lease: Lease) -> None:
    """End a live lease and uncount it; the caller has locked its question."""
    used_quota = lease.uses_quota
    ended = Lease.objects.filter(pk=lease.pk, live=True).update(live=False)

    if ended and used_quota:
        balance = LEFT_BALANCE[lease.b_side]
        execute(*addition(lease.question_id, leases=-1, left_balance=-balance))


def update_stopped_pairs(study: Study, touched: QuestionQuerySet | None = None) -> None:
    """Stop the pairs whose winner can no longer change, and resume all others.

    A question is decided when its margin exceeds its missing votes, and a pair when its margin in
    decided questions exceeds the number of undecided ones. Without `touched` all pairs of the study
    are checked, else those of the given questions; the caller has locked them.
    """
    questions = study.questions.all()
    if touched is not None:
        questions = questions.filter(pair__in=touched.values("pair"))

    decided = []
    if study.stop_early:
        decided = _decided_pairs(questions.filter(study__stop_early=True))

    questions.filter(stopped=True).exclude(pair__in=decided).update(stopped=False)
    questions.filter(stopped=False, pair__in=decided).update(stopped=True)


def _decided_pairs(questions: "QuerySet[Question]") -> list[int]:
    """Return the keys of the pairs whose winner can no longer change."""
    missing = F("needed") - F("answers")
    for_b = Q(lead__gt=missing)
    for_c = Q(lead__lt=-missing)
    is_decided = for_b | for_c | Q(answers=F("needed"))

    signs = When(for_b, 1), When(for_c, -1)
    margin = Sum(Case(*signs, default=0, output_field=IntegerField()))
    undecided = Count("pk", filter=~is_decided)
    by_pair = questions.order_by().values("pair")
    pairs = by_pair.annotate(margin=margin, undecided=undecided)

    cannot_change = Q(margin__gt=F("undecided")) | Q(margin__lt=-F("undecided"))
    return list(pairs.filter(cannot_change).values_list("pair", flat=True))


def count_checks_where_open(questions: QuestionQuerySet) -> None:
    """Turn votes on gold checks into counted votes of questions that still need votes.

    Nobody is asked a question again that they met as a check, so a question might otherwise never
    get all its votes. The caller has locked the questions.
    """
    for question in questions.open().gold():
        valid = Answer.objects.valid().filter(question=question)
        counted_annotators = valid.filter(purpose=Purpose.STUDY).values("annotator")

        checks = valid.filter(purpose=Purpose.GOLD).order_by("pk")
        new = checks.exclude(annotator__in=counted_annotators)
        missing = question.needed - question.answers - question.leases
        for check in new.select_related("annotator__study"):
            if missing and networks.has_room(check.annotator, question):
                store(check, purpose=Purpose.STUDY)
                missing -= 1

        recount(questions.filter(pk=question.pk))


def recount(questions: "QuerySet[Question]") -> None:
    """Set the counters of questions, which the caller has locked, from their votes and leases."""
    questions.update(**_counters())


def miscounted(questions: "QuerySet[Question]") -> int:
    """Count the questions whose counters differ from their votes and leases."""
    counters = _counters()
    counted = {f"counted_{name}": sums for name, sums in counters.items()}
    same = {name: F(f"counted_{name}") for name in counters}
    return questions.annotate(**counted).exclude(**same).count()


def _counters() -> dict[str, Combinable]:
    """Return the counters of a question, as sums over its votes and leases."""
    votes = Answer.objects.counted()
    leases = Lease.objects.filter(live=True, purpose=Purpose.STUDY)

    for_b = When(choice=Choice.B, then=1)
    for_c = When(choice=Choice.C, then=-1)
    left = When(b_side=Side.LEFT, then=1)
    right = When(b_side=Side.RIGHT, then=-1)
    b_margin = Case(for_b, for_c, default=0)
    balance = Case(left, right, default=0)

    return {
        "answers": _sum_by_question(votes, Value(1)),
        "leases": _sum_by_question(leases, Value(1)),
        "lead": _sum_by_question(votes, b_margin),
        "lean": _sum_by_question(votes, balance) + _sum_by_question(leases, balance),
    }


def _sum_by_question(
    rows: "QuerySet[Answer] | QuerySet[Lease]", value: "Value | Case"
) -> Coalesce:
    of_question = rows.filter(question=OuterRef("pk"))
    by_question = of_question.order_by().values("question")
    sums = by_question.annotate(total=Sum(value, output_field=IntegerField()))

    return Coalesce(Subquery(sums.values("total")), 0)
