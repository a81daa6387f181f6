"""Gold triplets: questions of a study whose right answer is known."""

import csv
import random
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, OuterRef, Subquery, When
from django.utils.translation import gettext as _

from annotation.models import Study, Triplet
from annotation.models.dataset import Category
from annotation.models.triplet import TripletQuerySet
from annotation.studies.audit import log

COLUMNS = ["pair", "reference", "answer"]


@dataclass(frozen=True)
class Gold:
    """A question by the names that its dataset gives it, and its right answer, B or C."""

    pair: str
    reference: int | None
    answer: str


class FaultyGold(ValueError):
    """Lines that name no gold triplets of a study; says what is wrong in each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(*problems)
        self.problems = problems


def read_gold(study: Study, text: str) -> dict[int, Gold]:
    """The gold triplets that lines of `pair,reference,answer` name, by key; raises FaultyGold."""
    rows = [
        (line, [cell.strip() for cell in row])
        for line, row in enumerate(csv.reader(text.splitlines()), start=1)
        if any(cell.strip() for cell in row)
    ]
    if rows and [cell.lower() for cell in rows[0][1]] == COLUMNS:
        rows = rows[1:]
    asked = keys_of(study, {row[0] for _, row in rows})
    found: dict[int, Gold] = {}
    problems = []
    for line, row in rows:
        try:
            gold = gold_of(study, row)
            found[key_of(asked, gold)] = gold
        except ValueError as error:
            problems.append(_("Line %(line)s: %(what)s") % {"line": line, "what": error})
    if problems:
        raise FaultyGold(problems)
    return found


def gold_of(study: Study, row: list[str]) -> Gold:
    if len(row) != len(COLUMNS):
        raise ValueError(_("write three cells, as in p1,1,B."))
    pair, number, answer = row
    if study.shows_image and number:
        raise ValueError(_("leave the reference empty, as in p1,,B: the study shows the image."))
    if not study.shows_image and not number.isdecimal():
        raise ValueError(_("the reference is its number, from 1."))
    if answer.upper() not in ("B", "C"):
        raise ValueError(_("the answer is B or C."))
    return Gold(pair, int(number) if number else None, answer.upper())


def keys_of(study: Study, pairs: Iterable[str]) -> dict[tuple[str, int | None], int]:
    """The keys of the triplets of these pairs, by the pair's name and the reference's number."""
    rows = study.triplets.filter(pair__name__in=pairs)
    return {
        (pair, number): key
        for pair, number, key in rows.values_list("pair__name", "reference__number", "pk")
    }


def key_of(asked: dict[tuple[str, int | None], int], gold: Gold) -> int:
    key = asked.get((gold.pair, gold.reference))
    if key is not None:
        return key
    if gold.reference is None:
        raise ValueError(_("the study does not ask about a pair %(pair)s.") % {"pair": gold.pair})
    raise ValueError(
        _("the study does not ask about a pair %(pair)s with reference %(reference)s.")
        % {"pair": gold.pair, "reference": gold.reference}
    )


def to_choose(study: Study) -> TripletQuerySet:
    """One triplet of each pair that has no gold yet, HI first: they are often plain."""
    first = study.triplets.filter(pair=OuterRef("pair")).order_by("position").values("pk")[:1]
    golden = study.triplets.exclude(answer="").values("pair")
    rows = study.triplets.filter(pk=Subquery(first)).exclude(pair__in=golden)
    is_plain = Case(When(pair__category=Category.HI, then=0), default=1)
    return rows.order_by(is_plain, "pair_id")


def choose_gold(study: Study, key: int, answer: str, by: User) -> bool:
    """Make one triplet of the study gold; False where it is none of them."""
    rows = study.triplets.filter(pk=key).values_list("pair__name", "reference__number")
    named = rows.first()
    if named is None or answer not in {"B", "C"}:
        return False
    set_gold(study, {key: Gold(*named, answer)}, by)
    return True


def drawable(study: Study) -> TripletQuerySet:
    """The triplets that could become gold as the dataset says the winner of their pair."""
    return study.triplets.filter(answer="", pair__winner__in=["B", "C"])


def draw_gold(study: Study, count: int, by: User) -> int:
    """Make so many triplets gold, drawn by chance, one a pair; gives how many there were."""
    rows = list(drawable(study).values_list("pair", "pk"))
    random.shuffle(rows)
    one_a_pair = list(dict(rows).values())[:count]
    drawn = Triplet.objects.filter(pk__in=one_a_pair)
    shown = drawn.values_list("pk", "pair__name", "reference__number", "pair__winner")
    gold = {key: Gold(pair, number, winner) for key, pair, number, winner in shown}
    set_gold(study, gold, by)
    return len(one_a_pair)


@transaction.atomic
def set_gold(study: Study, gold: dict[int, Gold], by: User) -> None:
    for answer in "BC":
        keys = [key for key, one in gold.items() if one.answer == answer]
        study.triplets.filter(pk__in=keys).update(answer=answer)
    if gold:
        log(study, by, "chose gold", questions=[told(one) for one in gold.values()])


@transaction.atomic
def remove_gold(study: Study, key: int, by: User) -> None:
    """A question of the study like the others again; its answers as gold stay."""
    row = study.triplets.select_related("pair", "reference").exclude(answer="")
    triplet = row.filter(pk=key).first()
    if triplet is None:
        return
    study.triplets.filter(pk=key).update(answer="")
    number = triplet.reference.number if triplet.reference else None
    log(
        study, by, "removed gold", questions=[told(Gold(triplet.pair.name, number, triplet.answer))]
    )


def told(gold: Gold) -> str:
    return " ".join(filter(None, [gold.pair, str(gold.reference or ""), gold.answer]))
