import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tercet.analysis.dataset.checks import CHECKS, check_image_files
from tercet.analysis.dataset.files import plans_in
from tercet.analysis.dataset.folder import read, write
from tercet.analysis.dataset.rows import sheets_of
from tercet.analysis.tables import schema
from tercet.analysis.tables.csv_tables import Problem, Problems
from tercet.analysis.tables.rules import RowChecks, is_time
from tercet.analysis.tables.schema import Dataset, with_numbers
from tests.support.folders import PAIR_COLUMNS, PAIRS, VOTE_COLUMNS, dataset_folder
from tests.support.pictures import picture

NO_PICTURE = "Add the file, or empty the cell: the image comes in without a picture"
IMAGES = "images.csv"
REFERENCES = "references.csv"
CANDIDATES = "candidates.csv"
PAIRS_FILE = "pairs.csv"
VOTES = "votes.csv"
GOLD = "gold.csv"
NEEDED = "needed.csv"
ANNOTATORS = "annotators.csv"
ADJUDICATIONS = "adjudications.csv"
SCORES = "scores.csv"
RATINGS = "ratings.csv"
SENTENCES = "sentences.csv"
GROUNDING = "grounding.csv"
WORD_SCORES = "word_scores.csv"
HEADERS = {
    IMAGES: "image,file,url",
    REFERENCES: "image,caption,author",
    CANDIDATES: "image,caption,source",
    PAIRS_FILE: ",".join((*PAIR_COLUMNS, "source_b", "source_c", "winner")),
    VOTES: ",".join(
        (*VOTE_COLUMNS, "b_side", "seconds", "active_seconds", "created_at", "status")
    ),
    GOLD: "pair,reference,answer",
    NEEDED: "pair,reference,needed",
    ANNOTATORS: ",".join(schema.ANNOTATORS.columns),
    ADJUDICATIONS: ",".join(schema.ADJUDICATIONS.columns),
    SCORES: "metric,image,caption,pair,score,score_b,score_c,reference_count",
    RATINGS: "image,caption,rating,annotator,source",
    GROUNDING: "span,value",
    WORD_SCORES: "image,word,score,source",
}
GOOD = {
    IMAGES: "dog,,\ncat,,",
    REFERENCES: 'dog,"a\nb",\ndog,b,\ndog,c,\ncat,a,',
    CANDIDATES: "dog,a dog,human",
    PAIRS_FILE: "\n".join(f'{p},{i},"{b}",{c},{k},,,' for p, i, b, c, k in PAIRS),
    VOTES: "p1,1,Ann,B,,,,,",
    ADJUDICATIONS: "p1,B,adjudicator-1,,clear,",
    GOLD: "p1,1,B",
    NEEDED: "p1,1,1",
    ANNOTATORS: "Ann,,,,,,,Ann's,7,\nBob,,,,,,,,,",
    SCORES: "SPICE,dog,a dog runs,,0.5,,,\nSPICE,,,p1,,0.1,-2e-1,\nSPICE,,,p1,,0.1,0,5",
    RATINGS: "dog,a dog,2.5,Ann,human\ndog,a dog,3,Ann,",
    GROUNDING: "boy,human\nGirl,human",
    WORD_SCORES: "dog,park,0.5,one\ndog,park,-1e3,two",
}
LONG = "x" * 201


@dataclass(frozen=True)
class Fault:
    """A line put below the good ones of a file, and what must be said of it."""

    file: str
    line: str
    column: str
    words: str
    remedy: str


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """References and pairs that the lines of the other tables are checked against."""
    return read(dataset_folder(tmp_path_factory.mktemp("good"))).sound()


def write_table(folder: Path, file: str, lines: str) -> Path:
    """A folder with a table where `lines` follow the good ones."""
    text = f"{HEADERS[file]}\n{GOOD[file]}\n{lines}\n"
    (folder / file).write_text(text, encoding="utf-8")
    return folder


def problems(folder: Path, good: Dataset, file: str, lines: str) -> list[Problem]:
    """What is said of one table where `lines` follow the good ones, beside good tables."""
    write_table(folder, file, lines)
    [plan] = plans_in(folder).plans
    [(table, sheet)] = sheets_of(plan).items()
    frame = with_numbers(sheet.frame) if file == REFERENCES else sheet.frame
    frames: dict[str, Any] = {table.name: frame}
    dataset = replace(good, **frames)

    found = Problems()
    found.add(sheet.problems)
    for check, (checked, *_others) in CHECKS:
        if checked == table:
            check(dataset, RowChecks(frame, table, found))
    check_image_files(dataset.images, folder, found)
    return found.kept


def line_after(file: str) -> int:
    lines = GOOD[file].splitlines()
    return len(lines) + 2


@pytest.mark.parametrize("file", GOOD)
def test_good_lines_are_no_problem(tmp_path: Path, good: Dataset, file: str) -> None:
    assert problems(tmp_path, good, file, "") == []


