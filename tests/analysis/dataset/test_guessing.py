"""Files made elsewhere: which are asked about, what is guessed, and reading them so."""

from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import read
from tercet.analysis.dataset.guessing import (
    MOST_COLUMNS,
    MOST_FILES,
    ForeignFile,
    Layout,
    dialects_in,
    foreign_files,
    guess_columns,
    guess_table,
)
from tercet.analysis.tables.csv_tables import CsvDialect, Table
from tercet.analysis.tables.schema import (
    CANDIDATES,
    IMAGES,
    PAIRS,
    RATINGS,
    REFERENCES,
    TABLES,
    VOTES,
)
from tests.support.folders import (
    DEMO,
    PAIR_COLUMNS,
    dataset_folder,
    three_votes,
    write_csv,
)
from tests.support.folders import PAIRS as PAIR_ROWS
from tests.support.folders import REFERENCES as REFERENCE_ROWS

CAFES = (
    "img_id;sentence\ndog;a dog\ndog;the café dog\ncat;une naïve chatte\ncat;a cat\n"
)


def only(folder: Path, formats: dict[str, CsvDialect] | None = None) -> ForeignFile:
    [file] = foreign_files(folder, formats or {})
    return file


def guessed(folder: Path) -> dict[str, CsvDialect]:
    return {file.path.name: file.dialect for file in foreign_files(folder, {})}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset with references of foreign columns in Windows-1252."""
    dataset_folder(tmp_path, pairs=[("p1", "dog", "a dog", "a cat", "HC")])
    content = CAFES.encode("windows-1252")
    (tmp_path / "references.csv").write_bytes(content)
    return tmp_path


BARE_PAIR = "pair image candidate_b candidate_c"
PAIR_OF_SOURCES = f"{BARE_PAIR} source_b source_c"


# Guessing


@pytest.mark.parametrize(
    ("header", "references"),
    [
        ("Image Text1 Text2 Reference_1 Reference_2", "Reference_1 Reference_2"),
        ("Image Text1 Text2 caption caption_a", "caption caption_a"),
        ("Image Text1 Text2 human-a human-b", "human-a human-b"),
        ("Image Text1 Text2 ref", "ref"),
    ],
)
def test_columns_with_running_numbers_are_references_together(
    tmp_path: Path, header: str, references: str
) -> None:
    names = header.split()
    cells = ["dog", *["a dog runs far"] * (len(names) - 1)]
    write_csv(tmp_path / "all.csv", names, [cells])

    columns = only(tmp_path).dialect.columns
    ours = ["caption", "caption (2)"]

    assert [columns[name] for name in ours if name in columns] == references.split()


@pytest.mark.parametrize(
    ("header", "layout"),
    [
        ("img sentence", Layout.SINGLE),
        ("image ref1 ref2", Layout.SEVERAL),
        ("image caption caption2", Layout.MORE),
    ],
)
def test_the_layout_of_references_is_guessed_by_their_columns(
    tmp_path: Path, header: str, layout: Layout
) -> None:
    dataset_folder(tmp_path)
    names = header.split()
    cells = ["dog", *["a dog runs far"] * (len(names) - 1)]

    references = tmp_path / "references.csv"
    write_csv(references, names, [cells])
    assert only(tmp_path).layout is layout


def test_references_may_stand_beside_pairs_where_no_other_file_has_any(
    tmp_path: Path,
) -> None:
    names = ("image", "candidate1", "candidate2", "ref1")
    write_csv(tmp_path / "all.csv", names, [("dog", "a dog", "a cat", "one dog runs")])
    assert only(tmp_path).layout is Layout.WITH_PAIRS


def test_a_file_with_everything_is_guessed_at_once(tmp_path: Path) -> None:
    names = "Image file;Text 1;Text 2;Method 1;Method 2;ref1;ref2;ref3;Topic"
    lines = [
        "hund.jpg;Ein Hund;Ein Tier;A;B;Ein Hund rennt;Ein großer Hund;;Tiere",
        "zug.jpg;Ein Zug;Ein Bus;A;B;Ein Zug fährt;;;Tiere",
    ]
    text = "\n".join([names, *lines])
    content = text.encode("latin-1")
    (tmp_path / "bilder.csv").write_bytes(content)

    dialect = only(tmp_path).dialect
    assert dialect.table == "pairs.csv"
    assert dialect.numbered
    assert list(dialect.columns.values()) == names.split(";")[:-1]


@pytest.mark.parametrize(
    ("table", "header", "columns"),
    [
        (REFERENCES, "img_id sentence", "image caption"),
        (REFERENCES, "Image CAPTION", "image caption"),
        (REFERENCES, "filename caption_text worker", "image caption author"),
        (CANDIDATES, "imageid description Model", "image caption source"),
        (PAIRS, "pair_id img caption_b caption_c type", " ".join(PAIR_COLUMNS)),
        (PAIRS, "ID Image-ID sentence1 sentence2 pair_type", " ".join(PAIR_COLUMNS)),
        (PAIRS, "id imageid Candidate1 Candidate2 Category", " ".join(PAIR_COLUMNS)),
        (VOTES, "pair_id ref worker_id answer", "pair reference annotator choice"),
        (VOTES, "id Reference rater label", "pair reference annotator choice"),
        (PAIRS, "Id image_file Summary_1 Summary_2", BARE_PAIR),
        (PAIRS, "Pair image_file caption1 caption2 method1 method2", PAIR_OF_SOURCES),
        (VOTES, "Id Reference Person Answer", "pair reference annotator choice"),
    ],
)
def test_the_usual_names_of_columns_are_known(
    table: Table, header: str, columns: str
) -> None:
    theirs = header.split()
    expected = dict(zip(columns.split(), theirs, strict=True))
    assert guess_columns(theirs, table) == expected


def test_columns_that_are_there_are_not_looked_for() -> None:
    assert guess_columns(["image", "imageid", "text"], REFERENCES) == {
        "caption": "text"
    }


def test_a_column_stands_for_one_only() -> None:
    assert guess_columns(["id", "text"], REFERENCES) == {
        "image": "id",
        "caption": "text",
    }
    assert guess_columns(["id", "type"], PAIRS) == {"pair": "id", "category": "type"}


@pytest.mark.parametrize("name", ["Kind", "Group", "class"])
def test_a_category_is_known_by_its_usual_names(name: str) -> None:
    assert guess_columns(["pair", name], PAIRS) == {"category": name}


def test_names_that_say_nothing_are_not_guessed() -> None:
    assert guess_columns(["x", "", "a\0b", "image\0"], REFERENCES) == {}
    assert guess_columns(["image"], None) == {}


@pytest.mark.parametrize(
    ("header", "table"),
    [
        ("img sentence", REFERENCES),
        ("image caption system", CANDIDATES),
        ("id img caption1 caption2 type", PAIRS),
        ("pair reference worker answer", VOTES),
        ("image caption rating", RATINGS),
        ("image path", IMAGES),
        ("a b", None),
    ],
)
def test_the_table_is_guessed_by_its_columns(header: str, table: Table | None) -> None:
    assert guess_table(header.split(), TABLES) == table


BATCH = "HITId Title Description Reward AssignmentId WorkerId AssignmentStatus WorkTimeInSeconds"
"""Some of the columns that Mechanical Turk writes into the results of every batch."""


@pytest.mark.parametrize(
    ("inputs", "table", "columns"),
    [
        (
            "Input.pair Input.reference Answer.choice",
            VOTES,
            {
                "pair": "Input.pair",
                "reference": "Input.reference",
                "annotator": "WorkerId",
                "choice": "Answer.choice",
                "seconds": "WorkTimeInSeconds",
            },
        ),
        (
            "Input.image_id Input.text Answer.rating.label",
            RATINGS,
            {
                "image": "Input.image_id",
                "caption": "Input.text",
                "rating": "Answer.rating.label",
                "annotator": "WorkerId",
            },
        ),
        (
            "Input.image Answer.caption",
            REFERENCES,
            {"image": "Input.image", "caption": "Answer.caption", "author": "WorkerId"},
        ),
        (
            "Input.image Input.text_1 Input.text_2",
            PAIRS,
            {
                "image": "Input.image",
                "candidate_b": "Input.text_1",
                "candidate_c": "Input.text_2",
            },
        ),
    ],
)
def test_the_results_of_a_crowd_batch_are_recognised(
    inputs: str, table: Table, columns: dict[str, str]
) -> None:
    header = f"{BATCH} {inputs}".split()
    assert guess_table(header, TABLES) == table
    assert guess_columns(header, table) == columns


def test_the_pairs_of_a_crowd_batch_are_called_after_its_items(tmp_path: Path) -> None:
    dataset_folder(tmp_path, pairs=None)
    columns = ("AssignmentId", "HITId", "Input.image", "Input.text_1", "Input.text_2")
    rows = [
        (f"a{n}", f"h{n}", "dog", f"a dog runs {n}", f"a cat sits {n}")
        for n in range(5)
    ]
    write_csv(tmp_path / "batch.csv", columns, rows)

    dialect = only(tmp_path).dialect
    assert (dialect.table, dialect.columns["pair"]) == ("pairs.csv", "HITId")
    assert read(tmp_path, dialects={"batch.csv": dialect}).problems == []


# Which files are foreign


def test_a_sound_folder_has_no_foreign_files(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path, votes=three_votes())
    notes = folder / "notes.csv"
    notes.write_bytes("Größe\n1\n".encode("latin-1"))

    assert foreign_files(folder, {}) == []
    assert foreign_files(DEMO, {}) == []


def test_a_foreign_file_shows_what_it_holds_and_how_to_read_it(folder: Path) -> None:
    file = only(folder)
    assert file.path.name == "references.csv"
    assert file.named

    assert not file.utf8
    assert file.dialect == CsvDialect(
        "windows-1252", {"image": "img_id", "caption": "sentence"}
    )
    assert file.header == ("img_id", "sentence")

    assert file.asked == ("image", "caption", "author")
    assert file.unknown == ("img_id", "sentence")


def test_of_a_file_in_another_encoding_lines_are_shown_that_tell(folder: Path) -> None:
    expected = (("dog", "the café dog"), ("cat", "une naïve chatte"), ("dog", "a dog"))
    assert only(folder).rows == expected

    cyrillic = only(folder, {"references.csv": CsvDialect("windows-1251")})
    assert cyrillic.rows[0] == ("dog", "the cafй dog")


def test_of_a_file_in_utf_8_the_first_lines_are_shown(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    references = tmp_path / "references.csv"
    write_csv(references, ("img", "text"), REFERENCE_ROWS)
    rows = only(tmp_path).rows
    assert rows == REFERENCE_ROWS[:3]


def test_a_table_with_all_it_needs_is_asked_for_its_encoding_alone(
    tmp_path: Path,
) -> None:
    dataset_folder(tmp_path)
    references = tmp_path / "references.csv"
    references.write_bytes("image,caption,x\ndog,café,1\n".encode("latin-1"))

    assert only(tmp_path).asked == ()


def test_a_table_that_lacks_columns_and_has_no_others_is_not_foreign(
    tmp_path: Path,
) -> None:
    dataset_folder(tmp_path)
    write_csv(tmp_path / "references.csv", ("image",), [("dog",)])
    assert foreign_files(tmp_path, {}) == []


def test_settings_in_another_encoding_are_foreign(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    dataset = tmp_path / "dataset.json"
    dataset.write_bytes('{"title":\n "Café"}'.encode("windows-1252"))
    file = only(tmp_path)

    guess = (file.table, file.header, file.asked)
    assert guess == (None, (), ())
    assert file.rows == (('"Café"}',), ('{"title":',))

    sound = read(tmp_path, dialects=guessed(tmp_path)).sound()
    assert sound.info["title"] == "Café"


def test_files_of_other_names_are_guessed_where_a_table_is_missing(
    tmp_path: Path,
) -> None:
    captions = tmp_path / "captions.csv"
    write_csv(captions, ("img", "text"), REFERENCE_ROWS)
    write_csv(tmp_path / "questions.tsv", PAIR_COLUMNS, PAIR_ROWS)
    write_csv(tmp_path / "prices.csv", ("a", "b"), [(1, 2)])
    (tmp_path / "._captions.csv").write_bytes(b"x")

    forms = guessed(tmp_path)
    tables = {name: form.table for name, form in forms.items()}
    assert tables == {
        "captions.csv": "references.csv",
        "prices.csv": "",
        "questions.tsv": "pairs.csv",
    }

    reading = read(tmp_path, dialects=forms)
    assert reading.problems == []
    assert len(reading.dataset.references) == 6
    assert len(reading.dataset.pairs) == 4


def test_two_files_are_not_guessed_to_be_one_table(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write_csv(tmp_path / name, ("img", "text"), REFERENCE_ROWS)
    assert [form.table for form in guessed(tmp_path).values()] == ["references.csv", ""]


RATINGS_ROWS = [("dog", "a dog runs fast", "3"), ("cat", "a cat sleeps here", "5")]


@pytest.mark.parametrize(
    ("name", "header", "table"),
    [
        ("a.csv", ("Image", "Caption", "Score"), "ratings.csv"),
        ("a.csv", ("Image", "Caption", "Rating"), "ratings.csv"),
        ("preferences.csv", ("Image", "Caption", "Score"), "ratings.csv"),
        ("reference_ratings.csv", ("Image", "Caption", "Rating"), "ratings.csv"),
        ("a.csv", ("Image", "Caption", "Rater 1"), ""),
        ("a.csv", ("Image", "Caption", "Overall score"), ""),
        ("a.csv", ("Image", "Reference", "Writer"), "references.csv"),
        ("a.csv", ("Image", "References", "Writer"), "references.csv"),
    ],
)
def test_ratings_are_not_taken_for_references(
    tmp_path: Path, name: str, header: tuple[str, ...], table: str
) -> None:
    write_csv(tmp_path / name, header, RATINGS_ROWS)
    assert only(tmp_path).dialect.table == table


def test_a_column_called_score_is_no_image_and_one_called_reference_no_candidate(
    tmp_path: Path,
) -> None:
    rows = [
        ("a dog runs fast", "the dog is running", "3"),
        ("a cat is here", "one cat sits", "5"),
    ]
    write_csv(tmp_path / "a.csv", ("Candidate", "Reference", "Score"), rows)

    assert only(tmp_path).dialect.table == ""


def test_of_two_files_the_one_that_says_so_has_the_references(tmp_path: Path) -> None:
    captions = tmp_path / "captions.csv"
    write_csv(captions, ("img", "text"), REFERENCE_ROWS)
    more = tmp_path / "more.csv"
    write_csv(more, ("img", "Reference"), REFERENCE_ROWS)
    files = {file.path.name: file for file in foreign_files(tmp_path, {})}

    assert files["more.csv"].dialect.table == "references.csv"
    assert files["captions.csv"].dialect.table == ""
    assert files["captions.csv"].taken == "references.csv"


def test_a_file_that_looks_like_a_missing_table_is_asked_about(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    write_csv(tmp_path / "choices.csv", ("pair", "reference", "worker", "answer"), [])
    assert only(tmp_path).dialect.table == "votes.csv"


def test_what_was_said_to_be_left_out_can_be_said_otherwise(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    write_csv(tmp_path / "choices.csv", ("pair", "reference", "worker", "answer"), [])
    file = only(tmp_path, {"choices.csv": CsvDialect()})

    assert (file.table, file.asked) == (None, ())


def test_of_many_files_the_first_are_asked_about(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        write_csv(tmp_path / f"{number:02}.csv", ("a", "b"), [])

    assert [file.path.name for file in foreign_files(tmp_path, {})][
        -1
    ] == f"{MOST_FILES - 1:02}.csv"


def test_of_many_columns_the_first_are_offered(tmp_path: Path) -> None:
    write_csv(
        tmp_path / "references.csv", [f"c{n}" for n in range(MOST_COLUMNS + 1)], []
    )

    names = tuple(f"c{n}" for n in range(MOST_COLUMNS))
    assert only(tmp_path).unknown == names


# What a person says


def test_columns_are_chosen_by_their_place_whatever_the_encoding(
    tmp_path: Path,
) -> None:
    dataset_folder(tmp_path)
    references = tmp_path / "references.csv"
    references.write_bytes("Bild;Text;Größe\na;b;c\n".encode("cp1252"))
    file = only(tmp_path, {"references.csv": CsvDialect("windows-1251")})

    assert file.header[2] != "Größe"

    chosen = file.read_as("windows-1252", "", {"image": 0, "caption": 2, "author": 9})
    assert chosen == CsvDialect("windows-1252", {"image": "Bild", "caption": "Größe"})


def test_the_columns_of_another_table_are_guessed_anew(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", ("img", "text", "system"), [])
    file = only(tmp_path)

    assert file.dialect.table == "candidates.csv"
    assert file.read_as("utf-8", "references.csv", {"image": 2}) == CsvDialect(
        "utf-8", {"image": "img", "caption": "text"}, "references.csv"
    )
    assert file.read_as("utf-8", "", {"image": 2}) == CsvDialect()


def test_a_folder_is_read_as_it_was_said(folder: Path) -> None:
    reading = read(folder, dialects=guessed(folder))
    assert reading.problems == []
    assert reading.warnings == []

    captions = reading.dataset.references["caption"]
    assert captions.tolist()[1:3] == ["the café dog", "une naïve chatte"]


def test_problems_call_files_and_columns_as_they_are_called_outside(
    tmp_path: Path,
) -> None:
    write_csv(tmp_path / "captions.csv", ("img", "text"), [("dog", "a"), ("dog", "")])
    write_csv(tmp_path / "pairs.csv", PAIR_COLUMNS, [("p1", "cat", "a", "b", "HC")])
    problems = read(tmp_path, dialects=guessed(tmp_path)).problems

    assert [(each.file, each.line, each.column) for each in problems] == [
        ("captions.csv", 3, "text"),
        ("pairs.csv", 2, "image"),
    ]


def test_the_files_of_a_folder_that_are_not_utf_8_have_the_encoding_given(
    tmp_path: Path,
) -> None:
    dataset_folder(tmp_path)
    references = tmp_path / "references.csv"
    references.write_bytes("image,caption\ndog,café\n".encode("cp1252"))
    (tmp_path / "dataset.json").write_text('{"title": "é"}', encoding="utf-8")

    assert dialects_in(tmp_path, "windows-1252") == {
        "references.csv": CsvDialect("windows-1252")
    }


def test_columns_whose_names_say_nothing_are_guessed_by_their_cells(
    tmp_path: Path,
) -> None:
    columns = ("k1", "k2", "k3", "k4")
    rows = [(f"q{n}", "dog", f"a dog runs {n}", f"a cat sleeps {n}") for n in range(5)]
    dataset_folder(tmp_path, pairs=None)
    write_csv(tmp_path / "export.csv", columns, rows)
    ours = ("pair", "image", "candidate_b", "candidate_c")

    dialect = guessed(tmp_path)["export.csv"]
    assert dialect == CsvDialect(
        columns=dict(zip(ours, columns, strict=True)), table="pairs.csv"
    )
    assert read(tmp_path, dialects={"export.csv": dialect}).problems == []


def test_notes_beside_a_complete_folder_are_no_table(tmp_path: Path) -> None:
    dataset_folder(tmp_path)
    rows = [("1", "we met in the harbour")]
    notes = tmp_path / "notes.csv"
    write_csv(notes, ("n", "what"), rows)

    assert guessed(tmp_path) == {}
