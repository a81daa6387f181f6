"""Rules for sentences that describe a picture: what collections ask people not to write.

They follow the instructions of COCO Captions (section 2) and of the CIDEr paper (appendix V). Of
COCO's 202,654 sentences of val2014, 2.0 % break the rule `OPENING` and 0.8 % the rule `SHORT`.
"""

import re
from collections.abc import Callable, Collection, Iterable
from enum import StrEnum
from unicodedata import normalize

from tercet.analysis.dataset.caption_language import may_be_in
from tercet.metrics.text import tokens


class SentenceRule(StrEnum):
    """What is wrong with a sentence."""

    SHORT = "short"
    OPENING = "opening"
    SPEECH = "speech"
    TENSE = "tense"
    NAME = "name"
    ADDRESS = "address"
    REPEATED = "repeated"
    LANGUAGE = "language"


_ALIKE = 0.9
"""Two sentences whose words overlap more (Jaccard) are the same sentence."""
ADDRESS = r"https?:|www\.|[^\s@]@[^\s@]+\.[^\s@]|[a-z0-9]\.(?:com|org|net)(?![a-z0-9])"
QUOTES = frozenset('"“”„«»「」『』')
PHRASES = {
    SentenceRule.OPENING: {
        "en": "there is|there are|there s",
        "de": "es gibt|da ist|da sind|hier ist|hier sind",
        "es": "hay|aquí hay",
        "fr": "il y a|c est|ce sont|voici|voilà",
        "zh": "有|这 里 有|这 是",
    },
    SentenceRule.SPEECH: {
        "en": "i|me|my|myself|we|us|our|ours|ourselves|you|your|yours|yourself",
        "de": "ich|mich|mir|mein|meine|meinen|meinem|meiner|wir|uns|unser|unsere|unseren|unserem"
        "|du|dich|dir|dein|deine|deinen|deinem|deiner",
        "es": "yo|mi|mis|nosotros|nosotras|nuestro|nuestra|nuestros|nuestras|tú|tu|tus|vosotros"
        "|usted|ustedes",
        "fr": "je|j|moi|mon|ma|mes|nous|notre|nos|tu|toi|ton|ta|tes|vous|votre|vos",
        "zh": "我|你|您|咱",
    },
    SentenceRule.TENSE: {
        "en": "will|was|were|had|going to|ll|won t|wasn|weren|hadn",
        "de": "war|waren|hatte|hatten|wurde|wurden",
        "es": "era|eran|fue|fueron|estaba|estaban|había|habían|tenía|tenían|será|serán",
        "fr": "était|étaient|avait|avaient|fut|furent|sera|seront|aura|auront",
        "zh": "将 要|即 将|曾 经",
    },
}
"""Words that break a rule, by language; an opening only where a sentence begins with it."""
NOT_NAMES = (
    "african american arab asian australian brazilian british canadian caucasian chinese dutch "
    "english european french german greek hispanic indian irish italian japanese korean latin "
    "mexican roman russian scottish siamese spanish swiss thai turkish victorian western "
    "christmas easter halloween thanksgiving dalmatian ferris frisbee persian"
)
"""English words with a capital that do not name one person, place or brand."""
NOUNS_WITH_CAPITALS = ("de", "lb")

UNSPACED = tokens.UNSPACED
"""The characters of scripts without spaces: each counts as a word."""

_COUNTED = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]*[^\W_{UNSPACED}][^\s{UNSPACED}]*")
_TOKEN = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
_CAPITALISED = re.compile(r"(?<![.!?…]\s)(?<![^\W_])[^\W\d_]{2,}")
_COUNTRY = "US"


def count_words(sentence: str) -> int:
    """Count words; in scripts without spaces, such as Chinese, characters.

    Examples
    --------
    >>> count_words("A dog's well-worn ball - on the grass."), count_words("一只狗")
    (7, 3)
    """
    return len(_COUNTED.findall(sentence))


def broken_rules(
    sentence: str,
    rules: Collection[str],
    *,
    min_words: int,
    language: str,
    others: Iterable[str] = (),
) -> list[SentenceRule]:
    """Return the rules that a sentence breaks.

    Parameters
    ----------
    sentence
        A sentence that describes a picture.
    rules
        The rules to check.
    min_words
        The fewest words for `SentenceRule.SHORT`.
    language
        The code of the language it should be in. The words of `PHRASES` are known for some
        languages; in others nothing breaks these rules.
    others
        Sentences about the same picture, or of the same person, for `SentenceRule.REPEATED`.

    Returns
    -------
    list of SentenceRule
        In the order of the enumeration.

    Examples
    --------
    >>> broken = broken_rules("There is my dog", [*SentenceRule], min_words=8, language="en")
    >>> [rule.value for rule in broken]
    ['short', 'opening', 'speech']
    """
    sentence = normalize("NFC", sentence.strip())
    code = language.partition("-")[0].lower()
    tokens = _TOKEN.findall(sentence)
    kept = (token for token in tokens if token != _COUNTRY)
    words = f" {' '.join(kept).lower()} "

    checks: dict[SentenceRule, Callable[[], bool]] = {
        SentenceRule.SHORT: lambda: count_words(sentence) < min_words,
        SentenceRule.OPENING: lambda: any(
            map(words.startswith, _phrases(SentenceRule.OPENING, code))
        ),
        SentenceRule.SPEECH: lambda: (
            not QUOTES.isdisjoint(sentence)
            or _has_any(words, SentenceRule.SPEECH, code)
        ),
        SentenceRule.TENSE: lambda: _has_any(words, SentenceRule.TENSE, code),
        SentenceRule.NAME: lambda: (
            code not in NOUNS_WITH_CAPITALS and _has_name(sentence)
        ),
        SentenceRule.ADDRESS: lambda: bool(re.search(ADDRESS, sentence, re.IGNORECASE)),
        SentenceRule.REPEATED: lambda: any(
            _are_alike(sentence, other) for other in others
        ),
        SentenceRule.LANGUAGE: lambda: not may_be_in(sentence, language),
    }
    return [rule for rule in SentenceRule if rule in rules and checks[rule]()]


def _are_alike(one: str, other: str) -> bool:
    """Return whether two sentences have nearly the same words, in any order."""
    first, second = ({*_TOKEN.findall(text.lower())} for text in (one, other))
    return len(first & second) > _ALIKE * len(first | second)


def _phrases(rule: SentenceRule, language: str) -> list[str]:
    phrases = PHRASES[rule].get(language, "")
    return [f" {phrase} " for phrase in phrases.split("|") if phrase]


def _has_any(words: str, rule: SentenceRule, language: str) -> bool:
    return any(phrase in words for phrase in _phrases(rule, language))


def _has_name(sentence: str) -> bool:
    """Return whether a word inside a sentence, not after its end, begins with a capital."""
    inner = _CAPITALISED.findall(sentence)
    first = _TOKEN.findall(sentence)[:1]
    if inner[:1] == first:
        inner = inner[1:]

    return any(
        word.istitle() and word.lower() not in NOT_NAMES.split() for word in inner
    )
