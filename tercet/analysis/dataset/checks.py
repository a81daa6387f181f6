"""Check the tables of a dataset folder, alone and against each other.

Each check adds a problem for every row that breaks a rule: file, line, column, what is wrong
and what to do.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from os.path import isfile  # False of a name that is too long
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from tercet.analysis.dataset.pictures import NotAPicture, Picture, read_picture
from tercet.analysis.dataset.sorted_annotators import (
    ARE_COLUMNS,
    ratings_are_sorted,
    votes_are_sorted,
)
from tercet.analysis.number_texts import counted, plural
from tercet.analysis.tables.csv_tables import (
    Problem,
    Problems,
    Table,
    origin,
    origins,
    printable,
)
from tercet.analysis.tables.protocol_settings import RATING, SENTENCE
from tercet.analysis.tables.rows import are_among
from tercet.analysis.tables.rules import COUNT, RowChecks, matching_numbers
from tercet.analysis.tables.scales import scales_of
from tercet.analysis.tables.schema import (
    ADJUDICATIONS,
    ALL,
    ANNOTATORS,
    CANDIDATES,
    CAPTION,
    CAPTION_SCORE,
    COUNTED,
    GOLD,
    GROUNDING,
    GROUPS,
    IMAGES,
    LONGEST_CATEGORY,
    LONGEST_CODE,
    LONGEST_SENTENCE,
    LONGEST_TITLE,
    LONGEST_URL,
    MEAN,
    NEEDED,
    PAIR_SCORE,
    PAIRS,
    PEOPLE,
    RATINGS,
    REFERENCES,
    SCORES,
    SENTENCES,
    TIE,
    TRIPLET,
    VALID,
    VOTES,
    WORD_SCORES,
    Dataset,
    are_counted,
    floats,
    have_equal_candidates,
    repeat_earlier_pairs,
    shown_captions,
)
from tercet.analysis.tables.settings import MAX_VOTES, OUTCOMES, STEPS
from tercet.metrics.core import plug_ins
from tercet.metrics.registry import built_in_names

CHOICES = ("B", "C", TIE)
_STRENGTHS = ("", "0", "1", "2")
SIDES = ("", "left", "right")
STATUSES = ("", VALID, "superseded", "excluded", "surplus")
_PURPOSES = (*COUNTED, "gold", "repeat")

SCORED = ["metric", "image", "caption", "pair", "reference_count"]
"""The columns that say what a score belongs to."""
_SCORE_COLUMNS = f"{', '.join(CAPTION_SCORE)} or {', '.join(PAIR_SCORE)}"
_NO_SCORES = SCORES.empty()
_REMOVE_ONE = "Remove one of the lines"
_KEEP_ONE = "Keep one of the lines"

_MISSING_VALUES = {"nan", "na", "n/a", "none", "null"}
"""Texts that programs read back from a table as a missing value."""
_RESERVED_CATEGORIES = {MEAN, ALL, *_MISSING_VALUES}
_RESERVED_METRICS = (PEOPLE, *GROUPS, "chance", "ceiling", *_MISSING_VALUES)

_LINES_IN_WARNING = 5
"""Lines that a warning names; it counts the others."""

Check = Callable[[Dataset, RowChecks], None]


def reserved_metrics() -> set[str]:
    """Return the names, in lower case, that have another meaning in tables and figures."""
    return {name.casefold() for name in (*built_in_names(), *_RESERVED_METRICS)}


def check_tables(dataset: Dataset, unreadable: set[str], problems: Problems) -> None:
    """Add all problems between rows.

    A table is checked only where it has rows and all tables that the check needs could be read;
    `unreadable` has the names of the others.
    """
    for check, tables in (*CHECKS, *plug_ins.own_plug_ins(plug_ins.CHECKS)):
        is_readable = unreadable.isdisjoint(table.file for table in tables)

        rows = dataset.frames[tables[0]]
        if is_readable and len(rows):
            check(dataset, RowChecks(rows, tables[0], problems))


def warnings_of(dataset: Dataset) -> list[str]:
    """Say what is odd about a dataset without problems, one sentence each."""
    return [
        *warn_of_captions(dataset),
        *unmatched_metrics(dataset),
        *_warn_of_winners(dataset),
        *_warn_of_annotators(dataset),
    ]


def _warn_of_winners(dataset: Dataset) -> Iterator[str]:
    """Say which winners of pairs.csv are ties, or are lost, as votes are read instead of them."""
    if not dataset.publishes_winners:
        return
    if len(dataset.votes):
        has_votes = dataset.pairs["pair"].isin(dataset.votes["pair"])
        lost = int(((dataset.pairs["winner"] != "") & ~has_votes).sum())
        if lost:
            pairs = counted(lost, "pair")
            yield f"{PAIRS.file}: winner of {pairs} without votes is not used, as others have votes"
    elif ties := int((dataset.pairs["winner"] == "").sum()):
        pairs = counted(len(dataset.pairs), "pair")
        yield f"{PAIRS.file}: winner is empty for {ties:,} of {pairs}: read as ties"


def _warn_of_annotators(dataset: Dataset) -> Iterator[str]:
    """Doubt annotators whose answers are sorted."""
    if ratings_are_sorted(dataset.valid_ratings):
        yield f"{RATINGS.file}: the ratings of each caption are sorted: {ARE_COLUMNS}"
    if votes_are_sorted(dataset.valid_votes):
        yield f"{VOTES.file}: the votes on each question are sorted: {ARE_COLUMNS}"


def warn_of_captions(dataset: Dataset) -> list[str]:
    """Say what is odd about references and pairs, whether or not there are problems."""
    return [*_warn_of_references(dataset.references), *warn_of_pairs(dataset.pairs)]


def _check_images(dataset: Dataset, check: RowChecks) -> None:
    check.named("image")
    remedy = "Give each image one line"
    check.unique("image", ["image"], remedy)
    check.short("file")
    check.short("url", LONGEST_URL)
    check.address("url")
    check.short("licence", LONGEST_TITLE)
    check.short("source", LONGEST_TITLE)
    is_digest = dataset.images["sha256"].str.fullmatch("([0-9a-fA-F]{64})?")
    what = "is not a SHA-256 digest"
    check.refuse(~is_digest.astype(bool), "sha256", what, "Give 64 hexadecimal digits")


def _check_references(dataset: Dataset, check: RowChecks) -> None:
    references = dataset.references
    check.named("image")
    check.filled("caption")
    check.short("author")
    check.short("origin")

    if len(dataset.images):
        is_unknown = ~references["image"].isin(dataset.images["image"])
        remedy = "Add the image to images.csv, or correct its name"
        check.refuse(is_unknown, "image", "is an unknown image", remedy)


def _check_candidates(dataset: Dataset, check: RowChecks) -> None:
    check.filled("caption")
    check.named("source")
    check.known_image(dataset.references)
    check.unique("caption", ["image", "caption", "source"], _REMOVE_ONE)
    if dataset.protocol == RATING:
        check.spaced_alike("caption", ["image"])


def check_pairs(dataset: Dataset, check: RowChecks) -> None:
    check.named("pair")
    remedy = "Give each pair a name of its own"
    check.unique("pair", ["pair"], remedy)
    check.known_image(dataset.references)

    for side in "bc":
        check.filled(f"candidate_{side}")
        check.short(f"source_{side}")

    check.short("category", LONGEST_CATEGORY)
    check.plain("category")
    remedy = "Give the category another name"
    check.not_reserved("category", _RESERVED_CATEGORIES, remedy)
    check.one_of("winner", ("", "B", "C", TIE))


def _warn_of_references(references: pd.DataFrame) -> Iterator[str]:
    """Warn of references that repeat an earlier one of their image."""
    captions = references["caption"]
    recurring = references[captions.duplicated(keep=False) & (captions != "")]
    again = recurring[recurring.duplicated(CAPTION)]

    if len(again):
        yield plural(
            len(again),
            f"{REFERENCES.file}: {len(again):,} reference repeats an earlier one of its image "
            f"(line {_lines_in_words(again, 'caption')}): kept",
            f"{REFERENCES.file}: {len(again):,} references repeat earlier ones of their images "
            f"(line {_lines_in_words(again, 'caption')}): kept",
        )


def warn_of_pairs(pairs: pd.DataFrame) -> Iterator[str]:
    """Warn of pairs of two equal candidates, and of those that repeat another pair."""
    is_filled = (pairs["candidate_b"] != "") & (pairs["candidate_c"] != "")

    equal = pairs[is_filled & have_equal_candidates(pairs)]
    if len(equal):
        yield plural(
            len(equal),
            f"{PAIRS.file}: {len(equal):,} pair has two equal candidates (line "
            f"{_lines_in_words(equal)}): a tie for every metric, and not asked about",
            f"{PAIRS.file}: {len(equal):,} pairs have two equal candidates (line "
            f"{_lines_in_words(equal)}): a tie for every metric, and not asked about",
        )

    again = pairs[is_filled & repeat_earlier_pairs(pairs)]
    if len(again):
        yield plural(
            len(again),
            f"{PAIRS.file}: {len(again):,} pair repeats an earlier pair (line "
            f"{_lines_in_words(again)}) under another name: kept",
            f"{PAIRS.file}: {len(again):,} pairs repeat earlier pairs (line "
            f"{_lines_in_words(again)}) under another name: kept",
        )


def _lines_in_words(rows: pd.DataFrame, column: str = "") -> str:
    """Return the lines on which the first rows are, with the columns that cells are from."""
    first = rows[:_LINES_IN_WARNING]
    lines = list(map(str, first["line"]))
    if origin(column) in rows:
        named = zip(lines, origins(first, column), strict=True)
        lines = [f"{line} “{name}”" for line, name in named]
    if len(rows) > _LINES_IN_WARNING:
        lines.append("…")

    return ", ".join(lines)


def _check_votes(dataset: Dataset, check: RowChecks) -> None:
    votes = dataset.votes
    _check_triplets(dataset, check)
    check.one_of("choice", CHOICES)
    check.one_of("strength", _STRENGTHS)
    is_tie = votes["choice"] == TIE
    differs = (votes["strength"] != "") & ((votes["strength"] == "0") != is_tie)
    remedy = "Give 0 with tie, and 1 or 2 with B or C"
    check.refuse(differs, "strength", "does not go with the choice", remedy)
    check.one_of("b_side", SIDES)
    _check_answers(check)
    valid = _valid_and_named(votes)
    seen = [*TRIPLET, "annotator", "purpose", "choice", "line", origin("annotator")]
    remedy = "An annotator has one vote per triplet: keep one of the lines"
    check.of(valid.filter(seen)).unique(
        "annotator", [*TRIPLET, "annotator", "purpose"], remedy
    )


def _check_answers(check: RowChecks) -> None:
    """Check what votes, ratings and sentences have in common."""
    check.one_of("status", STATUSES)
    check.one_of("purpose", _PURPOSES)
    check.seconds("seconds")
    check.seconds("active_seconds")
    check.time("created_at")
    check.time("status_at")
    check.short("annotator")


def _valid_and_named(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the valid answers of named annotators, of which each question has one by each."""
    is_valid = answers["status"].isin(["", VALID]) & (answers["annotator"] != "")
    valid = answers[is_valid]
    return valid.assign(purpose=valid["purpose"].replace(*COUNTED))


