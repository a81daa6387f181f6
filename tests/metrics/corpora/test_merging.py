import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import DocumentFrequencies, count_documents, merge_documents, plain
from tercet.metrics.corpora import merging
from tests.metrics.strategies import Set, sets


def tables_in(folder: Path, parts: list[Set]) -> list[Path]:
    paths = []
    for number, part in enumerate(parts):
        paths.append(folder / f"part-{number}.bin")
        count_documents(part.references, plain).write(paths[-1])
    return paths


@given(st.lists(sets(), min_size=1, max_size=4), st.integers(1, 20))
def test_files_are_merged_to_the_bytes_of_their_sum(
    parts: list[Set], in_memory: int
) -> None:
    with TemporaryDirectory() as temporary, pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "RANGE", in_memory)
        folder = Path(temporary)
        paths = tables_in(folder, parts)
        merge_documents(paths, folder / "merged.bin")

        added = count_documents(parts[0].references, plain)
        for part in parts[1:]:
            added = added + count_documents(part.references, plain)
        added.write(folder / "added.bin")
        merged = (folder / "merged.bin").read_bytes()
        assert merged == (folder / "added.bin").read_bytes()
        names = {"merged.bin", "added.bin", *(path.name for path in paths)}
        assert {*os.listdir(folder)} == names


def test_tables_without_stems_are_merged(tmp_path: Path) -> None:
    for number, word in enumerate(("dog", "cat")):
        table = count_documents([[f"a {word} sleeps"]])
        without = DocumentFrequencies(
            table.images, table.words, table.keys, table.counts
        )
        without.write(tmp_path / f"{number}.bin")
    merged = merge_documents([tmp_path / "0.bin", tmp_path / "1.bin"], tmp_path / "all")
    assert merged.stems is None
    assert merged.images == 2
    place = merged.words.index("sleeps")
    grams = np.array([[0, place], [place, 0]])
    assert merged.look_up(grams[:, 1:], merged.words).tolist() == [2, 2]


def test_a_damaged_table_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    count_documents([["a dog"]]).write(tmp_path / "part.bin")
    (tmp_path / "damaged.bin").write_bytes(b"part of a table")
    with pytest.raises(ValueError, match=r"damaged\.bin: no table of document"):
        merge_documents([tmp_path / "part.bin", tmp_path / "damaged.bin"], "all.bin")
    assert sorted(os.listdir(tmp_path)) == ["damaged.bin", "part.bin"]


def test_merging_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one table"):
        merge_documents([], "all.bin")
