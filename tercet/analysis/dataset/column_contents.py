"""Recognise the columns of third-party tables by what their cells hold."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath

from tercet.analysis.dataset.checks import CHOICES, IMAGE_TYPES, SIDES, STATUSES
from tercet.analysis.dataset.flat_files import series_in
from tercet.analysis.formats.wide_tables import Role
from tercet.analysis.tables.rules import COUNT, is_time
from tercet.analysis.tables.schema import CATEGORIES

WORDS = 3
"""Words that captions have at least, on average; names have fewer."""
LONGEST_NAME = 60
NUMBER = re.compile(r"-?\d+([.,]\d+)?(e-?\d+)?", re.IGNORECASE)

_ITEMS = [
    "hitid",
    "hit",
    "id",
    "item",
    "itemid",
    "key",
    "question",
    "questionid",
    "task",
    "taskid",
]
"""What names of pairs are called elsewhere; without case, spaces and underscores."""

RATING_WORDS = ("rating", "score", "rater")
"""Words in the names of columns of ratings."""
_WINNER_WORDS = ("winner", "better", "best", "prefer", "choice", "besser", "vote")
_VOTE_WORDS = ("vote", "stimme")
_PAIR_WORDS = ("pair", "paar")
_IMAGE_WORDS = ("image", "picture", "photo", "bild", "foto")
_PERSON_WORDS = ("rater", "annotator", "worker", "judge", "person")
_REFERENCE_WORDS = ("refer", "human", "gold", "truth", "mensch")
_SYSTEM_WORDS = ("sys", "model", "cand", "output", "pred", "capt")
_WINNER_NAMES = (
    ("b", "c"),
    ("1", "2"),
    ("a", "b"),
    ("left", "right"),
    ("first", "second"),
    ("links", "rechts"),
    ("0", "1"),
)
"""What the first and the second of two captions are called, the likeliest first."""
_MOST_WINNERS = 8
_TIE_NAMES = ("=", "tie", "tied", "equal", "same", "both", "draw", "gleich")
_NO_VOTE_NAMES = (
    "",
    "?",
    "-",
    "n/a",
    "na",
    "none",
    "skip",
    "maybe",
    "unsure",
    "unclear",
    "unklar",
)

Cells = Sequence[str]
_Fits = Callable[[Cells], bool]


def recognise_columns(
    cells: Mapping[str, Cells], columns: Collection[str]
) -> dict[str, str]:
    """Find the columns of a table that the cells of a file suggest.

    Parameters
    ----------
    cells
        Some cells of each column of the file, by its name.
    columns
        Our columns that are looked for.

    Returns
    -------
    dict of str to str
        The file's names by ours: those columns that exactly one of the file fits, the most specific
        first; and B and C where exactly two columns are captions. Of several that may name pairs,
        the first that is called like an item.
    """
    left = {name: [cell for cell in each if cell] for name, each in cells.items()}
    left = {name: each for name, each in left.items() if each}
    found: dict[str, str] = {}

    for column, fits in RULES:
        fitting = [name for name, each in left.items() if fits(each)]
        if column == "pair" and len(fitting) > 1:
            fitting = [*filter(_is_item, fitting)][:1]

        ours = CAPTIONS if column == CAPTIONS[0] else (column,)
        if len(fitting) == len(ours) and {*columns} >= {*ours}:
            found |= dict(zip(ours, fitting, strict=True))
            left = {name: each for name, each in left.items() if name not in fitting}

    return found


def _is_item(name: str) -> bool:
    letters = filter(str.isalnum, name)
    plain = "".join(letters).casefold()
    return plain in _ITEMS


def _all_of(values: Collection[str]) -> _Fits:
    return lambda cells: {*cells} <= {*values}


def _each(test: Callable[[str], object]) -> _Fits:
    return lambda cells: all(map(test, cells))


def _are_pictures(cells: Cells) -> bool:
    suffixes = {PurePosixPath(cell).suffix.lower() for cell in cells}
    return suffixes <= {*IMAGE_TYPES}


def _are_captions(cells: Cells) -> bool:
    words = sum(len(cell.split()) for cell in cells)
    return words >= WORDS * len(cells)


def _are_numbers(cells: Cells) -> bool:
    """Whether a column holds numbers, and perhaps empty cells."""
    filled = list(filter(None, cells))
    return bool(filled) and all(map(NUMBER.fullmatch, filled))


def _are_names(cells: Cells) -> bool:
    return not _are_captions(cells) and all(
        len(cell) <= LONGEST_NAME and not _is_fraction(cell) for cell in cells
    )


def _is_fraction(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None and not cell.isdigit()


def _are_names_once(cells: Cells) -> bool:
    return _are_names(cells) and len({*cells}) == len(cells) > 1


CAPTIONS = ("candidate_b", "candidate_c")
RULES: tuple[tuple[str, _Fits], ...] = (
    ("choice", _all_of(CHOICES)),
    ("winner", _all_of(CHOICES[:2])),
    ("b_side", _all_of(SIDES)),
    ("status", _all_of(STATUSES)),
    ("category", _all_of(CATEGORIES)),
    ("created_at", _each(is_time)),
    ("url", _each(re.compile("https://.*").fullmatch)),
    ("file", _are_pictures),
    ("candidate_b", _are_captions),
    ("caption", _are_captions),
    ("reference", _each(re.compile(COUNT).fullmatch)),
    ("rating", _are_numbers),
    ("pair", _are_names_once),
    ("image", _are_names),
)
"""What fits each column, the most specific first."""


def guess_roles(
    cells: Mapping[str, Cells], named: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Guess what the columns of a wide table hold.

    Parameters
    ----------
    cells
        Some cells of each column, by its name, in the order of the file.
    named
        The columns of images, and of the names, categories and systems of pairs, by our names,
        where their names say so.

    Returns
    -------
    dict of str to (str, str)
        Role and label by column (`tercet.analysis.formats.wide_tables`); columns that seem to hold
        nothing of use are left out.
    """
    texts = [name for name, each in cells.items() if _are_texts(each)]
    others = {name: each for name, each in cells.items() if name not in texts}
    image = _image_column(others, named.get("image", ""))
    if image in texts:
        texts.remove(image)

    references = _reference_columns(texts)
    captions = [name for name in texts if name not in references]
    if {*CAPTIONS} <= {*captions}:
        captions = [*CAPTIONS]
    are_two = len(captions) == 2
    left = {name: each for name, each in cells.items() if name not in named.values()}
    judging = _judging_roles(left) if are_two else {}
    of_pairs = _roles_of_pairs(named, judging, is_pair=are_two)
    roles: dict[str, tuple[str, str]] = {}

    for name, each in cells.items():
        label = ""
        if name == image:
            role = Role.IMAGE
        elif name in references:
            role = Role.REFERENCE
        elif name in captions:
            role = Role.CAPTION
            label = name
        elif name in judging:
            role = judging[name]
            label = name if role == Role.VOTE else ""
        elif name in of_pairs:
            role = of_pairs[name]
        elif has_word(name, RATING_WORDS) and _are_numbers(each):
            role = Role.RATING
            label = name
        else:
            continue
        roles[name] = (role, label)
    return roles


