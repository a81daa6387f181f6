"""What distractors there are: each task makes false captions from a correct one.

The first six are those of Hodosh and Hockenmaier (2016), as NNEval (Sharif et al., 2018) uses
them; the others follow LEIC (Cui et al., 2018) and section 8 of the CIDEr paper. `INVARIANT` are
changes after which a caption is as good as before.

A task yields candidates in random order; the first that the references of the image allow is
taken.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from numpy.random import Generator

from tercet.lab.robustness import edits
from tercet.lab.robustness.edits import Words
from tercet.lab.robustness.nouns import NOUNS, PERSONS, SCENES, plural
from tercet.lab.robustness.phrases import Phrase
from tercet.lab.robustness.pool import CaptionedImage, Pool, contains, sentence
from tercet.metrics import plain
from tercet.metrics.text.stems import stems

CORRECT = "correct"
"""The source of correct captions."""
_TRIES = 50
"""How many captions are drawn for a distractor, before the image is left out."""
_LONGEST_PHRASE = 4
"""Words of the longest phrase that is replaced by a paraphrase."""

Kind = Literal["person", "scene"]
Make = Callable[[Pool, CaptionedImage, Generator], Iterator[str]]


@dataclass(frozen=True)
class Task:
    """A way to make distractors; its name is the category of its pairs.

    Attributes
    ----------
    make
        Yields distractors of an item, in random order.
    better, source
        Returns what the distractor competes with, None where there is nothing; and its source.
    needs_parser
        Whether it needs the phrases of captions.
    """

    name: str
    make: Make
    better: Callable[[CaptionedImage], str | None] = lambda item: item.correct
    source: str = CORRECT
    needs_parser: bool = False


def replaced(
    kind: Kind, pool: Pool, item: CaptionedImage, generator: Generator
) -> Iterator[str]:
    """Put a phrase of another image into the place of the caption's own.

    Its noun is in no caption of the image; persons differ in sex, age or role, and are as many;
    scenes are of different kinds.
    """
    own = _phrase(item, kind)
    if own is None:
        return

    for other in pool.draw(_TRIES, generator):
        new = _phrase(other, kind)
        if new is None or not _excludes(own, new, kind):
            continue

        if item.known.isdisjoint((new.head, plural(new.head))):
            text = item.phrases.text
            is_lower = text[own.start].islower()
            first = new.text[0].lower() if is_lower else new.text[0].upper()
            yield f"{text[: own.start]}{first}{new.text[1:]}{text[own.end :]}"


def shared(
    kind: Kind, pool: Pool, item: CaptionedImage, generator: Generator
) -> Iterator[str]:
    """Take a caption of another image that has the same phrase."""
    own = _phrase(item, kind)
    if own is None:
        return

    phrase = plain(own.text)
    captions = pool.with_word[phrase[-1]]
    for number in generator.permutation(len(captions)).tolist():
        image, caption = captions[number]
        if image != item.number and contains(plain(caption), phrase):
            yield caption


def just(
    kind: Kind, pool: Pool, item: CaptionedImage, generator: Generator
) -> Iterator[str]:
    """Keep nothing but the phrase."""
    own = _phrase(item, kind)
    if own:
        yield sentence([own.text], item.correct)


def _wrong_image(
    pool: Pool, item: CaptionedImage, generator: Generator
) -> Iterator[str]:
    """Take the correct caption of another image."""
    for other in pool.draw(_TRIES, generator):
        if other is not item:
            yield other.correct


def repeat(pool: Pool, item: CaptionedImage, generator: Generator) -> Iterator[str]:
    """Repeat the two words that most references have, until the caption is twice as long."""
    found: Counter[tuple[str, str]] = Counter()
    for words in item.reference_words:
        found.update(set(_couples(words)))

    phrases = _couples(item.words)
    if phrases:
        best = max(phrases, key=found.__getitem__)
        yield sentence(edits.repeated(item.words, best), item.correct)


def _couples(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return each word with the one after it."""
    following = words[1:]
    return list(zip(words, following, strict=False))


def pad(pool: Pool, item: CaptionedImage, generator: Generator) -> Iterator[str]:
    """Append the most frequent words of all captions."""
    yield sentence([*item.words, *pool.frequent], item.correct)


def misnamed(pool: Pool, item: CaptionedImage, generator: Generator) -> Iterator[str]:
    """Call the first noun something else; it competes with its more general name."""
    changed = edits.misnamed(item.words, item.known, generator)
    if changed:
        yield sentence(changed, item.correct)


