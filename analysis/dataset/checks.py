"""Check the tables of a dataset folder, alone and against each other.

Each check yields a problem for every row that breaks a rule: file, line, column, what is wrong
and what to do.
"""

import os.path
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from tercet import metrics
from tercet.analysis.dataset.semantic_tuples import check_tuples
from tercet.analysis.tables import rules
from tercet.analysis.tables.csv_tables import Problem, Table, printable, problems_of
from tercet.analysis.tables.rules import COUNT
from tercet.analysis.tables.schema import (
    ADJUDICATIONS,
    ALL,
    ANNOTATORS,
    CANDIDATES,
    CAPTION_SCORE,
    COUNTED,
    GOLD,
    GROUNDING,
    GROUPS,
    IMAGES,
    LONGEST_CATEGORY,
    LONGEST_CODE,
    LONGEST_NAME,
    LONGEST_URL,
    MEAN,
    NAMING,
    NEEDED,
    PAIR_SCORE,
    PAIRS,
    PEOPLE,
    RATINGS,
    REFERENCES,
    SCORES,
    TIE,
    TUPLES,
    VALID,
    VOTES,
    WORD_SCORES,
    Dataset,
    floats,
    have_equal_candidates,
    repeat_earlier_pairs,
    shown_captions,
)
from tercet.analysis.tables.settings import OUTCOMES
from tercet.analysis.tables.study_settings import MAX_VOTES, STEPS
from tercet.analysis.texts import Text, ngettext
from tercet.analysis.texts import gettext as _

CHOICES = ("B", "C", TIE)
SIDES = ("", "left", "right")
STATUSES = ("", VALID, "superseded", "excluded", "surplus")
_PURPOSES = (*COUNTED, "gold", "repeat")
IMAGE_TYPES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")

TRIPLET = ["pair", "reference"]
SCORED = ["metric", "image", "caption", "pair", "reference_count"]
"""The columns that say what a score belongs to."""
_SCORE_COLUMNS = _(
    "{columns} or {others}",
    columns=", ".join(CAPTION_SCORE),
    others=", ".join(PAIR_SCORE),
)
_NO_SCORES = SCORES.empty()

_MISSING_VALUES = {"nan", "na", "n/a", "none", "null"}
"""Texts that programs read back from a table as a missing value."""
_RESERVED_CATEGORIES = {MEAN, ALL, *_MISSING_VALUES}
RESERVED_METRICS = {
    name.casefold()
    for name in (
        *metrics.names(),
        PEOPLE,
        *GROUPS,
        "chance",
        "ceiling",
        *_MISSING_VALUES,
    )
}
"""Names that have another meaning in tables and figures."""

_LINES_IN_WARNING = 5
"""Lines that a warning names; it counts the others."""

Check = Callable[[Dataset], Iterator[Problem]]


def check_tables(dataset: Dataset, unreadable: set[str]) -> Iterator[Problem]:
    """Yield all problems between rows.

    A table is checked only where it has rows and all tables that the check needs could be read;
    `unreadable` has the names of the others.
    """
    frames = dataset.frames

    for check, tables in CHECKS:
        is_readable = unreadable.isdisjoint(table.file for table in tables)

        if is_readable and len(frames[tables[0]]):
            yield from check(dataset)


def warnings_of(dataset: Dataset) -> list[Text]:
    """Say what is odd about a dataset without problems, one sentence each."""
    return [*warn_of_captions(dataset), *unmatched_metrics(dataset)]


def warn_of_captions(dataset: Dataset) -> list[Text]:
    """Say what is odd about references and pairs, whether or not there are problems."""
    return [*_warn_of_references(dataset.references), *warn_of_pairs(dataset.pairs)]


def check_images(dataset: Dataset) -> Iterator[Problem]:
    images = dataset.images
    yield from rules.named(images, IMAGES, "image")
    remedy = _("Give each image one line")
    yield from rules.unique(images, IMAGES, "image", ["image"], remedy)
    yield from rules.short(images, IMAGES, "file")
    yield from rules.short(images, IMAGES, "url", LONGEST_URL)
    yield from rules.addresses(images, IMAGES, "url")


def check_references(dataset: Dataset) -> Iterator[Problem]:
    references = dataset.references
    yield from rules.named(references, REFERENCES, "image")
    yield from rules.filled(references, REFERENCES, "caption")
    yield from rules.short(references, REFERENCES, "author")

    if len(dataset.images):
        unknown = references[~references["image"].isin(dataset.images["image"])]
        what = _("is an unknown image")
        remedy = _("Add the image to images.csv, or correct its name")
        yield from problems_of(unknown, REFERENCES.file, "image", what, remedy)


