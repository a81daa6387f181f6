"""The quality of annotators (`tercet.analysis.stats.people.annotator_quality`) as rows of pages.

Pairs and questions are identified by their keys here, which are faster to compare than names.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, cast

import pandas as pd
from django.utils.formats import number_format

from tercet.analysis.stats.people.annotator_quality import (
    FlagRules,
    changes,
    disputed,
    missed_checks,
)
from tercet.analysis.tables.schema import REFERENCES, TIE, VALID, Dataset
from tercet.annotation.formats import percent
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Annotator, Answer, Pair, Question, Study
from tercet.annotation.models.answer import Purpose
from tercet.annotation.models.study import Outcome
from tercet.annotation.studies.announced import announced_minutes

FIELDS = {
    "pair": "question__pair_id",
    "reference": "question_id",
    "annotator": "annotator_id",
    "choice": "choice",
    "b_side": "b_side",
    "seconds": "seconds",
    "active_seconds": "active_seconds",
    "purpose": "purpose",
    "answer": "question__gold",
    "content": "content",
}
"""The database field of each column of the frame; `reference` tells questions apart."""
_MAX_DISPUTED = 10
SHARES = ("fast", "left", "agreement", "agreement_expected", "same")
SHORT_SHARE = 1 / 3
"""Who finishes in less than this share of the announced duration is flagged."""


def votes_of(study: Study, *, of_gold: bool = False) -> pd.DataFrame:
    """Return the valid votes of a study, or of its gold questions, but for test annotators'."""
    votes = Answer.objects.real().valid()
    if of_gold:
        gold = study.questions.gold().order_by()
        votes = votes.filter(question__in=gold)
    else:
        votes = votes.filter(question__study=study)
    values = votes.order_by("pk").values_list(*FIELDS.values())
    rows = values.iterator(chunk_size=10_000)
    columns = zip(*rows, strict=True)
    named = dict(zip(FIELDS, columns, strict=False))
    frame = pd.DataFrame(named, columns=list(FIELDS))

    names = dict(study.annotators.values_list("pk", "name"))
    people = [names.get(each, "") for each in frame["annotator"]]
    frame["annotator"] = pd.Series(people, frame.index, dtype="str")

    times = frame[["seconds", "active_seconds"]]
    seconds = times.astype(float)
    timed = frame.assign(**seconds, strength="", status=VALID)
    return kind_of(study).with_hits(timed)


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], frame.to_dict("records"))


def rules_of(study: Study) -> FlagRules:
    """Return the rules by which annotators of this study are flagged."""
    return FlagRules(fastest=study.min_seconds)


@dataclass(frozen=True)
class CheckedAnnotator:
    """An annotator's checks (a row of `annotator_quality.annotators`) and flags in words."""

    key: int
    checks: Mapping[str, Any]
    flags: Sequence[str]

    @property
    def name(self) -> str:
        return str(self.checks["annotator"])


def quality_content(study: Study) -> dict[str, Any]:
    """Return the checks of all annotators by their keys, and disputed questions, as JSON.

    Gold questions that most careful people miss are `missed`, and flag nobody.
    """
    votes = votes_of(study)
    if kind_of(study).is_reviewed:
        votes = votes.head(0)  # people look at each answer; none can be compared
    rules = rules_of(study)
    missed = missed_checks(votes, rules)
    is_doubted = votes["reference"].isin(missed["reference"])
    trusted = votes.assign(answer=votes["answer"].mask(is_doubted, ""))
    keys = dict(study.annotators.values_list("name", "pk"))
    kind = kind_of(study)
    disputes = disputed_questions(votes) if kind.chooses else votes.head(0)

    people = []
    for row in _records(kind.checks(trusted, rules)):
        checks = {name: _as_json(value) for name, value in row.items()}
        people.append(checks | {"annotator": keys[row["annotator"]]})

    return {
        "people": people,
        "missed": _records(missed),
        "disputes": len(disputes),
        "disputed": _records(disputes.head(_MAX_DISPUTED)),
    }


def missed_gold(study: Study) -> list[dict[str, Any]]:
    """Return the gold questions that most careful people miss, from the votes on gold alone."""
    votes = votes_of(study, of_gold=True)
    return _records(missed_checks(votes, rules_of(study)))


