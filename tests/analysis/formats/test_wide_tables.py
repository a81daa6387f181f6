"""References and captions of systems in columns of their own."""

from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import Reading, read
from tercet.analysis.formats.wide_tables import (
    WIDE,
    Roles,
    columns_named,
    faults_of,
    rated_captions,
    tables_of,
)
from tercet.analysis.tables.csv_tables import CsvDialect

HEADER = "id,human 1,human 2,camel,heron,better,score"
ROLES = {
    "id": ("image", ""),
    "human 1": ("reference", ""),
    "human 2": ("reference", ""),
    "camel": ("caption", "Camel"),
    "heron": ("caption", "Heron"),
}
JUDGED = ROLES | {"better": ("winner", ""), "score": ("rating", "fluency")}
WINNERS = {"1": "B", "2": "C", "=": ""}
FIRST = "i1,a dog runs,the dog,one dog,a hound,2,3"
SECOND = "i2,a cat,,one cat,a puma,=,2.5"


def reading(folder: Path, roles: Roles, *lines: str) -> Reading:
    """Read a wide table of some lines."""
    path = folder / "mine.csv"
    text = "\n".join([HEADER, *lines])
    path.write_text(text, encoding="utf-8")

    columns = columns_named(roles)
    dialect = CsvDialect("utf-8", columns, WIDE, roles=roles, winners=WINNERS)
    return read(folder, dialects={path.name: dialect}, references_alone=True)


def test_columns_of_references_are_references_by_line_and_column(
    tmp_path: Path,
) -> None:
    references = reading(tmp_path, ROLES, FIRST, SECOND).sound().references
    rows = references[["image", "caption", "line"]].to_numpy().tolist()

    assert rows == [["i1", "a dog runs", 2], ["i1", "the dog", 2], ["i2", "a cat", 3]]


def test_captions_without_a_winner_are_candidates_of_their_systems(
    tmp_path: Path,
) -> None:
    dataset = reading(tmp_path, ROLES, FIRST, SECOND).sound()
    rows = dataset.candidates[["image", "caption", "source"]].to_numpy().tolist()

    assert rows[:2] == [["i1", "one dog", "Camel"], ["i1", "a hound", "Heron"]]
    assert (len(rows), len(dataset.pairs)) == (4, 0)


def test_two_systems_with_a_winner_are_pairs(tmp_path: Path) -> None:
    pairs = reading(tmp_path, JUDGED, FIRST, SECOND).sound().pairs
    names = ["pair", "candidate_b", "candidate_c", "source_b", "source_c", "winner"]
    rows = pairs[names].to_numpy().tolist()

    assert rows == [
        ["p1", "one dog", "a hound", "Camel", "Heron", "C"],
        ["p2", "one cat", "a puma", "Camel", "Heron", ""],
    ]


NAMED = JUDGED | {"score": ("pair", "")}


def test_a_column_of_names_names_the_pairs(tmp_path: Path) -> None:
    lines = (FIRST.replace(",2,3", ",2,dogs"), SECOND.replace("2.5", " cats "))
    found = reading(tmp_path, NAMED, *lines)

    assert found.sound().pairs["pair"].tolist() == ["dogs", "cats"]
    assert not any(
        "left out" in str(each) and "score" in str(each) for each in found.warnings
    )


def test_a_name_that_is_given_twice_is_told_with_its_line_and_column(
    tmp_path: Path,
) -> None:
    lines = (FIRST.replace(",2,3", ",2,dogs"), SECOND.replace("2.5", "dogs"))
    [problem] = reading(tmp_path, NAMED, *lines).problems
    where = problem.file, problem.line, problem.column, problem.value
    assert where == ("mine.csv", 3, "score", "dogs")


def test_names_of_pairs_make_pairs_of_two_captions(tmp_path: Path) -> None:
    roles = ROLES | {"score": ("pair", "")}
    dataset = reading(tmp_path, roles, FIRST, SECOND).sound()
    assert dataset.pairs["pair"].tolist() == ["3", "2.5"]
    assert dataset.candidates.empty


def test_names_of_pairs_that_are_not_used_are_told(tmp_path: Path) -> None:
    roles = ROLES | {"better": ("caption", "Bee"), "score": ("pair", "")}
    found = reading(tmp_path, roles, FIRST)
    told = list(map(str, found.warnings))

    assert len(found.sound().candidates) == 3
    assert any(
        "column 'score' is not used: this file has no pairs" in each for each in told
    )


