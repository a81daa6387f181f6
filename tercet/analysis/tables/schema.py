"""The dataset: references, candidates, pairs, votes, scores and ratings as frames of text.

Each table is one file of the dataset folder (`tercet.analysis.dataset.folder` reads and writes it).
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from tercet.analysis.tables.csv_tables import Table, csv_text, in_order
from tercet.analysis.tables.protocol_settings import BY_IMAGE, BY_REFERENCE
from tercet.metrics import FloatArray

IMAGES = Table(
    "images.csv", ("image",), ("file", "url", "alt", "sha256", "licence", "source")
)
REFERENCES = Table("references.csv", ("image", "caption"), ("author", "origin"))
CANDIDATES = Table("candidates.csv", ("image", "caption", "source"))
PAIRS = Table(
    "pairs.csv",
    ("pair", "image", "candidate_b", "candidate_c"),
    ("category", "source_b", "source_c", "winner"),
)
OF_ANSWERS = (
    "seconds",
    "active_seconds",
    "created_at",
    "status",
    "status_at",
    "reason",
    "purpose",
)
"""The columns that votes, ratings and sentences have beside what was answered."""
VOTES = Table(
    "votes.csv",
    ("pair", "reference", "annotator", "choice"),
    ("strength", "b_side", *OF_ANSWERS),
)
CAPTION = ["image", "caption"]
TRIPLET = ["pair", "reference"]
"""The columns that name a caption, and a triplet."""
CAPTION_SCORE = (*CAPTION, "score")
PAIR_SCORE = ("pair", "score_b", "score_c")
"""The columns that a line of scores.csv fills in besides the metric: one of these sets."""
SCORES = Table(
    "scores.csv", ("metric",), (*CAPTION_SCORE, *PAIR_SCORE, "reference_count")
)
"""Scores of metrics computed elsewhere; without reference_count they hold for every one."""
RATINGS = Table(
    "ratings.csv",
    ("image", "caption", "rating"),
    ("annotator", "source", "aspect", *OF_ANSWERS),
)
"""Ratings of captions; an empty one means that the annotator could not tell."""
SENTENCES = Table(
    "sentences.csv", ("image", "sentence", "annotator"), (*OF_ANSWERS, "rules")
)
"""Sentences that annotators wrote for images, and the rules that they break."""
TUPLES = Table(
    "tuples.csv",
    ("image", "caption", "annotator", "tuple", "role", "state"),
    ("start", "end"),
)
"""Semantic tuples as people mark them: a line for each argument, with its span of the caption."""
GROUNDING = Table("grounding.csv", ("span", "value"))
"""Which lemmas stand for the same."""
WORD_SCORES = Table("word_scores.csv", ("image", "word", "score", "source"))
"""How likely a system thinks a word is for an image."""
TABLES = (IMAGES, REFERENCES, CANDIDATES, PAIRS, VOTES, SCORES, RATINGS, SENTENCES)

ANALYSIS_TABLES = (TUPLES, GROUNDING, WORD_SCORES)
"""The tables of single findings: only our own files, under their own names."""

GOLD = Table(
    "gold.csv",
    ("pair", "reference", "answer"),
    instead=("image", "caption", "aspect", "low", "high"),
)
"""Questions with a known answer, asked as checks; of a rating, its range for each aspect."""
NEEDED = Table(
    "needed.csv",
    ("pair", "reference", "needed"),
    instead=("image", "caption", "needed"),
)
"""Questions that are asked for another number of answers than study.json says.

