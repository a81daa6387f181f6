import csv
import tracemalloc
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.dataset.folder import (
    check,
    files,
    load,
    problems_csv,
    read,
    with_scores,
    write,
)
from tercet.analysis.tables import csv_tables, limits
from tercet.analysis.tables.csv_tables import FaultyDataset, Problem
from tercet.analysis.tables.schema import (
    ANALYSIS_TABLES,
    ANNOTATORS,
    CAPTION_SCORE,
    GOLD,
    IMAGES,
    NEEDED,
    PAIR_SCORE,
    RATINGS,
    SCORES,
    STUDY_TABLES,
    TABLES,
    Dataset,
)
from tercet.analysis.tables.schema import PAIRS as PAIRS_TABLE
from tercet.analysis.tables.settings import DESCRIBED
from tests.analysis.frames import dataset, frame
from tests.support.examples import examples
from tests.support.folders import (
    DEMO,
    PAIRS,
    REFERENCES,
    dataset_folder,
    three_votes,
    write_csv,
)
from tests.support.pictures import picture
from tests.support.sheets import read_table

AT = "2026-05-01T09:30:00+00:00"
SCORED = ("metric", *PAIR_SCORE)
SCORED_PAIR = [("LLM", "p1", "-0.5", "1")]
TABLE_FILES = [table.file for table in (*TABLES, *ANALYSIS_TABLES, *STUDY_TABLES)]
FILES = [*TABLE_FILES, "dataset.json", "study.json"]
FILLED = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    | st.sampled_from('",;\r\n\t '),
    min_size=1,
    max_size=20,
).filter(str.strip)


def test_a_folder_of_an_earlier_version_that_names_its_language_is_read(
    tmp_path: Path,
) -> None:
    folder = dataset_folder(tmp_path / "small")
    (folder / "study.json").write_text('{"language": "German"}', encoding="utf-8")
    reading = read(folder)

    assert reading.sound().study["language"] == "de"
    assert [
        "“German” is not a code" in str(warning) for warning in reading.warnings
    ] == [True]


def test_a_folder_with_a_bonus_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "small")
    (folder / "study.json").write_text('{"votes": 5, "bonus": 1}', encoding="utf-8")
    reading = read(folder)

    assert reading.sound().study == {"votes": 5}
    [warning] = reading.warnings
    assert "ignores bonus" in str(warning)


def test_a_sound_folder_is_read(tmp_path: Path) -> None:
    reading = read(dataset_folder(tmp_path / "pets", votes=three_votes()))
    assert reading.problems == []
    assert reading.warnings == []

    made = reading.dataset
    assert made.references["caption"].tolist() == [caption for _, caption in REFERENCES]
    assert made.references["number"].tolist() == [1, 2, 3, 1, 2, 3]

    assert made.pairs["pair"].tolist() == [pair for pair, *_ in PAIRS]
    assert len(made.votes) == 36
    assert made.info == {"title": "pets"}
    assert made.study == {}


def test_the_demo_is_sound() -> None:
    reading = read(DEMO)
    assert reading.problems == []
    assert reading.warnings == []


def test_candidates_stand_in_for_pairs(tmp_path: Path) -> None:
    candidates = [("dog", "a dog", "human"), ("dog", "dogs", "system")]
    made = load(dataset_folder(tmp_path, pairs=None, candidates=candidates))

    assert made.pairs.empty

    source = made.candidates["source"]
    assert source.tolist() == ["human", "system"]


def test_ratings_stand_in_for_pairs(tmp_path: Path) -> None:
    dataset_folder(tmp_path, pairs=None)
    write_csv(tmp_path / "ratings.csv", RATINGS.required, [("dog", "a dog", "2.5")])
    made = load(tmp_path)

    assert made.pairs.empty
    assert made.ratings["rating"].tolist() == ["2.5"]


