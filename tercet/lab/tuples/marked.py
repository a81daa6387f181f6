"""Semantic tuples as people mark them in captions: how they are checked, and what they say."""

from collections.abc import Callable, Mapping

import pandas as pd

from tercet.analysis.tables.rows import are_among
from tercet.analysis.tables.rules import COUNT, RowChecks, matching_numbers
from tercet.analysis.tables.schema import (
    CANDIDATES,
    CAPTION,
    PAIRS,
    REFERENCES,
    TUPLES,
    Dataset,
    shown_captions,
)
from tercet.lab.tuples.roles import SemanticTuple

ROLES = SemanticTuple._fields
STATES = ("null", "tacit", "explicit")
"""An argument that is absent, one that is implied, and one that words of the caption name."""
_EXPLICIT = "explicit"

TUPLE = [*CAPTION, "annotator", "tuple"]
_POSITION = r"0|[1-9][0-9]{0,8}"
"""A whole number from 0, as text."""

Captions = Mapping[tuple[str, str], frozenset[SemanticTuple]]
"""The semantic tuples of captions, by image and caption."""


def check_tuples(dataset: Dataset, check: RowChecks) -> None:
    """Check tuples.csv: its captions, roles, states, numbers and spans."""
    check.known_image(dataset.references)
    check.one_of("role", ROLES)
    check.one_of("state", STATES)
    check.short("annotator")
    remedy = "Give each tuple one line for each role"
    check.unique("role", [*TUPLE, "role"], remedy)

    pairs = shown_captions(dataset.pairs)
    known = pd.concat([dataset.references[CAPTION], dataset.candidates[CAPTION], pairs])
    is_known = are_among(check.rows, known, CAPTION)
    remedy = "Copy a reference or a candidate of the image to the letter"
    check.refuse(~is_known, "caption", "is no caption of the image", remedy)
    _check_numbers(check)
    _check_spans(check)


def marked_tuples(tuples: pd.DataFrame, lemma: Callable[[str, str], str]) -> Captions:
    """Return what people marked in captions.

    Parameters
    ----------
    tuples
        Sound rows of tuples.csv.
    lemma
        Returns the value of a span in a role.

    Returns
    -------
    mapping
        The tuples of all annotators of a caption, by image and caption. Arguments that are absent
        or only implied have no value.
    """
    columns = [tuples[name] for name in ("state", "caption", "start", "end", "role")]
    values = []
    for state, caption, start, end, role in zip(*columns, strict=True):
        value = ""
        if state == _EXPLICIT:
            value = lemma(caption[int(start) : int(end)], role)
        values.append(value)

    named = tuples.assign(value=values)
    roles = named.pivot_table(
        "value", TUPLE, "role", aggfunc="first", fill_value=""
    ).reindex(columns=list(ROLES), fill_value="")

    found: dict[tuple[str, str], frozenset[SemanticTuple]] = {}
    for (image, caption, *_rest), row in zip(
        roles.index, roles.itertuples(index=False), strict=True
    ):
        known = found.get((image, caption), frozenset())
        found[image, caption] = known | {SemanticTuple(*row)}

    return found


def _check_numbers(check: RowChecks) -> None:
    """Check that the tuples of a caption and an annotator are numbered from 1 without gaps."""
    tuples = check.rows
    number = matching_numbers(tuples["tuple"], COUNT)
    by_caption = number.groupby([tuples[name] for name in TUPLE[:-1]])

    highest = by_caption.transform("nunique")
    is_gap = ~(number <= highest)
    what = "is not the next number of a tuple"
    remedy = "Number the tuples of a caption from 1, without gaps"
    check.refuse(is_gap, "tuple", what, remedy)


def _check_spans(check: RowChecks) -> None:
    """Check that explicit arguments have a span of the caption, and others none."""
    is_explicit = check.rows["state"] == _EXPLICIT
    spans = check.of(check.rows[is_explicit])
    start = matching_numbers(spans.rows["start"], _POSITION)
    end = matching_numbers(spans.rows["end"], _POSITION)

    remedy = "Give the first character of the span, counted from 0, and the one after its last"
    what = "is not a position before the end of the span"
    spans.refuse(~(start < end), "start", what, remedy)

    is_inside = end <= spans.rows["caption"].str.len()
    spans.refuse(~is_inside, "end", "is not a position in the caption", remedy)

    others = check.of(check.rows[~is_explicit])
    for name in ("start", "end"):
        what = "is a position of an argument without words"
        remedy = "Leave it empty, or make the state explicit"
        others.refuse(others.rows[name] != "", name, what, remedy)


CHECK = (check_tuples, (TUPLES, REFERENCES, CANDIDATES, PAIRS))
"""The check, the table whose rows it checks, and the others that it needs."""