Those of a rating are about a caption of an image, those of a sentence about an image alone.
"""
NAMING = ("label", "external_id", "code")
"""Columns that may identify an annotator."""
ANNOTATORS = Table(
    "annotators.csv",
    ("annotator",),
    (
        "joined_at",
        "step",
        "outcome",
        "finished_at",
        "excluded_at",
        "excluded_reason",
        *NAMING,
    ),
)
ADJUDICATIONS = Table(
    "adjudications.csv",
    ("pair", "decision"),
    ("adjudicator", "decided_at", "reason", "superseded_at"),
)
"""Decisions of single persons on pairs; they are no votes."""
STUDY_TABLES = (GOLD, NEEDED, ANNOTATORS, ADJUDICATIONS)
"""The tables that only an export of a study has."""
ALL_TABLES = (*TABLES, *ANALYSIS_TABLES, *STUDY_TABLES)

LONGEST_NAME = 200
LONGEST_CATEGORY = 60
LONGEST_TITLE = 2_000
LONGEST_URL = 2_000
LONGEST_CODE = 60
LONGEST_SENTENCE = 2_000
"""The most characters that names, categories, titles, addresses, codes and sentences may have."""
CONTROLS = re.compile(
    r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Characters that pages and figures cannot show."""
NO_TEXT = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that no written text has; marks of direction and joiners are left in."""
MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|<!--")
"""HTML in a text."""

CATEGORIES = ("HC", "HI", "HM", "MM")
"""The categories that have a fixed order and colours; any other short text is one, too."""
MEAN, ALL = "mean", "all"
NO_CATEGORY = "no category"
"""The group of the pairs without a category, where others have one."""
GROUPS = (*CATEGORIES, MEAN, ALL)
"""Groups of accuracies: a known category, the mean over categories, all pairs."""
HUMAN = "human"
PEOPLE = "people"
"""The name of people where they are compared with metrics; no metric may have it."""
TIE = "tie"
VALID = "valid"
COUNTED = ("", "study")
"""The purposes of votes that count; those of the others are checks."""
SIMULATED = "simulated-"
"""The prefix of the names of simulated annotators."""
DIGEST_VERSIONS = (1, 2, 3)
DIGEST_VERSION = DIGEST_VERSIONS[-1]
"""Of the digest of a dataset; reports up to 0.2.0 have version 1."""


@dataclass(frozen=True)
class Dataset:
    """The contents of a dataset folder; every frame has the columns of its table, as text.

    `references` also has the column `number`: the number of the reference within its image, from
    1. `info` is dataset.json and `study` is study.json (how the votes were collected); `gold`,
    `needed`, `annotators` and `adjudications` belong to the study.
    """

    references: pd.DataFrame
    pairs: pd.DataFrame
    votes: pd.DataFrame = field(default_factory=VOTES.empty)
    candidates: pd.DataFrame = field(default_factory=CANDIDATES.empty)
    images: pd.DataFrame = field(default_factory=IMAGES.empty)
    scores: pd.DataFrame = field(default_factory=SCORES.empty)
    ratings: pd.DataFrame = field(default_factory=RATINGS.empty)
    sentences: pd.DataFrame = field(default_factory=SENTENCES.empty)
    tuples: pd.DataFrame = field(default_factory=TUPLES.empty)
    grounding: pd.DataFrame = field(default_factory=GROUNDING.empty)
    word_scores: pd.DataFrame = field(default_factory=WORD_SCORES.empty)
    gold: pd.DataFrame = field(default_factory=GOLD.empty)
    needed: pd.DataFrame = field(default_factory=NEEDED.empty)
    annotators: pd.DataFrame = field(default_factory=ANNOTATORS.empty)
    adjudications: pd.DataFrame = field(default_factory=ADJUDICATIONS.empty)
    info: dict[str, str] = field(default_factory=dict)
    study: dict[str, Any] = field(default_factory=dict)

    from_frames: ClassVar[Callable[..., "Dataset"]]
    """Make a dataset of pandas frames: set by `tercet.analysis.dataset.frames`, which checks it."""

    def __repr__(self) -> str:
        title = self.info.get("title")
        named = f"{title!r}: " if title else ""
        filled = [
            f"{len(frame):,} {table.name}"
            for table, frame in self.frames.items()
            if len(frame)
        ]
        return f"Dataset({named}{', '.join(filled)})"

    @property
    def frames(self) -> dict[Table, pd.DataFrame]:
        return {table: getattr(self, table.name) for table in ALL_TABLES}

    @property
    def valid_votes(self) -> pd.DataFrame:
        """The votes that count: neither superseded, excluded or surplus, nor given to a check."""
        return self.votes[are_counted(self.votes)]

    @property
    def valid_ratings(self) -> pd.DataFrame:
        """The ratings that count, as with votes; those who could not tell gave none."""
        is_given = self.ratings["rating"] != ""
        return self.ratings[is_given & are_counted(self.ratings)]

    @property
    def decisions(self) -> pd.DataFrame:
        """The adjudications that are in force."""
        return self.adjudications[self.adjudications["superseded_at"] == ""]

    @property
    def has_study(self) -> bool:
        """Whether there is a study: votes, settings, or other tables of one."""
        frames = [self.frames[table] for table in (VOTES, *STUDY_TABLES)]
        return bool(self.study) or any(map(len, frames))

    @property
    def is_collected_elsewhere(self) -> bool:
        """Whether the votes are all there will be, and nothing else is known of a study.

        That is so of a folder without study.json, and of a study that was imported from one.
        """
        return not self.study or bool(self.study.get("collected_elsewhere", False))

    @property
    def protocol(self) -> str:
        """That of study.json; else by references, unless there are votes and none names one."""
        named = (self.votes["reference"] != "").any()
        seen = BY_IMAGE if len(self.votes) and not named else BY_REFERENCE
        return str(self.study.get("protocol", seen))

    @property
    def asks_with_reference(self) -> bool:
        """Whether a pair is asked about with each reference, not once with the image."""
        return self.protocol != BY_IMAGE

    @property
    def publishes_winners(self) -> bool:
        """Whether pairs.csv names a winner or a tie; its empty cells are ties then."""
        return bool((self.pairs["winner"] != "").any())

    def in_order(self) -> "Dataset":
        """Return the dataset with the rows of every table sorted.

        The references of an image keep their order: votes name them by number.
        """
        ordered: dict[str, Any] = {}
        for table, frame in self.frames.items():
            columns = [name for name in table.columns if frame[name].nunique() > 1]
            if table == REFERENCES:
                columns = ["image", "number"]
            if columns:
                frame = frame.sort_values(columns, kind="stable")
            ordered[table.name] = frame.reset_index(drop=True)

        return replace(self, **ordered)

    @property
    def sha256(self) -> str:
        """The digest of all that determines results, equal for folder and database."""
        return self.digest()

    def digest(self, version: int = DIGEST_VERSION) -> str:
        """Return the digest of the tables that determine results.

        Parameters
        ----------
        version
            One of `DIGEST_VERSIONS`. Version 3 does not depend on the order of rows. Version 2
            covers every column that a finding reads. Version 1 left out the sources of candidates,
            the annotators, sources and aspects of ratings, origins, candidates.csv, and needed.csv.
        """
        if version not in DIGEST_VERSIONS:
            raise ValueError(
                f"There is no version {version} of the digest of a dataset."
            )

        digest = hashlib.sha256()
        source = self._with_sorted_references() if version > 2 else self
        for frame, columns in source._digested(version):
            text = csv_text(frame, columns)
            digest.update(text.encode())

        return digest.hexdigest()

    def _with_sorted_references(self) -> "Dataset":
        """Return the rows in order, those of references by caption where votes name none."""
        ordered = self.in_order()
        if (self.votes["reference"] != "").any():
            return ordered

        references = ordered.references.sort_values(["image", "caption"])
        return replace(ordered, references=references)

    def _digested(self, version: int) -> list[tuple[pd.DataFrame, tuple[str, ...]]]:
        """Return the tables of a digest: those of every dataset, and others that have rows.

        A tie beside named winners may be written or left empty: the digest is the same.
        """
        is_first = version == 1
        sources = () if is_first else ("source_b", "source_c")
        of_rating = RATINGS.columns[: -len(OF_ANSWERS)]
        ratings = RATINGS.required if is_first else of_rating
        has_strengths = (self.votes["strength"] != "").any()
        votes = (*VOTES.required, *(["strength"] if has_strengths else []))

        named = self.pairs["winner"].replace(TIE, "")
        pairs = self.pairs.assign(winner=named) if (named != "").any() else self.pairs
        origin = origins(self.references)
        has_origins = not is_first and (origin != HUMAN).any()
        references = (*REFERENCES.required, *(["origin"] if has_origins else []))
        always = [
            (self.references.assign(origin=origin), references),
            (pairs, (*PAIRS.required, "category", "winner", *sources)),
            (self.valid_votes, votes),
        ]
        others = [
            (self.decisions, ADJUDICATIONS.required),
            (self.scores, SCORES.columns),
            (self.valid_ratings, ratings),
            (self.tuples, TUPLES.columns),
            (self.grounding, GROUNDING.columns),
            (self.word_scores, WORD_SCORES.columns),
        ]
        if not is_first:
            others.append((self.candidates, CANDIDATES.columns))
            others.append((self.needed, NEEDED.required))

        return [*always, *(each for each in others if len(each[0]))]


def are_counted(answers: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether each answer counts, by the columns status and purpose."""
    is_valid = answers["status"].isin(["", VALID])
    return is_valid & answers["purpose"].isin(COUNTED)