def _check_candidates(dataset: Dataset) -> Iterator[Problem]:
    candidates = dataset.candidates
    yield from rules.filled(candidates, CANDIDATES, "caption")
    yield from rules.named(candidates, CANDIDATES, "source")
    yield from rules.known_image(candidates, CANDIDATES, dataset.references)

    columns = ["image", "caption", "source"]
    remedy = _("Remove one of the lines")
    yield from rules.unique(candidates, CANDIDATES, "caption", columns, remedy)


def check_pairs(dataset: Dataset) -> Iterator[Problem]:
    pairs = dataset.pairs
    yield from rules.named(pairs, PAIRS, "pair")
    remedy = _("Give each pair a name of its own")
    yield from rules.unique(pairs, PAIRS, "pair", ["pair"], remedy)
    yield from rules.known_image(pairs, PAIRS, dataset.references)

    for side in "bc":
        yield from rules.filled(pairs, PAIRS, f"candidate_{side}")
        yield from rules.short(pairs, PAIRS, f"source_{side}")

    yield from _check_categories(pairs)
    yield from rules.one_of(pairs, PAIRS, "winner", ("", "B", "C"))


def _check_categories(pairs: pd.DataFrame) -> Iterator[Problem]:
    """Check that a category is a short text that can be shown on one line, or empty."""
    yield from rules.short(pairs, PAIRS, "category", LONGEST_CATEGORY)

    remedy = _("Write it on one line, without spaces before and after it")
    yield from rules.plain(pairs, PAIRS, "category", remedy)

    remedy = _("Give the category another name")
    yield from rules.not_reserved(
        pairs, PAIRS, "category", _RESERVED_CATEGORIES, remedy
    )


def _warn_of_references(references: pd.DataFrame) -> Iterator[Text]:
    """Warn of references that repeat an earlier one of their image."""
    filled = references[references["caption"] != ""]
    again = filled[filled.duplicated(["image", "caption"])]

    if len(again):
        yield ngettext(
            "{file}: {count:,} reference repeats an earlier one of its image (line {lines}): kept",
            "{file}: {count:,} references repeat earlier ones of their images (line {lines}): kept",
            len(again),
            file=REFERENCES.file,
            lines=lines_in_words(again),
        )


def warn_of_pairs(pairs: pd.DataFrame) -> Iterator[Text]:
    """Warn of pairs of two equal candidates, and of those that repeat another pair."""
    is_filled = (pairs[["candidate_b", "candidate_c"]] != "").all(axis=1)
    pairs = pairs[is_filled]

    equal = pairs[have_equal_candidates(pairs)]
    if len(equal):
        yield ngettext(
            "{file}: {count:,} pair has two equal candidates (line {lines}): "
            "a tie for every metric, and not asked about",
            "{file}: {count:,} pairs have two equal candidates (line {lines}): "
            "a tie for every metric, and not asked about",
            len(equal),
            file=PAIRS.file,
            lines=lines_in_words(equal),
        )

    again = pairs[repeat_earlier_pairs(pairs)]
    if len(again):
        yield ngettext(
            "{file}: {count:,} pair repeats an earlier pair (line {lines}) "
            "under another name: kept",
            "{file}: {count:,} pairs repeat earlier pairs (line {lines}) "
            "under another name: kept",
            len(again),
            file=PAIRS.file,
            lines=lines_in_words(again),
        )


def lines_in_words(rows: pd.DataFrame) -> str:
    """Return the lines on which the first rows are."""
    lines = [str(line) for line in rows["line"][:_LINES_IN_WARNING]]
    if len(rows) > _LINES_IN_WARNING:
        lines.append("…")

    return ", ".join(lines)


