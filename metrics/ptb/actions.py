# ruff: noqa: RUF001
"""What becomes of the text that a rule of the PTB tokenizer matched: none, one or two tokens."""

from collections.abc import Callable

_NO_BREAK_SPACE = "\xa0"
_SOFT_HYPHEN = "\xad"
_BRACKETS = {
    "(": "-lrb-",
    ")": "-rrb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "[": "-lsb-",
    "]": "-rsb-",
}
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


def drop_soft_hyphens(token: str) -> list[str]:
    return [token.replace(_SOFT_HYPHEN, "")]


def word(token: str) -> list[str]:
    return [token.replace(_SOFT_HYPHEN, "") or "-"]


def straighten(token: str) -> list[str]:
    return [token.replace("&apos;", "'").translate(_APOSTROPHES)]


def join_blanks(token: str) -> list[str]:
    return [token.replace(" ", _NO_BREAK_SPACE)]


def join_phone(token: str) -> list[str]:
    return escape_parentheses(token.replace(" ", _NO_BREAK_SPACE))


def escape_parentheses(token: str) -> list[str]:
    return [token.replace("(", _BRACKETS["("]).replace(")", _BRACKETS[")"])]


def escape_bracket(token: str) -> list[str]:
    return [_BRACKETS[token]]


def spell_fraction(token: str) -> list[str]:
    return [_FRACTIONS[token]]


def spell_currency(token: str) -> list[str]:
    return [_CURRENCIES.get(token, "$")]


def say_ampersand(token: str) -> list[str]:
    return [token.replace("&amp;", "&")]


def dash(token: str) -> list[str]:
    return ["--" if len(token) in (3, 4) else token]


def quotes(token: str) -> list[str]:
    return [token.replace("&apos;", "'").translate(_QUOTES)]


def end_sentence(token: str) -> list[str]:
    return [token, "."]


def end_sentence_after_acronym(token: str) -> list[str]:
    return [token[:-1] if len(token) == 2 else token, "."]