def _as_json(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value


def checked_annotators(
    study: Study, content: Mapping[str, Any]
) -> list[CheckedAnnotator]:
    """Return the annotators of a `quality_content` who are not excluded now.

    Those with most flags come first, then by name.
    """
    rules = rules_of(study)
    words = kind_of(study).flag_words
    announced = announced_minutes(study)
    present = study.annotators.filter(excluded_at=None).in_bulk()

    people = []
    for checks in content["people"]:
        key = checks["annotator"]
        if key not in present:
            continue

        row: dict[str, Any] = {
            name: nan if value is None else value for name, value in checks.items()
        }
        row["annotator"] = present[key].name
        flags = [_in_words(words[flag], row, rules) for flag in row["flags"]]
        if announced and is_short(present[key], announced, study.max_judgments):
            minutes = minutes_until_done(present[key]) or 0
            spent = number_format(f"{minutes:.1f}")
            flags.insert(0, f"{spent} of {number_format(f'{announced:g}')} minutes")
        people.append(CheckedAnnotator(key, row, flags))

    return sorted(people, key=lambda person: (-len(person.flags), person.name))


def minutes_until_done(annotator: Annotator) -> float | None:
    """Return the minutes from joining to finishing; None for people who are not done."""
    begin, end = annotator.created_at, annotator.finished_at
    if annotator.outcome != Outcome.DONE or begin is None or end is None:
        return None
    return (end - begin).total_seconds() / 60


def is_short(annotator: Annotator, announced: float, max_judgments: int | None) -> bool:
    """Return whether somebody took much less than the announced minutes.

    Fewer judgments than the study takes from one person need less time.
    """
    minutes = minutes_until_done(annotator)
    if minutes is None:
        return False

    part = min(1, annotator.judged / max_judgments) if max_judgments else 1
    return minutes < SHORT_SHARE * announced * part


def _in_words(flag: str, row: Mapping[str, Any], rules: FlagRules) -> str:
    known = [name for name in SHARES if name in row and not isnan(row[name])]
    shares = {name: percent(row[name]) for name in known}
    seconds = {"fastest": number_format(f"{rules.fastest:g}")}
    if not isnan(row["seconds"]):
        seconds["median"] = number_format(f"{row['seconds']:.1f}")

    return flag % {**row, **shares, **seconds}


def disputed_questions(votes: pd.DataFrame) -> pd.DataFrame:
    """Return the questions on which the Dawid-Skene model prefers the minority's candidate.

    The most probable come first. Gold questions are left out, since their right answer is known.
    """
    rows = disputed(votes)
    is_tied = (rows["winner"] == TIE) | (rows["model_winner"] == TIE)
    gold = votes.loc[votes["answer"] != "", "reference"]

    contradictions = rows[~is_tied & ~rows["reference"].isin(gold)]
    return contradictions.sort_values("probability", ascending=False, kind="stable")


def with_questions(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of disputed questions, each with its question and captions."""
    captions = Question.objects.select_related(
        *("pair__b", "pair__c", "reference", "candidate", "image")
    )
    questions = captions.in_bulk([row["reference"] for row in rows])
    return [{**row, "question": questions[row["reference"]]} for row in rows]


def changed_pairs(
    study: Study, votes: pd.DataFrame, names: Collection[str]
) -> pd.DataFrame:
    """Return the pairs whose winner changes without the named annotators."""
    columns = ["pair", "image", "category", "candidate_b", "candidate_c"]
    rows = study.dataset.pairs.order_by("pk")
    values = rows.values_list("pk", "image", "category", "b", "c")
    pairs = pd.DataFrame(values, columns=columns)

    frames = Dataset(
        references=REFERENCES.empty(),
        pairs=pairs.assign(source_b="", source_c=""),
        votes=votes[votes["purpose"] == Purpose.STUDY],
        study={"protocol": study.protocol},
    )
    return changes(frames, names)


def with_pairs(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows, each with its pair and captions."""
    captions = Pair.objects.select_related("b", "c")
    keys = rows["pair"].tolist()
    pairs = captions.in_bulk(keys)
    return [row | {"pair": pairs[row["pair"]]} for row in _records(rows)]
