# ruff: noqa: RUF001
"""Turn the text that a rule of the PTB tokenizer matched into none, one or two tokens."""

from collections.abc import Callable

_NO_BREAK_SPACE = "\xa0"
_SOFT_HYPHEN = "\xad"
_PARENTHESES = str.maketrans({"(": "-lrb-", ")": "-rrb-"})
_BRACKETS = str.maketrans({"{": "-lcb-", "}": "-rcb-", "[": "-lsb-", "]": "-rsb-"})
_BRACKETS |= _PARENTHESES
_FRACTIONS = {"¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_CURRENCIES = {"¢": "cents", "£": "#"}
_APOSTROPHES = str.maketrans("\x91\x92‘‛’", "`'``'")
_QUOTES = str.maketrans(
    {
        **dict.fromkeys("\x91‘‛‹", "`"),
        **dict.fromkeys("\x92’›", "'"),
        **dict.fromkeys("\x93“«", "``"),
        **dict.fromkeys("\x94”»", "''"),
    }
)


def keep(token: str) -> list[str]:
    return [token]


def skip(_token: str) -> list[str]:
    return []


def say(text: str) -> Callable[[str], list[str]]:
    return lambda _token: [text]


def _replace(written: str, meant: str) -> Callable[[str], list[str]]:
    return lambda token: [token.replace(written, meant)]


drop_soft_hyphens = _replace(_SOFT_HYPHEN, "")
join_blanks = _replace(" ", _NO_BREAK_SPACE)
say_ampersand = _replace("&amp;", "&")


def word(token: str) -> list[str]:
    return [token.replace(_SOFT_HYPHEN, "") or "-"]


def straighten(token: str) -> list[str]:
    spelled = token.replace("&apos;", "'")
    return [spelled.translate(_APOSTROPHES)]


def quotes(token: str) -> list[str]:
    spelled = token.replace("&apos;", "'")
    return [spelled.translate(_QUOTES)]


def escape_brackets(token: str) -> list[str]:
    return [token.translate(_BRACKETS)]


def escape_parentheses(token: str) -> list[str]:
    return [token.translate(_PARENTHESES)]


def join_phone(token: str) -> list[str]:
    joined = token.replace(" ", _NO_BREAK_SPACE)
    return escape_parentheses(joined)


def spell_fraction(token: str) -> list[str]:
    return [_FRACTIONS[token]]


def spell_currency(token: str) -> list[str]:
    return [_CURRENCIES.get(token, "$")]


def dash(token: str) -> list[str]:
    return ["--"] if len(token) in (3, 4) else [token]


def end_sentence(token: str) -> list[str]:
    return [token, "."]


def end_sentence_after_acronym(token: str) -> list[str]:
    return [token[:-1] if len(token) == 2 else token, "."]