@pytest.mark.parametrize(
    "fault",
    [
        Fault(IMAGES, ",,https://a.org/b.png", "image", "is empty", "Fill it in"),
        Fault(IMAGES, f"{LONG},,", "image", "is too long", "200 characters"),
        Fault(IMAGES, "dog,,", "image", "repeats line 2", "one line"),
        Fault(IMAGES, f"bird,,{'x' * 2001}", "url", "is too long", "2,000 characters"),
        Fault(
            IMAGES, "bird,,http://a.org/b.png", "url", "neither an https", "https://"
        ),
        Fault(
            IMAGES, "bird,,javascript:alert(1)", "url", "neither an https", "https://"
        ),
        Fault(
            IMAGES, "bird,,data:image/png;base64", "url", "neither an https", "https://"
        ),
        Fault(IMAGES, "bird,,//a.org/b.png", "url", "neither an https", "https://"),
        Fault(IMAGES, "bird,,/\\a.org/b.png", "url", "neither an https", "https://"),
        Fault(IMAGES, "bird,none.png,", "file", "does not exist", NO_PICTURE),
        Fault(IMAGES, f"bird,{'é' * 150}.png,", "file", "does not exist", NO_PICTURE),
        Fault(IMAGES, "bird,dog.exe,", "file", "is not a picture", ".svg"),
        Fault(
            IMAGES,
            "bird,../dog.png,",
            "file",
            "is outside the folder",
            "below the folder",
        ),
        Fault(
            IMAGES, "bird,a/../../dog.png,", "file", "is outside the folder", "below"
        ),
        Fault(
            IMAGES,
            "bird,/etc/dog.png,",
            "file",
            "is outside the folder",
            "below the folder",
        ),
        Fault(
            IMAGES,
            r"bird,..\dog.png,",
            "file",
            "is outside the folder",
            "below the folder",
        ),
        Fault(REFERENCES, ",a,", "image", "is empty", "Fill it in or remove"),
        Fault(REFERENCES, "dog,,", "caption", "is empty", "Fill it in or remove"),
        Fault(
            REFERENCES, 'dog," \n\t",', "caption", "is empty", "Fill it in or remove"
        ),
        Fault(REFERENCES, f"dog,a,{LONG}", "author", "is too long", "200 characters"),
        Fault(
            CANDIDATES, "bird,a,human", "image", "is an unknown image", "references.csv"
        ),
        Fault(CANDIDATES, "dog,,human", "caption", "is empty", "Fill it in"),
        Fault(CANDIDATES, "dog,a,", "source", "is empty", "Fill it in"),
        Fault(CANDIDATES, "dog,a dog,human", "caption", "repeats line 2", "Remove one"),
        Fault(PAIRS_FILE, ",dog,a,b,HC,,,", "pair", "is empty", "Fill it in"),
        Fault(
            PAIRS_FILE, "p2,dog,a,b,HC,,,", "pair", "repeats line 3", "name of its own"
        ),
        Fault(
            PAIRS_FILE,
            "p5,bird,a,b,HC,,,",
            "image",
            "is an unknown image",
            "references.csv",
        ),
        Fault(PAIRS_FILE, "p5,dog,,b,HC,,,", "candidate_b", "is empty", "Fill it in"),
        Fault(PAIRS_FILE, "p5,dog,a,,HC,,,", "candidate_c", "is empty", "Fill it in"),
        Fault(
            PAIRS_FILE,
            "p5,dog,a,b,mean,,,",
            "category",
            "is a reserved name",
            "another name",
        ),
        Fault(
            PAIRS_FILE,
            "p5,dog,a,b,ALL,,,",
            "category",
            "is a reserved name",
            "another name",
        ),
        Fault(
            PAIRS_FILE,
            "p5,dog,a,b,None,,,",
            "category",
            "is a reserved name",
            "another name",
        ),
        Fault(
            PAIRS_FILE,
            "p5,dog,a,b,x\x1by,,,",
            "category",
            "is not a plain name",
            "one line",
        ),
        Fault(
            PAIRS_FILE,
            'p5,dog,a,b,"x\ny",,,',
            "category",
            "is not a plain name",
            "one line",
        ),
        Fault(
            PAIRS_FILE, "p5,dog,a,b, HC,,,", "category", "is not a plain name", "spaces"
        ),
        Fault(PAIRS_FILE, f"p5,dog,a,b,{'x' * 61},,,", "category", "is too long", "60"),
        Fault(
            PAIRS_FILE, "p5,dog,a,b,HC,,,A", "winner", "is not a known winner", "B, C"
        ),
        Fault(PAIRS_FILE, f"p5,dog,a,b,HC,{LONG},,", "source_b", "is too long", "200"),
        Fault(PAIRS_FILE, f"p5,dog,a,b,HC,,{LONG},", "source_c", "is too long", "200"),
        Fault(VOTES, "p9,1,Bob,B,,,,,", "pair", "is an unknown pair", "pairs.csv"),
        Fault(
            VOTES,
            "p1,0,Bob,B,,,,,",
            "reference",
            "is not a reference of the image",
            "from 1",
        ),
        Fault(
            VOTES,
            "p1,4,Bob,B,,,,,",
            "reference",
            "is not a reference of the image",
            "from 1",
        ),
        Fault(
            VOTES,
            "p1,-1,Bob,B,,,,,",
            "reference",
            "is not a reference of the image",
            "from 1",
        ),
        Fault(
            VOTES,
            "p1,1.5,Bob,B,,,,,",
            "reference",
            "is not a reference of the image",
            "from 1",
        ),
        Fault(
            VOTES,
            "p1,one,Bob,B,,,,,",
            "reference",
            "is not a reference of the image",
            "from 1",
        ),
        Fault(VOTES, "p1,,Bob,B,,,,,", "reference", "is empty", "from 1"),
        Fault(
            VOTES,
            "p1,01,Bob,B,,,,,",
            "reference",
            "is not a reference of the image",
            "from 1",
        ),
        Fault(
            VOTES,
            "p1,\u0661,Bob,B,,,,,",
            "reference",
            "is not a reference of the image",
            "1",
        ),
        Fault(
            VOTES,
            f"p1,{'9' * 400},Bob,B,,,,,",
            "reference",
            "is not a reference",
            "from 1",
        ),
        Fault(VOTES, "p1,2,Bob,A,,,,,", "choice", "is not a known choice", "B, C, tie"),
        Fault(VOTES, "p1,2,Bob,b,,,,,", "choice", "is not a known choice", "B, C, tie"),
        Fault(VOTES, "p1,2,Bob,,,,,,", "choice", "is empty", "B, C, tie"),
        Fault(
            VOTES, "p1,2,Bob,B,up,,,,", "b_side", "is not a known b_side", "left, right"
        ),
        Fault(VOTES, "p1,2,Bob,B,,-1,,,", "seconds", "is not a time", "seconds"),
        Fault(VOTES, "p1,2,Bob,B,,nan,,,", "seconds", "is not a time", "seconds"),
        Fault(
            VOTES, "p1,2,Bob,B,,,soon,,", "active_seconds", "is not a time", "seconds"
        ),
        Fault(
            VOTES, "p1,2,Bob,B,,,inf,,", "active_seconds", "is not a time", "seconds"
        ),
        Fault(
            VOTES,
            "p1,2,Bob,B,,,,2026-05-01,",
            "created_at",
            "is not a time",
            "time zone",
        ),
        Fault(
            VOTES, "p1,2,Bob,B,,,,yesterday,", "created_at", "is not a time", "ISO 8601"
        ),
        Fault(VOTES, "p1,2,Bob,B,,,,,gone", "status", "is not a known status", "valid"),
        Fault(
            VOTES, f"p1,2,{LONG},B,,,,,", "annotator", "is too long", "200 characters"
        ),
        Fault(
            VOTES,
            "p1,1,Ann,C,,,,,",
            "annotator",
            "repeats line 2",
            "one vote per triplet",
        ),
        Fault(GOLD, "p9,1,B", "pair", "is an unknown pair", "pairs.csv"),
        Fault(GOLD, "p1,4,B", "reference", "is not a reference of the image", "from 1"),
        Fault(GOLD, "p1,2,tie", "answer", "is not a known answer", "B, C"),
        Fault(GOLD, "p1,1,C", "pair", "repeats line 2", "one answer"),
        Fault(NEEDED, "p9,1,3", "pair", "is an unknown pair", "pairs.csv"),
        Fault(NEEDED, "p1,,3", "reference", "is empty", "from 1"),
        Fault(NEEDED, "p1,2,many", "needed", "is not a number of answers", "from 1"),
        Fault(NEEDED, "p1,1,3", "pair", "repeats line 2", "one line"),
        Fault(ADJUDICATIONS, "p9,B,,,,", "pair", "is an unknown pair", "pairs.csv"),
        Fault(ADJUDICATIONS, "p2,D,,,,", "decision", "is not", "B, C, tie"),
        Fault(ADJUDICATIONS, "p2,B,,soon,,", "decided_at", "is not a time", "ISO 8601"),
        Fault(ADJUDICATIONS, f"p2,B,{LONG},,,", "adjudicator", "is too long", "200"),
        Fault(ANNOTATORS, ",,,done,,,,,,", "annotator", "is empty", "Fill it in"),
        Fault(
            ANNOTATORS, "Ann,,,,,,,,,", "annotator", "repeats line 2", "of their own"
        ),
        Fault(ANNOTATORS, f"{LONG},,,,,,,,,", "annotator", "is too long", "200"),
        Fault(ANNOTATORS, "C,soon,,,,,,,,", "joined_at", "is not a time", "ISO 8601"),
        Fault(ANNOTATORS, "C,,lost,,,,,,,", "step", "is not a known step", "judging"),
        Fault(
            ANNOTATORS, "C,,,left,,,,,,", "outcome", "is not a known outcome", "done"
        ),
        Fault(ANNOTATORS, "C,,,,soon,,,,,", "finished_at", "is not a time", "ISO 8601"),
        Fault(ANNOTATORS, "C,,,,,soon,,,,", "excluded_at", "is not a time", "ISO 8601"),
        Fault(ANNOTATORS, "C,,,,,,,Ann's,,", "label", "repeats line 2", "of their own"),
        Fault(
            ANNOTATORS, "C,,,,,,,,7,", "external_id", "repeats line 2", "of their own"
        ),
        Fault(ANNOTATORS, f"C,,,,,,,{LONG},,", "label", "is too long", "200"),
        Fault(ANNOTATORS, f"C,,,,,,,,,{LONG}", "code", "is too long", "60"),
        Fault(SCORES, ",dog,a,,1,,,", "metric", "is empty", "Fill it in"),
        Fault(SCORES, f"{LONG},dog,a,,1,,,", "metric", "is too long", "200 characters"),
        Fault(SCORES, "CIDEr-D,dog,a,,1,,,", "metric", "is a reserved name", "Rename"),
        Fault(SCORES, "people,dog,a,,1,,,", "metric", "is a reserved name", "Rename"),
        Fault(
            SCORES,
            " CLIP,dog,a,,1,,,",
            "metric",
            "is not a plain name",
            "without spaces",
        ),
        Fault(
            SCORES, '"C\nS",dog,a,,1,,,', "metric", "is not a plain name", "on one line"
        ),
        Fault(
            SCORES, "C\x1bS,dog,a,,1,,,", "metric", "is not a plain name", "on one line"
        ),
        Fault(
            SCORES,
            "CLIP,bird,a,,1,,,",
            "image",
            "is an unknown image",
            "references.csv",
        ),
        Fault(SCORES, "CLIP,,a,,1,,,", "image", "is empty", "references.csv"),
        Fault(SCORES, "CLIP,dog,,,1,,,", "caption", "is empty", "Fill it in"),
        Fault(SCORES, "CLIP,dog,a,,,,,", "score", "is empty", "0.5"),
        Fault(SCORES, "CLIP,dog,a,,high,,,", "score", "is not a finite number", "0.5"),
        Fault(
            SCORES,
            'CLIP,dog,a,,"0,5",,,',
            "score",
            "is not a finite number",
            "decimal point",
        ),
        Fault(SCORES, "CLIP,dog,a,,nan,,,", "score", "is not a finite number", "0.5"),
        Fault(SCORES, "CLIP,dog,a,,-inf,,,", "score", "is not a finite number", "0.5"),
        Fault(SCORES, "CLIP,dog,a,,1e999,,,", "score", "is not a finite number", "0.5"),
        Fault(
            SCORES,
            f"CLIP,dog,a,,{'9' * 400},,,",
            "score",
            "is not a finite number",
            "0.5",
        ),
        Fault(SCORES, "CLIP,,,p9,,1,2,", "pair", "is an unknown pair", "pairs.csv"),
        Fault(SCORES, "CLIP,,,,,1,2,", "pair", "is empty", "pairs.csv"),
        Fault(SCORES, "CLIP,,,p1,,,2,", "score_b", "is empty", "0.5"),
        Fault(SCORES, "CLIP,,,p1,,1,inf,", "score_c", "is not a finite number", "0.5"),
        Fault(
            SCORES,
            "CLIP,dog,a,p1,1,1,2,",
            "metric",
            "both a caption and a pair",
            "image",
        ),
        Fault(
            SCORES, "CLIP,dog,a,p1,1,,,", "metric", "both a caption and a pair", "image"
        ),
        Fault(
            SCORES,
            "CLIP,,,,,,,",
            "metric",
            "neither a caption nor a pair",
            "pair, score_b",
        ),
        Fault(
            SCORES,
            "CLIP,dog,a,,1,,,0",
            "reference_count",
            "not a reference count",
            "from 1",
        ),
        Fault(
            SCORES,
            "CLIP,dog,a,,1,,,5.0",
            "reference_count",
            "not a reference count",
            "whole",
        ),
        Fault(
            SCORES,
            "CLIP,dog,a,,1,,,-1",
            "reference_count",
            "not a reference count",
            "from 1",
        ),
        Fault(
            SCORES,
            "CLIP,dog,a,,1,,,all",
            "reference_count",
            "not a reference count",
            "empty",
        ),
        Fault(
            SCORES,
            "SPICE,dog,a dog runs,,0.6,,,",
            "score",
            "contradicts line 2",
            "Keep one",
        ),
        Fault(
            SCORES, "SPICE,,,p1,,0.2,-0.2,", "score_b", "contradicts line 3", "Keep one"
        ),
        Fault(
            SCORES, "SPICE,,,p1,,0.1,0.2,5", "score_c", "contradicts line 4", "Keep one"
        ),
        Fault(RATINGS, "bird,a,3,,", "image", "is an unknown image", "references.csv"),
        Fault(RATINGS, "dog,,3,,", "caption", "is empty", "Fill it in"),
        Fault(RATINGS, "dog,a,good,,", "rating", "is not a finite number", "0.5"),
        Fault(RATINGS, "dog,a,nan,,", "rating", "is not a finite number", "0.5"),
        Fault(RATINGS, "dog,a,inf,,", "rating", "is not a finite number", "0.5"),
        Fault(
            RATINGS, f"dog,a,3,{LONG},", "annotator", "is too long", "200 characters"
        ),
        Fault(RATINGS, f"dog,a,3,,{LONG}", "source", "is too long", "200 characters"),
        Fault(GROUNDING, ",human", "span", "is empty", "Fill it in"),
        Fault(GROUNDING, "kid,", "value", "is empty", "Fill it in"),
        Fault(GROUNDING, " girl,person", "span", "repeats line 3", "Keep one"),
        Fault(
            WORD_SCORES,
            "bird,park,1,one",
            "image",
            "is an unknown image",
            "references.csv",
        ),
        Fault(WORD_SCORES, "dog,,1,one", "word", "is empty", "Fill it in"),
        Fault(
            WORD_SCORES, "dog,tree,high,one", "score", "is not a finite number", "0.5"
        ),
        Fault(WORD_SCORES, "dog,tree,1,", "source", "is empty", "Fill it in"),
        Fault(WORD_SCORES, "dog,park,1,two", "word", "repeats line 3", "Keep one"),
    ],
    ids=lambda fault: f"{fault.file}-{fault.column}-{fault.line[:30]}",
)
def test_a_faulty_line_is_named_with_its_column_and_a_remedy(
    tmp_path: Path, good: Dataset, fault: Fault
) -> None:
    [problem] = problems(tmp_path, good, fault.file, fault.line)
    assert (problem.file, problem.line) == (fault.file, line_after(fault.file))
    assert problem.column == fault.column

    assert fault.words in str(problem.what)
    assert fault.remedy in str(problem.remedy)