def generalised(item: CaptionedImage) -> str | None:
    """Call the first noun by a more general name."""
    changed = edits.generalised(item.words)
    if not changed:
        return None
    return sentence(changed, item.correct)


def edited(
    edit: Callable[[Words, Generator], Words | None],
    pool: Pool,
    item: CaptionedImage,
    generator: Generator,
) -> Iterator[str]:
    """Change the words, again and again."""
    for _ in range(_TRIES):
        changed = edit(list(item.words), generator)
        if changed is None:
            return
        yield sentence(changed, item.correct)


def _paraphrased(
    pool: Pool, item: CaptionedImage, generator: Generator
) -> Iterator[str]:
    """Replace a phrase with a content word by one of its paraphrases in METEOR's table.

    Other inflections of the same words are no paraphrases here.
    """
    is_function = pool.paraphrases.is_function(item.words)
    spans = [
        slice(start, start + length)
        for length in range(1, _LONGEST_PHRASE + 1)
        for start in range(len(item.words) - length + 1)
        if not all(is_function[start : start + length])
    ]

    for number in generator.permutation(len(spans)).tolist():
        span = spans[number]
        phrase = item.words[span]
        entries = [
            entry
            for entry in pool.paraphrases.of(phrase)
            if _bases(entry) != _bases(phrase)
        ]
        if entries:
            chosen = entries[int(generator.integers(len(entries)))]
            changed = [*item.words[: span.start], *chosen, *item.words[span.stop :]]
            yield sentence(changed, item.correct)


def _upper_case(
    pool: Pool, item: CaptionedImage, generator: Generator
) -> Iterator[str]:
    """Write everything in capitals."""
    yield item.correct.upper()


def punctuation(
    pool: Pool, item: CaptionedImage, generator: Generator
) -> Iterator[str]:
    """Leave out all punctuation, and end with an exclamation mark."""
    yield sentence(item.words, item.correct).rstrip(" .!?") + "!"


def _phrase(item: CaptionedImage, kind: Kind) -> Phrase | None:
    phrases = item.phrases
    return phrases.person if kind == "person" else phrases.scene


def _excludes(own: Phrase, new: Phrase, kind: Kind) -> bool:
    """Whether what has one of the phrases cannot have the other."""
    if kind == "scene":
        return SCENES[own.head] != SCENES[new.head]

    is_other = PERSONS[own.head].differs(PERSONS[new.head])
    return is_other and own.is_plural == new.is_plural


def _bases(words: Sequence[str]) -> list[str]:
    """Return what is left of words without their inflection."""
    nouns = [NOUNS[word].singular if word in NOUNS else word for word in words]
    return stems(nouns)


def _dropped(share: float) -> Make:
    return partial(
        edited, lambda words, generator: edits.dropped(words, share, generator)
    )


TASKS = (
    Task("replace person", partial(replaced, "person"), needs_parser=True),
    Task("replace scene", partial(replaced, "scene"), needs_parser=True),
    Task("share person", partial(shared, "person"), needs_parser=True),
    Task("share scene", partial(shared, "scene"), needs_parser=True),
    Task("just person", partial(just, "person"), needs_parser=True),
    Task("just scene", partial(just, "scene"), needs_parser=True),
    Task("wrong image", _wrong_image),
    Task("shuffle", partial(edited, edits.shuffled)),
    Task("swap", partial(edited, edits.swapped)),
    Task("repeat", repeat),
    Task("pad", pad),
    Task("truncate", partial(edited, lambda words, _: edits.truncated(words))),
    Task("drop 20", _dropped(0.2)),
    Task("drop 40", _dropped(0.4)),
    Task("drop 60", _dropped(0.6)),
    Task("inflect", partial(edited, edits.inflected)),
    Task("hypernym", partial(edited, lambda words, _: edits.generalised(words))),
    Task("wrong noun", misnamed, generalised, "hypernym"),
)
"""In the order of the documentation."""
INVARIANT = (
    Task("paraphrase", _paraphrased),
    Task("case", _upper_case),
    Task("punctuation", punctuation),
    Task("spelling", partial(edited, edits.misspelt)),
)
"""Changes that have no right answer: scores should not change."""
BY_NAME = {task.name: task for task in (*TASKS, *INVARIANT)}
