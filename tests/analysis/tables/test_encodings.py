"""Guessing encodings: from real sentences, from damaged files, from anything."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.analysis.tables.encodings import ENCODINGS, UTF_8, encoding_of, utf_16
from tests.support.examples import examples

SENTENCES = {
    "windows-1252": (
        "a café, “naïvely”",
        "ein grüner Hügel … und Bäume",
        "el niño y la señora",
    ),
    "windows-1250": ("pes běží přes trávu, žlutý", "kočka spí na střeše"),
    "windows-1251": ("собака бежит по траве", "кошка спит на крыше"),
    "gb18030": ("一只狗在草地上奔跑", "猫在屋顶上睡觉"),
    "big5": ("一隻狗在草地上奔跑", "貓在屋頂上睡覺"),
    "cp932": ("犬が草の上を走る", "猫が屋根で眠っている"),
    "cp949": ("개가 잔디 위를 달린다", "고양이가 지붕에서 잔다"),
    "utf-16-le": ("a dog", "犬が走る"),
    "utf-16-be": ("a dog", "犬が走る"),
}


def guess(path: Path) -> str:
    with path.open("rb") as file:
        return encoding_of(file)[0]


def is_utf8(path: Path) -> bool:
    with path.open("rb") as file:
        encoding, is_damaged = encoding_of(file)
    return encoding == UTF_8 and not is_damaged


def written(path: Path, captions: tuple[str, ...], encoding: str) -> Path:
    lines = [
        "image,caption",
        "d,a dog runs over the grass",
        *(f"d,{text}" for text in captions),
    ]
    path.write_bytes("\n".join([*lines, ""]).encode(encoding))

    return path


@pytest.mark.parametrize("encoding", SENTENCES)
def test_the_encoding_of_a_few_captions_is_guessed(
    tmp_path: Path, encoding: str
) -> None:
    path = written(tmp_path / "a.csv", SENTENCES[encoding], encoding)
    assert not is_utf8(path)
    assert guess(path) == encoding


def test_of_encodings_that_fit_alike_the_commonest_is_guessed(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", ("ein Hügel", "café"), "iso-8859-15")
    assert guess(path) == "windows-1252"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_mark(tmp_path: Path, encoding: str) -> None:
    content = "\ufeff犬が走る".encode(encoding)
    (tmp_path / "a.csv").write_bytes(content)
    assert guess(tmp_path / "a.csv") == encoding


@pytest.mark.parametrize("captions", [("a dog",), ("a café", "犬が走る"), ("a\0dog",)])
def test_utf_8_is_known_as_such(tmp_path: Path, captions: tuple[str, ...]) -> None:
    path = written(tmp_path / "a.csv", captions, UTF_8)
    assert is_utf8(path)
    with path.open("rb") as file:
        assert utf_16(file) == ""
    assert guess(path) == UTF_8


def test_a_damaged_file_of_utf_8_is_taken_for_no_other_encoding(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", ("a café", "à la crème", "naïve"), UTF_8)
    content = path.read_bytes()
    path.write_bytes(content + b"d,caf\xe9\n")

    assert not is_utf8(path)
    assert guess(path) == UTF_8


def test_every_encoding_is_one_that_python_knows() -> None:
    assert all("a dog".encode(name).decode(name) == "a dog" for name in ENCODINGS)


@settings(examples(60), suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=200))
def test_any_bytes_have_a_guess(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)

    assert guess(path) in ENCODINGS

    if is_utf8(path):
        content.decode()