def test_scores_are_read_with_every_column(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    rows = [("LLM", "p1", "0.50", "1")]
    write_csv(tmp_path / "scores.csv", ("metric", *PAIR_SCORE), rows)
    [row] = (
        load(tmp_path).scores[list(SCORES.columns)].itertuples(index=False, name=None)
    )

    assert row == ("LLM", "", "", "", "p1", "0.50", "1", "")


def test_scores_of_another_file_are_added(tmp_path: Path) -> None:
    folder, extra = dataset_folder(tmp_path / "pets"), tmp_path / "clip.tsv"
    rows = [("LLM", "p1", 1, 2)]
    write_csv(folder / "scores.csv", ("metric", *PAIR_SCORE), rows)
    write_csv(extra, ("metric", *CAPTION_SCORE), [("CLIP", "dog", "a dog runs", "0.5")])
    made = load(folder)

    reading = with_scores(made, extra)
    assert reading.problems == []
    assert reading.warnings == []

    both = reading.sound()
    names = both.scores["metric"]
    assert names.tolist() == ["LLM", "CLIP"]

    score = both.scores["score"]
    assert score.tolist() == ["", "0.5"]

    assert both.sha256 != made.sha256
    assert with_scores(both, extra).problems == []

    write(both, tmp_path / "again")
    assert_same(replace(load(tmp_path / "again"), info=made.info), both)


def test_problems_with_another_file_of_scores_are_named_by_it(tmp_path: Path) -> None:
    folder, extra = dataset_folder(tmp_path / "pets"), tmp_path / "clip.csv"
    header = ("metric", *CAPTION_SCORE)
    write_csv(folder / "scores.csv", header, [("CLIP", "dog", "a dog runs", "0.5")])
    lines = [("CLIP", "dog", "a dog runs", "0.6"), ("CLIP", "bird", "a", "x")]
    write_csv(extra, header, lines)

    found = with_scores(load(folder), extra).problems
    assert [(each.file, each.line, each.column, each.value) for each in found] == [
        ("clip.csv", 2, "score", "0.6"),
        ("clip.csv", 3, "image", "bird"),
        ("clip.csv", 3, "score", "x"),
    ]
    assert str(found[0].what) == "contradicts an earlier file"


def test_another_file_of_scores_without_a_score_that_counts_is_warned_of(
    tmp_path: Path,
) -> None:
    rows = [("CLIP", "dog", "no", "1")]
    write_csv(tmp_path / "clip.csv", ("metric", *CAPTION_SCORE), rows)
    [warning] = with_scores(dataset(), tmp_path / "clip.csv").warnings

    assert str(warning).startswith("clip.csv: CLIP scores no candidate")


def test_another_file_of_scores_that_cannot_be_read_is_one_problem(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_text("image,score\ndog,1\n", encoding="utf-8")
    [problem] = with_scores(dataset(), tmp_path / "a.csv").problems

    assert (problem.file, problem.column, str(problem.what)) == (
        "a.csv",
        "metric",
        "is missing",
    )
    with pytest.raises(FaultyDataset, match="is not a file"):
        with_scores(dataset(), tmp_path / "none.csv").sound()


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    [problem] = read(tmp_path / "none").problems
    assert (problem.file, str(problem.what)) == (
        str(tmp_path / "none"),
        "is not a folder",
    )


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    [problem] = read(tmp_path / "file").problems
    assert str(problem.what) == "is not a folder"


def test_what_a_folder_lacks_is_named_with_what_to_add(tmp_path: Path) -> None:
    problems = read(tmp_path).problems
    assert [(problem.file, problem.what) for problem in problems] == [
        (tmp_path.name, "has no references"),
        (tmp_path.name, "has nothing to judge"),
    ]
    assert "image, caption" in problems[0].remedy
    assert "ratings" in problems[1].remedy


@pytest.mark.parametrize("header", ["image,caption", "Image,Reference"])
def test_references_are_read_whatever_their_file_is_called(
    tmp_path: Path, header: str
) -> None:
    folder = dataset_folder(tmp_path / "pets")
    whole = (folder / "references.csv").read_text(encoding="utf-8")
    expected = load(folder)
    (folder / "references.csv").unlink()
    refs = whole.replace("image,caption", header)
    (folder / "refs.csv").write_text(refs, encoding="utf-8")

    assert load(folder).sha256 == expected.sha256


def test_a_file_of_pairs_under_another_name_is_read(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "pets")
    expected = load(folder)
    (folder / "pairs.csv").rename(folder / "questions.csv")

    assert load(folder).sha256 == expected.sha256


def test_a_broken_file_is_named_instead_of_a_missing_one(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "pets")
    (folder / "references.csv").unlink()
    (folder / "refs.xlsx").write_bytes(b"PK nothing")

    [problem] = read(folder).problems
    assert str(problem).startswith(
        "refs.xlsx: is not an Excel file (xlsx) that can be read"
    )


def test_a_folder_in_the_place_of_a_file_is_a_missing_file(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    (tmp_path / "references.csv").unlink()
    (tmp_path / "references.csv").mkdir()

    [problem] = read(tmp_path).problems
    assert (problem.file, problem.what) == ("pairs.csv", "has no references")


@pytest.mark.parametrize("file", ["dataset.json", "study.json"])
@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"title": "x",\n "url": }', 2),
        (b"", 1),
        (b"[1, 2]", 1),
        (b'{"title": "caf\xe9"}', None),
        (b'{"title": "x"}'.decode().encode("utf-16"), None),
        (b"[" * 100_000, None),
        (b'{"votes": ' + b"1" * 5_000 + b"}", None),
    ],
    ids=["broken", "empty", "list", "latin-1", "utf-16", "deep", "large"],
)
def test_broken_json_is_a_problem_of_its_line(
    tmp_path: Path, file: str, content: bytes, line: int | None
) -> None:
    (dataset_folder(tmp_path) / file).write_bytes(content)
    [problem] = read(tmp_path).problems

    assert (problem.file, problem.line) == (file, line)
    assert str(problem.what)
    assert str(problem.remedy)


