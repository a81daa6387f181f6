"""A file of a dataset folder is opened once or twice, and parsed once."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import read
from tercet.analysis.tables import parse
from tests.support.folders import DEMO, dataset_folder, three_votes

Opened = Counter[str]


@pytest.fixture
def opened() -> Iterator[Callable[[], Opened]]:
    """Count the files that are opened from now on, by their names."""
    counted: Opened = Counter()
    is_counting = True

    def count(event: str, arguments: tuple[object, ...]) -> None:
        if is_counting and event == "open":
            counted[Path(str(arguments[0])).name] += 1

    sys.addaudithook(count)
    yield lambda: counted
    is_counting = False


def test_each_file_is_opened_at_most_twice_and_parsed_once(
    tmp_path: Path, opened: Callable[[], Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = dataset_folder(tmp_path / "a", votes=three_votes())
    captions = "bild;satz\nkatze;eine müde Katze schläft\n".encode("windows-1252")
    (folder / "more.csv").write_bytes(captions)
    names = [path.name for path in folder.iterdir()]
    parsed: Counter[str] = Counter()
    read_file = parse.read_file

    def counting(path: Path, *rest: object) -> object:
        parsed[path.name] += 1
        return read_file(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(parse, "read_file", counting)
    before = opened().copy()
    read(folder)
    now = opened() - before

    assert all(1 <= now[name] <= 2 for name in names)
    assert all(parsed[name] == 1 for name in names if name.endswith(".csv"))


def test_the_demo_has_no_question_and_no_file_that_is_not_read() -> None:
    reading = read(DEMO)
    assert reading.open_questions == []
    assert [each for each in reading.files.unread if not each.is_spare] == []


@pytest.mark.parametrize(
    "name", ["old.xls", "sheet.ods", "data.pkl", "data.sav", "inner.zip"]
)
def test_a_file_that_is_not_read_is_named_with_what_to_do(
    tmp_path: Path, name: str
) -> None:
    folder = dataset_folder(tmp_path / "a")
    (folder / name).write_bytes(b"x")
    reading = read(folder)

    assert reading.problems == []
    assert [each.file for each in reading.files.unread] == [name]
    assert any(name in warning for warning in reading.warnings)


def test_tables_that_an_export_derives_from_votes_are_not_read(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a", votes=three_votes())
    (folder / "winners_pairs.jsonl").write_text('{"pair": "p1", "winner": "B"}\n')
    reading = read(folder)

    assert reading.open_questions == []
    assert "winners_pairs.jsonl" not in {plan.table.file for plan in reading.plans}


def test_images_of_an_export_without_pictures_come_in_without_them(
    tmp_path: Path,
) -> None:
    folder = dataset_folder(tmp_path / "a")
    (folder / "images.jsonl").write_text('{"image": "dog", "file": "a/dog.png"}\n')
    (folder / "references.csv").write_text("image,caption\ndog,a dog\n")
    reading = read(folder, references_alone=True)

    assert reading.dataset.images["file"].tolist() == [""]
    assert any("without pictures" in text for text in reading.warnings)
