"""WMT's metrics task, in the folders of mt-metrics-eval.

`references/SRC-TGT.NAME.txt` and `system-outputs/SRC-TGT/NAME.txt` have a segment on each line;
`human-scores/SRC-TGT.NAME.seg.score` and `metric-scores/SRC-TGT/NAME-REF.seg.score` have a block of
lines `SYSTEM SCORE` for each system, in the order of the segments. A score may be `None`.

Source: the description of mt-metrics-eval.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tercet.analysis.layouts.made import Record, tables_of
from tercet.analysis.tables.file_tables import NO_ROWS, FileTable

_SCORES = ".seg.score"
_Outputs = dict[tuple[str, str], list[str]]
"""The segments of each system, by its languages and name."""


def release_in(folder: Path) -> list[FileTable]:
    """Return the tables of test sets in a folder, or in those inside of it; none where none is."""
    found = [*folder.glob("human-scores/"), *folder.glob("*/human-scores/")]
    roots = sorted(each.parent for each in found)
    return tables_of("WMT", (record for root in roots for record in _records(root)))


def _records(root: Path) -> Iterator[Record]:
    outputs = {
        (path.parent.name, path.stem): _lines(path)
        for path in root.glob("system-outputs/*/*.txt")
    }
    for path in sorted(root.glob("references/*.txt")):
        languages = path.name.partition(".")[0]
        for number, text in enumerate(_lines(path), 1):
            image = f"{languages} {number}"
            yield _file(path), number, {"image": image, "references": [text]}

    for path in sorted(root.glob(f"human-scores/*{_SCORES}")):
        languages, _dot, aspect = path.name.removesuffix(_SCORES).partition(".")
        for line, record, score in _scored(path, languages, outputs):
            ratings = {aspect: score} if "caption" in record else {}
            yield _file(path), line, record | {"ratings": ratings}

    for path in sorted(root.glob(f"metric-scores/*/*{_SCORES}")):
        metric = path.name.removesuffix(_SCORES)
        seen = set()
        for line, record, score in _scored(path, path.parent.name, outputs):
            caption = (record.get("image"), record.get("caption", ""))
            if caption[1].strip() and caption not in seen:
                seen.add(caption)
                yield _file(path), line, record | {"metric": metric, "score": score}


def _scored(
    path: Path, languages: str, outputs: _Outputs
) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Yield the line of each score, its segment and what the system wrote, and the score."""
    numbers: Counter[str] = Counter()
    for line, text in enumerate(_lines(path), 1):
        system, _space, score = " ".join(text.split()).partition(" ")
        segments = outputs.get((languages, system), [])
        number = numbers[system]
        numbers[system] += 1
        if number >= len(segments):
            what = f"scores more segments than {system or 'a system'} has"
            remedy = f"Add system-outputs/{languages}/{system}.txt"
            yield line, {"problem": ("", what, remedy)}, ""
            return
        image = f"{languages} {number + 1}"
        caption = segments[number]
        yield line, {"image": image, "caption": caption, "source": system}, score


def _lines(path: Path) -> list[str]:
    text = path.read_bytes().decode(errors="replace")
    return [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")]


def _file(path: Path) -> FileTable:
    return FileTable(f"{path.parent.name}/{path.name}", (), NO_ROWS)
