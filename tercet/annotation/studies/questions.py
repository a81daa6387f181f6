"""The questions of a study: drawn by its kind, and written to the database."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import Max

from tercet.analysis.progress import Progress, silent
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Answer, Question, Study
from tercet.annotation.models.bulk import copy_rows
from tercet.annotation.models.question import Subject


class Counters(NamedTuple):
    """What the answers to a question add up to, as in `Question`."""

    answers: int = 0
    lead: int = 0
    lean: int = 0


_NO_ANSWERS = Counters()


def write_questions(
    study: Study,
    counters: Mapping[Subject, Counters] | None = None,
    progress: Progress = silent,
) -> dict[Subject, int]:
    """Write the questions of a study; return their keys by subject.

    `counters` are those of the answers that there are already. Each of these subjects gets a
    question even if the seed did not draw it, and never needs fewer answers than it has. A study
    that was collected elsewhere has no other questions and needs no other answers.
    """
    counters = counters or {}
    default_need = 0 if study.collected_elsewhere else study.votes
    drawn, positions = (
        ([], []) if study.collected_elsewhere else kind_of(study).draw(study)
    )
    subjects = list(dict.fromkeys(chain(drawn, counters)))
    given = [counters.get(subject, _NO_ANSWERS) for subject in subjects]

    columns: dict[str, Iterable[Any]] = {
        "study": repeat(study.pk),
        **_columns_of(Subject, subjects),
        "position": chain(positions, range(len(drawn), len(subjects))),
        "needed": (max(default_need, each.answers) for each in given),
        **_columns_of(Counters, given),
        "leases": repeat(0),
        "stopped": repeat(False),
        "gold": repeat(""),
    }
    keys = copy_rows(Question, columns, len(subjects), "Questions", progress)
    return dict(zip(subjects, keys, strict=True))


def _columns_of(
    kind: type[Subject | Counters], rows: Iterable[Subject | Counters]
) -> dict[str, Iterator[int | None]]:
    return {name: map(attrgetter(name), rows) for name in kind._fields}


def redraw_questions(study: Study) -> None:
    """Draw the questions of a draft again, as its dataset has changed; gold answers are kept.

    Test annotators are deleted with their answers.
    """
    gold = gold_of(study)
    testers = study.annotators.filter(is_test=True)
    Answer.objects.filter(annotator__in=testers).delete()
    testers.delete()

    study.questions.all().delete()
    write_questions(study)
    set_gold_answers(study, gold)


def gold_of(study: Study) -> dict[Subject, str]:
    """Return the correct answers of a study's gold questions."""
    rows = study.questions.gold().values_list(*Subject._fields, "gold")
    return {Subject(*subject): answer for *subject, answer in rows}


def set_gold_answers(study: Study, gold: Mapping[Subject, str]) -> None:
    """Make the questions of a study gold that it has, and add those that are only checks."""
    for subject, answer in gold.items():
        rows = study.questions.filter(**subject._asdict())
        if not rows.update(gold=answer) and subject.candidate:
            add_check(study, subject, answer)


def add_check(study: Study, subject: Subject, gold: str) -> None:
    """Add a gold question that needs no answers: it is asked as a check only."""
    last = study.questions.aggregate(last=Max("position", default=-1))["last"]
    keys = {f"{name}_id": key for name, key in subject._asdict().items()}
    study.questions.create(**keys, position=last + 1, needed=0, gold=gold)
