"""The quality of annotators (`analysis.stats.annotator_quality`) as rows of pages.

A pair and a triplet go by their keys here, which are quicker to compare than names.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, cast

import pandas as pd
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from analysis.dataset.schema import REFERENCES, TIE, VALID, Dataset
from analysis.stats.annotator_quality import Rules, annotators, changes, disputed
from annotation.models import Pair, Study, Triplet, Vote
from annotation.models.vote import Purpose
from annotation.templatetags.numbers import percent

FIELDS = {
    "pair": "triplet__pair_id",
    "reference": "triplet_id",
    "annotator": "annotator_id",
    "choice": "choice",
    "b_side": "b_side",
    "seconds": "seconds",
    "active_seconds": "active_seconds",
    "purpose": "purpose",
    "answer": "triplet__answer",
}
"""Where each column of the frame is in the database; `reference` tells the triplets apart."""
SHARES = ("fast", "left", "agreement", "agreement_expected")


def votes_of(study: Study) -> pd.DataFrame:
    """The valid votes of a study, without those of people who try it out."""
    rows = Vote.objects.real().valid().filter(triplet__study=study).order_by("pk")
    columns = zip(*rows.values_list(*FIELDS.values()).iterator(chunk_size=10_000), strict=True)
    frame = pd.DataFrame(dict(zip(FIELDS, columns, strict=False)), columns=list(FIELDS))
    names = dict(study.annotators.values_list("pk", "name"))
    frame["annotator"] = frame["annotator"].map(names).fillna("").astype(str)
    seconds = frame[["seconds", "active_seconds"]].astype(float)
    return frame.assign(**seconds, status=VALID)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], frame.to_dict("records"))


def rules_of(study: Study) -> Rules:
    return Rules(fastest=study.min_seconds)


@dataclass(frozen=True)
class CheckedAnnotator:
    """One annotator with all checks (a row of `annotator_quality.annotators`), and the reason of
    each flag in words."""

    key: int
    checks: Mapping[str, Any]
    flags: Sequence[str]

    @property
    def name(self) -> str:
        return str(self.checks["annotator"])


def check_annotators(study: Study, votes: pd.DataFrame) -> list[CheckedAnnotator]:
    """The annotators who have valid votes: those with the most flags first, then by name."""
    rules = rules_of(study)
    keys = dict(study.annotators.values_list("name", "pk"))
    rows = [
        CheckedAnnotator(
            keys[row["annotator"]], row, [in_words(flag, row, rules) for flag in row["flags"]]
        )
        for row in records(annotators(votes, rules))
    ]
    return sorted(rows, key=lambda row: (-len(row.flags), row.name))


def in_words(flag: str, row: Mapping[str, Any], rules: Rules) -> str:
    """A flag with the figures behind it."""
    words = {
        "gold": _("gold: %(gold_right)s of %(gold)s right"),
        "repeats": _("repeats: %(repeats_same)s of %(repeats)s the same"),
        "fast": _("fast: %(fast)s of votes under %(fastest)s s"),
        "one-sided": _("one-sided: left in %(left)s of %(sided)s votes"),
        "disagrees": _("disagrees: %(agreement)s, expected %(agreement_expected)s"),
    }
    shares = {name: percent(row[name]) for name in SHARES if not isnan(row[name])}
    return words[flag] % {**row, **shares, "fastest": number_format(f"{rules.fastest:g}")}


def disputed_triplets(votes: pd.DataFrame) -> pd.DataFrame:
    """The triplets on which the model of Dawid and Skene and the majority differ.

    Those that the majority decides otherwise come before those that it ties, the surest first.
    """
    rows = disputed(votes)
    ordered = rows.assign(is_tied=rows["winner"] == TIE)
    return ordered.sort_values(["is_tied", "probability"], ascending=[True, False], kind="stable")


def with_triplets(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows, each with its triplet and the captions of it."""
    captions = Triplet.objects.select_related("pair__b", "pair__c", "reference")
    triplets = captions.in_bulk(rows["reference"].tolist())
    return [row | {"triplet": triplets[row["reference"]]} for row in records(rows)]


def changed_pairs(study: Study, votes: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """The pairs whose winner changes without these annotators (`annotator_quality.changes`)."""
    fields = ("pk", "image", "category")
    pairs = Pair.objects.filter(dataset=study.dataset).order_by("pk").values_list(*fields)
    frames = Dataset(
        references=REFERENCES.empty(),
        pairs=pd.DataFrame(pairs, columns=["pair", "image", "category"]).assign(
            source_b="", source_c=""
        ),
        votes=votes[votes["purpose"] == Purpose.STUDY],
        study={"protocol": study.protocol},
    )
    return changes(frames, names)


def with_pairs(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows, each with its pair and the captions of it."""
    pairs = Pair.objects.select_related("b", "c").in_bulk(rows["pair"].tolist())
    return [row | {"pair": pairs[row["pair"]]} for row in records(rows)]