def _check_triplets(dataset: Dataset, check: RowChecks) -> None:
    """Check that the pairs and the reference numbers of rows exist."""
    check.known_pair(dataset.pairs)
    rows = check.rows
    cells = rows["reference"]

    if not dataset.asks_with_reference:
        what = "must be empty under pairwise"
        remedy = "Leave it empty, or put protocol triplet into study.json"
        check.refuse(cells != "", "reference", what, remedy)
        return

    counts = dataset.references.groupby("image").size()
    images = dataset.pairs.drop_duplicates("pair").set_index("pair")["image"]
    most = rows["pair"].map(images).map(counts)
    is_reference = matching_numbers(cells, COUNT) <= most

    what = "is not a reference of the image"
    remedy = (
        f"Give the number of one of the image's references in {REFERENCES.file}, from 1"
    )
    check.refuse(most.notna() & ~is_reference, "reference", what, remedy)


def _check_gold(dataset: Dataset, check: RowChecks) -> None:
    if dataset.protocol == RATING:
        _check_ranges(dataset, check)
        return
    _check_triplets(dataset, check)
    check.one_of("answer", ("B", "C"))
    remedy = "Give each triplet one answer"
    check.unique("pair", TRIPLET, remedy)


def _check_ranges(dataset: Dataset, check: RowChecks) -> None:
    """Check the ranges of the aspects of captions: both ends on the scale, in their order."""
    _check_captions(dataset, check)
    remedy = "Give each aspect of a caption one range"
    check.unique("aspect", [*CAPTION, "aspect"], remedy)
    _check_aspects(dataset, check)
    for end in ("low", "high"):
        check.number(end)
        _check_scales(dataset, check, end)

    low, high = (floats(check.rows[name]) for name in ("low", "high"))
    check.refuse(low > high, "low", "is above high", "Give the lowest right rating")


