from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from scripts.coco_documents import annotations, count, installed_file
from tercet.metrics import (
    COCO,
    DocumentFrequencies,
    corpus,
    count_documents,
    curves,
    explain,
    plain,
    read_documents,
    score,
)
from tercet.metrics.core import array_file
from tercet.metrics.core.packages import sha256_of
from tercet.metrics.corpora import document_frequencies
from tercet.metrics.corpora.document_frequencies import (
    COCO_FILE,
    COCO_SHA256,
    packed,
    unpacked,
)
from tests.metrics.scores import caption_curves, caption_scores
from tests.metrics.slow import grams
from tests.metrics.strategies import Set, sets

REFERENCES = [
    ["a dog runs", "the dog is running"],
    ["two cats", ""],
    ["a dog\N{SNOWMAN} \ud800"],
]
IDF = ["CIDEr", "CIDEr-D"]


def table(references: list[list[str]] | list[list[list[str]]]) -> DocumentFrequencies:
    return count_documents(references, plain)


@given(sets())
def test_an_ngram_is_counted_once_for_each_image_that_holds_it(drawn: Set) -> None:
    counted = table(drawn.references)
    words = ["a", "b", "c", "d", "unknown"]

    assert counted.images == len(drawn.references)

    for n in (1, 2, 3, 4):
        asked = np.stack(np.unravel_index(np.arange(5**n), (5,) * n), axis=1)
        expected = [
            sum(
                any(
                    grams(reference, n)[tuple(words[word] for word in row)]
                    for reference in refs
                )
                for refs in drawn.references
            )
            for row in asked
        ]

        found = counted.look_up(asked, words)
        assert found.tolist() == expected


@given(sets())
def test_the_table_of_the_references_gives_the_scores_of_the_pool(drawn: Set) -> None:
    pool = caption_curves(*drawn, metrics=IDF)
    from_table = caption_curves(*drawn, metrics=IDF, documents=table(drawn.references))

    for name in IDF:
        np.testing.assert_array_equal(from_table[name], pool[name])