def origins(references: pd.DataFrame) -> "pd.Series[str]":
    """Return who wrote each reference: `HUMAN` where that is empty, or people in other words."""
    named = references["origin"].str.strip()
    return named.mask(named.str.casefold().isin(["", HUMAN, PEOPLE]), HUMAN)


def with_numbers(references: pd.DataFrame) -> pd.DataFrame:
    """Add the column `number`: the number of the reference within its image, from 1."""
    counters: defaultdict[str, Iterator[int]] = defaultdict(partial(count, 1))
    images = references["image"].tolist()
    numbers = (next(counters[image]) for image in images)
    return references.assign(number=np.fromiter(numbers, np.int64, len(images)))


def ordered_categories(present: Iterable[str]) -> tuple[str, ...]:
    """Order categories for tables and figures.

    Parameters
    ----------
    present
        Categories of pairs, in any order and with repetitions. An empty one means that a pair
        has no category.

    Returns
    -------
    tuple of str
        Each category once: `CATEGORIES` first, in their order, then the others alphabetically.
        Empty ones are left out, so pairs without categories give an empty tuple.

    Examples
    --------
    >>> ordered_categories(["topic", "MM", "", "HC", "MM"])
    ('HC', 'MM', 'topic')
    """
    named = {category for category in present if category}
    known = [category for category in CATEGORIES if category in named]

    return (*known, *sorted(named.difference(CATEGORIES)))


