"""What is kept on disk: by several processes, in a bounded file, and never taken when damaged."""

import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from tercet.lab.tuples.store import TupleStore

DOG = {"a dog": frozenset({("dog",), ("dog", "brown")})}
CAT = {"a cat": frozenset({("cat",)})}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "tuples.sqlite"


def test_what_is_written_is_read(path: Path) -> None:
    tuples = DOG | {"": frozenset()}
    TupleStore(path, "parser 1").write(tuples)
    known = TupleStore(path, "parser 1").read(["a dog", "a cat", ""])
    assert known == DOG | {"": frozenset()}


def test_another_parser_sees_nothing_of_it(path: Path) -> None:
    TupleStore(path, "parser 1").write(DOG)
    assert TupleStore(path, "parser 2").read(["a dog"]) == {}


def test_the_oldest_captions_go_first(path: Path) -> None:
    store = TupleStore(path, "parser", most=10)
    captions = [f"caption {number}" for number in range(25)]
    for caption in captions:
        store.write({caption: frozenset()})

    assert sorted(store.read(captions)) == captions[-10:]


def test_any_text_is_kept(path: Path) -> None:
    odd = {"a \udce9\n\t\x00 dog": frozenset({("d\u00f6g \x85", "\x00", "\U0001f600")})}
    store = TupleStore(path, "parser")
    store.write(odd)

    assert store.read(list(odd)) == odd


def test_many_captions_are_read_at_once(path: Path) -> None:
    store = TupleStore(path, "parser")
    many = {f"caption {number}": frozenset({("dog",)}) for number in range(12_000)}
    store.write(many)

    assert store.read(list(many)) == many


def test_a_damaged_file_is_named_and_not_taken(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database, but long enough to be taken for one" * 100)
    store = TupleStore(path, "parser")

    with pytest.warns(
        RuntimeWarning, match=r"tuples\.sqlite.* remove this file, or set TERCET_C"
    ):
        assert store.read(["a dog"]) == {}

    store.write(DOG)
    assert store.read(["a dog"]) == {}


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    tuples = tmp_path / "file" / "tuples.sqlite"
    store = TupleStore(tuples, "parser")

    with pytest.warns(
        RuntimeWarning, match="nothing can be kept in .*set TERCET_CACHE"
    ):
        store.write(DOG)


def test_what_is_not_committed_is_gone_and_nothing_else(path: Path) -> None:
    TupleStore(path, "parser").write(DOG)
    killed = sqlite3.connect(path)
    killed.execute("INSERT INTO tuples (caption, tuples) VALUES (x'00', '[]')")
    killed.close()  # as a process that is killed leaves it: without a commit

    TupleStore(path, "parser").write(CAT)
    found = TupleStore(path, "parser").read(["a dog", "a cat"])
    assert found == DOG | CAT


def write_some(path: Path, begin: int) -> None:
    store = TupleStore(path, "parser")
    for number in range(begin, begin + 20):
        store.write({f"caption {number}": frozenset({("dog", str(number))})})


def test_two_processes_write_at_once(path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [
        context.Process(target=write_some, args=(path, begin)) for begin in (0, 10)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    captions = [f"caption {number}" for number in range(30)]
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert len(TupleStore(path, "parser").read(captions)) == 30