def _check_votes(dataset: Dataset) -> Iterator[Problem]:
    votes = dataset.votes
    yield from _check_triplets(dataset, votes, VOTES)
    yield from rules.one_of(votes, VOTES, "choice", CHOICES)
    yield from rules.one_of(votes, VOTES, "b_side", SIDES)
    yield from rules.one_of(votes, VOTES, "status", STATUSES)
    yield from rules.one_of(votes, VOTES, "purpose", _PURPOSES)
    yield from rules.seconds(votes, VOTES, "seconds")
    yield from rules.seconds(votes, VOTES, "active_seconds")
    yield from rules.time(votes, VOTES, "created_at")
    yield from rules.time(votes, VOTES, "status_at")
    yield from rules.short(votes, VOTES, "annotator")

    columns = ["pair", "reference", "annotator", "purpose"]
    is_valid = votes["status"].isin(["", VALID]) & (votes["annotator"] != "")
    valid = votes.loc[is_valid, [*columns, "choice", "line"]]
    by_name = valid.assign(purpose=valid["purpose"].replace(*COUNTED))
    remedy = _("An annotator has one vote per triplet: keep one of the lines")
    yield from rules.unique(by_name, VOTES, "annotator", columns, remedy)


def _check_triplets(
    dataset: Dataset, rows: pd.DataFrame, table: Table
) -> Iterator[Problem]:
    """Check that the pairs and the reference numbers of rows of `table` exist."""
    yield from rules.known_pair(rows, table, dataset.pairs)

    if dataset.protocol == "pairwise":
        bad = rows[rows["reference"] != ""]
        what = _("must be empty under pairwise")
        remedy = _("Leave it empty, or put protocol triplet into study.json")
        yield from problems_of(bad, table.file, "reference", what, remedy)
        return

    counts = dataset.references.groupby("image").size()
    images = dataset.pairs.drop_duplicates("pair").set_index("pair")["image"]
    most = rows["pair"].map(images).map(counts)

    is_count = rows["reference"].str.fullmatch(COUNT)
    number = pd.to_numeric(rows["reference"].where(is_count))
    bad = rows[most.notna() & ~(number <= most)]
    what = _("is not a reference of the image")
    remedy = _(
        "Give the number of one of the image's references in references.csv, from 1"
    )
    yield from problems_of(bad, table.file, "reference", what, remedy)


def _check_gold(dataset: Dataset) -> Iterator[Problem]:
    yield from _check_triplets(dataset, dataset.gold, GOLD)
    yield from rules.one_of(dataset.gold, GOLD, "answer", ("B", "C"))
    remedy = _("Give each triplet one answer")
    yield from rules.unique(dataset.gold, GOLD, "pair", TRIPLET, remedy)


def _check_needed(dataset: Dataset) -> Iterator[Problem]:
    needed = dataset.needed
    yield from _check_triplets(dataset, needed, NEEDED)
    remedy = _("Give each triplet one line")
    yield from rules.unique(needed, NEEDED, "pair", TRIPLET, remedy)

    is_count = needed["needed"].str.fullmatch(COUNT)
    number = pd.to_numeric(needed["needed"].where(is_count))
    votes = dataset.valid_votes.groupby(TRIPLET).size().rename("votes")
    given = needed.join(votes, on=TRIPLET)["votes"]

    for bad, what, remedy in (
        (~is_count, _("is not a number of votes"), _("Give a whole number from 1")),
        (
            number < given,
            _("is less than the triplet has in votes.csv"),
            _("Count its valid votes"),
        ),
        (
            (number > MAX_VOTES) & ~(number <= given),
            _("is more than a triplet can have"),
            _("Give at most {limit:,}", limit=MAX_VOTES),
        ),
    ):
        yield from problems_of(needed[bad], NEEDED.file, "needed", what, remedy)


def _check_annotators(dataset: Dataset) -> Iterator[Problem]:
    people = dataset.annotators
    yield from rules.named(people, ANNOTATORS, "annotator")
    yield from rules.one_of(people, ANNOTATORS, "step", ("", *STEPS, "judging"))
    yield from rules.one_of(people, ANNOTATORS, "outcome", ("", *OUTCOMES))

    for column in ("joined_at", "finished_at", "excluded_at"):
        yield from rules.time(people, ANNOTATORS, column)
    for column, limit in zip(
        NAMING, (LONGEST_NAME, LONGEST_NAME, LONGEST_CODE), strict=True
    ):
        yield from rules.short(people, ANNOTATORS, column, limit)

    remedy = _("Give each annotator one line, with a name and a label of their own")
    for column in ("annotator", "label", "external_id"):
        filled = people[people[column] != ""]
        yield from rules.unique(filled, ANNOTATORS, column, [column], remedy)