def test_the_systems_of_pairs_may_be_in_columns(tmp_path: Path) -> None:
    roles = JUDGED | {"human 2": ("source_c", ""), "score": ("source_b", "")}
    [first] = reading(tmp_path, roles, FIRST).sound().pairs.itertuples()
    assert (first.source_b, first.source_c) == ("3", "the dog")


VOTED = ROLES | {"better": ("vote", "ann"), "score": ("vote", "ben")}
BY_LINE = ROLES | {"better": ("vote", ""), "score": ("rater", "")}


def test_columns_of_votes_are_of_an_annotator_each(tmp_path: Path) -> None:
    lines = ("i1,a dog runs,the dog,one dog,a hound,2,1", SECOND.replace("2.5", "2"))
    dataset = reading(tmp_path, VOTED, *lines).sound()
    rows = dataset.votes[["pair", "annotator", "choice"]].to_numpy().tolist()

    assert rows == [["p1", "ann", "C"], ["p1", "ben", "B"], ["p2", "ben", "C"]]
    assert len(dataset.pairs) == 2
    assert not dataset.asks_with_reference


def test_lines_of_raters_may_be_of_one_pair(tmp_path: Path) -> None:
    roles = BY_LINE | {"better": ("vote", "better")}
    first = "i1,a dog runs,the dog,one dog,a hound"
    lines = (f"{first},2,ann", "i2,a cat,,one cat,a puma,1,ann", f"{first},1,ben")
    dataset = reading(tmp_path, roles, *lines).sound()
    rows = dataset.votes[["pair", "annotator", "choice"]].to_numpy().tolist()

    assert dataset.pairs["pair"].tolist() == ["p1", "p2"]
    assert rows == [["p1", "ann", "C"], ["p2", "ann", "B"], ["p1", "ben", "B"]]


def test_lines_of_raters_are_of_the_pair_that_they_name(tmp_path: Path) -> None:
    roles = BY_LINE | {"better": ("vote", "better"), "human 2": ("pair", "")}
    first, second = "i1,a dog runs,q1,one dog,a hound", "i1,a dog runs,q2,a wolf,it"
    lines = (f"{first},2,ann", f"{second},1,ann", f"{first},1,ben")
    dataset = reading(tmp_path, roles, *lines).sound()

    assert dataset.pairs["pair"].tolist() == ["q1", "q2"]
    assert dataset.votes["pair"].tolist() == ["q1", "q2", "q1"]


def test_a_second_vote_of_a_rater_on_a_pair_is_told_with_its_line(
    tmp_path: Path,
) -> None:
    roles = BY_LINE | {"better": ("vote", "better")}
    line = "i1,a dog runs,the dog,one dog,a hound,2,ann"
    [problem] = reading(tmp_path, roles, line, line).problems
    assert (problem.file, problem.line, problem.value) == ("mine.csv", 3, "ann")


def test_the_rater_of_a_line_gave_its_ratings(tmp_path: Path) -> None:
    roles = ROLES | {"better": ("rater", ""), "score": ("rating", "fluency")}
    line = FIRST.replace(",2,3", ",ann,3")
    ratings = reading(tmp_path, roles, line).sound().ratings
    assert ratings[["annotator", "rating"]].to_numpy().tolist() == [["ann", "3"]]


def test_ratings_are_of_the_captions_before_them(tmp_path: Path) -> None:
    line = "i2,a cat,,one cat,a puma,=,n/a"
    ratings = reading(tmp_path, JUDGED, FIRST, SECOND).sound().ratings
    names = ["caption", "rating", "source", "aspect"]
    rows = ratings[names].to_numpy().tolist()

    assert rows[0] == ["a hound", "3", "Heron", "fluency"]
    [problem] = reading(tmp_path, JUDGED, FIRST, line).problems
    assert (problem.file, problem.line, problem.value) == ("mine.csv", 3, "n/a")


def test_a_rating_before_all_captions_is_of_the_first() -> None:
    roles = {"score": ("rating", "fluency"), **ROLES}
    assert rated_captions(roles, "score") == "camel"