def test_a_line_is_right_after_quoted_line_breaks(
    tmp_path: Path, good: Dataset
) -> None:
    [problem] = problems(
        tmp_path, good, PAIRS_FILE, 'p5,dog,"one\ntwo\n",b,HC,,,\np6,cow,a,b,HC,,,'
    )

    assert (problem.line, problem.column, problem.value) == (9, "image", "cow")


def test_an_image_that_images_csv_does_not_list_is_unknown(tmp_path: Path) -> None:
    write_table(dataset_folder(tmp_path), IMAGES, "bird,,")
    assert read(tmp_path).problems == []

    (tmp_path / IMAGES).write_text("image\ndog\n", encoding="utf-8")
    found = read(tmp_path).problems

    assert [(problem.file, problem.line, problem.column) for problem in found] == [
        (REFERENCES, line, "image") for line in (5, 6, 7)
    ]


def test_two_unknown_persons_may_answer_one_triplet(
    tmp_path: Path, good: Dataset
) -> None:
    assert (
        problems(tmp_path, good, VOTES, "p1,1,,B,,,,,\np1,1,,C,,,,,\np1,1,,C,,,,,")
        == []
    )


def test_one_annotator_may_answer_many_triplets(tmp_path: Path, good: Dataset) -> None:
    assert (
        problems(
            tmp_path, good, VOTES, "p1,2,Ann,B,,,,,\np2,1,Ann,C,,,,,\np1,1,Bob,C,,,,,"
        )
        == []
    )


