"""The dataset: references, candidates, pairs, votes, scores and ratings as frames of text.

Each table is one file of the dataset folder (`analysis.dataset.folder` reads and writes it).
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from analysis.dataset.csv_tables import Table, csv_text
from metrics import FloatArray

IMAGES = Table("images.csv", ("image",), ("file", "url", "alt"))
REFERENCES = Table("references.csv", ("image", "caption"), ("author",))
CANDIDATES = Table("candidates.csv", ("image", "caption", "source"))
PAIRS = Table(
    "pairs.csv",
    ("pair", "image", "candidate_b", "candidate_c", "category"),
    ("source_b", "source_c", "winner"),
)
VOTES = Table(
    "votes.csv",
    ("pair", "reference", "annotator", "choice"),
    (
        "b_side",
        "seconds",
        "active_seconds",
        "created_at",
        "status",
        "status_at",
        "reason",
        "purpose",
    ),
)
CAPTION_SCORE = ("image", "caption", "score")
PAIR_SCORE = ("pair", "score_b", "score_c")
"""What a line of scores.csv fills in besides the metric: one of these."""
SCORES = Table(
    "scores.csv", ("metric",), (*CAPTION_SCORE, *PAIR_SCORE, "reference_count")
)
"""Scores of metrics computed elsewhere; without reference_count they hold for every one."""
RATINGS = Table(
    "ratings.csv",
    ("image", "caption", "rating"),
    ("annotator", "source", "aspect"),
)
TABLES = (IMAGES, REFERENCES, CANDIDATES, PAIRS, VOTES, SCORES, RATINGS)

GOLD = Table("gold.csv", ("pair", "reference", "answer"))
"""Triplets with a known answer, asked as checks."""
NEEDED = Table("needed.csv", ("pair", "reference", "needed"))
"""Triplets that are asked for another number of votes than study.json says."""
NAMING = ("label", "external_id", "code")
"""What may tell who an annotator is."""
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
STUDY_TABLES = (GOLD, NEEDED, ANNOTATORS)
"""What an export of a study has besides `TABLES`."""

LONGEST_NAME = 200
LONGEST_TITLE = 2_000
LONGEST_URL = 2_000
LONGEST_CODE = 60
"""The most characters that names, titles, addresses and completion codes may have."""
CONTROLS = re.compile(
    r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Characters that pages and figures cannot show."""

CATEGORIES = ("HC", "HI", "HM", "MM")
"""The categories that have a fixed order and colours; any other short text is one, too."""
MEAN, ALL = "mean", "all"
GROUPS = (*CATEGORIES, MEAN, ALL)
"""What accuracies are of: a category, the mean over categories, all pairs."""
HUMAN = "human"
PEOPLE = "people"
"""Who stand beside the metrics as one more judge: no metric may have this name."""
TIE = "tie"
VALID = "valid"
COUNTED = ("", "study")
"""The purposes of votes that count; those of the others are checks."""
SIMULATED = "simulated-"
"""How the names of annotators begin that are not people."""


@dataclass(frozen=True)
class Dataset:
    """What a dataset folder holds; every frame has the columns of its table, as text.

    `references` has the column `number` besides: the number of the reference within its image,
    from 1. `info` is dataset.json, `study` is study.json (how the votes were collected), and
    `gold`, `needed` and `annotators` tell the rest of a study.
    """

    references: pd.DataFrame
    pairs: pd.DataFrame
    votes: pd.DataFrame = field(default_factory=VOTES.empty)
    candidates: pd.DataFrame = field(default_factory=CANDIDATES.empty)
    images: pd.DataFrame = field(default_factory=IMAGES.empty)
    scores: pd.DataFrame = field(default_factory=SCORES.empty)
    ratings: pd.DataFrame = field(default_factory=RATINGS.empty)
    gold: pd.DataFrame = field(default_factory=GOLD.empty)
    needed: pd.DataFrame = field(default_factory=NEEDED.empty)
    annotators: pd.DataFrame = field(default_factory=ANNOTATORS.empty)
    info: dict[str, str] = field(default_factory=dict)
    study: dict[str, Any] = field(default_factory=dict)

    @property
    def frames(self) -> dict[Table, pd.DataFrame]:
        return {
            IMAGES: self.images,
            REFERENCES: self.references,
            CANDIDATES: self.candidates,
            PAIRS: self.pairs,
            VOTES: self.votes,
            SCORES: self.scores,
            RATINGS: self.ratings,
            GOLD: self.gold,
            NEEDED: self.needed,
            ANNOTATORS: self.annotators,
        }

    @property
    def valid_votes(self) -> pd.DataFrame:
        """The votes that count: neither superseded, excluded or surplus, nor given to a check."""
        is_valid = self.votes["status"].isin(["", VALID])
        return self.votes[is_valid & self.votes["purpose"].isin(COUNTED)]

    @property
    def has_study(self) -> bool:
        """Whether anything is said of a study."""
        told = (self.votes, self.gold, self.needed, self.annotators)
        return bool(self.study) or any(len(table) for table in told)

    @property
    def protocol(self) -> str:
        """What study.json says; else `pairwise` where no vote names a reference, or `triplet`."""
        named = (self.votes["reference"] != "").any()
        seen = "pairwise" if len(self.votes) and not named else "triplet"
        return str(self.study.get("protocol", seen))

    @property
    def sha256(self) -> str:
        """The digest of the tables that decide a result, the same from a folder or a database.

        Scores and ratings count where there are any; a database has none.
        """
        digest = hashlib.sha256()
        for frame, columns in (
            (self.references, REFERENCES.required),
            (self.pairs, (*PAIRS.required, "winner")),
            (self.valid_votes, VOTES.required),
        ):
            digest.update(csv_text(frame, columns).encode())
        for frame, columns in (
            (self.scores, SCORES.columns),
            (self.ratings, RATINGS.required),
        ):
            if len(frame):
                digest.update(csv_text(frame, columns).encode())
        return digest.hexdigest()


def with_numbers(references: pd.DataFrame) -> pd.DataFrame:
    """`references` with the column `number`: the place within the image, from 1."""
    return references.assign(number=references.groupby("image").cumcount() + 1)


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
    """The cells as numbers, NaN where one is no number."""
    return pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float)


def shown_captions(pairs: pd.DataFrame) -> pd.DataFrame:
    """The captions that stand in pairs, image and caption: every candidate B, then every C."""
    both = [pairs[["image", f"candidate_{side}"]] for side in "bc"]
    return pd.concat(
        [each.set_axis(["image", "caption"], axis=1) for each in both]
    )
