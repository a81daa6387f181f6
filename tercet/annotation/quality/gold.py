"""Gold questions: questions of a study whose correct answer is known."""

import csv
import itertools
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, Exists, OuterRef, QuerySet, When

from tercet.analysis.dataset.simulation import shared_words
from tercet.analysis.tables.schema import HUMAN
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Image, Pair, Question, Reference, Study
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible

COLUMNS = ["pair", "reference", "answer"]
CAPTIONS = ("pair__b", "pair__c", "pair__image__dataset", "reference")
"""What the captions of a question are read with."""
CANDIDATES = ("b", "c", "image")
_FOREIGN = 20
"""Captions of other images, of which the one that shares least words with an image is taken."""
Name = tuple[str, int | None]
"""A pair's name and a reference's number, None where the study shows the image."""


@dataclass(frozen=True)
class Gold:
    """A question, named as in its dataset, and its correct answer, B or C."""

    pair: str
    reference: int | None
    answer: str

    def __str__(self) -> str:
        parts = [self.pair, str(self.reference or ""), self.answer]
        return " ".join(filter(None, parts))


class FaultyGold(ValueError):
    """Lines that do not name gold questions of a study; says what is wrong in each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(*problems)
        self.problems = problems


def read_gold(study: Study, text: str) -> dict[int, Gold]:
    """Read lines of `pair,reference,answer`; return gold by question key. Raises FaultyGold."""
    rows = _rows(text)
    questions = study.questions.filter(pair__name__in={row[0] for _line, row in rows})
    names = questions.values_list("pair__name", "reference__number", "pk")
    keys: dict[Name, int] = {(pair, number): key for pair, number, key in names}

    gold = {}
    problems = []
    for line, row in rows:
        try:
            one = _gold(study, row)
            key = _key(keys, one)
            gold[key] = one
        except ValueError as error:
            problem = "Line %(line)s: %(what)s"
            problems.append(problem % {"line": line, "what": error})

    if problems:
        raise FaultyGold(problems)
    return gold


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Return the numbered lines, without empty ones and without the header."""
    rows = []
    for line, cells in enumerate(csv.reader(text.splitlines()), start=1):
        row = [cell.strip() for cell in cells]
        if any(row):
            rows.append((line, row))

    if rows and [cell.lower() for cell in rows[0][1]] == COLUMNS:
        return rows[1:]
    return rows


def _gold(study: Study, row: list[str]) -> Gold:
    if len(row) != len(COLUMNS):
        raise ValueError("write three cells, as in p1,1,B.")

    pair, number, answer = row
    has_reference = kind_of(study).has_reference
    if number and not has_reference:
        message = "leave the reference empty, as in p1,,B: the study shows the image."
        raise ValueError(message)
    if has_reference and not number.isdecimal():
        raise ValueError("the reference is its number, from 1.")
    if answer.upper() not in ("B", "C"):
        raise ValueError("the answer is B or C.")

    return Gold(pair, int(number) if number else None, answer.upper())


def _key(keys: Mapping[Name, int], gold: Gold) -> int:
    """Return the key of a gold question; raises ValueError."""
    key = keys.get((gold.pair, gold.reference))
    if key is not None:
        return key

    message = "the study has no question on pair %(pair)s."
    if gold.reference is not None:
        message = (
            "the study has no question on pair %(pair)s with reference %(reference)s."
        )
    raise ValueError(message % {"pair": gold.pair, "reference": gold.reference})


def pairs_without_gold(study: Study) -> QuerySet[Pair]:
    """Select the asked pairs without gold, HI pairs first: they are often clear-cut."""
    asked = study.questions.filter(pair=OuterRef("pk"))
    gold = study.questions.gold().exclude(pair=None).order_by().values("pair")
    rows = study.dataset.pairs.filter(Exists(asked)).exclude(pk__in=gold)

    is_hi = When(category="HI", then=0)
    hi_first = Case(is_hi, default=1)
    return rows.order_by(hi_first, "pk")


def first_questions(study: Study, pairs: Sequence[Pair]) -> list[Question]:
    """Return the first question of each pair, with its captions."""
    rows = study.questions.filter(pair__in=pairs).order_by("-position")
    of_pair = {row.pair_id: row for row in rows.select_related(*CAPTIONS)}
    return [of_pair[pair.pk] for pair in pairs if pair.pk in of_pair]


def choose_gold(study: Study, key: int, answer: str, by: User) -> bool:
    """Make one question of the study gold; False where the study has no such question."""
    rows = study.questions.filter(pk=key).values_list("pair__name", "reference__number")
    name = rows.first()
    if name is None:
        return False

    set_gold(study, {key: Gold(*name, answer)}, by)
    return True


