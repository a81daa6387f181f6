"""Grades of captions that the files name by numbers, or that need the references of a corpus.

Flickr8k's text files have no names of columns: image, number of a caption (`IMAGE.jpg#2`), then
three grades of experts, which ascend in each line, or the crowd's share of yes, with the numbers of
yes and no. The texts are in `Flickr8k.token.txt`. Every text that the crowd judged for an image
leaves its references.

COMPOSITE's six tables have the address of an image, three or four captions and a grade of each; the
file's name says of what: correctness, or thoroughness, which is misspelt there. Lines without an
image, at the end, are no judgments.

Crisscrossed Captions names captions by their numbers in Karpathy's splits of COCO; of two captions
the first is the reference. AltTest's sets have neither captions nor images.

Source: the files of the corpora, and the repositories of these sets.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from tercet.analysis.layouts.layout import Layout, has
from tercet.analysis.layouts.made import CorpusCaptions, Record, rows_of
from tercet.analysis.number_texts import counted
from tercet.analysis.tables.file_tables import FileTable

_COLUMNS = 5
_UNKNOWN = "names a caption that is in no file beside it"


def _is_flickr8k(name: str, table: FileTable) -> bool:
    has_lines = not table.header_line and len(table.header) == _COLUMNS
    return has_lines and table.file.lower().startswith(name)


def _flickr8k(
    grades: slice, own: Sequence[FileTable], captions: CorpusCaptions
) -> Iterator[Record]:
    judged: dict[tuple[str, str], None] = {}
    for table in own:
        seen: set[tuple[str, ...]] = set()
        repeated = []
        for line, row in rows_of(table):
            cells = tuple(cell.strip() for cell in row.values())
            image, text = cells[0], captions.text(cells[1])
            if not text:
                problem = table.header[1], _UNKNOWN, "Add Flickr8k.token.txt"
                yield table, line, {"problem": problem}
                break
            if cells in seen:
                repeated.append(str(line))
                continue
            seen.add(cells)
            judged[image, text] = None
            for grade in cells[grades]:
                rated = {"image": image, "caption": text, "ratings": {"": grade}}
                yield table, line, rated
        if repeated:
            lines = f"{counted(len(repeated), 'line')} ({', '.join(repeated[:5])})"
            yield table, 1, {"note": f"{lines} left out as repeated"}
    is_share = grades.stop - grades.start == 1
    images = (image for image, _text in judged)
    yield from captions.records(images, judged if is_share else ())


def _composite(own: Sequence[FileTable], captions: CorpusCaptions) -> Iterator[Record]:
    images: dict[str, None] = {}
    for table in own:
        is_thorough = "through" in table.file.lower()
        aspect = "thoroughness" if is_thorough else "correctness"
        count = sum(name.startswith("Input.text") for name in table.header)
        empty = 0
        for line, row in rows_of(table):
            image = unquote(PurePosixPath(urlsplit(row["Input.image_url"]).path).name)
            empty += not image
            images[image] = None
            for number in range(1, count + 1) if image else ():
                ratings = {aspect: row[f"Answer.Q{number}Answer"]}
                rated = {"image": image, "caption": row[f"Input.text{number}"]}
                yield table, line, rated | {"ratings": ratings}
        if empty:
            note = f"{counted(empty, 'line')} without an image left out"
            yield table, 1, {"note": note}
    yield from captions.records(images)


def _crisscrossed(
    own: Sequence[FileTable], captions: CorpusCaptions
) -> Iterator[Record]:
    images: dict[str, None] = {}
    for table in own:
        are_two = "caption1" in table.header
        column = "caption2" if are_two else "caption"
        for line, row in rows_of(table):
            texts = {
                name: captions.text(f"#{row[name].rpartition(':')[2]}")
                for name in (column, "caption1")[: 1 + are_two]
            }
            if not all(texts.values()):
                remedy = "Add dataset_coco.json of Karpathy's splits"
                yield table, line, {"problem": (column, _UNKNOWN, remedy)}
                break
            image = row["caption1"] if are_two else row["image"]
            rated: dict[str, Any] = {"image": image, "caption": texts[column]}
            if are_two:
                rated |= {"references": [texts["caption1"]]}
            else:
                images[image] = None
            ratings = {"sts" if are_two else "sits": row["agg_score"]}
            yield table, line, rated | {"ratings": ratings}
    yield from captions.records(images)


def _is_crisscrossed(table: FileTable) -> bool:
    header = {*table.header}
    return has("agg_score", "sampling_method")(table) and "image2" not in header


LAYOUTS = (
    *(
        Layout(
            title,
            partial(_is_flickr8k, file),
            headless=True,
            make=partial(_flickr8k, grades),
        )
        for title, file, grades in (
            ("Flickr8k-Expert", "expertannotations", slice(2, 5)),
            ("Flickr8k-CF", "crowdflowerannotations", slice(2, 3)),
        )
    ),
    Layout(
        "COMPOSITE",
        has("Input.image_url", "Input.text1", "Answer.Q1Answer"),
        make=_composite,
    ),
    Layout("Crisscrossed Captions", _is_crisscrossed, make=_crisscrossed),
    Layout(
        "Crisscrossed Captions, images alone",
        has("image1", "image2", "agg_score"),
        is_noise=lambda _name: True,
    ),
    Layout(
        "AltTest, judgments without captions",
        lambda table: table.file in ("human_annotations.json", "llm_annotations.json"),
        is_noise=lambda _name: True,
    ),
)