def test_a_vote_may_take_no_time_and_any_time_below_the_limit(
    tmp_path: Path, good: Dataset
) -> None:
    limit = 10**9
    quick = f"p1,2,Bob,B,,0,0,,\np1,3,Bob,B,,{limit - 1},,,"
    assert problems(tmp_path, good, VOTES, quick) == []

    [problem] = problems(tmp_path, good, VOTES, f"p1,2,Bob,B,,{limit},,,")
    assert (problem.column, problem.what) == ("seconds", "is not a time")


@pytest.mark.parametrize("status", ["superseded", "excluded", "surplus"])
def test_a_vote_that_does_not_count_is_no_second_vote(
    tmp_path: Path, good: Dataset, status: str
) -> None:
    assert problems(tmp_path, good, VOTES, f"p1,1,Ann,C,,,,,{status}") == []


VOTE_STATES = "pair,reference,annotator,choice,status_at,purpose"


@pytest.mark.parametrize("purpose", ["gold", "repeat"])
def test_one_may_be_asked_again_as_a_check(tmp_path: Path, purpose: str) -> None:
    dataset_folder(tmp_path)
    lines = f"{VOTE_STATES}\np1,1,Ann,B,,\np1,1,Ann,C,,{purpose}\n"
    (tmp_path / VOTES).write_text(lines, encoding="utf-8")

    assert read(tmp_path).problems == []

    (tmp_path / VOTES).write_text(f"{lines}p1,1,Ann,B,,{purpose}\n", encoding="utf-8")
    [problem] = read(tmp_path).problems

    assert (problem.line, str(problem.what)) == (4, "repeats line 3")