def _check_needed(dataset: Dataset, check: RowChecks) -> None:
    question, given = _answered(dataset, check)
    remedy = "Give each question one line"
    check.unique(question[0], question, remedy)

    number = matching_numbers(check.rows["needed"], COUNT)
    given = check.rows.join(given.rename("given"), on=question)["given"]

    remedy = "Give a whole number from 1"
    check.refuse(number.isna(), "needed", "is not a number of answers", remedy)

    what = "is less than the question has"
    check.refuse(number < given, "needed", what, "Count its valid answers")

    is_more = (number > MAX_VOTES) & ~(number <= given)
    remedy = f"Give at most {MAX_VOTES:,}"
    check.refuse(is_more, "needed", "is more than a question can have", remedy)


def _answered(dataset: Dataset, check: RowChecks) -> "tuple[list[str], pd.Series[int]]":
    """Check what rows are about; return the columns that say so, and the answers of each."""
    if dataset.protocol == RATING:
        _check_captions(dataset, check)
        ratings = dataset.ratings[are_counted(dataset.ratings)]
        lines = ratings.groupby([*CAPTION, "source", "aspect"]).size()
        return CAPTION, lines.groupby(CAPTION).max()
    if dataset.protocol == SENTENCE:
        check.known_image(dataset.references, dataset.images)
        sentences = dataset.sentences[are_counted(dataset.sentences)]
        return ["image"], sentences.groupby("image").size()

    _check_triplets(dataset, check)
    return TRIPLET, dataset.valid_votes.groupby(TRIPLET).size()


