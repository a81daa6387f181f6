"""What the values of columns of choices mean, and which rows are left out."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from tercet.analysis.roles.roles import (
    CAPTION_WORDS,
    SIDES,
    side_of,
    word_set,
    words_of,
)
from tercet.analysis.tables.json_tables import list_in

B, C, TIE, NONE = "B", "C", "tie", "none"
KEEP, LEAVE = "keep", "leave out"
MEANINGS = (B, C, TIE, NONE)
MOST_VALUES = 12
"""Values of a choice that are asked about; a column with more is none."""
_TIES = word_set(
    "= tie tied equal equally equals same both draw gleich unentschieden beide egal egaux igual "
    "empate ambos"
)
_FILLERS = word_set(
    "caption option text sentence image system model answer candidate choice is are they about "
    "better much slightly the prefer preferred prefers clearly strongly wins best description "
    "side summary good re as of beschreibung satz besser ist gut"
)
_OTHER_SIDES = {each for pair in SIDES for each in pair} | {"c", "d"}
_YES = word_set("true yes ja oui si wahr vrai verdadero y")
_NO = word_set("false no nein non falsch faux falso n")
_BETTER = word_set(
    "better best wins winner preferred prefer prefers besser bevorzugt gewinnt meilleur mejor"
)
_LEAVE = {
    *word_set("rejected true returned spam timed-out"),
    "timed out",
    "survey preview",
}
_KEEP = {
    *word_set("approved submitted false accepted complete completed"),
    "awaiting review",
    "ip address",
    "",
}
_ONE = re.compile(r'\[?\{"\w+": ?"?([^"{}\[\]]*)"?\}\]?')
_DECIMALS = re.compile(r"([+-]?\d+)[.,]0+")


@dataclass(frozen=True)
class Sides:
    """The two captions of each row: their columns, systems, and columns of systems."""

    columns: Sequence[str]
    labels: Sequence[str]
    systems: Sequence[str] = ()


def plain_value(cell: str) -> str:
    """Return a value as it is compared: its only text, a whole number without decimals."""
    text = cell.strip()
    if found := _ONE.fullmatch(text):
        text = found[1]
    elif (texts := list_in(text)) and len(texts) == 1:
        text = texts[0]
    if found := _DECIMALS.fullmatch(text):
        text = found[1]
    return text.strip()


def plain_values(cells: "pd.Series[str]") -> "pd.Series[str]":
    """Return all values of a column as they are compared."""
    plain = {cell: plain_value(cell) for cell in dict.fromkeys(cells.tolist())}
    return cells.map(plain).astype("str")


def meanings(
    cells: "pd.Series[str]", header: str, sides: Sides, others: Iterable[str] = ()
) -> dict[str, str]:
    """Return what the values of a choice mean: B, C or a tie; "" where it has to be asked.

    Parameters
    ----------
    cells
        The cells of the column.
    header
        The name of the column.
    sides
        The captions that are chosen from.
    others
        Values of further columns of choices of the table, which are read together.
    """
    values = Counter(plain_values(cells).tolist())
    del values[""]
    known = {*values, *filter(None, map(plain_value, others))}
    named = _names_of_sides(sides, known, header)

    found: dict[str, str] = {}
    for value, _count in values.most_common():
        found[value] = named(value)
    return found


def _names_of_sides(sides: Sides, values: set[str], header: str) -> "_Named":
    """Return what the two sides are called: as their columns, or by a usual pair of names.

    Values that name a third side, or a number that is none of the two, leave the pair open.
    """
    texts = {}
    for side, column, label in zip((B, C), sides.columns, sides.labels, strict=False):
        plain = " ".join(each for each in words_of(column) if each not in CAPTION_WORDS)
        for name in filter(None, (label, column, column.rpartition(".")[2], plain)):
            is_running = name.casefold() in _OTHER_SIDES or _is_number(name)
            if not is_running:
                texts[name.casefold()] = side

    own = tuple(map(side_of, sides.columns))
    said = {each for value in values for each in _telling(value)}
    sides_said = {each for each in said if each in _OTHER_SIDES or _is_number(each)}
    pairs = [own] if own in SIDES and sides_said & {*own} else [*SIDES]
    fitting = [each for each in pairs if sides_said and sides_said <= {*each}]
    if len(fitting) > 1:
        fitting = [each for each in fitting if {*each} <= said]
    is_clear = len(fitting) == 1 and "0" not in fitting[0]
    return _Named(texts, fitting[0] if is_clear else (), _side_in(header, own))


def _is_number(word: str) -> bool:
    return word.lstrip("-").isdigit()


def _side_in(header: str, own: Sequence[str]) -> str:
    """Return the side of which a header says that it is better: a_is_better."""
    words = words_of(header)
    if not {*words} & _BETTER:
        return ""
    pairs = [each for each in (own, *SIDES) if {*each} & {*words}]
    if not pairs or {*pairs[0]} <= {*words}:
        return ""
    first, _second = pairs[0]
    return B if first in words else C


def _telling(value: str) -> list[str]:
    """Return the words of a value that tell sides apart; of other words, all of them."""
    if _is_number(value):
        return [value]
    words = words_of(value)
    left = [word for word in words if word not in _FILLERS]
    return left if len(left) == 1 else [" ".join(left)] if left else words


@dataclass(frozen=True)
class _Named:
    """What a value means, by the names of the sides; `asked` is the side that a header asks of."""

    texts: Mapping[str, str]
    pair: Sequence[str]
    asked: str

    def __call__(self, value: str) -> str:
        plain = value.casefold()
        if plain in self.texts:
            return self.texts[plain]
        told = _telling(value)
        if self.asked and plain in _YES:
            return self.asked
        if self.asked and plain in _NO:
            return C if self.asked == B else B
        if len(told) == 1 and told[0] in self.pair:
            return (B, C)[list(self.pair).index(told[0])]
        words = {word for each in told for word in each.split()}
        return TIE if plain in _TIES or (words and words <= _TIES) else ""


def chosen(
    frame: pd.DataFrame, column: str, sides: Sides, meaning: Mapping[str, str]
) -> "pd.Series[str]":
    """Return B, C, tie or "" for each row; what has no meaning is ""."""
    cells = plain_values(frame[column])
    known = {cell: meaning.get(cell, "") for cell in cells.unique().tolist()}
    result = cells.map(known).astype("str")
    for names in (sides.columns, sides.systems):
        if names and not _are_among(cells, frame, names):
            continue
        for side, name in zip((B, C), names, strict=False):
            same = (cells == frame[name].str.strip()) & (cells != "")
            others = [each for each in names if each != name]
            differs = frame[others[0]].str.strip() != cells if others else True
            result = result.mask(same & differs & (result == ""), side)
    return result.replace(NONE, "")


def _are_among(
    cells: "pd.Series[str]", frame: pd.DataFrame, names: Sequence[str]
) -> bool:
    """Return whether a value of a choice may stand in one of some columns."""
    values = {*cells.unique().tolist()}
    texts = chain.from_iterable(frame[name].tolist() for name in names)
    return not values.isdisjoint(map(str.strip, texts))


def status_meanings(cells: "pd.Series[str]") -> dict[str, str]:
    """Return which values of a status leave a row out; "" where it has to be asked."""
    found = {}
    for value in dict.fromkeys(cells.str.strip()):
        plain = value.casefold()
        known = KEEP if plain in _KEEP else ""
        found[value] = LEAVE if plain in _LEAVE else known
    return found
