"""Pairs of captions of which people chose one.

PASCAL-50S as JSON: lists by category, `label` is the place of the preferred caption. AudioCaps-Eval
and Clotho-Eval: a clip has a pair under each category, `MM_1` to `MM_5` among them: two captions,
their sources, and as the last member votes (1 the first, -1 the second, 0 neither). CapArena:
`winner` is a source, or equal, skip or bad, which are ties. DOCENT: `overall_quality` on five
points. FOIL: a true caption and one with a wrong word share an `id`; the references are COCO's
captions without the true one, and of an image the first pair is read, as published accuracies have
one.

Source: the repositories and papers of these sets.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from tercet.analysis.layouts.layout import Layout, has
from tercet.analysis.layouts.made import (
    CorpusCaptions,
    Record,
    digest_of,
    rows_of,
    texts_in,
)
from tercet.analysis.number_texts import counted
from tercet.analysis.tables.file_tables import FileTable
from tercet.analysis.tables.schema import CATEGORIES, TIE

_VOTES = {"1": "B", "-1": "C", "0": TIE}
_AUDIO = has("HC", "HI", "HM", "MM_1", "references")
_TIES = ("equal", "skip", "bad")
_DOCENT = {
    f"{number}_{how}_better": {"choice": side, "strength": strength}
    for number, side in (("1", "B"), ("2", "C"))
    for how, strength in (("slightly", "1"), ("much", "2"))
} | {"equal": {"choice": TIE, "strength": "0"}}


def _pascal(own: Sequence[FileTable], _captions: CorpusCaptions) -> Iterator[Record]:
    for table in own:
        for line, row in rows_of(table):
            image = PurePosixPath(row["image"]).name
            winner = {"0": "B", "1": "C"}.get(row["label"], row["label"])
            record = _sides(*texts_in(row["captions"]))
            record |= {"image": image, "category": row.get("key", ""), "winner": winner}
            yield table, line, record | {"references": texts_in(row["references"])}


def _sides(b: str, c: str, source_b: str = "", source_c: str = "") -> dict[str, Any]:
    sources = {"source_b": source_b, "source_c": source_c}
    return {"candidate_b": b, "candidate_c": c, **sources}


def _audio(own: Sequence[FileTable], _captions: CorpusCaptions) -> Iterator[Record]:
    for table in own:
        names = [name for name in table.header if name.partition("_")[0] in CATEGORIES]
        for line, row in rows_of(table):
            clip = row.get("audio_id") or row["raw_name"]
            references = texts_in(row["references"])
            for name in filter(row.get, names):
                *sides, votes = json.loads(row[name])
                record = _sides(*sides[:4])
                record |= {"image": clip, "category": name.partition("_")[0]}
                record["votes"] = [
                    {"choice": _VOTES.get(str(each), str(each))} for each in votes
                ]
                yield table, line, record | {"references": references}


def _caparena(own: Sequence[FileTable], _captions: CorpusCaptions) -> Iterator[Record]:
    table = min(own, key=lambda each: "judge" in each.header)
    ties: Counter[str] = Counter()
    for line, row in rows_of(table):
        winner = row["winner"]
        choice = {row["source1"]: "B", row["source2"]: "C"}.get(winner, winner)
        vote = {"choice": choice}
        if winner in _TIES:
            ties[winner] += 1
            vote = {"choice": TIE, "reason": winner}
        columns = ("caption1", "caption2", "source1", "source2")
        record = _sides(*(row[name] for name in columns))
        record |= {"image": row["img"], "category": row["cluster"], "votes": [vote]}
        yield table, line, record | {"references": [row["ref"]]}
    shown = ", ".join(f"{ties[each]:,} {each}" for each in _TIES)
    yield table, 1, {"note": f"ties are {shown}"}


def _docent(own: Sequence[FileTable], _captions: CorpusCaptions) -> Iterator[Record]:
    for table in own:
        for line, row in rows_of(table):
            references = [row["reference"]]
            answer = row["overall_quality"]
            vote = _DOCENT.get(answer, {"choice": answer})
            columns = ("model1_generation", "model2_generation", "model1", "model2")
            record = _sides(*(row[name] for name in columns))
            record |= {"image": digest_of(references), "references": references}
            yield table, line, record | {"votes": [vote]}
        yield table, 1, {"note": "the choice is that of overall_quality"}


def _foil(own: Sequence[FileTable], captions: CorpusCaptions) -> Iterator[Record]:
    true: dict[str, str] = {}
    for table in own:
        pairs: dict[str, dict[str, str]] = {}
        more = 0
        for line, row in rows_of(table):
            texts = pairs.setdefault(row["id"], {})
            texts[row["foil"]] = row["caption"]
            if len(texts) == 2 and row["image_id"] in true:
                more += 1
            elif len(texts) == 2:
                image = row["image_id"]
                true[image] = texts["false"]
                record = {"image": image, "category": "foil", "winner": "B"}
                yield table, line, record | _sides(texts["false"], texts["true"])
        if more:
            note = f"{counted(more, 'further pair')} of the same images left out"
            yield table, 1, {"note": note}
    yield from captions.records(true, true.items())


LAYOUTS = (
    Layout("PASCAL-50S", has("captions", "label", "references"), make=_pascal),
    Layout(
        "AudioCaps-Eval",
        lambda table: _AUDIO(table) and "audio_id" in table.header,
        make=_audio,
    ),
    Layout("Clotho-Eval", _AUDIO, make=_audio),
    Layout("CapArena", has("img", "caption1", "winner", "cluster"), make=_caparena),
    Layout("DOCENT", has("model1_generation", "overall_quality"), make=_docent),
    Layout("FOIL", has("image_id", "id", "caption", "foil"), make=_foil),
)