def _image_column(cells: Mapping[str, Cells], named: str) -> str:
    """Guess which column names images: the one that is `named` so, unless like any item.

    Else it is one of files of images, or one whose name says so in words, or the first.
    """
    if named and not _is_item(named):
        return named

    files = (name for name, each in cells.items() if _are_pictures(each))
    called = (name for name in cells if has_word(name, _IMAGE_WORDS))
    return next(chain(files, called, filter(None, [named]), cells), "")


def _roles_of_pairs(
    named: Mapping[str, str], judging: Mapping[str, Role], *, is_pair: bool
) -> dict[str, Role]:
    """Guess which columns name pairs, and which say their category and the systems of B and C.

    One that is called like any item names pairs only where each line is judged once.
    """
    name = named.get(Role.PAIR, "")
    is_judged_once = judging and Role.RATER not in judging.values()

    roles: dict[str, Role] = {}
    if has_word(name, _PAIR_WORDS) or (name and is_judged_once):
        roles[name] = Role.PAIR
    if is_pair and (judging or roles):
        for role in (Role.CATEGORY, Role.SOURCE_B, Role.SOURCE_C):
            roles |= {named[role]: role} if role in named else {}
    return roles


def _judging_roles(cells: Mapping[str, Cells]) -> dict[str, Role]:
    """Guess which columns are winners, votes, and who voted.

    One column that says so holds winners, or votes where another names people; several columns
    hold the votes of a person each, which decide the winner that is beside them.
    """
    choices = [name for name, each in cells.items() if _are_choices(each)]
    winners = [name for name in choices if has_word(name, _WINNER_WORDS)]
    people = [name for name in cells if has_word(name, _PERSON_WORDS)]

    if len(winners) == len(people) == 1 and winners != people:
        return {winners[0]: Role.VOTE, people[0]: Role.RATER}
    if len(winners) > 1:
        called = [name for name in winners if has_word(name, _VOTE_WORDS)]
        return dict.fromkeys(called if len(called) > 1 else winners, Role.VOTE)

    sides = [name for name in people if _are_sides(cells[name])]
    votes = [name for name in sides or _equal_sides(cells) if name not in winners]
    if winners and len(votes) < 2:
        return {winners[0]: Role.WINNER}
    return dict.fromkeys(votes, Role.VOTE)