def _check_annotators(dataset: Dataset, check: RowChecks) -> None:
    people = dataset.annotators
    check.named("annotator")
    check.one_of("step", ("", *STEPS, "judging"))
    check.one_of("outcome", ("", *OUTCOMES))

    for column in ("joined_at", "finished_at", "excluded_at"):
        check.time(column)

    check.short("label")
    check.short("external_id")
    check.short("code", LONGEST_CODE)

    remedy = "Give each annotator one line, with a name and a label of their own"
    for column in ("annotator", "label", "external_id"):
        filled = people[people[column] != ""]
        check.of(filled).unique(column, [column], remedy)


def _check_adjudications(dataset: Dataset, check: RowChecks) -> None:
    check.known_pair(dataset.pairs)
    check.one_of("decision", CHOICES)
    check.short("adjudicator")
    check.time("decided_at")
    check.time("superseded_at")

    remedy = "A pair has one decision: give the others superseded_at"
    check.of(dataset.decisions).unique("pair", ["pair"], remedy)


def check_scores(
    dataset: Dataset, check: RowChecks, earlier: pd.DataFrame = _NO_SCORES
) -> None:
    """Check the rows of scores; `earlier` are the scores of files before theirs."""
    scores = check.rows
    once = scores.drop_duplicates("metric")
    _check_metric_names(check.of(once))

    cells = scores["reference_count"]
    is_wrong = (cells != "") & ~cells.str.fullmatch(COUNT)
    what = "is not a reference count"
    remedy = "Give a whole number from 1, or leave it empty where the score holds for every count"
    check.refuse(is_wrong, "reference_count", what, remedy)

    by_caption = scores[[*CAPTION_SCORE]] != ""
    by_pair = scores[[*PAIR_SCORE]] != ""
    if by_caption.any().all() or by_pair.any().all():
        of_caption = by_caption.any(axis=1)
        of_pair = by_pair.any(axis=1)
        _check_subjects(dataset, check, of_caption, of_pair)
        _check_contradictions(check, earlier)
        return

    what = "scores neither captions nor pairs"
    remedy = f"Give the columns metric, {_SCORE_COLUMNS}"
    check.problems.add([Problem(check.table.file, what, remedy, 1)])


