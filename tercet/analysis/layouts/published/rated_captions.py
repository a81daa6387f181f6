"""Captions with a score, and with their references in the same row or under the same number.

Polaris, Nebula with its corrected scores (Spica), LongCap-Arena, COMPOSITE as JSON, the JSON of
Flickr8k in CLIPScore's repository, and THumB, whose references are in a file of their own. An image
without a name is called after the digest of its references.

Source: the data cards and repositories of these sets.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from tercet.analysis.layouts.layout import Layout
from tercet.analysis.layouts.made import (
    CorpusCaptions,
    Record,
    digest_of,
    rows_of,
    texts_in,
)
from tercet.analysis.tables.file_tables import FileTable

_IMAGE = ("seg_id", "image_id", "imgid", "file_name", "image")
_REFERENCES = ("refs", "references", "ground_truth")
_CAPTION = ("hyp", "cand", "mt", "human_judgement.caption", "caption")
_SCORE = ("human_score", "human", "human_judgement.rating", "score")
_NAMED = {
    "THumB": ("thumb", ({"SYS", "hyp", "P", "R"}, {"seg_id", "set_id", "refs"})),
    "Nebula": ("nebula|spica", ({"file_name", "mt", "human_score"},)),
    "LongCap-Arena": ("longcap|dci_", ({"file_name", "refs", "cand", "score"},)),
    "COMPOSITE": ("composite", ()),
    "Flickr8k-CF": ("crowdflower", ()),
    "Flickr8k-Expert": ("flickr", ({"human_judgement.caption"},)),
    "Polaris": ("polaris", ({"refs", "cand", "human_score"},)),
}
"""What the files of a set are called, or else columns that tell it."""
_ASPECTS = {
    r"\bdesc\b": "desc",
    r"\brel\b": "rel",
    r"\bflu\b": "flu",
    "composite": "correctness",
    "spica": "corrected",
}
"""The aspect of the ratings in a file, by its name; beside one that has it, others are original."""
_CORRECTED = {"imgid", "mt", "score"}
"""Columns of Nebula's corrected scores."""
_THUMB = {"P": "P", "R": "R", "total": "human_score"}


def _title(table: FileTable) -> str:
    """Return the set that a table belongs to, "" where none is known."""
    header = {*table.header}
    is_judged = header & {*_CAPTION} and header & {*_SCORE}
    has_references = header & {*_REFERENCES} or header == _CORRECTED
    for title, (file, columns) in _NAMED.items():
        if is_judged and has_references and re.search(file, table.file.lower()):
            return title
        if any(own <= header for own in columns):
            return title
    return ""


def _is(title: str, table: FileTable) -> bool:
    return _title(table) == title


def _aspect(table: FileTable) -> str:
    """Return what the ratings of a file are about, "" where its name does not say it."""
    named = (
        each for name, each in _ASPECTS.items() if re.search(name, table.file.lower())
    )
    return next(named, "")


def _first(row: dict[str, str], names: Sequence[str]) -> str:
    return next((row[name] for name in names if row.get(name)), "")


def _make(own: Sequence[FileTable], _captions: CorpusCaptions) -> Iterator[Record]:
    aspects = [_aspect(table) for table in own]
    others = "original" if any(aspects) and not all(aspects) else ""
    for table, aspect in zip(own, aspects, strict=True):
        is_judged = bool({*table.header} & {*_CAPTION})
        known = {*_IMAGE, *_REFERENCES, *_CAPTION, *_SCORE, *_THUMB, "SYS"}
        if unused := [name for name in table.header if name not in known]:
            yield table, 1, {"note": f"columns {', '.join(unused)} are not used"}
        for line, row in rows_of(table):
            references = texts_in(_first(row, _REFERENCES))
            ratings = {aspect or others: _first(row, _SCORE)}
            if "SYS" in row:
                ratings = {aspect: row[name] for aspect, name in _THUMB.items()}
            yield (
                table,
                line,
                {
                    "image": _first(row, _IMAGE) or digest_of(references),
                    "references": references,
                    "caption": (texts_in(_first(row, _CAPTION)) or [""])[0],
                    "ratings": ratings if is_judged else {},
                    "source": row.get("SYS", "").replace("Human", "human"),
                },
            )


LAYOUTS = tuple(Layout(title, partial(_is, title), make=_make) for title in _NAMED)