def test_a_purpose_left_out_is_the_study_itself(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    lines = f"{VOTE_STATES}\np1,1,Ann,B,,\np1,1,Ann,C,,study\n"
    (tmp_path / VOTES).write_text(lines, encoding="utf-8")

    [problem] = read(tmp_path).problems
    assert (problem.line, str(problem.what)) == (3, "repeats line 2")


@pytest.mark.parametrize(
    ("cells", "column", "words"),
    [
        ("then,", "status_at", "is not a time"),
        (",test", "purpose", "is not a known purpose"),
    ],
)
def test_what_a_vote_was_for_and_when_it_changed_is_checked(
    tmp_path: Path, cells: str, column: str, words: str
) -> None:
    dataset_folder(tmp_path)
    (tmp_path / VOTES).write_text(
        f"{VOTE_STATES}\np1,1,Ann,B,{cells}\n", encoding="utf-8"
    )
    [problem] = read(tmp_path).problems

    assert (problem.column, str(problem.what)) == (column, words)


def test_a_pair_has_one_decision_in_force(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    lines = (
        "pair,decision,superseded_at\np1,B,2026-05-01T09:30:00+00:00\np1,C,\np1,tie,\n"
    )
    (tmp_path / ADJUDICATIONS).write_text(lines, encoding="utf-8")

    [problem] = read(tmp_path).problems
    place = (problem.file, problem.line, problem.column)
    assert place == (ADJUDICATIONS, 4, "pair")
    assert "superseded_at" in str(problem.remedy)


def test_a_triplet_needs_as_many_votes_as_it_has(tmp_path: Path) -> None:
    dataset_folder(tmp_path, votes=[("p1", 1, "", "B")] * 3)
    (tmp_path / NEEDED).write_text("pair,reference,needed\np1,1,2\n", encoding="utf-8")
    [problem] = read(tmp_path).problems

    place = (problem.file, problem.line, problem.column)
    assert place == (NEEDED, 2, "needed")
    assert "is less than the question has" in str(problem.what)


def test_a_triplet_needs_at_most_a_thousand_votes_or_those_it_has(
    tmp_path: Path,
) -> None:
    dataset_folder(tmp_path, votes=[("p1", 1, "", "B")] * 1_001)
    lines = "pair,reference,needed\np1,1,1001\np1,2,1000\np1,3,1001\n"
    (tmp_path / NEEDED).write_text(lines, encoding="utf-8")

    [problem] = read(tmp_path).problems
    assert (problem.line, problem.column) == (4, "needed")
    assert "1,000" in str(problem.remedy)


def test_every_optional_cell_may_be_filled_in(tmp_path: Path, good: Dataset) -> None:
    time = "2026-05-01T09:30:00.25+02:00"
    assert (
        problems(tmp_path, good, VOTES, f"p1,2,Ann,tie,left,0.25,1e2,{time},valid")
        == []
    )


def test_one_may_score_a_caption_again_alike_or_with_other_references(
    tmp_path: Path, good: Dataset
) -> None:
    lines = ["SPICE,dog,a dog runs,,0.50,,,", "SPICE,dog,a dog runs,,0.6,,,2"]
    others = ["METEOR+,dog,a dog runs,,0.7,,,", "SPICE,cat,a dog runs,,0.8,,,"]
    assert problems(tmp_path, good, SCORES, "\n".join(lines + others)) == []


def test_a_name_that_is_taken_is_one_problem_however_many_lines_have_it(
    tmp_path: Path, good: Dataset
) -> None:
    [problem] = problems(tmp_path, good, SCORES, "CIDEr,dog,a,,1,,,\nCIDEr,dog,b,,1,,,")
    assert problem.line == 5


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("metric", "SPICE"),
        ("metric,image,caption", "SPICE,dog,a"),
        ("metric,image,score", "SPICE,dog,1"),
        ("metric,pair,score_b", "SPICE,p1,1"),
        ("metric,pair,score", "SPICE,p1,1"),
        ("metric,image,caption,pair,score_b", "SPICE,dog,a,p1,1"),
    ],
)
def test_scores_of_neither_captions_nor_pairs_are_one_problem(
    tmp_path: Path, header: str, line: str
) -> None:
    text = f"{header}\n{line}\n{line}\n"
    (dataset_folder(tmp_path) / SCORES).write_text(text, encoding="utf-8")
    [problem] = read(tmp_path).problems

    assert (problem.file, problem.line) == (SCORES, 1)
    assert "image, caption, score or pair, score_b, score_c" in str(problem.remedy)