def test_json_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (dataset_folder(tmp_path) / "dataset.json").write_bytes(
        b'\xef\xbb\xbf{"title": "Pets"}'
    )

    assert load(tmp_path).info["title"] == "Pets"


def test_warnings_of_all_files_are_gathered(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    write_csv(
        tmp_path / "references.csv", ("image", "caption", "split"), [("dog", "a", "x")]
    )
    rows = [("dog", "a", "s", 1)]
    write_csv(tmp_path / "candidates.csv", ("image", "caption", "source", "n"), rows)

    assert [str(warning).partition(":")[0] for warning in read(tmp_path).warnings] == [
        "references.csv",
        "candidates.csv",
    ]


def test_a_faulty_folder_is_told_of_with_its_first_problems(tmp_path: Path) -> None:
    captions = [("dog", "")] * 1_234
    dataset_folder(tmp_path, references=captions, pairs=[("p", "dog", "a", "b", "HC")])

    with pytest.raises(FaultyDataset) as error:
        load(tmp_path)
    assert len(error.value.problems) == 1_234

    lines = str(error.value).splitlines()
    where = "references.csv, lines 2, 3, 4 and 1,231 more, column caption"

    assert lines == [f"{where}: is empty. Fill it in or remove the line"]


def test_of_different_problems_the_first_are_named() -> None:
    problems = [
        Problem("pairs.csv", f"lacks {number}", "Add it", 2) for number in range(30)
    ]
    lines = str(FaultyDataset(problems, 0)).splitlines()

    assert lines[0] == "pairs.csv, line 2: lacks 0. Add it"
    assert lines[20:] == ["… and 10 more problems"]


def test_a_problem_of_different_values_is_named_once(tmp_path: Path) -> None:
    pairs = [(f"p{number}", f"image {number}", "a", "b", "HC") for number in range(30)]
    with pytest.raises(FaultyDataset) as error:
        load(dataset_folder(tmp_path, pairs=pairs))

    [first, *_others] = str(error.value).splitlines()
    assert first.startswith("pairs.csv, lines 2, 3, 4 and 27 more, column image: ")
    assert "('image 0', 'image 1', 'image 2' and 27 more)" in first


@examples(40)
@given(st.data())
def test_no_bytes_in_any_file_are_an_exception(data: st.DataObject) -> None:
    with TemporaryDirectory() as place:
        folder = dataset_folder(Path(place), votes=three_votes()[:4])
        write_csv(folder / "images.csv", ("image", "file"), [("dog", ""), ("cat", "")])
        write_csv(
            folder / "candidates.csv",
            ("image", "caption", "source"),
            [("dog", "a", "s")],
        )
        rows = [("LLM", "p1", "0.5", "1")]
        write_csv(folder / "scores.csv", ("metric", *PAIR_SCORE), rows)
        write_csv(folder / "ratings.csv", RATINGS.required, [("dog", "a", "2.5")])
        write_csv(folder / "gold.csv", GOLD.required, [("p1", 1, "B")])
        write_csv(folder / "needed.csv", NEEDED.required, [("p1", 1, 4)])
        write_csv(folder / "annotators.csv", ("annotator", "joined_at"), [("x", AT)])
        path = folder / data.draw(st.sampled_from(FILES))
        content = path.read_bytes() if path.exists() else b'{"title": "x", "votes": 3}'
        cut = data.draw(st.integers(0, len(content)))
        gone = data.draw(st.integers(0, 10))
        new = data.draw(
            st.binary(max_size=8) | st.sampled_from([b'"', b"\r", b"\0", b",", b"\xe9"])
        )
        path.write_bytes(content[:cut] + new + content[cut + gone :])
        reading = read(folder)
        problems_csv(reading.problems).encode()

        for problem in reading.problems:
            str(problem).encode()
            assert str(problem.what)
            assert str(problem.remedy)


@st.composite
def made_datasets(draw: st.DrawFn) -> Dataset:
    """Sound datasets with captions of every kind."""
    images = draw(st.lists(FILLED, min_size=1, max_size=3, unique=True))
    references = [(image, draw(FILLED)) for image in images for _ in range(2)]
    captions = draw(st.lists(FILLED, min_size=2, max_size=6, unique=True))
    pairs = [
        (f"p{number}", draw(st.sampled_from(images)), captions[0], other, "HC")
        for number, other in enumerate(captions[1:])
    ]
    people = FILLED | st.just("")
    votes = [
        (pair[0], 1, draw(people), draw(st.sampled_from(["B", "C", "tie"])))
        for pair in pairs
    ]
    info = draw(
        st.dictionaries(st.sampled_from(DESCRIBED), st.text("äx\n ", max_size=5))
    )
    study = draw(
        st.sampled_from([{}, {"protocol": "triplet", "votes": 3, "references": None}])
    )
    numbers = st.sampled_from(["0", "-1.5", "2e-3"])
    by_caption = ("metric", *CAPTION_SCORE)
    scores = [("LLM", images[0], caption, draw(numbers)) for caption in captions]
    ratings = [
        (images[0], draw(FILLED), draw(numbers)) for _ in range(draw(st.integers(0, 3)))
    ]

    return replace(
        dataset(references, pairs, votes, study),
        info=info,
        scores=frame(SCORES, draw(st.sampled_from([[], scores])), by_caption),
        ratings=frame(RATINGS, ratings),
    )


def assert_same(one: Dataset, other: Dataset) -> None:
    for table, rows in one.frames.items():
        columns = list(table.columns)
        others = other.frames[table]
        pd.testing.assert_frame_equal(rows[columns], others[columns])

    assert one.info == other.info
    assert one.study == other.study
    assert one.sha256 == other.sha256


@examples(25)
@given(made_datasets())
def test_what_is_written_reads_back_the_same(made: Dataset) -> None:
    with TemporaryDirectory() as place:
        folder, again = Path(place, "dataset"), Path(place, "again")
        write(made, folder)
        first = load(folder)

        write(first, again)
        assert_same(replace(first, info=made.info), made)
        assert_same(load(again), first)

        for file in folder.iterdir():
            if file.suffix == ".csv":
                assert file.read_bytes() == (again / file.name).read_bytes()


def test_the_demo_reads_back_the_same_with_its_images(tmp_path: Path) -> None:
    made = load(DEMO)
    write(made, tmp_path / "new", DEMO)

    assert_same(load(tmp_path / "new"), made)
    for file in made.images["file"]:
        copied = tmp_path / "new" / file
        assert copied.read_bytes() == (DEMO / file).read_bytes()


def test_empty_tables_and_columns_are_left_out(tmp_path: Path) -> None:
    write(dataset(votes=three_votes()), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "pairs.csv",
        "references.csv",
        "votes.csv",
    ]

    header = (tmp_path / "votes.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header == "pair,reference,annotator,choice"


def test_settings_are_written_as_they_read(tmp_path: Path) -> None:
    write(
        replace(dataset(study={"votes": 3}), info={"title": "Katzen und Bären"}),
        tmp_path,
    )

    assert '"Katzen und Bären"' in (tmp_path / "dataset.json").read_text(
        encoding="utf-8"
    )
    assert load(tmp_path).study == {"votes": 3}


def test_formulas_are_defused_and_dataset_json_says_so(tmp_path: Path) -> None:
    votes = [
        ("p1", 1, "=cmd()", "B"),
        ("p1", 1, "'=cmd()", "B"),
        ("p1", 1, "'kim", "B"),
    ]
    made = replace(dataset(votes=votes), scores=frame(SCORES, SCORED_PAIR, SCORED))
    write(made, tmp_path / "new")

    text = (tmp_path / "new" / "votes.csv").read_text(encoding="utf-8")
    lines = text.splitlines()[1:]
    assert [line.split(",")[2] for line in lines] == ["'=cmd()", "''=cmd()", "'kim"]

    scores = tmp_path / "new" / "scores.csv"
    assert "-0.5" in scores.read_text(encoding="utf-8")

    assert '"defused": true' in (tmp_path / "new" / "dataset.json").read_text(
        encoding="utf-8"
    )
    assert_same(replace(load(tmp_path / "new"), info={}), made)
    assert "defused" not in load(tmp_path / "new").info


def test_apostrophes_are_left_alone_where_nothing_was_defused(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a", votes=[("p1", 1, "'=kim", "B")])
    assert load(folder).votes["annotator"].tolist() == ["'=kim"]

    write(dataset(), tmp_path / "b")
    assert not (tmp_path / "b" / "dataset.json").exists()


def test_a_large_table_is_written_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = dataset(votes=three_votes())
    write(made, tmp_path / "whole")
    monkeypatch.setattr(csv_tables, "ROWS_PER_PIECE", 7)

    pieces = {name: list(text) for name, text in files(made)}
    assert len(pieces["votes.csv"]) == 6

    joined = "".join(pieces["votes.csv"])
    assert joined == (tmp_path / "whole" / "votes.csv").read_text("utf-8")


def test_the_tables_of_a_study_read_back_the_same(tmp_path: Path) -> None:
    made = replace(
        dataset(votes=three_votes()),
        gold=frame(GOLD, [("p1", 1, "B")]),
        needed=frame(NEEDED, [("p1", 1, 4)]),
        annotators=frame(
            ANNOTATORS, [("annotator 1", "done")], ("annotator", "outcome")
        ),
    )
    write(made, tmp_path / "new")

    assert_same(replace(load(tmp_path / "new"), info={}), made)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    with pytest.raises(FileExistsError, match="not empty"):
        write(dataset(), folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_image_files_are_copied_with_their_folders(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a").mkdir(parents=True)
    (source / "a" / "dog.png").write_bytes(picture(".png"))
    rows = [("dog", "a/dog.png"), ("cat", "")]
    made = replace(dataset(), images=frame(IMAGES, rows, ("image", "file")))

    write(made, tmp_path / "new", source)
    assert (tmp_path / "new" / "a" / "dog.png").read_bytes() == picture(".png")
    assert read(tmp_path / "new").problems == []


def test_problems_with_what_is_no_text_are_a_table_too(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    (tmp_path / "dataset.json").write_text(r'{"title": "\ud800"}', encoding="utf-8")
    votes = "pair,reference,annotator,choice\np1,1,René,B\np1,1,René,B\n"
    content = votes.encode("latin-1") + "p2,1,José,B\np2,2,Zoë,B\np2,2,Zoé,C\n".encode()
    (tmp_path / "votes.csv").write_bytes(content)

    text = problems_csv(read(tmp_path).problems).encode().decode()
    assert r"\ud800" in text
    assert text.count(r"Ren\udce9") == 2


def test_problems_are_a_table_for_a_spreadsheet(tmp_path: Path) -> None:
    dataset_folder(tmp_path, pairs=[("p1", "dog", 'a "dog"\nand, a cat', "b", "mean")])
    (tmp_path / "study.json").write_text('{"votes": 0}', encoding="utf-8")
    rows = list(
        csv.DictReader(StringIO(problems_csv(read(tmp_path).problems), newline=""))
    )

    assert [
        (row["file"], row["line"], row["column"], row["value"]) for row in rows
    ] == [("pairs.csv", "2", "category", "mean"), ("study.json", "", "votes", "0")]
    assert all(row["what"] and row["remedy"] for row in rows)


def test_what_is_wrong_is_no_formula_for_a_spreadsheet(tmp_path: Path) -> None:
    dataset_folder(tmp_path, pairs=[("p1", "=1+1", "a", "b", "HC")])
    [row] = csv.DictReader(StringIO(problems_csv(read(tmp_path).problems), newline=""))
    assert row["value"] == "'=1+1"


def test_many_problems_are_counted_and_some_kept(tmp_path: Path) -> None:
    pairs = [("p1", "dog", f"a {number}", "b", "HC") for number in range(10_101)]
    reading = read(dataset_folder(tmp_path, pairs=pairs))

    assert (len(reading.problems), reading.more) == (10_000, 100)

    counted = "lines 3, 4, 5 and 9,997 more, column pair(.|\n)*and 100 more problems"
    with pytest.raises(FaultyDataset, match=counted) as error:
        reading.sound()
    assert error.value.count == 10_100


def test_tables_share_one_limit_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = dataset_folder(tmp_path)
    size = read_table(folder / "pairs.csv", PAIRS_TABLE).size
    monkeypatch.setattr(limits, "MAX_MEMORY", size)

    [problem] = read(folder).problems
    assert (problem.file, problem.line) == ("references.csv", 2)
    assert "has more text than fits in memory" in str(problem.what)


def test_a_large_json_file_is_refused(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path)
    (folder / "study.json").write_text(
        f'{{"title": "{"x" * 2_000_000}"}}', encoding="utf-8"
    )
    [problem] = read(folder).problems

    assert (problem.file, str(problem.what)) == ("study.json", "is larger than 2 MB")


# Lines that may be left out

VOTE = ("p1", 1, "ann", "B")
LEFT_OUT = {
    "an unknown pair": ({"votes": [VOTE, ("p9", 1, "ann", "B")]}, {"votes.csv": {3}}),
    "two faults of a line": (
        {"votes": [VOTE, ("p9", 1, "ann", "X")]},
        {"votes.csv": {3}},
    ),
    "the same vote again": ({"votes": [VOTE, VOTE]}, {"votes.csv": {3}}),
    "another vote of a person": ({"votes": [VOTE, ("p1", 1, "ann", "C")]}, {}),
    "a reference that votes do not count": (
        {"references": [*REFERENCES, ("dog", "")]},
        {"references.csv": {8}},
    ),
    "a reference that votes count": (
        {"references": [*REFERENCES, ("dog", "")], "votes": [VOTE]},
        {},
    ),
    "another pair of a name": (
        {"pairs": [*PAIRS, (PAIRS[0][0], "dog", "x", "y", "HC")]},
        {},
    ),
}


@pytest.mark.parametrize(("tables", "lines"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_faulty_lines_may_be_left_out_where_the_others_mean_the_same(
    tmp_path: Path, tables: dict[str, object], lines: dict[str, set[int]]
) -> None:
    folder = dataset_folder(tmp_path, **tables)  # type: ignore[arg-type]
    reading = read(folder)

    assert reading.problems
    assert reading.faulty_lines == lines

    if lines:
        assert check(reading.files, lines).problems == []


def test_a_line_with_too_many_cells_may_be_left_out(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path, votes=[VOTE])
    with (folder / "votes.csv").open("a") as file:
        file.write("p1,2,ann,B,1,2,3,4,5,6,7,8,9,10\n")

    reading = read(folder)
    assert reading.faulty_lines == {"votes.csv": {3}}

    kept = check(reading.files, reading.faulty_lines).sound()
    assert len(kept.votes) == 1


def test_not_all_lines_may_be_left_out(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path, votes=[("p9", 1, "ann", "B")])
    reading = read(folder)
    [problem] = check(reading.files, reading.faulty_lines).problems

    assert str(problem.what) == "has no rows"


def test_equal_long_texts_take_memory_once_in_all_checks(tmp_path: Path) -> None:
    """10,000 equal captions of 100,000 characters took 1.1 GB."""
    caption = "a dog " * 10_000
    folder = dataset_folder(tmp_path)
    rows = "".join(f"dog,{caption}\n" for _ in range(200))
    references = folder / "references.csv"
    references.write_text(f"image,caption\n{rows}cat,a cat\n")

    tracemalloc.start()
    reading = read(folder)
    _now, most = tracemalloc.get_traced_memory()

    tracemalloc.stop()
    assert not reading.problems
    assert most < 6_000_000


def test_of_a_long_value_its_beginning_is_kept_with_the_problem(tmp_path: Path) -> None:
    """1,200 names of 800,000 characters took 1 GB."""
    folder = dataset_folder(tmp_path)
    (folder / "references.csv").write_text(f"image,caption\n{5_000 * 'a'},a dog\n")
    problem = read(folder).problems[-1]

    assert problem.value == 999 * "a" + "…"


def test_a_note_of_one_line_with_commas_is_no_table(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path)
    note = "Printed: a metric, without the aspect, agrees most. True: name it, or both."
    (folder / "expected.txt").write_text(note, encoding="utf-8")
    assert read(folder).problems == []
