"""The data dictionary of a study's export: what stands in every column of every file.

`DICTIONARY` is the one place; tests hold it against the tables and settings themselves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tercet.analysis.tables.schema import (
    ADJUDICATIONS,
    ANNOTATORS,
    CANDIDATES,
    CATEGORIES,
    GOLD,
    IMAGES,
    NEEDED,
    PAIRS,
    REFERENCES,
    VOTES,
)
from tercet.analysis.tables.settings import FIRST_VERSION, Setting
from tercet.analysis.tables.study_settings import (
    DATASET_FILE,
    DATASET_SETTINGS,
    STUDY_FILE,
    STUDY_SETTINGS,
)

FILE = "DICTIONARY.csv"
PAIR_WINNERS, TRIPLET_WINNERS = "winners/pairs.csv", "winners/triplets.csv"
REMARKS = "people/remarks.csv"
QUESTIONNAIRES = "people/questionnaires.csv"
QUESTIONNAIRE_FIELDS = "people/questionnaires_dictionary.csv"
"""Explains the columns of `QUESTIONNAIRES`, which each study makes its own."""
COLUMNS = ("file", "column", "type", "unit", "meaning", "allowed")

TEXT, WHOLE, DECIMAL, TIME = "text", "whole number", "decimal number", "time"
CHOICE, SWITCH = "choice", "true or false"
UTC = "ISO 8601 with the time zone, UTC"
SHARE = "share, 0 to 1"
_QUESTION_REFERENCE = (
    "from 1; empty under the protocol pairwise, which shows the image itself"
)


@dataclass(frozen=True)
class Entry:
    """One column of a table, or one setting of a JSON file."""

    column: str
    type: str
    meaning: str
    unit: str = ""
    allowed: str = ""


def _setting_entry(setting: Setting[Any]) -> Entry:
    """Explain one setting of a JSON file."""
    since = "" if setting.since == FIRST_VERSION else f" Since version {setting.since}."
    meaning = setting.meaning + since

    return Entry(
        setting.name, setting.kind, meaning, setting.unit, setting.allowed.english
    )


PAIR = Entry("pair", TEXT, "The pair that is asked about, by its name in pairs.csv.")
_REFERENCE = Entry(
    "reference",
    WHOLE,
    "A: the reference that B and C are compared with, by its number within the pair's image.",
    "number",
    _QUESTION_REFERENCE,
)
IMAGE = Entry("image", TEXT, "The image that is described, by its name.")
BALLOTS = (
    Entry(
        "ties",
        WHOLE,
        "Those that neither won (a vote of tie is half a vote for each side).",
    ),
    Entry(
        "winner",
        CHOICE,
        "The majority of the votes that count, as they stand.",
        allowed="B, C, tie; empty without a vote",
    ),
    Entry(
        "state",
        CHOICE,
        "Whether the votes are complete; an unfinished one has the winner as its votes stand. "
        "A study that stops early is done with what more votes cannot change.",
        allowed="decided, tie, unfinished",
    ),
)

_COLUMN_ENTRIES = (
    Entry("file", TEXT, "A file of this folder."),
    Entry("column", TEXT, "A column of it, or a setting of a JSON file."),
    Entry("type", TEXT, "What kind of value stands there."),
    Entry("unit", TEXT, "What it is measured in, or how it is written."),
    Entry("meaning", TEXT, "What it says."),
    Entry("allowed", TEXT, "Which values there may be, and what an empty cell means."),
)

DICTIONARY: dict[str, tuple[Entry, ...]] = {
    DATASET_FILE: tuple(map(_setting_entry, DATASET_SETTINGS)),
    STUDY_FILE: tuple(map(_setting_entry, STUDY_SETTINGS)),
    IMAGES.file: (
        IMAGE,
        Entry(
            "file",
            TEXT,
            "The picture, if it is in this folder.",
            "path below the folder",
        ),
        Entry("url", TEXT, "The picture, if it is elsewhere.", "address"),
        Entry("alt", TEXT, "What is to be seen, for those who do not see it."),
    ),
    REFERENCES.file: (
        IMAGE,
        Entry(
            "caption",
            TEXT,
            "A human caption of the image. The order of an image's lines is the number of its "
            "references, from 1.",
        ),
        Entry("author", TEXT, "Who wrote it, if known."),
    ),
    CANDIDATES.file: (
        IMAGE,
        Entry("caption", TEXT, "A caption that pairs may be made from."),
        Entry(
            "source", TEXT, "Who wrote it.", allowed="human, or the name of a system"
        ),
    ),
    PAIRS.file: (
        Entry("pair", TEXT, "The name of the pair."),
        IMAGE,
        Entry("candidate_b", TEXT, "B: one of the two captions that are compared."),
        Entry("candidate_c", TEXT, "C: the other."),
        Entry(
            "category",
            CHOICE,
            "HC: two correct human captions. HI: a human caption and one of another image. "
            "HM: human and machine. MM: two machines.",
            allowed=", ".join(CATEGORIES),
        ),
        Entry(
            "source_b", TEXT, "Who wrote B.", allowed="human, or the name of a system"
        ),
        Entry(
            "source_c", TEXT, "Who wrote C.", allowed="human, or the name of a system"
        ),
        Entry(
            "winner",
            CHOICE,
            "A decision published elsewhere, for datasets without votes. The winner by the votes "
            f"of this study is in {PAIR_WINNERS}.",
            allowed="B, C, or empty",
        ),
    ),
    VOTES.file: (
        PAIR,
        _REFERENCE,
        Entry(
            "annotator",
            TEXT,
            "Who voted, by a pseudonym.",
            allowed="empty: unknown, another person each line",
        ),
        Entry(
            "choice", CHOICE, "The caption chosen.", allowed="B, C, tie (can't tell)"
        ),
        Entry(
            "b_side",
            CHOICE,
            "On which side B stood.",
            allowed="left, right, empty: unknown",
        ),
        Entry(
            "seconds",
            DECIMAL,
            "From the question being shown to the vote, by the server's clock.",
            "seconds",
            "empty: unknown",
        ),
        Entry(
            "active_seconds",
            DECIMAL,
            "The same by the browser's clock, without the time the page was hidden or idle.",
            "seconds",
            "empty: unknown",
        ),
        Entry("created_at", TIME, "When the vote was recorded.", UTC, "empty: unknown"),
        Entry(
            "status",
            CHOICE,
            "Only valid votes count. superseded: undone by the annotator. excluded: by a "
            "researcher. surplus: it came when others had filled its place.",
            allowed="valid or empty, superseded, excluded, surplus",
        ),
        Entry("status_at", TIME, "When the status last changed.", UTC, "empty: never"),
        Entry("reason", TEXT, "Why it was excluded or undone."),
        Entry(
            "purpose",
            CHOICE,
            "Only votes of the study count; the others check how careful people are. gold: a "
            "triplet with a known answer (gold.csv). repeat: one's own earlier question again, "
            "with the sides swapped.",
            allowed="study or empty, gold, repeat",
        ),
    ),
    GOLD.file: (
        PAIR,
        _REFERENCE,
        Entry(
            "answer",
            CHOICE,
            "The caption that a careful person chooses.",
            allowed="B, C",
        ),
    ),
    NEEDED.file: (
        PAIR,
        _REFERENCE,
        Entry(
            "needed",
            WHOLE,
            "Votes asked for on this triplet, where it is another number than study.json has and "
            "not just as many as the triplet has.",
            "votes",
            "from 1",
        ),
    ),
    ANNOTATORS.file: (
        Entry("annotator", TEXT, "The pseudonym of a person, as in votes.csv."),
        Entry("joined_at", TIME, "When they came to the study.", UTC, "empty: unknown"),
        Entry(
            "step",
            CHOICE,
            "How far they came.",
            allowed="consent, instructions, comprehension, practice, judging or empty",
        ),
        Entry(
            "outcome",
            CHOICE,
            "How it ended. failed: the comprehension questions. screened_out: did not consent. "
            "no_work: no questions were left. stopped: they stopped early.",
            allowed="empty: it did not, done, failed, screened_out, no_work, stopped",
        ),
        Entry("finished_at", TIME, "When it ended.", UTC, "empty: it did not"),
        Entry(
            "excluded_at",
            TIME,
            "When a researcher excluded them; their votes have the status excluded.",
            UTC,
            "empty: they were not",
        ),
        Entry("excluded_reason", TEXT, "Why they were excluded."),
        Entry(
            "label", TEXT, "What the researchers call them; only in exports with names."
        ),
        Entry(
            "external_id", TEXT, "What a crowd calls them; only in exports with names."
        ),
        Entry("code", TEXT, "Their completion code; only in exports with names."),
    ),
    ADJUDICATIONS.file: (
        Entry("pair", TEXT, "The pair that was decided, as in pairs.csv."),
        Entry(
            "decision",
            CHOICE,
            "Which caption one person decided on, with the votes in view. It is no vote, and "
            f"{PAIR_WINNERS} does not count it.",
            allowed="B, C, tie",
        ),
        Entry("adjudicator", TEXT, "Who decided, by a pseudonym."),
        Entry("decided_at", TIME, "When they did.", UTC, "empty: unknown"),
        Entry("reason", TEXT, "Why they decided so."),
        Entry(
            "superseded_at",
            TIME,
            "When another decision replaced this one, or it was withdrawn.",
            UTC,
            "empty: it is in force",
        ),
    ),
    PAIR_WINNERS: (
        Entry("pair", TEXT, "The name of the pair, as in pairs.csv."),
        IMAGE,
        Entry("category", CHOICE, "As in pairs.csv.", allowed=", ".join(CATEGORIES)),
        Entry("source_b", TEXT, "Who wrote B."),
        Entry("source_c", TEXT, "Who wrote C."),
        Entry("triplets", WHOLE, "Triplets of the pair that have votes.", "triplets"),
        Entry("votes", WHOLE, "Votes on them that count.", "votes"),
        Entry("b", WHOLE, "Triplets that B won (under pairwise: votes for B)."),
        Entry("c", WHOLE, "Triplets that C won (under pairwise: votes for C)."),
        *BALLOTS[:1],
        Entry(
            "vote_share",
            DECIMAL,
            "Votes for B as a share of all.",
            SHARE,
            "empty without any",
        ),
        Entry(
            "margin",
            DECIMAL,
            "Votes for one side less those for the other, as a share of all.",
            "share, 0 (even) to 1 (unanimous)",
            "empty without votes",
        ),
        *BALLOTS[1:],
    ),
    TRIPLET_WINNERS: (
        PAIR,
        _REFERENCE,
        Entry("votes", WHOLE, "Votes on it that count.", "votes"),
        Entry("b", WHOLE, "Votes for B.", "votes"),
        Entry("c", WHOLE, "Votes for C.", "votes"),
        *BALLOTS,
    ),
    REMARKS: (
        Entry("annotator", TEXT, "Who wrote it, by a pseudonym."),
        Entry(
            "pair",
            TEXT,
            "The pair that was reported, by its name in pairs.csv.",
            allowed="empty: a comment on the whole study",
        ),
        _REFERENCE,
        Entry(
            "reason",
            CHOICE,
            "What was wrong with the question. language: not in the language of the study. "
            "comment: a comment at the end.",
            allowed="language, broken, offensive, other, comment",
        ),
        Entry("text", TEXT, "What they wrote."),
        Entry(
            "skipped",
            SWITCH,
            "Whether they skipped the question.",
            allowed="true, false",
        ),
        Entry("written_at", TIME, "When they wrote it last.", UTC),
    ),
    QUESTIONNAIRES: (
        Entry(
            "annotator",
            TEXT,
            "Who filled in a questionnaire, by a pseudonym. The other columns are the fields of "
            f"the study's questionnaires, explained in {QUESTIONNAIRE_FIELDS}.",
        ),
    ),
    QUESTIONNAIRE_FIELDS: _COLUMN_ENTRIES,
    FILE: _COLUMN_ENTRIES,
}


def dictionary(files: Mapping[str, Iterable[Entry]] = DICTIONARY) -> pd.DataFrame:
    """Return one row a column of a file, with the columns `COLUMNS`."""
    rows = [
        (file, entry.column, entry.type, entry.unit, entry.meaning, entry.allowed)
        for file, entries in files.items()
        for entry in entries
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype="str")


def meanings_of(file: str) -> dict[str, str]:
    """Return what each column of a file means."""
    return {entry.column: entry.meaning for entry in DICTIONARY[file]}


def columns_of(file: str) -> tuple[str, ...]:
    return tuple(entry.column for entry in DICTIONARY[file])
