"""METEOR's data: compiled from small sources of our own, kept, and never taken when damaged."""

import errno
import gzip
import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tercet.metrics.core import array_file, caches
from tercet.metrics.meteor import resources as module
from tercet.metrics.meteor.captions import find_child
from tercet.metrics.meteor.lexicon import base_forms, rows_of, synsets_of
from tercet.metrics.meteor.normalise import Prefixes
from tercet.metrics.meteor.resources import (
    MissingDataError,
    ResourceFiles,
    Resources,
    Source,
    load,
)
from tests.support.folders import ROOT

ENTRIES = [
    ("a lot of", "many"),
    ("many", "a lot of"),
    ("many", "a great many"),
    ("a", "one"),
    ("caf\u00e9", "coffee house"),
    ("many", "lots of"),
]
JAR = {
    "synonym/english.synsets": "dog\n30 10\nhound\n10\nbox\n20\nwork_out\n50\n",
    "synonym/english.exceptions": "dog\ndoggen\nwork_out\nworkout\n",
    "function/english.words": "the\na\n",
    "nonbreaking/english.prefixes": "# comment\n\nvs\npp #NUMERIC_ONLY#\n",
}


@pytest.fixture
def sources(tmp_path: Path) -> ResourceFiles:
    jar, table = tmp_path / "meteor.jar", tmp_path / "paraphrase.gz"
    with zipfile.ZipFile(jar, "w") as file:
        for name, content in JAR.items():
            file.writestr(name, content)
    with gzip.open(table, "wt", encoding="utf-8") as lines:
        lines.writelines(f"0.5\n{left}\n{right}\n" for left, right in ENTRIES)

    return ResourceFiles(source(jar), source(table))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "meteor.bin"


def source(path: Path) -> Source:
    return Source(path, hashlib.sha256(path.read_bytes()).hexdigest())


def paraphrases(data: Resources, phrase: str) -> list[str]:
    """The paraphrases of a phrase, each as its words."""
    entries = slice(*data.trie.first_entry[node(data, phrase) :][:2].tolist())
    names = {node(data, each): each for pair in ENTRIES for each in pair}
    return [names[number] for number in data.trie.entries[entries].tolist()]


def node(data: Resources, phrase: str) -> int:
    here = 0
    for word in rows_of(data.lexicon, phrase.split()).tolist():
        here = find_child(here, word, data.trie.first_child, data.trie.word)

    return here


def assert_right(data: Resources) -> None:
    assert paraphrases(data, "many") == ["a lot of", "a great many", "lots of"]
    assert paraphrases(data, "lots of") == []
    assert data.prefixes == Prefixes(frozenset(["vs"]), frozenset(["pp"]))


def test_paraphrases_keep_the_order_of_the_file(
    path: Path, sources: ResourceFiles
) -> None:
    data = load(path, sources)
    assert_right(data)
    assert paraphrases(data, "caf\u00e9") == ["coffee house"]
    assert data.trie.is_phrase[
        [node(data, "a lot"), node(data, "lots of")]
    ].tolist() == [0, 1]


def test_words_have_the_synsets_of_their_base_forms(
    path: Path, sources: ResourceFiles
) -> None:
    lexicon = load(path, sources).lexicon
    words = [
        "dog",
        "dogs",
        "doggen",
        "boxes",
        "boxing",
        "workout",
        "xyz",
        "many",
        "\ud800s",
    ]
    rows = rows_of(lexicon, words)
    flat, offsets = synsets_of(lexicon, words, rows)

    expected = [[10, 30], [30, 10], [10, 30], [20], [20], [50], [], [], []]
    assert [part.tolist() for part in np.split(flat, offsets[1:-1])] == expected
    assert lexicon.is_function[rows_of(lexicon, ["the", "a", "dog"])].tolist() == [
        1,
        1,
        0,
    ]


def test_base_forms_are_tried_in_order() -> None:
    assert list(base_forms("flies")) == ["flie", "fly", "flie", "fly", "flie", "fli"]
    assert list(base_forms("glass")) == ["glass"]
    assert list(base_forms("is")) == ["is"]