def test_a_comma_may_separate_decimals_of_ratings(tmp_path: Path) -> None:
    line = 'i2,a cat,,one cat,a puma,=,"2,5"'
    assert reading(tmp_path, JUDGED, line).sound().ratings["rating"].tolist() == ["2.5"]


def test_references_that_lines_repeat_are_read_once(tmp_path: Path) -> None:
    again = "i1,a dog runs,another dog,it,a wolf,1,1"
    references = reading(tmp_path, ROLES, FIRST, again).sound().references

    assert references["caption"].tolist() == ["a dog runs", "the dog", "another dog"]


def test_repeated_references_are_told_with_file_line_and_column(tmp_path: Path) -> None:
    again = "i2,a cat,a cat,one cat,a puma,=,1"
    told = map(str, reading(tmp_path, ROLES, FIRST, again).warnings)
    said = "mine.csv: 1 reference repeats an earlier one of its image (line 3 “human 2”): kept"
    assert said in list(told)


def test_what_is_wrong_with_cells_is_told_with_file_line_and_column(
    tmp_path: Path,
) -> None:
    other = "i3,,,a bird,a crow,1,2"
    problems = reading(tmp_path, ROLES, FIRST, other, FIRST).problems
    places = [(each.file, each.line, each.column, each.value) for each in problems]

    assert places == [
        ("mine.csv", 3, "id", "i3"),
        ("mine.csv", 3, "id", "i3"),
        ("mine.csv", 4, "camel", "one dog"),
        ("mine.csv", 4, "heron", "a hound"),
    ]
    assert str(problems[0].remedy).endswith("add its references to mine.csv")


def test_what_is_wrong_with_a_vote_is_told_with_its_column(tmp_path: Path) -> None:
    [problem] = reading(tmp_path, VOTED, FIRST).problems
    assert (problem.file, problem.line, problem.column) == ("mine.csv", 2, "score")


def test_a_rating_that_is_none_is_told_with_its_column(tmp_path: Path) -> None:
    [problem] = reading(tmp_path, JUDGED, FIRST.replace(",3", ",n/a")).problems
    assert (problem.file, problem.line, problem.column) == ("mine.csv", 2, "score")


def test_empty_cells_are_counted_and_left_out(tmp_path: Path) -> None:
    empty = "i3,a bird,,,a crow,1,"
    found = reading(tmp_path, JUDGED, FIRST, empty, ",,,,,,")

    said = "mine.csv: 2 empty cells of references and captions are left out"
    assert said in map(str, found.warnings)
    assert found.sound().pairs["line"].tolist() == [2]


def test_a_winner_that_means_nothing_is_told_with_its_line(tmp_path: Path) -> None:
    [problem] = reading(tmp_path, JUDGED, FIRST, "i2,a cat,,one,two,both,1").problems
    assert (problem.file, problem.line, problem.value) == ("mine.csv", 3, "both")


def test_a_file_that_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    roles = JUDGED | {"missing": ("reference", "")}
    [problem] = reading(tmp_path, roles, FIRST).problems
    assert problem.column == "missing"


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"id": ("reference", "")}, "one column of images"),
        ({"heron": ("caption", "Camel")}, "name of another system"),
        ({"heron": ("image", ""), "id": ("reference", "")}, "exactly two columns"),
        ({"score": ("winner", "")}, "one column as winner"),
        ({"score": ("pair", ""), "human 2": ("pair", "")}, "one column as pair"),
        (
            {"better": ("source_b", ""), "score": ("reference", "")},
            "columns of systems",
        ),
        ({"better": ("category", ""), "score": ("reference", "")}, "column of winners"),
        ({"score": ("vote", "ann")}, "Ignore the winners or the votes"),
        ({"better": ("vote", "a"), "score": ("vote", "a")}, "another annotator"),
        (
            {"better": ("vote", "a"), "score": ("vote", "b"), "human 2": ("rater", "")},
            "the rater of a line",
        ),
        ({"score": ("rater", "")}, "votes or ratings of the raters"),
    ],
)
def test_roles_that_do_not_fit_are_told(changed: Roles, fault: str) -> None:
    roles = {**JUDGED, **changed}
    told = [str(each) for each in faults_of(roles)]
    assert any(fault in each for each in told)
    assert tables_of(CsvDialect(table=WIDE, roles=roles)) == []


def test_roles_that_fit_have_no_fault() -> None:
    assert list(faults_of(JUDGED)) == []