def _check_metric_names(check: RowChecks) -> None:
    """Check the names of metrics, given once each."""
    check.named("metric")
    remedy = "Rename the metric in all its lines; built-in metrics need no scores"
    check.not_reserved("metric", reserved_metrics(), remedy)
    check.plain("metric")


def _check_subjects(
    dataset: Dataset,
    check: RowChecks,
    of_caption: "pd.Series[bool]",
    of_pair: "pd.Series[bool]",
) -> None:
    """Check that each row scores either a caption of an image or a pair."""
    remedy = f"Fill in {_SCORE_COLUMNS}"
    what = "scores both a caption and a pair"
    check.refuse(of_caption & of_pair, "metric", what, remedy)
    what = "scores neither a caption nor a pair"
    check.refuse(~of_caption & ~of_pair, "metric", what, remedy)

    captions = check.of(check.rows[of_caption & ~of_pair])
    captions.known_image(dataset.references)
    captions.filled("caption")
    captions.number("score")

    pairs = check.of(check.rows[of_pair & ~of_caption])
    pairs.known_pair(dataset.pairs)
    pairs.number("score_b")
    pairs.number("score_c")


def _check_contradictions(check: RowChecks, earlier: pd.DataFrame) -> None:
    """Check that no row gives another score than an earlier one of its metric and subject."""
    rows = pd.concat([earlier.assign(line=0), check.rows])
    rows = rows[rows.duplicated(SCORED, keep=False)]
    rows = rows.merge(rows.drop_duplicates(SCORED), on=SCORED, suffixes=("", "_first"))
    rows = rows[rows["line"] > 0]

    for column in ("score", "score_b", "score_c"):
        score = floats(rows[column])
        first = floats(rows[f"{column}_first"])
        differs = (score != first) & np.isfinite(score) & np.isfinite(first)

        bad = rows.loc[differs, ["line", "line_first", column]]
        for line, first_line, value in bad.itertuples(index=False):
            what = "contradicts an earlier file"
            if first_line:
                what = f"contradicts line {int(first_line)}"

            where = int(line), column, printable(value)
            problem = Problem(check.table.file, what, _KEEP_ONE, *where)
            check.problems.add([problem])


def unmatched_metrics(dataset: Dataset, table: Table = SCORES) -> list[str]:
    """Warn of metrics that score no pair and no candidate of any image."""
    scores = dataset.scores
    if scores.empty:
        return []
    pairs = shown_captions(dataset.pairs)
    known = pd.concat([pairs, dataset.candidates[CAPTION], dataset.ratings[CAPTION]])

    is_known = are_among(scores, known, CAPTION)
    matched = scores.loc[is_known | (scores["pair"] != ""), "metric"]
    unmatched = scores.loc[~scores["metric"].isin(matched), "metric"]

    return [
        (
            f"{table.file}: {name} scores no candidate of any image: captions must be equal to "
            "the letter"
        )
        for name in unmatched.unique()
    ]


