"""The captions that distractors are made from: of each image the correct one and the others."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import pandas as pd
from numpy.random import Generator

from tercet.analysis.tables.schema import Dataset
from tercet.lab.robustness.phrases import ScenePhrases, phrases_of
from tercet.lab.tuples import parser
from tercet.metrics import plain
from tercet.metrics.meteor.lookup import ParaphraseTable

_TAIL = 5
"""How many of the most frequent words `Pool.frequent` has."""
_ENDING = re.compile(r"[.!?]*$")
_NO_PHRASES = ScenePhrases("", None, None)


@dataclass(frozen=True)
class CaptionedImage:
    """An image: its correct caption and its references, which do not contain it.

    number: of the image, from 0. words: of the correct caption. reference_words: of each
    reference. phrases: those of the correct caption.
    """

    number: int
    image: str
    correct: str
    references: tuple[str, ...]
    words: tuple[str, ...]
    reference_words: tuple[tuple[str, ...], ...]
    phrases: ScenePhrases = _NO_PHRASES

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word of the image's captions."""
        return frozenset(self.words).union(*self.reference_words)

    def allows(self, distractor: str) -> bool:
        """Whether a caption neither equals nor contains a reference, and is not empty."""
        words = plain(distractor)
        held = (contains(words, reference) for reference in self.reference_words)
        return bool(words) and not any(held)


@dataclass(frozen=True)
class Pool:
    """The images with two or more captions."""

    items: Sequence[CaptionedImage]

    @cached_property
    def frequent(self) -> list[str]:
        """The most frequent words of all captions, the most frequent first."""
        words: Counter[str] = Counter()
        for item in self.items:
            words.update(chain(item.words, *item.reference_words))

        return [word for word, _ in words.most_common(_TAIL)]

    @cached_property
    def with_word(self) -> dict[str, list[tuple[int, str]]]:
        """The captions (number of the image, caption) that have each word."""
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)

        for item in self.items:
            for caption in (item.correct, *item.references):
                for word in set(plain(caption)):
                    found[word].append((item.number, caption))
        return found

    @cached_property
    def paraphrases(self) -> ParaphraseTable:
        """METEOR's paraphrase table."""
        return ParaphraseTable()

    def draw(self, count: int, generator: Generator) -> list[CaptionedImage]:
        """Draw items at random, with replacement."""
        numbers = generator.integers(len(self.items), size=count)
        return [self.items[number] for number in numbers.tolist()]


def gather(dataset: Dataset, with_phrases: bool) -> Pool:
    """Take the first caption of each image as the correct one, the others as its references.

    Captions with the words of the correct one are no references; an image that has no other
    caption, or whose correct one has no words, is left out. `with_phrases` parses the correct
    captions.

    Raises
    ------
    ValueError
        If no image has two different captions.
    MissingParserError
        If captions are to be parsed and there is no parser.
    """
    by_image = dataset.references.groupby("image", sort=False)["caption"]
    items: list[CaptionedImage] = []

    for image, captions in by_image:
        item = _item(len(items), str(image), captions)
        if item.words and item.references:
            items.append(item)

    if not items:
        raise ValueError(
            "No image has two different captions: distractors need the correct one and a reference."
        )
    if not with_phrases:
        return Pool(items)

    parsed = map(phrases_of, parser.read(item.correct for item in items))
    pairs = zip(items, parsed, strict=True)
    return Pool([replace(item, phrases=phrases) for item, phrases in pairs])


def _item(number: int, image: str, captions: "pd.Series[str]") -> CaptionedImage:
    correct, *others = captions.tolist()
    words = tuple(plain(correct))
    split = {text: tuple(plain(text)) for text in others}
    references = [text for text in others if split[text] != words]

    return CaptionedImage(
        number=number,
        image=image,
        correct=correct,
        references=tuple(references),
        words=words,
        reference_words=tuple(split[text] for text in references),
    )


def contains(words: Iterable[str], part: Iterable[str]) -> bool:
    """Whether some words are part of others, one after the other.

    Examples
    --------
    >>> contains(["a", "dog", "runs"], ["dog", "runs"]), contains(["dogs"], ["dog"])
    (True, False)
    """
    return f" {' '.join(part)} " in f" {' '.join(words)} "


def sentence(words: Sequence[str], like: str) -> str:
    """Join words to a sentence that begins and ends as another one.

    A blank stands before the final mark, since "a." would be an abbreviation.

    Examples
    --------
    >>> sentence(["two", "dogs"], like="A dog runs.")
    'Two dogs .'
    """
    text = " ".join(words)
    if like[:1].isupper():
        text = text[:1].upper() + text[1:]

    ending = _ENDING.search(like.rstrip())
    return f"{text} {ending[0]}".rstrip() if ending else text
