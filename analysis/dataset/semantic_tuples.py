"""Semantic tuples as people mark them in captions: how they are checked, and what they say."""

from collections.abc import Callable, Iterator, Mapping

import pandas as pd

from tercet.analysis.tables import rules
from tercet.analysis.tables.csv_tables import Problem, problems_of
from tercet.analysis.tables.rules import COUNT
from tercet.analysis.tables.schema import TUPLES, Dataset, shown_captions
from tercet.analysis.texts import gettext as _
from tercet.metrics import SemanticTuple

ROLES = SemanticTuple._fields
STATES = ("null", "tacit", "explicit")
"""An argument that is absent, one that is implied, and one that words of the caption name."""
_EXPLICIT = "explicit"

CAPTION = ["image", "caption"]
TUPLE = [*CAPTION, "annotator", "tuple"]
_POSITION = r"0|[1-9][0-9]{0,8}"
"""A whole number from 0, as text."""

Captions = Mapping[tuple[str, str], frozenset[SemanticTuple]]
"""The semantic tuples of captions, by image and caption."""


def check_tuples(dataset: Dataset) -> Iterator[Problem]:
    """Check tuples.csv: its captions, roles, states, numbers and spans."""
    tuples = dataset.tuples
    yield from rules.known_image(tuples, TUPLES, dataset.references)
    yield from rules.one_of(tuples, TUPLES, "role", ROLES)
    yield from rules.one_of(tuples, TUPLES, "state", STATES)
    yield from rules.short(tuples, TUPLES, "annotator")

    remedy = _("Give each tuple one line for each role")
    columns = [*TUPLE, "role"]
    yield from rules.unique(tuples, TUPLES, "role", columns, remedy)

    yield from _unknown_captions(dataset)
    yield from _gaps(tuples)
    yield from _bad_spans(tuples)


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
    is_explicit = tuples["state"] == _EXPLICIT
    values = [
        lemma(caption[int(start) : int(end)], role) if explicit else ""
        for caption, start, end, role, explicit in zip(
            tuples["caption"],
            tuples["start"],
            tuples["end"],
            tuples["role"],
            is_explicit,
            strict=True,
        )
    ]
    roles = (
        tuples.assign(value=values)
        .pivot_table("value", TUPLE, "role", aggfunc="first", fill_value="")
        .reindex(columns=list(ROLES), fill_value="")
    )

    found: dict[tuple[str, str], frozenset[SemanticTuple]] = {}
    for (image, caption, *_rest), row in zip(
        roles.index, roles.itertuples(index=False), strict=True
    ):
        known = found.get((image, caption), frozenset())
        found[image, caption] = known | {SemanticTuple(*row)}

    return found


def _unknown_captions(dataset: Dataset) -> Iterator[Problem]:
    """Check that the captions are references or candidates of their images."""
    tuples = dataset.tuples
    known = pd.concat(
        [
            dataset.references[CAPTION],
            dataset.candidates[CAPTION],
            shown_captions(dataset.pairs),
        ]
    )
    is_known = pd.MultiIndex.from_frame(tuples[CAPTION]).isin(
        pd.MultiIndex.from_frame(known)
    )
    what = _("is no caption of the image")
    remedy = _("Copy a reference or a candidate of the image to the letter")
    yield from problems_of(tuples[~is_known], TUPLES.file, "caption", what, remedy)


def _gaps(tuples: pd.DataFrame) -> Iterator[Problem]:
    """Check that the tuples of a caption and an annotator are numbered from 1 without gaps."""
    is_count = tuples["tuple"].str.fullmatch(COUNT).astype(bool)
    number = pd.to_numeric(tuples["tuple"].where(is_count))
    by_caption = number.groupby([tuples[name] for name in TUPLE[:-1]])

    is_dense = number <= by_caption.transform("nunique")
    what = _("is not the next number of a tuple")
    remedy = _("Number the tuples of a caption from 1, without gaps")
    yield from problems_of(tuples[~is_dense], TUPLES.file, "tuple", what, remedy)


def _bad_spans(tuples: pd.DataFrame) -> Iterator[Problem]:
    """Check that explicit arguments have a span of the caption, and others none."""
    is_explicit = tuples["state"] == _EXPLICIT
    spans = tuples[is_explicit]

    start, end = (
        pd.to_numeric(spans[name].where(spans[name].str.fullmatch(_POSITION)))
        for name in ("start", "end")
    )
    remedy = _(
        "Give the first character of the span, counted from 0, and the one after its last"
    )
    what = _("is not a position before the end of the span")
    yield from problems_of(spans[~(start < end)], TUPLES.file, "start", what, remedy)

    what = _("is not a position in the caption")
    is_inside = end <= spans["caption"].str.len()
    yield from problems_of(spans[~is_inside], TUPLES.file, "end", what, remedy)

    others = tuples[~is_explicit]
    for name in ("start", "end"):
        what = _("is a position of an argument without words")
        remedy = _("Leave it empty, or make the state explicit")
        bad = others[others[name] != ""]
        yield from problems_of(bad, TUPLES.file, name, what, remedy)