def _equal_sides(cells: Mapping[str, Cells]) -> list[str]:
    """Return the columns, two or more, that hold the names of two sides, ties, and no votes.

    0 and 1 are no sides here, as columns that say nothing else hold them for no and yes.
    """
    values = {name: set(map(str.casefold, each)) for name, each in cells.items()}
    for names in _WINNER_NAMES:
        sides = {*names, *_TIE_NAMES, *_NO_VOTE_NAMES}
        columns = [
            name for name, own in values.items() if own <= sides and own & {*names}
        ]
        found = set[str]().union(*(values[name] for name in columns))
        if len(columns) > 1 and found >= {*names} and "0" not in names:
            return columns
    return []


def _are_choices(cells: Cells) -> bool:
    """Whether a column holds few values: two numbers and one for ties, or some short words."""
    values = {cell.casefold() for cell in cells if cell}
    most = 3 if _are_numbers([*values]) else _MOST_WINNERS
    return 0 < len(values) <= most and not _are_captions([*values])


def _are_sides(cells: Cells) -> bool:
    """Whether a column holds nothing but usual names of sides, ties, and no votes."""
    sides = chain.from_iterable(_WINNER_NAMES)
    names = {*sides, *_TIE_NAMES, *_NO_VOTE_NAMES}
    values = {cell.casefold() for cell in cells if cell}
    return _are_choices(cells) and values <= names


def _are_texts(cells: Cells) -> bool:
    """Whether most cells of a column are captions."""
    filled = list(filter(None, cells))
    is_full = len(filled) * 2 > len(cells)
    return is_full and _are_captions(filled)


def _reference_columns(texts: Sequence[str]) -> list[str]:
    """Return the columns that say that they are references, or the first series of columns."""
    named = [
        name
        for name in texts
        if has_word(name, _REFERENCE_WORDS) or "ref" in series_in([name])
    ]
    if named:
        return named

    for stem, members in series_in(texts).items():
        if len(members) > 1 and not has_word(stem, _SYSTEM_WORDS):
            return list(members)
    return []


def has_word(name: str, words: Collection[str]) -> bool:
    """Return whether a name has one of some words."""
    plain = name.casefold()
    return any(word in plain for word in words)


def guess_winners(cells: Cells, b: str, c: str, tie: str = "") -> dict[str, str]:
    """Guess what the values of columns of winners or votes mean.

    Parameters
    ----------
    cells
        Their cells.
    b, c
        The systems of the captions B and C.
    tie
        What the usual names of ties mean.

    Returns
    -------
    dict of str to str
        `B`, `C`, or "" for neither, by the value: those of a usual pair of names for the first and
        the second. At most eight values.
    """
    stripped = {cell.strip() for cell in cells}
    values = sorted(filter(None, stripped))
    found = set(map(str.casefold, values))
    systems = (b.casefold(), c.casefold())

    sides: dict[str, str] = {}
    for names in (systems, *_WINNER_NAMES):
        if found & {*names}:
            sides = dict(zip(names, CHOICES, strict=False))
        if found >= {*names}:
            break

    meaning = dict.fromkeys(_TIE_NAMES, tie) | sides
    known = {}
    for value in values[:_MOST_WINNERS]:
        plain = value.casefold()
        known[value] = meaning.get(plain, "")
    return known