def test_scores_without_the_metric_are_a_problem_of_the_header(tmp_path: Path) -> None:
    (dataset_folder(tmp_path) / SCORES).write_text(
        "pair,score_b,score_c\np1,1,2\n", "utf-8"
    )
    [problem] = read(tmp_path).problems

    place = (problem.file, problem.line, problem.column)
    assert place == (SCORES, 1, "metric")


def test_a_caption_that_no_pair_shows_may_be_scored(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    reading = read(write_table(tmp_path, SCORES, "SPICE,cat,unknown,,0.5,,,"))
    assert (reading.problems, reading.warnings) == ([], [])


def test_a_metric_that_scores_nothing_that_is_shown_is_warned_of(
    tmp_path: Path,
) -> None:
    lines = "CLIP,cat,A dog runs,,1,,,\nCLIP,dog,A dog runs,,1,,,\nLLM,,,p2,,1,2,"
    reading = read(write_table(dataset_folder(tmp_path), SCORES, lines))
    assert reading.problems == []

    [warning] = reading.warnings
    assert str(warning).startswith("scores.csv: CLIP scores no candidate")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (CANDIDATES, "image,caption,source\ndog,A dog runs,human\n"),
        (RATINGS, "image,caption,rating\ndog,A dog runs,3\n"),
    ],
)
def test_candidates_and_rated_captions_may_be_scored(
    tmp_path: Path, file: str, text: str
) -> None:
    (dataset_folder(tmp_path) / file).write_text(text, encoding="utf-8")
    scores = "metric,image,caption,score\nCLIP,dog,A dog runs,1\n"
    (tmp_path / SCORES).write_text(scores, encoding="utf-8")

    reading = read(tmp_path)
    assert reading.problems == []

    warnings = map(str, reading.warnings)
    assert list(warnings) == []


def test_pairwise_votes_name_no_reference(tmp_path: Path) -> None:
    dataset_folder(tmp_path, votes=[("p1", "", "Ann", "B"), ("p1", "", "Bob", "C")])
    assert read(tmp_path).problems == []


def test_a_reference_is_not_asked_for_under_pairwise(tmp_path: Path) -> None:
    dataset_folder(tmp_path, votes=[("p1", "", "Ann", "B"), ("p2", 1, "Ann", "C")])
    (tmp_path / "study.json").write_text('{"protocol": "pairwise"}', encoding="utf-8")
    [problem] = read(tmp_path).problems

    assert (problem.line, problem.column, problem.value) == (3, "reference", "1")
    assert "study.json" in str(problem.remedy)


def test_a_picture_inside_the_folder_is_fine(tmp_path: Path, good: Dataset) -> None:
    (tmp_path / "a").mkdir(parents=True)
    (tmp_path / "a" / "Bird.PNG").write_bytes(picture(".png"))
    assert problems(tmp_path, good, IMAGES, "bird,a/Bird.PNG,") == []


@pytest.mark.parametrize(
    ("file", "settings", "column"),
    [
        ("dataset.json", '{"title": 5}', "title"),
        ("dataset.json", '{"licence": null}', "licence"),
        ("dataset.json", '{"url": ["http://a"]}', "url"),
        ("dataset.json", '{"title": "a\\u0000b"}', "title"),
        ("dataset.json", '{"title": "a\\u001bb"}', "title"),
        ("dataset.json", '{"title": "\\ud800"}', "title"),
        ("study.json", '{"protocol": "both"}', "protocol"),
        ("study.json", '{"protocol": null}', "protocol"),
        ("study.json", '{"votes": 0}', "votes"),
        ("study.json", '{"votes": true}', "votes"),
        ("study.json", '{"votes": 3.0}', "votes"),
        ("study.json", '{"votes": 1e999}', "votes"),
        ("study.json", '{"references": "all"}', "references"),
    ],
)
def test_a_wrong_setting_is_named(
    tmp_path: Path, file: str, settings: str, column: str
) -> None:
    (dataset_folder(tmp_path) / file).write_text(settings, encoding="utf-8")
    [problem] = read(tmp_path).problems

    assert (problem.file, problem.column) == (file, column)
    assert str(problem.what) == "is not a valid setting"
    assert "remove the setting" in str(problem.remedy)


