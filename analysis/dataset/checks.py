"""The checks of a dataset folder's tables against each other.

Every check gives the rows that fail it as problems: file, line, column, what is wrong, what to do.
"""

import os.path
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

import metrics
from analysis.dataset.csv_tables import (
    Problem,
    Table,
    in_order,
    printable,
    problems,
)
from analysis.dataset.schema import (
    ANNOTATORS,
    CANDIDATES,
    CAPTION_SCORE,
    CATEGORIES,
    CONTROLS,
    COUNTED,
    GOLD,
    GROUPS,
    IMAGES,
    LONGEST_CODE,
    LONGEST_NAME,
    LONGEST_URL,
    NAMING,
    NEEDED,
    PAIR_SCORE,
    PAIRS,
    PEOPLE,
    RATINGS,
    REFERENCES,
    SCORES,
    TIE,
    VALID,
    VOTES,
    Dataset,
    floats,
    shown_captions,
)
from analysis.dataset.study_settings import MAX_VOTES, OUTCOMES, STEPS

CHOICES = ("B", "C", TIE)
SIDES = ("", "left", "right")
STATUSES = ("", VALID, "superseded", "excluded", "surplus")
PURPOSES = (*COUNTED, "gold", "repeat")
IMAGE_TYPES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
TRIPLET = ["pair", "reference"]
COUNT = r"[1-9][0-9]{0,8}"
FORMS = f"{', '.join(CAPTION_SCORE)} or {', '.join(PAIR_SCORE)}"
NO_SCORES = SCORES.empty()
SCORED = ["metric", "image", "caption", "pair", "reference_count"]
"""What one score is of."""


def check_tables(dataset: Dataset, unreadable: set[str]) -> list[Problem]:
    """Every fault between the lines; a table is checked where all it leans on could be read."""
    found: list[Problem] = []
    for check, tables in (
        (check_images, (IMAGES,)),
        (check_references, (REFERENCES, IMAGES)),
        (check_candidates, (CANDIDATES, REFERENCES)),
        (check_pairs, (PAIRS, REFERENCES)),
        (check_votes, (VOTES, PAIRS, REFERENCES)),
        (check_scores, (SCORES, PAIRS, REFERENCES)),
        (check_ratings, (RATINGS, REFERENCES)),
        (check_gold, (GOLD, PAIRS, REFERENCES)),
        (check_needed, (NEEDED, VOTES, PAIRS, REFERENCES)),
        (check_annotators, (ANNOTATORS,)),
    ):
        if not unreadable & {table.file for table in tables}:
            found += check(dataset)
    return found


def check_images(dataset: Dataset) -> Iterator[Problem]:
    images = dataset.images
    yield from check_names(images, IMAGES, "image")
    yield from doubled(
        images, IMAGES, "image", ["image"], "Give each image one line"
    )
    yield from check_length(images, IMAGES, "file")
    yield from check_length(images, IMAGES, "url", LONGEST_URL)


def check_references(dataset: Dataset) -> Iterator[Problem]:
    references = dataset.references
    yield from check_names(references, REFERENCES, "image")
    yield from check_filled(references, REFERENCES, "caption")
    yield from check_length(references, REFERENCES, "author")
    if len(dataset.images):
        unknown = references[
            ~references["image"].isin(dataset.images["image"])
        ]
        remedy = "Add the image to images.csv, or correct its name"
        yield from problems(
            unknown, REFERENCES.file, "image", "is an unknown image", remedy
        )


def check_candidates(dataset: Dataset) -> Iterator[Problem]:
    candidates = dataset.candidates
    yield from check_filled(candidates, CANDIDATES, "caption")
    yield from check_names(candidates, CANDIDATES, "source")
    yield from check_image_known(candidates, CANDIDATES, dataset.references)
    columns = ["image", "caption", "source"]
    yield from doubled(
        candidates, CANDIDATES, "caption", columns, "Remove one of the lines"
    )