def _check_captions(dataset: Dataset, check: RowChecks) -> None:
    """Check that rows are about captions of images, which are written in one way."""
    check.known_image(dataset.references)
    check.filled("caption")
    if dataset.protocol == RATING:
        check.spaced_alike("caption", ["image"])


def _check_ratings(dataset: Dataset, check: RowChecks) -> None:
    check.known_image(dataset.references)
    check.filled("caption")
    _check_answers(check)
    check.short("source")
    check.short("aspect")

    given = check.of(check.rows[check.rows["rating"] != ""])
    given.number("rating")
    if dataset.protocol == RATING:
        _check_aspects(dataset, check)
        _check_scales(dataset, given, "rating")
        _check_candidate(dataset, check)
        _check_answered_once(check)
    else:
        check.plain("aspect")


def _check_aspects(dataset: Dataset, check: RowChecks) -> None:
    scales = scales_of(dataset.study)
    is_unknown = ~check.rows["aspect"].isin(scales)
    remedy = f"Use one of {', '.join(scales)}, or add it to the aspects of study.json"
    if scales:
        what = "is not an aspect of the study"
        check.refuse(is_unknown, "aspect", what, remedy)


def _check_scales(dataset: Dataset, check: RowChecks, column: str) -> None:
    """Check that numbers are on the scales of their aspects."""
    value = floats(check.rows[column])
    for aspect, scale in scales_of(dataset.study).items():
        is_off = np.array([not scale.holds(each) for each in value], dtype=bool)
        is_off &= np.isfinite(value) & (check.rows["aspect"] == aspect)
        what = f"is outside the scale of {aspect}"
        check.refuse(is_off, column, what, f"Give {scale}")


def _check_candidate(dataset: Dataset, check: RowChecks) -> None:
    """Check that captions are candidates or gold, where the folder has candidates."""
    if dataset.candidates.empty:
        check.spaced_alike("caption", ["image"])
        return
    known = pd.concat([dataset.candidates[CAPTION], dataset.gold[CAPTION]])
    is_unknown = ~are_among(check.rows, known, CAPTION) & (check.rows["caption"] != "")
    remedy = f"Write it as in {CANDIDATES.file}, or add it there"
    check.refuse(is_unknown, "caption", "is not a candidate of the image", remedy)


def _check_answered_once(check: RowChecks) -> None:
    """Check that an annotator rates an aspect once; lines of several sources repeat the rating."""
    about = [*CAPTION, "aspect", "annotator", "purpose"]
    valid = _valid_and_named(check.rows)
    valid = valid.filter([*about, "rating", "source", "line", origin("annotator")])
    remedy = "An annotator rates each aspect of a caption once: keep one of the lines"
    check.of(valid).unique("annotator", [*about, "source"], remedy)

    of_sources = valid.drop_duplicates([*about, "source"]).drop(columns="source")
    distinct = of_sources.drop_duplicates([*about, "rating"])
    check.of(distinct).unique("annotator", about, remedy)


def _check_sentences(dataset: Dataset, check: RowChecks) -> None:
    check.known_image(dataset.references, dataset.images)
    check.filled("sentence")
    check.short("sentence", LONGEST_SENTENCE)
    check.text("sentence")
    _check_answers(check)
    check.short("rules")

    valid = _valid_and_named(check.rows)
    about = ["image", "annotator", "purpose"]
    remedy = "An annotator writes one sentence per image: keep one of the lines"
    check.of(valid).unique("annotator", about, remedy)


def _check_grounding(dataset: Dataset, check: RowChecks) -> None:
    grounding = dataset.grounding
    check.filled("span")
    check.filled("value")

    lower = grounding["span"].map(lambda span: span.strip().lower())
    check.of(grounding.assign(span=lower)).unique("span", ["span"], _KEEP_ONE)


def _check_word_scores(dataset: Dataset, check: RowChecks) -> None:
    check.known_image(dataset.references)
    check.filled("word")
    check.number("score")
    check.named("source")
    check.unique("word", ["image", "word", "source"], _KEEP_ONE)


