"""Gold questions of ratings: captions whose ratings should lie in a range of each aspect."""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from tercet.analysis.tables.scales import Scale, scales_of
from tercet.annotation.models import Candidate, Image, Question, Reference, Study
from tercet.annotation.models.question import Subject
from tercet.annotation.quality.gold import FaultyGold, foreign_caption
from tercet.annotation.studies.audit import log
from tercet.annotation.studies.lifecycle import NotPossible
from tercet.annotation.studies.questions import add_check

COLUMNS = ["image", "caption", "aspect", "low", "high"]


@transaction.atomic
def draw_checks(study: Study, count: int, by: User) -> int:
    """Ask about captions of other images, which belong into the lowest third; return how many.

    The range is that of the first aspect: others, such as fluency, may be high all the same.
    Raises NotPossible where only one image has references.
    """
    (aspect, scale), *_others = scales_of({"aspects": study.aspects}).items()
    gold = json.dumps([[aspect, *_lowest_third(scale)]])
    checked = study.questions.gold().values("image")
    described = Reference.objects.values("image")
    images = Image.objects.filter(dataset=study.dataset, pk__in=described)
    chosen = images.exclude(pk__in=checked).order_by("?")[:count]

    names = []
    for image in chosen:
        rated = Candidate.objects.filter(image=image).values_list("caption", flat=True)
        caption = foreign_caption(image, rated)
        candidate, _is_new = Candidate.objects.get_or_create(
            image=image, caption=caption, source="", defaults={"listed": False}
        )
        add_check(study, Subject(image.pk, candidate=candidate.pk), gold)
        names.append(f"{image} {caption}")

    if names:
        log(study, by, "chose gold", questions=names)
    return len(names)


def _lowest_third(scale: Scale) -> tuple[float, float]:
    high = scale.low + (scale.high - scale.low) / 3
    return _plain(scale.low), _plain(
        math.floor(high) if scale.is_whole else round(high)
    )


def _plain(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def read_ranges(study: Study, text: str) -> dict[int, list[list[Any]]]:
    """Read lines of COLUMNS; return ranges by question key. Raises FaultyGold."""
    scales = scales_of({"aspects": study.aspects})
    questions = study.questions.values_list("image__name", "candidate__caption", "pk")
    keys = {(image, caption): key for image, caption, key in questions}
    ranges: dict[int, list[list[Any]]] = defaultdict(list)
    problems = []
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells == COLUMNS:
            continue
        try:
            image, caption, aspect, low, high = cells
            limits = [_plain(float(low)), _plain(float(high))]
            is_on_scale = all(scales[aspect].holds(float(each)) for each in limits)
            if not is_on_scale or limits[0] > limits[1]:
                raise ValueError(aspect)
            given = ranges[keys[image, caption]]
            if any(aspect == name for name, *_limits in given):
                problem = (
                    "Line %(line)s: gives another range of %(aspect)s for this caption."
                )
                problems.append(problem % {"line": number, "aspect": aspect})
            given.append([aspect, *limits])
        except (ValueError, KeyError):
            problem = (
                "Line %(line)s: write the image, the caption, an aspect (%(aspects)s), and the "
                "lowest and the highest right rating, of a question of this study."
            )
            problems.append(problem % {"line": number, "aspects": ", ".join(scales)})

    if problems:
        raise FaultyGold(problems)
    return ranges


@transaction.atomic
def set_ranges(study: Study, ranges: Mapping[int, list[list[Any]]], by: User) -> None:
    """Make questions gold, by their keys."""
    for key, gold in ranges.items():
        study.questions.filter(pk=key).update(gold=json.dumps(gold))
    named = [f"{key}: {gold}" for key, gold in ranges.items()]
    log(study, by, "chose gold", questions=named)


@transaction.atomic
def remove_range(study: Study, key: int, by: User) -> None:
    """Make a question an ordinary one again, or delete one that is only a check.

    Raises NotPossible for such a check that has answers, which would then be about no caption of
    the dataset.
    """
    question = study.questions.gold().select_related("candidate").filter(pk=key).first()
    if question is None or question.candidate is None:
        return
    if question.candidate.listed:
        Question.objects.filter(pk=key).update(gold="")
    elif question.all_answers.exists():
        message = "This check has answers. Set the share of gold questions to 0 to stop asking it."
        raise NotPossible(message)
    else:
        question.delete()
    log(study, by, "removed gold", questions=[str(question)])
