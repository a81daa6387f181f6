"""Captions in JSON Lines: files of their own, in folders, and in zips."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from tercet.metrics.text.files import REFERENCES, CaptionLine, InputError, read

LINES = (
    '{"image": "1", "caption": "a dog\\r"}\n\n'
    '{"image": 2, "caption": ["two cats", null], "source": "x"}\n'
)
READ = [CaptionLine("1", "a dog\r"), CaptionLine("2", "two cats"), CaptionLine("2", "")]


@pytest.mark.parametrize("place", ["file", "folder", "zip"])
def test_json_lines_are_read_wherever_csv_is(tmp_path: Path, place: str) -> None:
    file = tmp_path / "references.jsonl"
    file.write_text(LINES)
    packed = tmp_path / "packed.zip"
    with ZipFile(packed, "w") as archive:
        archive.write(file, "data/references.jsonl")

    given = {"file": file, "folder": tmp_path, "zip": packed}[place]
    assert list(read(given, REFERENCES)) == READ


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("a dog", "line 1: is not valid JSON"),
        ("[1]", "line 1: is not a JSON object"),
        ('{"image": "1"}', "line 1, column caption: is missing"),
        ('{"image": "", "caption": "a"}', "line 1, column image: is empty"),
        ('{"image": [], "caption": "a"}', "column image: is neither a text nor a num"),
        ('{"image": "1", "caption": {}}', "column caption: is not a text"),
    ],
)
def test_what_is_no_caption_is_named(tmp_path: Path, line: str, fault: str) -> None:
    file = tmp_path / "references.jsonl"
    file.write_text(line)
    with pytest.raises(InputError, match=fault):
        list(read(file, REFERENCES))


@pytest.mark.parametrize("name", ["references.parquet", "references.xlsx"])
def test_other_formats_are_refused_with_what_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PAR1")
    for given in (tmp_path, tmp_path / name):
        with pytest.raises(
            (InputError, OSError), match=r"read from CSV, JSON Lines \(\.jsonl\)"
        ):
            list(read(given, REFERENCES))