def without_lost_pictures(dataset: Dataset, folder: Path) -> tuple[Dataset, list[str]]:
    """Return a dataset without its pictures, where none of them came with the tables."""
    images = dataset.images
    named = [name for name in images["file"].unique() if name]
    inside = [name for name in named if is_inside(name)]
    if not named or len(inside) < len(named):
        return dataset, []
    is_typed = not (folder / IMAGES.file).is_file()
    if any(map(isfile, (folder / name for name in named))) or not is_typed:
        return dataset, []
    note = (
        f"{IMAGES.file}: none of its {len(named):,} pictures is among the files, so images come in "
        "without pictures"
    )
    return replace(dataset, images=images.assign(file="")), [note]


def check_image_files(
    images: pd.DataFrame, folder: Path, problems: Problems
) -> list[str]:
    """Check that the files that images.csv names are pictures inside the folder.

    Returns a warning of the pictures that say where they were taken.
    """
    rows = images[images["file"] != ""]
    check = RowChecks(rows, IMAGES, problems)
    faults: dict[tuple[str, str], list[str]] = {}
    pictures = {}
    for file in rows["file"].unique():
        try:
            pictures[file] = _picture_in(folder, file)
        except NotAPicture as fault:
            faults.setdefault((str(fault), fault.remedy), []).append(file)

    for (what, remedy), files in faults.items():
        check.refuse(rows["file"].isin(files), "file", what, remedy)

    given = rows[(rows["sha256"] != "") & rows["file"].isin(list(pictures))]
    found = given["file"].map(lambda file: pictures[file].digest)
    remedy = "Correct it, or put the file there that was meant"
    is_other = given["sha256"].str.lower() != found
    check.of(given).refuse(is_other, "sha256", "is not that of the file", remedy)

    positioned = [file for file, each in pictures.items() if each.has_position]
    return _warn_of_positions(rows[rows["file"].isin(positioned)])


def _picture_in(folder: Path, file: str) -> Picture:
    """Read the header of a picture in a folder; raises NotAPicture."""
    if not is_inside(file):
        raise NotAPicture("is outside the folder", "Give a path below the folder")
    try:
        return read_picture(folder / file)
    except OSError:
        remedy = "Add the file, or empty the cell: the image comes in without a picture"
        raise NotAPicture("does not exist", remedy) from None


def _warn_of_positions(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return []
    return [
        plural(
            len(rows),
            f"{IMAGES.file}: 1 picture says where it was taken (line "
            f"{_lines_in_words(rows)}): remove the position before you publish it",
            f"{IMAGES.file}: {len(rows):,} pictures say where they were taken (line "
            f"{_lines_in_words(rows)}): remove the positions before you publish them",
        )
    ]


def is_inside(file: str) -> bool:
    """Return whether a path is relative and leads to a place below the folder."""
    path = PurePosixPath(file)
    return not path.is_absolute() and ".." not in path.parts and not {*"\\\0"} & {*file}


CHECKS: tuple[tuple[Check, tuple[Table, ...]], ...] = (
    (_check_images, (IMAGES,)),
    (_check_references, (REFERENCES, IMAGES)),
    (_check_candidates, (CANDIDATES, REFERENCES)),
    (check_pairs, (PAIRS, REFERENCES)),
    (_check_votes, (VOTES, PAIRS, REFERENCES)),
    (check_scores, (SCORES, PAIRS, REFERENCES)),
    (_check_ratings, (RATINGS, REFERENCES)),
    (_check_sentences, (SENTENCES, IMAGES)),
    (_check_grounding, (GROUNDING,)),
    (_check_word_scores, (WORD_SCORES, REFERENCES)),
    (_check_gold, (GOLD, PAIRS, REFERENCES)),
    (_check_needed, (NEEDED, VOTES, PAIRS, REFERENCES)),
    (_check_annotators, (ANNOTATORS,)),
    (_check_adjudications, (ADJUDICATIONS, PAIRS)),
)
"""Each check, the table whose rows it checks, and the others that it needs; plug-ins have more."""