def test_good_settings_are_no_problem(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    settings = '{"title": "Ä\\n$", "description": "", "licence": "MIT", "more": [1]}'
    (tmp_path / "dataset.json").write_text(settings, encoding="utf-8")
    study = '{"title": "S", "protocol": "triplet", "votes": 3, "references": null, "seed": 0}'
    (tmp_path / "study.json").write_text(study, encoding="utf-8")

    reading = read(tmp_path)
    assert reading.problems == []
    assert reading.dataset.info["licence"] == "MIT"
    assert "more" not in reading.dataset.info


@pytest.mark.parametrize(
    "category", ["", "HC", "foil", "hc", "Länder, Städte", "x" * 60]
)
def test_a_category_is_any_short_text_or_none(
    tmp_path: Path, good: Dataset, category: str
) -> None:
    assert problems(tmp_path, good, PAIRS_FILE, f'p5,dog,a,b,"{category}",,,') == []


def test_pairs_need_no_category(tmp_path: Path) -> None:
    dataset_folder(tmp_path, pairs=None)
    lines = "pair,image,candidate_b,candidate_c\np1,dog,a,b\n"
    (tmp_path / PAIRS_FILE).write_text(lines, encoding="utf-8")

    categories = read(tmp_path).sound().pairs["category"]
    assert categories.tolist() == [""]


def test_equal_candidates_are_kept_with_a_warning(tmp_path: Path) -> None:
    dataset_folder(
        tmp_path, pairs=[("p1", "dog", "a", "b", "HC"), ("p2", "dog", "a", "a", "HC")]
    )
    reading = read(tmp_path)

    assert len(reading.sound().pairs) == 2

    warnings = map(str, reading.warnings)
    assert list(warnings) == [
        "pairs.csv: 1 pair has two equal candidates (line 3): a tie for every metric, and not "
        "asked about"
    ]


def test_repeated_pairs_are_kept_under_their_own_names_with_a_warning(
    tmp_path: Path,
) -> None:
    same = [("a", "b"), ("b", "a")] * 4
    rows = [(f"p{number}", "dog", b, c, "HC") for number, (b, c) in enumerate(same)]
    reading = read(dataset_folder(tmp_path, pairs=rows))

    assert reading.sound().pairs["pair"].tolist() == [row[0] for row in rows]

    warnings = map(str, reading.warnings)
    assert list(warnings) == [
        "pairs.csv: 7 pairs repeat earlier pairs (line 3, 4, 5, 6, 7, …) under another name: kept"
    ]


def test_lines_are_not_judged_by_a_table_that_could_not_be_read(tmp_path: Path) -> None:
    dataset_folder(tmp_path, votes=[("p1", 1, "Ann", "B")])
    (tmp_path / REFERENCES).write_text('image,"caption\ndog,a dog\n', encoding="utf-8")

    assert [each.file for each in read(tmp_path).problems] == [REFERENCES]


def test_a_time_that_does_not_exist_in_utc_is_no_time() -> None:
    assert is_time("2026-05-01T09:30:00+00:00")
    assert not is_time("0001-01-01T00:00:00+05:00")
    assert not is_time("2026-05-01T09:30:00")


RATED = {
    "study.json": json.dumps(
        {
            "protocol": "rating",
            "aspects": "Is it right?\n[correctness: grades, 1 to 5]\n- no\n- yes\n\n"
            "How good is it?\n[overall: slider, 0 to 100]",
        }
    ),
    "references.csv": "image,caption\ndog,a dog\ncat,a cat\n",
    "candidates.csv": "image,caption,source\ndog,a dog runs,one\ndog,a dog runs,two\n",
    "ratings.csv": "image,caption,rating,annotator,source,aspect,status,purpose\n"
    "dog,a dog runs,5,Ann,one,correctness,,\ndog,a dog runs,5,Ann,two,correctness,,\n"
    "dog,a dog runs,99.5,Ann,one,overall,valid,study\n"
    "dog,a dog runs,1,Bob,one,correctness,superseded,\n"
    "dog,a dog runs,,Bob,one,correctness,,\n",
    "gold.csv": "image,caption,aspect,low,high\ndog,a red car,correctness,1,2\n",
    "needed.csv": "image,caption,needed\ndog,a dog runs,4\n",
}
WRITTEN = {
    "study.json": '{"protocol": "sentence"}',
    "images.csv": "image,file\ndog,\ncat,\n",
    "sentences.csv": "image,sentence,annotator,status,rules\n"
    'dog,"A dog, <3 it",Ann,,\ndog,A hound,Bob,,short\ndog,Dog,Bob,superseded,\n',
    "needed.csv": "image,caption,needed\ndog,,3\n",
}


def written(folder: Path, tables: dict[str, str]) -> Path:
    for name, text in tables.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("tables", [RATED, WRITTEN], ids=["ratings", "sentences"])
def test_ratings_and_sentences_are_read_and_written_the_same(
    tmp_path: Path, tables: dict[str, str]
) -> None:
    (tmp_path / "given").mkdir()
    reading = read(written(tmp_path / "given", tables))
    assert not [str(each) for each in reading.problems]
    write(reading.dataset, tmp_path / "again")
    again = read(tmp_path / "again").sound()
    for table, rows in reading.dataset.frames.items():
        pd.testing.assert_frame_equal(again.frames[table], rows)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(
            RATINGS,
            "dog,a dog runs,6,Cid,one,correctness,,",
            "rating",
            "scale",
            "whole number from 1 to 5",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,2.5,Cid,one,correctness,,",
            "rating",
            "scale",
            "whole number from 1 to 5",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,-1,Cid,one,overall,,",
            "rating",
            "scale",
            "a number from 0 to 100",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,nan,Cid,one,overall,,",
            "rating",
            "finite number",
            "0.5",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,3,Cid,one,fluency,,",
            "aspect",
            "not an aspect of the study",
            "correctness, overall",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,3,Cid,one,,,",
            "aspect",
            "is empty",
            "correctness, overall",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,3,Cid,one,cor\x1brectness,,",
            "aspect",
            "not an aspect",
            "overall",
        ),
        Fault(
            RATINGS,
            "dog,a  dog runs,3,Cid,one,overall,,",
            "caption",
            "not a candidate",
            "candidates.csv",
        ),
        Fault(
            RATINGS,
            "dog,a horse,3,Cid,one,overall,,",
            "caption",
            "not a candidate",
            "candidates.csv",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,4,Ann,one,correctness,,",
            "annotator",
            "repeats line 2",
            "keep one",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,4,Ann,three,correctness,,",
            "annotator",
            "repeats line 2",
            "keep one",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,3,Cid,one,overall,gone,",
            "status",
            "known status",
            "superseded",
        ),
        Fault(
            RATINGS,
            "dog,a dog runs,3,Cid,one,overall,,fun",
            "purpose",
            "known purpose",
            "gold",
        ),
        Fault(CANDIDATES, "dog,a dog runs ,three", "caption", "spaces", "same way"),
        Fault(GOLD, "dog,a car,correctness,3,2", "low", "above high", "lowest"),
        Fault(GOLD, "dog,a car,correctness,1,6", "high", "scale", "1 to 5"),
        Fault(GOLD, "dog,a car,correctness,,2", "low", "is empty", "0.5"),
        Fault(GOLD, "dog,a car,fluency,1,2", "aspect", "not an aspect", "overall"),
        Fault(
            GOLD,
            "dog,a red car,correctness,1,3",
            "aspect",
            "repeats line 2",
            "one range",
        ),
        Fault(
            GOLD, "bird,a car,correctness,1,3", "image", "unknown image", "references"
        ),
        Fault(NEEDED, "dog,a dog runs,5", "image", "repeats line 2", "one line"),
        Fault(NEEDED, "bird,a dog runs,5", "image", "unknown image", "references"),
    ],
    ids=lambda fault: fault.line,
)
def test_a_fault_of_ratings_is_named(tmp_path: Path, fault: Fault) -> None:
    assert_named(tmp_path, RATED, fault)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(SENTENCES, "bird,A bird,Ann,,", "image", "unknown image", "Correct"),
        Fault(SENTENCES, "cat,  ,Ann,,", "sentence", "is empty", "Fill it in"),
        Fault(SENTENCES, f"cat,{'x' * 2001},Ann,,", "sentence", "too long", "2,000"),
        Fault(SENTENCES, "cat,A <b>cat</b>,Ann,,", "sentence", "HTML", "tags"),
        Fault(SENTENCES, "cat,A \x1bcat,Ann,,", "sentence", "control", "Remove it"),
        Fault(SENTENCES, "dog,Again,Ann,,", "annotator", "repeats line 2", "one"),
        Fault(IMAGES, "dog,", "image", "repeats line 2", "one line"),
        Fault(NEEDED, "cat,,0", "needed", "number of answers", "from 1"),
    ],
    ids=lambda fault: fault.line[:30],
)
def test_a_fault_of_sentences_is_named(tmp_path: Path, fault: Fault) -> None:
    assert_named(tmp_path, WRITTEN, fault)