def check_pairs(dataset: Dataset) -> Iterator[Problem]:
    pairs = dataset.pairs
    yield from check_names(pairs, PAIRS, "pair")
    yield from doubled(
        pairs, PAIRS, "pair", ["pair"], "Give each pair a name of its own"
    )
    yield from check_image_known(pairs, PAIRS, dataset.references)
    yield from check_filled(pairs, PAIRS, "candidate_b")
    yield from check_filled(pairs, PAIRS, "candidate_c")
    yield from check_length(pairs, PAIRS, "source_b")
    yield from check_length(pairs, PAIRS, "source_c")
    same = pairs[pairs["candidate_b"] == pairs["candidate_c"]]
    yield from problems(
        same,
        PAIRS.file,
        "candidate_c",
        "is the same as candidate_b",
        "Give two candidates",
    )
    yield from one_of(pairs, PAIRS, "category", CATEGORIES)
    yield from one_of(pairs, PAIRS, "winner", ("", "B", "C"))
    unordered = pairs.join(
        in_order(pairs["candidate_b"], pairs["candidate_c"])
    )
    columns = ["image", "least", "most"]
    yield from doubled(
        unordered, PAIRS, "pair", columns, "Keep one of the two pairs"
    )


def check_votes(dataset: Dataset) -> Iterator[Problem]:
    votes = dataset.votes
    yield from check_questions(dataset, votes, VOTES)
    yield from one_of(votes, VOTES, "choice", CHOICES)
    yield from one_of(votes, VOTES, "b_side", SIDES)
    yield from one_of(votes, VOTES, "status", STATUSES)
    yield from one_of(votes, VOTES, "purpose", PURPOSES)
    yield from check_seconds(votes, "seconds")
    yield from check_seconds(votes, "active_seconds")
    yield from check_times(votes, VOTES, "created_at")
    yield from check_times(votes, VOTES, "status_at")
    yield from check_length(votes, VOTES, "annotator")
    valid = votes[
        votes["status"].isin(["", VALID]) & (votes["annotator"] != "")
    ]
    named = valid.assign(purpose=valid["purpose"].replace(*COUNTED))
    columns = ["pair", "reference", "annotator", "purpose"]
    remedy = "An annotator has one vote a triplet: keep one of the lines"
    yield from doubled(named, VOTES, "annotator", columns, remedy)


def check_questions(
    dataset: Dataset, rows: pd.DataFrame, table: Table
) -> Iterator[Problem]:
    """The pairs and the numbers of references that rows of `table` ask about."""
    yield from check_pair_known(rows, table, dataset.pairs)
    if dataset.protocol == "pairwise":
        bad = rows[rows["reference"] != ""]
        remedy = "Leave it empty under pairwise, or put protocol triplet into study.json"
        yield from problems(
            bad, table.file, "reference", "is not asked for", remedy
        )
        return
    counts = dataset.references.groupby("image").size()
    pairs = dataset.pairs.drop_duplicates("pair").set_index("pair")["image"]
    most = rows["pair"].map(pairs).map(counts)
    written = rows["reference"].str.fullmatch(COUNT)
    number = pd.to_numeric(rows["reference"].where(written))
    bad = rows[most.notna() & ~(number <= most)]
    remedy = "Give the number of one of the image's references in references.csv, from 1"
    yield from problems(
        bad, table.file, "reference", "is not a reference of the image", remedy
    )


def check_gold(dataset: Dataset) -> Iterator[Problem]:
    yield from check_questions(dataset, dataset.gold, GOLD)
    yield from one_of(dataset.gold, GOLD, "answer", ("B", "C"))
    yield from doubled(
        dataset.gold, GOLD, "pair", TRIPLET, "Give each triplet one answer"
    )