def drawable_pairs(study: Study) -> QuerySet[Pair]:
    """Select the pairs with questions without gold whose winner the dataset states."""
    asked = study.questions.filter(gold="", pair=OuterRef("pk"))
    return study.dataset.pairs.filter(Exists(asked), winner__in=["B", "C"])


def draw_gold(study: Study, count: int, by: User) -> int:
    """Make questions gold at random, at most one per pair; return how many."""
    questions = study.questions.filter(gold="", pair__in=drawable_pairs(study))
    candidates = list(questions.values_list("pair", "pk"))
    random.shuffle(candidates)
    one_per_pair = dict(candidates)
    drawn = list(one_per_pair.values())
    keys = drawn[:count]

    rows = Question.objects.filter(pk__in=keys)
    names = rows.values_list("pk", "pair__name", "reference__number", "pair__winner")
    gold = {key: Gold(pair, number, winner) for key, pair, number, winner in names}
    set_gold(study, gold, by)
    return len(keys)


def obvious_pairs(study: Study, count: int) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the right answers and the entries of new pairs by name, at most one per image.

    The worse candidate is a caption of another image. Raises NotPossible where there is none.
    """
    taken = {*study.dataset.pairs.values_list("name", flat=True)}
    names = map("obvious-{}".format, itertools.count(1))
    free = itertools.filterfalse(taken.__contains__, names)
    pairs = study.dataset.pairs.exclude(name__startswith="obvious-").order_by("?")
    one_per_image = {pair.image_id: pair for pair in pairs.select_related(*CANDIDATES)}

    made = {}
    for pair, name in zip([*one_per_image.values()][:count], free, strict=False):
        right = random.choice("BC")
        made[name] = right, {"pair": name} | _obvious(pair, right)
    return made


def set_gold_of_pairs(study: Study, right: Mapping[str, str], by: User) -> None:
    """Make the first question of each of these pairs gold."""
    pairs = study.dataset.pairs.filter(name__in=right)
    gold = {}
    for question in first_questions(study, list(pairs)):
        assert question.pair
        number = question.reference.number if question.reference else None
        name = question.pair.name
        gold[question.pk] = Gold(name, number, right[name])
    set_gold(study, gold, by)


def _obvious(pair: Pair, right: str) -> dict[str, str]:
    """Return a pair of a candidate, by people where there is one, and one of another image."""
    better = pair.c if pair.c.source == HUMAN != pair.b.source else pair.b
    worse = foreign_caption(pair.image, [better.caption])
    is_of_people = better.source == HUMAN and pair.category
    wrong = "C" if right == "B" else "B"
    return {
        "image": pair.image.name,
        "category": "HI" if is_of_people else pair.category,
        f"candidate_{right.lower()}": better.caption,
        f"source_{right.lower()}": better.source,
        f"candidate_{wrong.lower()}": worse,
        f"source_{wrong.lower()}": HUMAN,
    }


def foreign_caption(image: Image, known: Collection[str]) -> str:
    """Return a caption of another image that shares few words with this one, and is not known.

    Raises NotPossible where there is none.
    """
    own = [*known, *image.references.values_list("caption", flat=True)]
    references = Reference.objects.filter(image__dataset=image.dataset_id)
    others = references.exclude(image=image).exclude(caption__in=own)
    captions = others.order_by("?").values_list("caption", flat=True)[:_FOREIGN]
    if not captions:
        message = "Gold questions need references of at least two images."
        raise NotPossible(message)
    return min(captions, key=lambda caption: shared_words(caption, " ".join(own)))


@transaction.atomic
def set_gold(study: Study, gold: Mapping[int, Gold], by: User) -> None:
    """Make questions gold, by their keys."""
    for answer in "BC":
        keys = [key for key, one in gold.items() if one.answer == answer]
        study.questions.filter(pk__in=keys).update(gold=answer)

    if gold:
        questions = [str(one) for one in gold.values()]
        log(study, by, "chose gold", questions=questions)


@transaction.atomic
def remove_gold(study: Study, key: int, by: User) -> None:
    """Make a gold question an ordinary one again; votes on it as a check are kept."""
    questions = study.questions.gold()
    gold = questions.filter(pk=key)
    names = gold.values_list("pair__name", "reference__number", "gold")
    removed = names.first()
    if removed is None:
        return

    gold.update(gold="")
    log(study, by, "removed gold", questions=[str(Gold(*removed))])