def test_what_is_kept_is_what_was_compiled(path: Path, sources: ResourceFiles) -> None:
    load(path, sources)
    kept = path.read_bytes()

    assert_right(load(path))
    assert path.read_bytes() == kept
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_kept_data_is_read_only(path: Path, sources: ResourceFiles) -> None:
    load(path, sources)
    with pytest.raises(ValueError, match="read-only"):
        load(path).trie.entries[0] = 1


@pytest.mark.parametrize("keep", [0, 1, 1000, 4096, -1])
def test_a_truncated_file_is_made_again(
    path: Path, sources: ResourceFiles, keep: int
) -> None:
    load(path, sources)
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])

    assert array_file.read(path) is None
    assert_right(load(path, sources))
    assert path.read_bytes() == whole


@pytest.mark.parametrize("place", [0, 20, 4096, -1])
def test_a_changed_file_is_made_again(
    path: Path, sources: ResourceFiles, place: int
) -> None:
    load(path, sources)
    content = bytearray(path.read_bytes())
    content[place] ^= 1

    path.write_bytes(content)
    assert array_file.read(path) is None
    assert_right(load(path, sources))


def test_sources_with_another_checksum_are_refused(
    path: Path, sources: ResourceFiles
) -> None:
    sources.paraphrases.path.write_bytes(b"something else")
    with pytest.raises(
        MissingDataError, match=r"is not the file of pycocoevalcap 1\.2"
    ):
        load(path, sources)
    assert not path.exists()


def test_a_damaged_table_is_refused(path: Path, sources: ResourceFiles) -> None:
    table = sources.paraphrases.path
    table.write_bytes(table.read_bytes()[:-10])

    with pytest.raises(EOFError):
        load(path, sources._replace(paraphrases=source(table)))

    with gzip.open(table, "wt") as lines:
        lines.write("0.5\na\n")

    with pytest.raises(ValueError, match="does not end with a whole entry"):
        load(path, sources._replace(paraphrases=source(table)))


def test_without_the_package_the_error_says_what_to_install(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PACKAGE", "a_package_that_is_not_there")
    with pytest.raises(MissingDataError, match="lacks files: pip install"):
        load(path)


def test_a_full_disk_leaves_nothing_and_the_data_is_used_all_the_same(
    path: Path, sources: ResourceFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning, match="No space left.*TERCET_CACHE"):
        assert_right(load(path, sources))
    assert list(path.parent.iterdir()) == []


def test_a_kill_while_writing_leaves_no_file_that_is_taken(
    path: Path, sources: ResourceFiles
) -> None:
    code = (
        "import os, sys, time; from pathlib import Path\n"
        "from tercet.metrics.meteor import resources\n"
        "def wait(file): print('writing', flush=True); time.sleep(10**6)\n"
        "os.fsync = wait\n"
        "jar, table = map(Path, sys.argv[2:4])\n"
        "given = zip((jar, table), sys.argv[4:], strict=True)\n"
        "made = resources.ResourceFiles(*(resources.Source(*each) for each in given))\n"
        "resources.load(Path(sys.argv[1]), made)\n"
    )
    arguments = [
        path,
        *(each.path for each in sources),
        *(each.sha256 for each in sources),
    ]
    command = [sys.executable, "-c", code, *map(str, arguments)]

    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as run:
        assert run.stdout is not None
        assert run.stdout.readline().strip() == b"writing"

        run.send_signal(signal.SIGKILL)

    left = list(path.parent.iterdir())
    assert [each.suffix for each in left] == [".part"]
    assert_right(load(path, sources))

    os.utime(left[0], (0, 0))
    array_file.write(path, {"x": np.arange(3)})

    assert [each.name for each in path.parent.iterdir()] == [path.name]


def compile_once(path: Path, sources: ResourceFiles, at: float) -> bool:
    time.sleep(max(0, at - time.time()))
    assert_right(load(path, sources))

    return True


def test_two_processes_may_compile_at_once(path: Path, sources: ResourceFiles) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        start = time.time() + 2
        assert pool.starmap(compile_once, [(path, sources, start)] * 4) == [True] * 4

    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_environment_says_where_data_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path))
    assert caches.cache_directory() == tmp_path

    monkeypatch.delenv("TERCET_CACHE")
    assert caches.cache_directory().name == "tercet"