def check_needed(dataset: Dataset) -> Iterator[Problem]:
    needed = dataset.needed
    yield from check_questions(dataset, needed, NEEDED)
    yield from doubled(
        needed, NEEDED, "pair", TRIPLET, "Give each triplet one line"
    )
    written = needed["needed"].str.fullmatch(COUNT)
    remedy = "Give a whole number from 1"
    yield from problems(
        needed[~written],
        NEEDED.file,
        "needed",
        "is not a number of votes",
        remedy,
    )
    given = dataset.valid_votes.groupby(TRIPLET).size().rename("given")
    votes = needed.join(given, on=TRIPLET)["given"]
    number = pd.to_numeric(needed["needed"].where(written))
    few = needed[number < votes]
    what, remedy = (
        "is less than the triplet has in votes.csv",
        "Count its valid votes",
    )
    yield from problems(few, NEEDED.file, "needed", what, remedy)
    many = needed[(number > MAX_VOTES) & ~(number <= votes)]
    what, remedy = (
        "is more than a triplet can have",
        f"Give at most {MAX_VOTES:,}",
    )
    yield from problems(many, NEEDED.file, "needed", what, remedy)


def check_annotators(dataset: Dataset) -> Iterator[Problem]:
    people = dataset.annotators
    yield from check_names(people, ANNOTATORS, "annotator")
    yield from one_of(people, ANNOTATORS, "step", ("", *STEPS, "judging"))
    yield from one_of(people, ANNOTATORS, "outcome", ("", *OUTCOMES))
    for column in ("joined_at", "finished_at", "excluded_at"):
        yield from check_times(people, ANNOTATORS, column)
    for column, limit in zip(
        NAMING, (LONGEST_NAME, LONGEST_NAME, LONGEST_CODE), strict=True
    ):
        yield from check_length(people, ANNOTATORS, column, limit)
    for column in ("annotator", "label", "external_id"):
        named = people[people[column] != ""]
        remedy = "Give each annotator one line, with a name and a label of their own"
        yield from doubled(named, ANNOTATORS, column, [column], remedy)


def check_seconds(votes: pd.DataFrame, column: str) -> Iterator[Problem]:
    number = pd.to_numeric(votes[column], errors="coerce")
    bad = votes[(votes[column] != "") & ~((number >= 0) & (number < 1e9))]
    yield from problems(
        bad,
        VOTES.file,
        column,
        "is not a time",
        "Give seconds, or leave it empty",
    )


def check_times(
    rows: pd.DataFrame, table: Table, column: str
) -> Iterator[Problem]:
    times = rows[column]
    wrong = {text for text in times.unique() if text and not is_time(text)}
    bad = rows[times.isin(wrong)]
    remedy = "Give ISO 8601 with the time zone (2026-05-01T09:30:00+00:00), or leave it empty"
    yield from problems(bad, table.file, column, "is not a time", remedy)


def is_time(text: str) -> bool:
    try:
        time = datetime.fromisoformat(text)
        time.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return time.tzinfo is not None


def check_scores(
    dataset: Dataset, table: Table = SCORES, earlier: pd.DataFrame = NO_SCORES
) -> Iterator[Problem]:
    """The scores of `dataset`; `table` has the name of their file, `earlier` those before it."""
    scores = dataset.scores
    if scores.empty:
        return
    yield from check_metric_names(scores.drop_duplicates("metric"), table)
    yield from check_reference_counts(scores, table)
    by_caption, by_pair = (
        scores[list(form)] != "" for form in (CAPTION_SCORE, PAIR_SCORE)
    )
    if not (by_caption.any().all() or by_pair.any().all()):
        what, remedy = (
            "scores neither captions nor pairs",
            f"Give the columns metric, {FORMS}",
        )
        yield Problem(table.file, 1, "", "", what, remedy)
        return
    of_caption, of_pair = by_caption.any(axis=1), by_pair.any(axis=1)
    for bad, what in (
        (of_caption & of_pair, "scores both a caption and a pair"),
        (~of_caption & ~of_pair, "scores neither a caption nor a pair"),
    ):
        yield from problems(
            scores[bad], table.file, "metric", what, f"Fill in {FORMS}"
        )
    yield from check_caption_scores(
        scores[of_caption & ~of_pair], table, dataset.references
    )
    yield from check_pair_scores(
        scores[of_pair & ~of_caption], table, dataset.pairs
    )
    yield from contradictions(scores, table, earlier)


