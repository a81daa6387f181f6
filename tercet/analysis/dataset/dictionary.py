"""The data dictionary of a study's export: what stands in every column of every file.

`DICTIONARY` explains the tables and dataset.json; tests hold it against the tables themselves. The
site adds study.json, whose settings explain themselves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd

from tercet.analysis.tables.schema import (
    ADJUDICATIONS,
    ANNOTATORS,
    CANDIDATES,
    CATEGORIES,
    GOLD,
    IMAGES,
    LONGEST_TITLE,
    NEEDED,
    PAIRS,
    RATINGS,
    REFERENCES,
    SENTENCES,
    VOTES,
)
from tercet.analysis.tables.settings import DATASET_FILE, DEFUSED

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
_SOURCE = "human, or the name of a system"
_QUESTION_REFERENCE = (
    "from 1; empty under the protocol pairwise, which shows the image itself"
)


@dataclass(frozen=True)
class DictionaryEntry:
    """One column of a table, or one setting of a JSON file."""

    column: str
    meaning: str
    type: str = TEXT
    unit: str = ""
    allowed: str = ""


_choice = partial(DictionaryEntry, type=CHOICE)
_switch = partial(DictionaryEntry, type=SWITCH)
_whole = partial(DictionaryEntry, type=WHOLE)
_decimal = partial(DictionaryEntry, type=DECIMAL)
_time = partial(DictionaryEntry, type=TIME, unit=UTC)
_described = partial(DictionaryEntry, allowed=f"at most {LONGEST_TITLE:,} characters")


PAIR = DictionaryEntry(
    "pair", "The pair that is asked about, by its name in pairs.csv."
)
_REFERENCE = _whole(
    "reference",
    "A: the reference that B and C are compared with, by its number within the pair's image.",
    unit="number",
    allowed=_QUESTION_REFERENCE,
)
IMAGE = DictionaryEntry("image", "The image that is described, by its name.")
_CAPTION = DictionaryEntry("caption", "The caption that is rated.")
BALLOTS = (
    _whole(
        "ties", "Those that neither won (a vote of tie is half a vote for each side)."
    ),
    _choice(
        "winner",
        "The majority of the votes that count, as they stand.",
        allowed="B, C, tie; empty without a vote",
    ),
    _choice(
        "state",
        "Whether the votes are complete; an unfinished one has the winner as its votes stand. "
        "A study that stops early is done with what more votes cannot change.",
        allowed="decided, tie, unfinished",
    ),
)

_COLUMN_ENTRIES = (
    DictionaryEntry("file", "A file of this folder."),
    DictionaryEntry("column", "A column of it, or a setting of a JSON file."),
    DictionaryEntry("type", "What kind of value stands there."),
    DictionaryEntry("unit", "What it is measured in, or how it is written."),
    DictionaryEntry("meaning", "What it says."),
    DictionaryEntry(
        "allowed", "Which values there may be, and what an empty cell means."
    ),
)


def _of_answers(noun: str, checks: str) -> tuple[DictionaryEntry, ...]:
    """Return the entries of `OF_ANSWERS`."""
    return (
        _decimal(
            "seconds",
            f"From the question being shown to the {noun}, by the server's clock.",
            unit="seconds",
            allowed="empty: unknown",
        ),
        _decimal(
            "active_seconds",
            "The same by the browser's clock, without the time the page was hidden or idle.",
            unit="seconds",
            allowed="empty: unknown",
        ),
        _time("created_at", f"When the {noun} was recorded.", allowed="empty: unknown"),
        _choice(
            "status",
            f"Only valid {noun}s count. superseded: undone by the annotator. excluded: by a "
            "researcher. surplus: it came when others had filled its place.",
            allowed="valid or empty, superseded, excluded, surplus",
        ),
        _time("status_at", "When the status last changed.", allowed="empty: never"),
        DictionaryEntry("reason", "Why it was excluded or undone."),
        _choice(
            "purpose",
            f"Only {noun}s of the study count; the others check how careful people are. {checks}",
            allowed="study or empty, gold, repeat",
        ),
    )


DICTIONARY: dict[str, tuple[DictionaryEntry, ...]] = {
    DATASET_FILE: (
        _described("title", "What the dataset is called."),
        _described("description", "What the dataset is."),
        _described("licence", "On which terms it may be used."),
        _described("citation", "How to cite it."),
        _described("url", "Where it comes from."),
        _described(
            "origin",
            "The published datasets that its images and captions are from, such as Flickr8k.",
        ),
        _switch(
            DEFUSED,
            "Whether cells of this folder that a spreadsheet would run as formulas were escaped: "
            "remove the first apostrophe of each cell that begins with one and continues (after "
            "more quotation marks, perhaps) with = + - @, a tab or a line end.",
            allowed="true, false; left out where nothing was escaped",
        ),
    ),
    IMAGES.file: (
        IMAGE,
        DictionaryEntry(
            "file",
            "The picture, if it is in this folder.",
            unit="path below the folder",
        ),
        DictionaryEntry("url", "The picture, if it is elsewhere.", unit="address"),
        DictionaryEntry("alt", "What is to be seen, for those who do not see it."),
        DictionaryEntry(
            "sha256",
            "The digest of the picture's file.",
            unit="SHA-256",
            allowed="64 hexadecimal digits, or empty",
        ),
        DictionaryEntry("licence", "On which terms the picture may be used."),
        DictionaryEntry("source", "Where the picture was taken from."),
    ),
    REFERENCES.file: (
        IMAGE,
        DictionaryEntry(
            "caption",
            "A human caption of the image. The order of an image's lines is the number of its "
            "references, from 1.",
        ),
        DictionaryEntry("author", "Who wrote it, if known."),
        DictionaryEntry(
            "origin",
            "How it came about: written by people, post-edited, or by which model.",
            allowed="any text; empty, human or people: by people",
        ),
    ),
    CANDIDATES.file: (
        IMAGE,
        DictionaryEntry("caption", "A caption that pairs may be made from."),
        DictionaryEntry("source", "Who wrote it.", allowed=_SOURCE),
    ),
    PAIRS.file: (
        DictionaryEntry("pair", "The name of the pair."),
        IMAGE,
        DictionaryEntry("candidate_b", "B: one of the two captions that are compared."),
        DictionaryEntry("candidate_c", "C: the other."),
        _choice(
            "category",
            "HC: two correct human captions. HI: a human caption and one of another image. "
            "HM: human and machine. MM: two machines.",
            allowed=", ".join(CATEGORIES),
        ),
        DictionaryEntry("source_b", "Who wrote B.", allowed=_SOURCE),
        DictionaryEntry("source_c", "Who wrote C.", allowed=_SOURCE),
        _choice(
            "winner",
            "A decision published elsewhere, for datasets without votes. The winner by the votes "
            f"of this study is in {PAIR_WINNERS}.",
            allowed="B, C, tie, or empty: a tie where another pair has one of these",
        ),
    ),
    VOTES.file: (
        PAIR,
        _REFERENCE,
        DictionaryEntry(
            "annotator",
            "Who voted, by a pseudonym.",
            allowed="empty: unknown, another person each line",
        ),
        _choice("choice", "The caption chosen.", allowed="B, C, tie (can't tell)"),
        _whole(
            "strength",
            "How much better it is, where five points were offered.",
            unit="points",
            allowed="0: equal, 1: better, 2: much better; empty where two points were offered",
        ),
        _choice(
            "b_side", "On which side B stood.", allowed="left, right, empty: unknown"
        ),
        *_of_answers(
            "vote",
            "gold: a triplet with a known answer (gold.csv). repeat: one's own earlier question "
            "again, with the sides swapped.",
        ),
    ),
    RATINGS.file: (
        IMAGE,
        _CAPTION,
        _decimal(
            "rating",
            "The value that the annotator gave.",
            unit="that of the aspect's scale in study.json",
            allowed="empty: the annotator could not tell",
        ),
        DictionaryEntry(
            "annotator", "Who rated, by a pseudonym.", allowed="empty: unknown"
        ),
        DictionaryEntry("source", "Who wrote the caption.", allowed=_SOURCE),
        DictionaryEntry(
            "aspect", "What was rated, as named in study.json.", allowed="empty: one"
        ),
        *_of_answers(
            "rating",
            "gold: a caption whose range is known (gold.csv). repeat: one's own earlier question "
            "again.",
        ),
    ),
    SENTENCES.file: (
        IMAGE,
        DictionaryEntry("sentence", "The sentence, as it was written."),
        DictionaryEntry(
            "annotator", "Who wrote it, by a pseudonym.", allowed="empty: unknown"
        ),
        *_of_answers("sentence", "No check is a sentence."),
        DictionaryEntry(
            "rules",
            "The rules of the study that the sentence breaks.",
            unit="names, with spaces between them",
            allowed="empty: none",
        ),
    ),
    GOLD.file: (
        PAIR,
        _REFERENCE,
        _choice("answer", "The caption that a careful person chooses.", allowed="B, C"),
        IMAGE,
        _CAPTION,
        DictionaryEntry("aspect", "The aspect whose range is known."),
        _decimal("low", "The lowest rating that a careful person gives."),
        _decimal("high", "The highest rating that a careful person gives."),
    ),
    NEEDED.file: (
        PAIR,
        _REFERENCE,
        _whole(
            "needed",
            "Answers asked for on this question, where it is another number than study.json has "
            "and not just as many as the question has.",
            unit="answers",
            allowed="from 1",
        ),
        IMAGE,
        _CAPTION,
    ),
    ANNOTATORS.file: (
        DictionaryEntry("annotator", "The pseudonym of a person, as in votes.csv."),
        _time("joined_at", "When they came to the study.", allowed="empty: unknown"),
        _choice(
            "step",
            "How far they came.",
            allowed="consent, instructions, comprehension, practice, judging or empty",
        ),
        _choice(
            "outcome",
            "How it ended. failed: the comprehension questions. screened_out: did not consent. "
            "no_work: no questions were left. stopped: they stopped early.",
            allowed="empty: it did not, done, failed, screened_out, no_work, stopped",
        ),
        _time("finished_at", "When it ended.", allowed="empty: it did not"),
        _time(
            "excluded_at",
            "When a researcher excluded them; their votes have the status excluded.",
            allowed="empty: they were not",
        ),
        DictionaryEntry("excluded_reason", "Why they were excluded."),
        DictionaryEntry(
            "label", "What the researchers call them; only in exports with names."
        ),
        DictionaryEntry(
            "external_id", "What a crowd calls them; only in exports with names."
        ),
        DictionaryEntry("code", "Their completion code; only in exports with names."),
    ),
    ADJUDICATIONS.file: (
        DictionaryEntry("pair", "The pair that was decided, as in pairs.csv."),
        _choice(
            "decision",
            "Which caption one person decided on, with the votes in view. It is no vote, and "
            f"{PAIR_WINNERS} does not count it.",
            allowed="B, C, tie",
        ),
        DictionaryEntry("adjudicator", "Who decided, by a pseudonym."),
        _time("decided_at", "When they did.", allowed="empty: unknown"),
        DictionaryEntry("reason", "Why they decided so."),
        _time(
            "superseded_at",
            "When another decision replaced this one, or it was withdrawn.",
            allowed="empty: it is in force",
        ),
    ),
    PAIR_WINNERS: (
        DictionaryEntry("pair", "The name of the pair, as in pairs.csv."),
        IMAGE,
        _choice("category", "As in pairs.csv.", allowed=", ".join(CATEGORIES)),
        DictionaryEntry("source_b", "Who wrote B."),
        DictionaryEntry("source_c", "Who wrote C."),
        _whole("triplets", "Triplets of the pair that have votes.", unit="triplets"),
        _whole("votes", "Votes on them that count.", unit="votes"),
        _whole("b", "Triplets that B won (under pairwise: votes for B)."),
        _whole("c", "Triplets that C won (under pairwise: votes for C)."),
        *BALLOTS[:1],
        _decimal(
            "vote_share",
            "Votes for B as a share of all.",
            unit=SHARE,
            allowed="empty without any",
        ),
        _decimal(
            "margin",
            "Votes for one side less those for the other, as a share of all.",
            unit="share, 0 (even) to 1 (unanimous)",
            allowed="empty without votes",
        ),
        *BALLOTS[1:],
    ),
    TRIPLET_WINNERS: (
        PAIR,
        _REFERENCE,
        _whole("votes", "Votes on it that count.", unit="votes"),
        _whole("b", "Votes for B.", unit="votes"),
        _whole("c", "Votes for C.", unit="votes"),
        *BALLOTS,
    ),
    REMARKS: (
        DictionaryEntry("annotator", "Who wrote it, by a pseudonym."),
        DictionaryEntry(
            "pair",
            "The pair that was reported, by its name in pairs.csv.",
            allowed="empty: not about a pair",
        ),
        _REFERENCE,
        DictionaryEntry(
            "image",
            "The image of the question that was reported.",
            allowed="empty: a comment on the whole study",
        ),
        DictionaryEntry(
            "caption",
            "The rated caption that was reported.",
            allowed="empty: not about a rated caption",
        ),
        _choice(
            "reason",
            "What was wrong with the question. language: not in the language of the study. "
            "comment: a comment at the end.",
            allowed="language, broken, offensive, other, comment",
        ),
        DictionaryEntry("text", "What they wrote."),
        _switch("skipped", "Whether they skipped the question.", allowed="true, false"),
        _time("written_at", "When they wrote it last."),
    ),
    QUESTIONNAIRES: (
        DictionaryEntry(
            "annotator",
            "Who filled in a questionnaire, by a pseudonym. The other columns are the fields of "
            f"the study's questionnaires, explained in {QUESTIONNAIRE_FIELDS}.",
        ),
    ),
    QUESTIONNAIRE_FIELDS: _COLUMN_ENTRIES,
    FILE: _COLUMN_ENTRIES,
}


def dictionary(
    files: Mapping[str, Iterable[DictionaryEntry]] = DICTIONARY,
) -> pd.DataFrame:
    """Return one row a column of a file, with the columns `COLUMNS`."""
    rows = []
    for file, entries in files.items():
        rows += [{"file": file, **vars(entry)} for entry in entries]

    return pd.DataFrame(rows, columns=list(COLUMNS), dtype="str")


def meanings_of(file: str) -> dict[str, str]:
    """Return what each column of a file means."""
    return {entry.column: entry.meaning for entry in DICTIONARY[file]}


def columns_of(file: str) -> tuple[str, ...]:
    return tuple(entry.column for entry in DICTIONARY[file])
