"""METEOR's data, compiled once from the installed pycocoevalcap and mapped into memory after.

The sources are two files of pycocoevalcap 1.2: the jar, read as the zip archive that it is (WordNet
3.0 synsets and exceptions, function words, abbreviations), and the paraphrase table. Nothing of
them is part of this library, and no Java runs.
"""

import zipfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from tercet.metrics.core import array_file
from tercet.metrics.core.arrays import AnyArray
from tercet.metrics.core.caches import cache_directory, warn_not_kept
from tercet.metrics.core.packages import file_in, sha256_of
from tercet.metrics.core.quiet import PATIENCE_SECONDS, announce, hides_progress
from tercet.metrics.meteor import INSTALL, PACKAGE, lexicon, missing_data, paraphrases
from tercet.metrics.meteor.lexicon import Lexicon
from tercet.metrics.meteor.normalise import Prefixes
from tercet.metrics.meteor.paraphrases import Trie

FORMAT = 2
VERSION = "1.2"
_JAR_SHA256 = "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
_PARAPHRASES_SHA256 = "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48"


class MissingDataError(RuntimeError):
    """METEOR's data is not installed, or is not the data that it was written for."""


class Resources(NamedTuple):
    """What METEOR knows of English; see :class:`Lexicon`, :class:`Trie` and :class:`Prefixes`."""

    lexicon: Lexicon
    trie: Trie
    prefixes: Prefixes


class Source(NamedTuple):
    """A file of METEOR's data, and the SHA-256 sum that it must have."""

    path: Path
    sha256: str


class ResourceFiles(NamedTuple):
    """The files to compile."""

    jar: Source
    paraphrases: Source


@cache
def shared_resources() -> Resources:
    """METEOR's data; the first use on a machine compiles it, with a progress bar.

    Kept in the directory that the environment variable TERCET_CACHE names, or in the user's cache
    directory. Raises MissingDataError if it is not there and pycocoevalcap 1.2 is not installed.
    """
    sums = f"{_JAR_SHA256[:8]}-{_PARAPHRASES_SHA256[:8]}"
    name = f"meteor-{PACKAGE}-{VERSION}-{sums}-{FORMAT}.bin"

    return load(cache_directory() / name)


def load(path: Path, sources: ResourceFiles | None = None) -> Resources:
    """The data of the file; made from the sources (the installed ones) if it is absent or damaged.

    Where the file cannot be written, a RuntimeWarning says so, and the data is not kept.
    """
    arrays = array_file.read(path)
    if arrays is not None:
        return _resources(arrays)

    data = _compile_data(sources or installed())
    compiled = _arrays(data)
    try:
        array_file.write(path, compiled)
    except OSError as error:
        warn_not_kept(path.parent, error)
        return _resources(compiled)

    mapped = array_file.read(path)

    return _resources(mapped or compiled)


def installed() -> ResourceFiles:
    """The files of the installed pycocoevalcap; MissingDataError if there are none."""
    jar = file_in(PACKAGE, "meteor/meteor-1.5.jar")
    table = file_in(PACKAGE, "meteor/data/paraphrase-en.gz")
    if jar is None or table is None:
        raise MissingDataError(
            f"METEOR: {missing_data() or f'{PACKAGE} lacks files: {INSTALL}'}"
        )

    return ResourceFiles(Source(jar, _JAR_SHA256), Source(table, _PARAPHRASES_SHA256))


def _compile_data(sources: ResourceFiles) -> Resources:
    """Read the sources; MissingDataError if one is not the file that it should be."""
    for source in sources:
        _check(source)

    table = sources.paraphrases.path
    announce("METEOR's data are made ready, once on this machine: about ten seconds")
    with tqdm(
        desc="METEOR's data, once",
        total=table.stat().st_size,
        unit="B",
        unit_scale=True,
        delay=PATIENCE_SECONDS,
        disable=hides_progress(),
    ) as bar:
        words, trie = paraphrases.read(table, bar.update)

    with zipfile.ZipFile(sources.jar.path) as jar:
        prefixes = _prefixes(_lines(jar, "nonbreaking/english.prefixes"))
        known = lexicon.make(
            words,
            _synsets(_lines(jar, "synonym/english.synsets")),
            _bases(_lines(jar, "synonym/english.exceptions")),
            _lines(jar, "function/english.words"),
        )

    return Resources(known, trie, prefixes)


def _check(source: Source) -> None:
    found = sha256_of(source.path)
    if found != source.sha256:
        raise MissingDataError(
            f"{source.path} is not the file of {PACKAGE} {VERSION} (its SHA-256 sum begins with "
            f"{found[:8]}, not {source.sha256[:8]}): {INSTALL} --force-reinstall"
        )


def _lines(jar: zipfile.ZipFile, name: str) -> list[str]:
    content = jar.read(name)
    return content.decode().splitlines()


def _synsets(lines: list[str]) -> dict[str, list[int]]:
    """The numbers on the line after each word."""
    synsets = {}
    for word, numbers in zip(lines[::2], lines[1::2], strict=True):
        synsets[word] = [int(number) for number in numbers.split()]

    return synsets


def _bases(lines: list[str]) -> dict[str, list[str]]:
    """The base forms of the words on the line after each base form."""
    bases: dict[str, list[str]] = {}
    for base, forms in zip(lines[::2], lines[1::2], strict=True):
        for form in forms.split():
            bases.setdefault(form, []).append(base)

    return bases


def _prefixes(lines: list[str]) -> Prefixes:
    always = set()
    numeric = set()

    for line in lines:
        word, *marks = line.split() or ["#"]
        if word.startswith("#"):
            continue

        if marks[:1] == ["#NUMERIC_ONLY#"]:
            numeric.add(word)
        else:
            always.add(word)

    return Prefixes(frozenset(always - numeric), frozenset(numeric))


def _arrays(data: Resources) -> dict[str, AnyArray]:
    """The data as flat arrays; words as lines of UTF-8."""
    lists = {"rows": list(data.lexicon.rows)}
    for name, words in data.prefixes._asdict().items():
        lists[name] = sorted(words)

    texts = {}
    for name, words in lists.items():
        text = "\n".join(words)
        texts[name] = np.frombuffer(text.encode(), np.uint8)

    return {**data.lexicon._asdict(), **data.trie._asdict(), **texts}


def _resources(arrays: dict[str, AnyArray]) -> Resources:
    texts = {}
    for name in ("rows", *Prefixes._fields):
        text = arrays[name].tobytes().decode()
        texts[name] = text.split("\n")

    rows = {word: row for row, word in enumerate(texts.pop("rows"))}
    numbers = [arrays[name] for name in Lexicon._fields[1:]]

    return Resources(
        Lexicon(rows, *numbers),
        Trie(*(arrays[name] for name in Trie._fields)),
        Prefixes(*map(frozenset, texts.values())),
    )