def _check_adjudications(dataset: Dataset) -> Iterator[Problem]:
    decisions = dataset.adjudications
    yield from rules.known_pair(decisions, ADJUDICATIONS, dataset.pairs)
    yield from rules.one_of(decisions, ADJUDICATIONS, "decision", CHOICES)
    yield from rules.short(decisions, ADJUDICATIONS, "adjudicator")
    yield from rules.time(decisions, ADJUDICATIONS, "decided_at")
    yield from rules.time(decisions, ADJUDICATIONS, "superseded_at")

    remedy = _("A pair has one decision: give the others superseded_at")
    yield from rules.unique(dataset.decisions, ADJUDICATIONS, "pair", ["pair"], remedy)


def check_scores(
    dataset: Dataset, table: Table = SCORES, earlier: pd.DataFrame = _NO_SCORES
) -> Iterator[Problem]:
    """Check the scores of `dataset`.

    `table` has the name of their file; `earlier` are the scores of files before it.
    """
    scores = dataset.scores
    if scores.empty:
        return

    yield from _check_metric_names(scores.drop_duplicates("metric"), table)
    yield from _check_reference_counts(scores, table)

    by_caption, by_pair = (
        scores[list(form)] != "" for form in (CAPTION_SCORE, PAIR_SCORE)
    )
    if not (by_caption.any().all() or by_pair.any().all()):
        what = _("scores neither captions nor pairs")
        remedy = _("Give the columns metric, {columns}", columns=_SCORE_COLUMNS)
        yield Problem(table.file, 1, "", "", what, remedy)
        return

    of_caption, of_pair = by_caption.any(axis=1), by_pair.any(axis=1)
    remedy = _("Fill in {columns}", columns=_SCORE_COLUMNS)
    for bad, what in (
        (of_caption & of_pair, _("scores both a caption and a pair")),
        (~of_caption & ~of_pair, _("scores neither a caption nor a pair")),
    ):
        yield from problems_of(scores[bad], table.file, "metric", what, remedy)

    of_captions = scores[of_caption & ~of_pair]
    yield from rules.known_image(of_captions, table, dataset.references)
    yield from rules.filled(of_captions, table, "caption")
    yield from rules.number(of_captions, table, "score")

    of_pairs = scores[of_pair & ~of_caption]
    yield from rules.known_pair(of_pairs, table, dataset.pairs)
    yield from rules.number(of_pairs, table, "score_b")
    yield from rules.number(of_pairs, table, "score_c")
    yield from _check_contradictions(scores, table, earlier)


def _check_metric_names(names: pd.DataFrame, table: Table) -> Iterator[Problem]:
    """Check the names of metrics, given once each."""
    yield from rules.named(names, table, "metric")

    remedy = _("Rename the metric in all its lines; built-in metrics need no scores")
    yield from rules.not_reserved(names, table, "metric", RESERVED_METRICS, remedy)

    remedy = _("Write it on one line, without spaces before and after it")
    yield from rules.plain(names, table, "metric", remedy)


def _check_reference_counts(scores: pd.DataFrame, table: Table) -> Iterator[Problem]:
    count = scores["reference_count"]
    bad = scores[(count != "") & ~count.str.fullmatch(COUNT)]
    what = _("is not a reference count")
    remedy = _(
        "Give a whole number from 1, or leave it empty where the score holds for every count"
    )
    yield from problems_of(bad, table.file, "reference_count", what, remedy)


def _check_contradictions(
    scores: pd.DataFrame, table: Table, earlier: pd.DataFrame
) -> Iterator[Problem]:
    """Check that no row gives another score than an earlier one of its metric and subject."""
    rows = pd.concat([earlier.assign(line=0), scores])
    rows = rows[rows.duplicated(SCORED, keep=False)]
    rows = rows.merge(rows.drop_duplicates(SCORED), on=SCORED, suffixes=("", "_first"))
    rows = rows[rows["line"] > 0]

    for column in ("score", "score_b", "score_c"):
        score, first = floats(rows[column]), floats(rows[f"{column}_first"])
        differs = (score != first) & np.isfinite(score) & np.isfinite(first)

        for row in rows[differs].itertuples():
            first_line = int(row.line_first)
            what = (
                _("contradicts line {line}", line=first_line)
                if first_line
                else _("contradicts an earlier file")
            )
            value = printable(getattr(row, column))
            remedy = _("Keep one of the lines")
            yield Problem(table.file, int(row.line), column, value, what, remedy)