def floats(cells: "pd.Series[str]") -> FloatArray:
    """Return the cells as numbers, NaN where one is no number."""
    numbers = pd.to_numeric(cells, errors="coerce")
    return numbers.to_numpy(dtype=float)


def listed_categories(present: Iterable[str]) -> tuple[str, ...]:
    """Order categories as `ordered_categories`, with "" last where there are pairs without one."""
    present = set(present)
    return (*ordered_categories(present), *({""} & present))


def have_equal_candidates(pairs: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether B and C of each pair are the same caption: a question without meaning."""
    return pairs["candidate_b"] == pairs["candidate_c"]


def repeat_earlier_pairs(pairs: pd.DataFrame) -> "pd.Series[bool]":
    """Return whether an earlier pair of the image has the same two candidates, in any order."""
    candidates = in_order(pairs["candidate_b"], pairs["candidate_c"])
    return candidates.assign(image=pairs["image"]).duplicated()


def shown_captions(
    pairs: pd.DataFrame, columns: Collection[str] = CAPTION
) -> pd.DataFrame:
    """Return the candidates of pairs, with columns of candidates.csv: every B, then every C."""
    sides = []
    for side in "bc":
        own = {f"candidate_{side}": "caption", f"source_{side}": "source"}
        sides.append(pairs.rename(columns=own)[[*columns]])

    return pd.concat(sides)