def assert_named(folder: Path, tables: dict[str, str], fault: Fault) -> None:
    """The faulty line, below the good ones, is the only problem of the folder."""
    lines = tables[fault.file] + fault.line + "\n"
    [problem] = read(written(folder, tables | {fault.file: lines})).problems
    place = (problem.file, problem.line, problem.column)
    assert place == (fault.file, lines.count("\n"), fault.column)
    assert fault.words in problem.what
    assert fault.remedy in problem.remedy


def test_a_question_needs_the_answers_that_it_has(tmp_path: Path) -> None:
    for name, tables, few in (("a", RATED, 1), ("b", WRITTEN, 1)):
        (tmp_path / name).mkdir()
        caption = "a dog runs" if tables is RATED else ""
        needed = {NEEDED: f"image,caption,needed\ndog,{caption},{few}\n"}
        [problem] = read(written(tmp_path / name, tables | needed)).problems
        assert problem.what == "is less than the question has"


def test_ratings_without_a_study_have_any_aspect_and_scale(tmp_path: Path) -> None:
    tables = {name: RATED[name] for name in ("references.csv", "candidates.csv")}
    lines = "dog,a  dog,-7.5,Ann,x,any\ndog,a dog,3,Ann,x,any\n"
    ratings = f"image,caption,rating,annotator,source,aspect\n{lines}"
    assert not read(written(tmp_path, tables | {RATINGS: ratings})).problems


def test_only_valid_ratings_with_a_value_count(tmp_path: Path) -> None:
    counted = read(written(tmp_path, RATED)).dataset.valid_ratings
    assert counted["rating"].tolist() == ["5", "5", "99.5"]