def unmatched_metrics(dataset: Dataset, table: Table = SCORES) -> list[Text]:
    """Warn of metrics that score no pair and no candidate of any image."""
    scores = dataset.scores
    columns = ["image", "caption"]
    known = [
        shown_captions(dataset.pairs),
        dataset.candidates[columns],
        dataset.ratings[columns],
    ]
    captions = pd.MultiIndex.from_frame(scores[columns])
    matched = captions.isin(pd.MultiIndex.from_frame(pd.concat(known))) | (
        scores["pair"] != ""
    )

    names = scores.loc[
        ~scores["metric"].isin(scores.loc[matched, "metric"]), "metric"
    ].unique()
    return [
        _(
            "{file}: {metric} scores no candidate of any image: captions must be equal to the "
            "letter",
            file=table.file,
            metric=name,
        )
        for name in names
    ]


def _check_ratings(dataset: Dataset) -> Iterator[Problem]:
    ratings = dataset.ratings
    yield from rules.known_image(ratings, RATINGS, dataset.references)
    yield from rules.filled(ratings, RATINGS, "caption")
    yield from rules.number(ratings, RATINGS, "rating")
    yield from rules.short(ratings, RATINGS, "annotator")
    yield from rules.short(ratings, RATINGS, "source")
    yield from rules.short(ratings, RATINGS, "aspect")


def _check_grounding(dataset: Dataset) -> Iterator[Problem]:
    grounding = dataset.grounding
    for column in GROUNDING.columns:
        yield from rules.filled(grounding, GROUNDING, column)

    spans = grounding["span"]
    known = {span: span.strip().lower() for span in spans.unique()}
    lower = grounding.assign(span=spans.map(known))
    remedy = _("Keep one of the lines")
    yield from rules.unique(lower, GROUNDING, "span", ["span"], remedy)


def _check_word_scores(dataset: Dataset) -> Iterator[Problem]:
    scores = dataset.word_scores
    yield from rules.known_image(scores, WORD_SCORES, dataset.references)
    yield from rules.filled(scores, WORD_SCORES, "word")
    yield from rules.number(scores, WORD_SCORES, "score")
    yield from rules.named(scores, WORD_SCORES, "source")

    columns = ["image", "word", "source"]
    remedy = _("Keep one of the lines")
    yield from rules.unique(scores, WORD_SCORES, "word", columns, remedy)


def check_image_files(images: pd.DataFrame, folder: Path) -> Iterator[Problem]:
    """Check that the files that images.csv names are pictures inside the folder."""
    rows = images[images["file"] != ""]

    for what, remedy, holds in (
        (_("is outside the folder"), _("Give a path below the folder"), is_inside),
        (
            _("is not a picture"),
            _("Use one of {values}", values=", ".join(IMAGE_TYPES)),
            _is_picture,
        ),
        (_("does not exist"), _("Add the file"), partial(_exists, folder)),
    ):
        good = rows["file"].map(holds).astype(bool)
        yield from problems_of(rows[~good], IMAGES.file, "file", what, remedy)
        rows = rows[good]


def is_inside(file: str) -> bool:
    """Return whether a path is relative and leads to a place below the folder."""
    path = PurePosixPath(file)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in file


def _is_picture(file: str) -> bool:
    """Return whether the name of a file is one of a picture."""
    return PurePosixPath(file).suffix.lower() in IMAGE_TYPES


def _exists(folder: Path, file: str) -> bool:
    return os.path.isfile(folder / file)


CHECKS: tuple[tuple[Check, tuple[Table, ...]], ...] = (
    (check_images, (IMAGES,)),
    (check_references, (REFERENCES, IMAGES)),
    (_check_candidates, (CANDIDATES, REFERENCES)),
    (check_pairs, (PAIRS, REFERENCES)),
    (_check_votes, (VOTES, PAIRS, REFERENCES)),
    (check_scores, (SCORES, PAIRS, REFERENCES)),
    (_check_ratings, (RATINGS, REFERENCES)),
    (check_tuples, (TUPLES, REFERENCES, CANDIDATES, PAIRS)),
    (_check_grounding, (GROUNDING,)),
    (_check_word_scores, (WORD_SCORES, REFERENCES)),
    (_check_gold, (GOLD, PAIRS, REFERENCES)),
    (_check_needed, (NEEDED, VOTES, PAIRS, REFERENCES)),
    (_check_annotators, (ANNOTATORS,)),
    (_check_adjudications, (ADJUDICATIONS, PAIRS)),
)
"""Each check, the table whose rows it checks, and the others that it needs."""
