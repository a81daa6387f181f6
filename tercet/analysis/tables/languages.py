"""Codes of languages in the settings of studies that earlier versions wrote.

Version 0.1 accepted words of up to eight letters, such as "German", where a code is needed.
"""

import re
from collections.abc import Mapping
from typing import Any

from tercet.analysis.tables.csv_tables import printable

LANGUAGE = "language"
LANGUAGE_TAG = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*\Z"
"""A BCP 47 tag: a code of two or three letters, perhaps with a script or region."""
LANGUAGE_HINT = "Write a code such as en, de or pt-BR, not the name of a language."
_UNDETERMINED = "und"
"""The code of a language that is not known."""
_FORMER_TAG = r"[A-Za-z]{4,8}(-[A-Za-z0-9]{1,8})*"
"""What was accepted, and is not a code today."""

_WORDS = """
    ar arabic, bn bengali bangla, ca catalan, cs czech cestina, cy welsh cymraeg,
    da danish dansk, de german deutsch, el greek ellinika, en english,
    es spanish espanol, et estonian eesti, eu basque euskara, fa persian farsi,
    fi finnish suomi, fr french francais, ga irish gaeilge, gl galician galego,
    gu gujarati, he hebrew ivrit, hi hindi, hr croatian hrvatski, hu magyar,
    hy armenian, is islenska, it italian italiano, ja japanese nihongo, ka georgian,
    kn kannada, ko korean hangugeo, la latin, lt lietuviu, lv latvian latviesu,
    mr marathi, ms malay melayu, ne nepali, nl dutch, no norsk, pa punjabi,
    pl polish polski, ro romanian romana, ru russian russkiy, sk slovak, sl slovene,
    sq albanian shqip, sr serbian srpski, sv swedish svenska, sw swahili, ta tamil,
    te telugu, th thai, tl tagalog filipino, tr turkish turkce, ur urdu,
    zh chinese mandarin zhongwen
"""
"""Each code, with English and native names that fit eight letters without accents."""
NAMES = {code: " ".join(names) for code, *names in map(str.split, _WORDS.split(","))}
CODES = {name: code for code, names in NAMES.items() for name in names.split()}


def with_language_code(study: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Replace the name of a language by its code.

    Parameters
    ----------
    study
        The values of study.json.

    Returns
    -------
    tuple of dict and list of str
        The values, and a warning where one was replaced. A word that is no known name becomes
        `und`, the code of an undetermined language; what no version accepted stays as it is.
    """
    name = study.get(LANGUAGE)
    if not isinstance(name, str) or not re.fullmatch(_FORMER_TAG, name):
        return dict(study), []

    word, *rest = name.split("-")
    code = CODES.get(word.lower(), _UNDETERMINED)
    tag = _UNDETERMINED if code == _UNDETERMINED else "-".join([code, *rest])
    warning = (
        f"study.json: the language “{printable(name)}” is not a code. It is read as “{tag}”; "
        "you can change it in the settings of the study"
    )
    return {**study, LANGUAGE: tag}, [warning]