def test_one_image_scores_with_a_table_as_it_does_among_all() -> None:
    references = [["a dog runs", "a dog"], ["two cats"], ["a bird in a tree"]]
    among_all = caption_scores(references, ["a dog", "cats", "a bird"], metrics=IDF)
    alone = caption_scores(
        references[:1], ["a dog"], metrics=IDF, documents=count_documents(references)
    )

    for name in IDF:
        assert alone[name][0] == among_all[name][0] > 0


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = table(REFERENCES)
    made.write(tmp_path / "made.bin")
    read = read_documents(tmp_path / "made.bin")

    assert (read.images, read.words) == (3, made.words)
    for ours, theirs in zip(
        (*read.keys, *read.counts), (*made.keys, *made.counts), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("damage", [b"", b"not a table", b"{}" * 5000])
def test_what_is_no_table_is_refused(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "table.bin"
    path.write_bytes(damage)

    with pytest.raises(
        ValueError, match=r"table\.bin: no table of document frequencies, or dam"
    ):
        read_documents(path)


def test_a_table_with_one_byte_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.bin"
    table(REFERENCES).write(path)
    content = bytearray(path.read_bytes())
    content[-100] ^= 1

    path.write_bytes(content)
    with pytest.raises(ValueError, match="damaged"):
        read_documents(path)


def test_another_file_of_arrays_is_no_table(tmp_path: Path) -> None:
    array_file.write(tmp_path / "other.bin", {"numbers": np.arange(3)})
    with pytest.raises(ValueError, match="no table"):
        read_documents(tmp_path / "other.bin")


def test_a_table_of_another_format_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_frequencies, "FORMAT", 7)
    table(REFERENCES).write(tmp_path / "new.bin")
    monkeypatch.undo()

    with pytest.raises(ValueError, match="format 7, this reads 2; write it anew"):
        read_documents(tmp_path / "new.bin")


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none"):
        read_documents(tmp_path / "none")


def test_a_table_without_stems_says_how_to_get_them() -> None:
    counted = replace(table(REFERENCES), stems=None)
    with pytest.raises(
        ValueError, match="CIDEr-stem needs document frequencies of stems"
    ):
        caption_scores(
            [["a dog"]], ["a dog"], metrics=["CIDEr-stem"], documents=counted
        )


@given(sets(), sets())
def test_tables_of_different_images_add_up(some: Set, others: Set) -> None:
    together = table([*some.references, *others.references])
    added = table(some.references) + table(others.references)

    assert added.images == together.images
    assert_alike(added, together)

    assert added.stems is not None
    assert together.stems is not None

    assert_alike(added.stems, together.stems)


def assert_alike(added: DocumentFrequencies, together: DocumentFrequencies) -> None:
    assert added.words == together.words
    for ours, theirs in zip(
        added.keys + added.counts, together.keys + together.counts, strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.fixture
def small_coco(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three captions for COCO's, and an empty cache; gives the cache."""
    file = tmp_path / "small.npz.xz"
    file.write_bytes(packed(count_documents([["A dog runs.", "A dog"], ["Two cats"]])))
    monkeypatch.setattr(document_frequencies, "COCO_FILE", file)
    cache = str(tmp_path / "cache")
    monkeypatch.setenv("TERCET_CACHE", cache)
    document_frequencies.coco_val2014.cache_clear()

    return tmp_path / "cache"


def test_the_named_table_is_made_once_and_kept(
    small_coco: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = read_documents(COCO)
    assert made.images == 2
    assert made.look_up(np.array([[0], [1], [2]]), ["a", "cats", "."]).tolist() == [
        1,
        1,
        0,
    ]
    assert len(list(small_coco.glob("*.bin"))) == 1

    document_frequencies.coco_val2014.cache_clear()
    monkeypatch.setattr(document_frequencies, "unpacked", pytest.fail)

    assert read_documents(COCO).words == made.words

    document_frequencies.coco_val2014.cache_clear()


def test_the_named_table_is_taken_by_its_name_alone(small_coco: Path) -> None:
    table = read_documents(COCO)
    wanted: dict[str, Any] = {
        "references": [["a dog runs"]],
        "candidates": ["a dog"],
        "metrics": "CIDEr-D",
    }

    for face in (score, curves):
        by_name, by_table = (
            face(**wanted, documents=COCO),
            face(**wanted, documents=table),
        )
        assert str(by_name) == str(by_table)

    why = explain(references=["a dog runs"], candidate="a dog", documents=COCO)
    assert why.score == score(**wanted, documents=COCO).captions["CIDEr-D"][0] > 0
    with pytest.raises(ValueError, match="holds PTB tokens: leave tokenize out"):
        score(**wanted, documents=COCO, tokenize=plain)

    document_frequencies.coco_val2014.cache_clear()


def test_a_table_is_shown_in_a_line() -> None:
    captions = [[f"{number} dogs run"] for number in range(2000)]
    shown = repr(count_documents(captions))
    assert shown == "DocumentFrequencies(2,000 images: 2,002 words, 6,003 n-grams)"


def test_a_damaged_cache_is_made_anew(small_coco: Path) -> None:
    read_documents(COCO)
    (kept,) = small_coco.glob("*.bin")
    kept.write_bytes(kept.read_bytes()[:-10])

    document_frequencies.coco_val2014.cache_clear()
    assert read_documents(COCO).images == 2
    assert DocumentFrequencies.read(kept).images == 2

    document_frequencies.coco_val2014.cache_clear()


def test_a_cache_that_cannot_be_written_is_warned_of(small_coco: Path) -> None:
    small_coco.write_text("a file where the folder should be")
    with pytest.warns(RuntimeWarning, match="set TERCET_CACHE"):
        assert read_documents(COCO).images == 2

    document_frequencies.coco_val2014.cache_clear()


def test_the_table_of_coco_is_that_of_its_captions() -> None:
    pytest.importorskip("pycocoevalcap", reason="COCO's captions are in pycocoevalcap")
    captions = annotations(installed_file())
    counted = count(captions)
    kept = unpacked(COCO_FILE)

    assert len(captions) == 202_654
    assert kept.images == counted.images == 40_504
    assert kept.stems is not None
    assert counted.stems is not None
    assert_alike(kept, counted)
    assert_alike(kept.stems, counted.stems)


def test_what_is_kept_of_the_table_of_coco_is_named_by_its_digest() -> None:
    assert sha256_of(COCO_FILE) == COCO_SHA256


@given(sets())
def test_a_packed_table_is_unpacked_as_it_was(drawn: Set) -> None:
    made = count_documents(drawn.references)
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.npz.xz")
        path.write_bytes(packed(made))
        read = unpacked(path)

    assert made.stems is not None
    assert read.stems is not None
    assert read.images == made.images
    assert_alike(read, made)
    assert_alike(read.stems, made.stems)


def test_a_table_counts_as_many_documents_as_it_has_images() -> None:
    assert (
        corpus(
            references=[["a"]], candidates=["a"], documents=table(REFERENCES)
        ).document_count
        == 3
    )
