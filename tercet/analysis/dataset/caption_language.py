"""Guess the language of captions by words that nearly every sentence has."""

import re
from collections import Counter
from collections.abc import Iterable
from unicodedata import name

from tercet.analysis.tables.schema import Dataset

FREQUENT = {
    "de": "der die das den dem ein eine einen einem einer und ist mit auf in im an von zu vor",
    "en": "a an the and of in on at to is are with by from",
    "es": "el la los las un una unos y de del en con que al por está su",
    "fr": "le la les l un une des du de d et est dans en avec sur au qui",
    "it": "il lo la gli le l un una uno di del della e è in con su che nel per",
    "nl": "de het een van en in op met is zijn aan die voor",
    "pt": "o os as um uma e de do da dos das em no na com que ao por",
}
"""Frequent words of each language, by its code."""

_LEAD = 1.2
"""How many times as often the words of the guessed language must occur as the next one's."""
SAMPLE = 500
"""References by which the language of the captions is guessed."""
SHARE = 0.1
"""The least share of all words that are frequent ones."""

_BEGINNING = 300
"""Characters of a caption that are looked at."""
_AGAINST = 2
"""So many more words of another language speak against one."""
_SCRIPTS = {
    "LATIN": " ".join([*FREQUENT, "cs da fi hu nb pl ro sv tr vi"]),
    "ARABIC": "ar fa ur",
    "CYRILLIC": "bg ru uk",
    "CJK HIRAGANA KATAKANA": "ja zh",
    "GREEK": "el",
    "HANGUL": "ko",
    "HEBREW": "he yi",
}
"""The languages that are written in scripts, by the first words of the names of letters."""

WORD = re.compile(r"\w+")
HAN = re.compile("[\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


def guess_language(captions: Iterable[str]) -> str:
    """Guess the language of captions.

    Parameters
    ----------
    captions
        Texts of one language, such as the references of a dataset.

    Returns
    -------
    str
        The code of a language of `FREQUENT`, ``zh`` for Chinese, or an empty text where no
        language is clearly ahead.
    """
    text = " ".join(captions).lower()
    if _is_chinese(text):
        return "zh"

    words = Counter(WORD.findall(text))
    counts = Counter(
        {
            code: sum(words[word] for word in frequent.split())
            for code, frequent in FREQUENT.items()
        }
    )
    (code, count), (_next, next_count) = counts.most_common(2)

    is_clear = count > _LEAD * next_count and count >= SHARE * words.total()
    return code if is_clear else ""


def may_be_in(caption: str, code: str) -> bool:
    """Return whether nothing speaks against a caption being in a language.

    Against it speak letters of another script, and two more different words of `FREQUENT` from
    another language than from its own.

    Examples
    --------
    >>> may_be_in("a dog on the grass", "en"), may_be_in("un chien dans la neige", "en")
    (True, False)
    """
    language = code.partition("-")[0].lower()
    text = caption[:_BEGINNING].lower()
    known = [
        scripts for scripts, codes in _SCRIPTS.items() if language in codes.split()
    ]
    letters = [name(each, "").split()[0] for each in text if each.isalpha()]
    if known and sum(each in known[0].split() for each in letters) < len(letters) / 2:
        return False
    if language not in FREQUENT:
        return True

    words = {*WORD.findall(text)}
    counts = {key: len(words & {*each.split()}) for key, each in FREQUENT.items()}
    return max(counts.values()) - counts[language] < _AGAINST


def language_of(dataset: Dataset) -> str:
    """Return the language of a dataset's captions, without its region.

    Returns
    -------
    str
        The language in study.json, or else a guess; an empty text where it is not clear.
    """
    captions = dataset.references["caption"][:SAMPLE]
    code = dataset.study.get("language") or guess_language(captions)
    language, _hyphen, _region = str(code).partition("-")
    return language.lower()


def _is_chinese(text: str) -> bool:
    """Return whether most characters are Chinese, and none is of Japanese alone."""
    characters = "".join(text.split())
    is_han = len(HAN.findall(text)) > len(characters) / 2

    return is_han and not _KANA.search(text)