def check_metric_names(named: pd.DataFrame, table: Table) -> Iterator[Problem]:
    yield from check_names(named, table, "metric")
    taken = named[named["metric"].str.casefold().isin(IN_USE)]
    remedy = "Rename the metric in all its lines; those computed here need no scores"
    yield from problems(
        taken, table.file, "metric", "is a name in use here", remedy
    )
    filled = named["metric"].str.strip() != ""
    unfit = named[filled & ~named["metric"].map(is_plain).astype(bool)]
    remedy = "Write it on one line, without spaces before and after it"
    yield from problems(
        unfit, table.file, "metric", "is not a plain name", remedy
    )


IN_USE = {
    name.casefold()
    for name in (
        *metrics.names(),
        PEOPLE,
        *GROUPS,
        "chance",
        "ceiling",
        "nan",
        "na",
        "none",
        "null",
    )
}
"""What stands for something else in tables and plots, or for nothing to who reads them again."""


def is_plain(name: str) -> bool:
    return (
        name == name.strip()
        and len(name.splitlines()) == 1
        and not CONTROLS.search(name)
    )


def check_reference_counts(
    scores: pd.DataFrame, table: Table
) -> Iterator[Problem]:
    count = scores["reference_count"]
    bad = scores[(count != "") & ~count.str.fullmatch(COUNT)]
    remedy = "Give a whole number from 1, or leave it empty where the score holds for every one"
    yield from problems(
        bad, table.file, "reference_count", "is not a reference count", remedy
    )


def check_caption_scores(
    scores: pd.DataFrame, table: Table, references: pd.DataFrame
) -> Iterator[Problem]:
    yield from check_image_known(scores, table, references)
    yield from check_filled(scores, table, "caption")
    yield from check_numbers(scores, table, "score")


def check_pair_scores(
    scores: pd.DataFrame, table: Table, pairs: pd.DataFrame
) -> Iterator[Problem]:
    yield from check_pair_known(scores, table, pairs)
    yield from check_numbers(scores, table, "score_b")
    yield from check_numbers(scores, table, "score_c")


def contradictions(
    scores: pd.DataFrame, table: Table, earlier: pd.DataFrame
) -> Iterator[Problem]:
    """The lines that give another score than an earlier line of the same metric on the same."""
    new = scores.assign(place="line " + scores["line"].astype("str"))
    rows = pd.concat([earlier.assign(line=0, place="an earlier file"), new])
    rows = rows[rows.duplicated(SCORED, keep=False)]
    rows = rows.merge(
        rows.drop_duplicates(SCORED), on=SCORED, suffixes=("", "_first")
    )
    rows = rows[rows["line"] > 0]
    for column in ("score", "score_b", "score_c"):
        score, first = floats(rows[column]), floats(rows[f"{column}_first"])
        for row in rows[
            (score != first) & np.isfinite(score) & np.isfinite(first)
        ].itertuples():
            what = f"contradicts {row.place_first}"
            value, remedy = (
                printable(getattr(row, column)),
                "Keep one of the lines",
            )
            yield Problem(
                table.file, int(row.line), column, value, what, remedy
            )


def unmatched_metrics(dataset: Dataset, table: Table = SCORES) -> list[str]:
    """What to say of metrics that score no pair and no candidate of any image."""
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
    what = "scores no candidate of any image: captions must be the same to the letter"
    return [f"{table.file}: {name} {what}" for name in names]


def check_ratings(dataset: Dataset) -> Iterator[Problem]:
    ratings = dataset.ratings
    yield from check_image_known(ratings, RATINGS, dataset.references)
    yield from check_filled(ratings, RATINGS, "caption")
    yield from check_numbers(ratings, RATINGS, "rating")
    yield from check_length(ratings, RATINGS, "annotator")
    yield from check_length(ratings, RATINGS, "source")
    yield from check_length(ratings, RATINGS, "aspect")


def check_images_exist(images: pd.DataFrame, folder: Path) -> list[Problem]:
    """The image files that images.csv names must be pictures inside the folder."""
    found: list[Problem] = []
    named = images[images["file"] != ""]
    for what, remedy, holds in (
        ("is outside the folder", "Give a path below the folder", is_inside),
        (
            "is not a picture",
            f"Use one of {', '.join(IMAGE_TYPES)}",
            is_picture,
        ),
        (
            "is not there",
            "Add the file",
            lambda file: os.path.isfile(folder / file),
        ),
    ):
        good = named["file"].map(holds).astype(bool)
        found += problems(named[~good], IMAGES.file, "file", what, remedy)
        named = named[good]
    return found


def is_inside(file: str) -> bool:
    path = PurePosixPath(file)
    return (
        not path.is_absolute() and ".." not in path.parts and "\\" not in file
    )


def is_picture(file: str) -> bool:
    return PurePosixPath(file).suffix.lower() in IMAGE_TYPES


def check_names(
    rows: pd.DataFrame, table: Table, column: str
) -> Iterator[Problem]:
    yield from check_filled(rows, table, column)
    yield from check_length(rows, table, column)


def check_length(
    rows: pd.DataFrame, table: Table, column: str, limit: int = LONGEST_NAME
) -> Iterator[Problem]:
    too_long = rows[rows[column].str.len() > limit]
    remedy = f"Use at most {limit:,} characters"
    yield from problems(too_long, table.file, column, "is too long", remedy)


def check_filled(
    rows: pd.DataFrame, table: Table, column: str
) -> Iterator[Problem]:
    empty = rows[rows[column].str.strip() == ""]
    yield from problems(
        empty, table.file, column, "is empty", "Fill it in or remove the line"
    )


def check_image_known(
    rows: pd.DataFrame, table: Table, references: pd.DataFrame
) -> Iterator[Problem]:
    unknown = rows[~rows["image"].isin(references["image"])]
    remedy = "Correct its name, or add its references to references.csv"
    yield from problems(
        unknown, table.file, "image", "is an unknown image", remedy
    )


def check_pair_known(
    rows: pd.DataFrame, table: Table, pairs: pd.DataFrame
) -> Iterator[Problem]:
    unknown = rows[~rows["pair"].isin(pairs["pair"])]
    remedy = "Correct its name, or add it to pairs.csv"
    yield from problems(
        unknown, table.file, "pair", "is an unknown pair", remedy
    )


def check_numbers(
    rows: pd.DataFrame, table: Table, column: str
) -> Iterator[Problem]:
    bad = rows[~np.isfinite(floats(rows[column]))]
    remedy = "Give a number with a decimal point, such as 0.5"
    yield from problems(
        bad, table.file, column, "is not a finite number", remedy
    )


def one_of(
    rows: pd.DataFrame, table: Table, column: str, allowed: tuple[str, ...]
) -> Iterator[Problem]:
    unknown = rows[~rows[column].isin(allowed)]
    remedy = f"Use one of {', '.join(value or '(empty)' for value in allowed)}"
    yield from problems(
        unknown, table.file, column, f"is not a known {column}", remedy
    )


def doubled(
    rows: pd.DataFrame,
    table: Table,
    column: str,
    columns: list[str],
    remedy: str,
) -> Iterator[Problem]:
    again = rows[rows.duplicated(columns)]
    if again.empty:
        return
    first = rows.drop_duplicates(columns).set_index(columns)["line"]
    keys = again[columns].itertuples(index=False, name=None)
    for key, line, value in zip(
        keys, again["line"], again[column], strict=True
    ):
        earlier = first.loc[key if len(columns) > 1 else key[0]]
        what = f"repeats line {earlier}"
        yield Problem(
            table.file, int(line), column, printable(value), what, remedy
        )
