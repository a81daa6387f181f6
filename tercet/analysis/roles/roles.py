"""What the columns of tables hold, proposed from their names."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

import pandas as pd

from tercet.analysis.tables.file_tables import FileTable
from tercet.analysis.tables.headers import NUMBER
from tercet.analysis.tables.json_tables import list_in


class Role(StrEnum):
    """What a column holds."""

    IMAGE = "image"
    REFERENCE = "reference"
    CAPTION = "caption"
    PAIR = "pair"
    CHOICE = "choice"
    ANNOTATOR = "annotator"
    CATEGORY = "category"
    SYSTEM = "system"
    SYSTEM_B = "system of B"
    SYSTEM_C = "system of C"
    RATING = "rating"
    RANK = "rank"
    AUTHOR = "author"
    LEAVE_OUT = "leave out"
    SECONDS = "seconds"
    DATE = "date"
    UNUSED = "not used"


Roles = Mapping[str, tuple[str, str]]
"""Role and label of columns, by their names.

The label of captions is their system, that of ratings their aspect, that of choices who chose.
"""
_NO_ROLES: Roles = {}


def word_set(text: str) -> set[str]:
    """Return the words of a text."""
    return {*text.split()}


WORDS: dict[Role, str] = {
    Role.IMAGE: (
        "image img imageid imgid imagename imagefile filename file picture photo video videoid "
        "clip clipid audio audioid audiocapid soundid youtubeid media bild bildid bildname foto "
        "datei bilddatei imagen archivo fichier imageurl url rawname key"
    ),
    Role.REFERENCE: (
        "reference references ref refs referenz referenzen referencia referencias groundtruth gt "
        "gts truth"
    ),
    Role.CAPTION: (
        "caption captions sentence sentences text texts summary summaries description descriptions "
        "candidate cand hypothesis hyp output outputs prediction predictions pred generation "
        "generated mt beschreibung beschreibungen satz satze bildunterschrift legende phrase "
        "texte descripcion frase texto captioner commentary encap raw"
    ),
    Role.PAIR: "pair pairid pairname paar paarid paire par pareja",
    Role.CHOICE: (
        "choice winner better best preferred preference prefer prefers preferences vote votes "
        "answer label response selected selection judgment judgement verdict decision choose "
        "chosen urteil wahl auswahl besser beste bevorzugt stimme antwort gewinner choix vote "
        "comparison pairwise pref meilleur reponse gagnant eleccion ganador mejor respuesta "
        "preferido"
    ),
    Role.ANNOTATOR: (
        "annotator annotatorid worker workerid rater raterid judge user userid username person "
        "participant participantid subject coder assessor respondent responseid email "
        "prolificpid prolificid emailaddress mailadresse bewerter annotateur teilnehmer proband "
        "versuchsperson personne evaluateur participante anotador evaluador persona kurzel"
    ),
    Role.CATEGORY: "category pairtype type kind kategorie categorie categoria class group",
    Role.SYSTEM: "system systems source model method modell systeme sistema modele modelo sys",
    Role.RATING: (
        "rating ratings score scores grade humanscore quality stars points likert mos bewertung "
        "punkte punktzahl evaluation puntuacion calificacion correctness throughness relevance "
        "fluency thoroughness"
    ),
    Role.RANK: "rank ranking rang rango",
    Role.AUTHOR: "author writer autor auteur",
    Role.LEAVE_OUT: "assignmentstatus wascancelled",
    Role.SECONDS: (
        "seconds duration worktimeinseconds leadtime timetaken responsetime dauer sekunden "
        "durationinseconds duree duracion"
    ),
    Role.DATE: "date timestamp createdat submittime submittedat datum zeitstempel fecha zeit",
}
"""What columns are called, in English, German, French and Spanish; without accents."""
_ROLE_OF = {word: role for role, words in WORDS.items() for word in words.split()}
CAPTION_WORDS = {*WORDS[Role.CAPTION].split()}
_HUMAN = word_set("human humans mensch humain humano people gold")
_COMMENTS = word_set(
    "comment comments notes notizen remark remarks feedback bemerkung bemerkungen kommentar "
    "remarque commentaire comentario explanation begrundung reason"
)
_COUNTED = word_set("id number nr no index count length len tokens")
_FIRST_ROLES = (
    Role.LEAVE_OUT,
    Role.SECONDS,
    Role.DATE,
    Role.RATING,
    Role.CHOICE,
    Role.RANK,
    Role.ANNOTATOR,
    Role.REFERENCE,
    Role.CAPTION,
    Role.SYSTEM,
    Role.PAIR,
    Role.IMAGE,
    Role.CATEGORY,
    Role.AUTHOR,
)
"""Of several words in a name, the role of the first of these is proposed."""
_CROWD_PARTS = ("Input.", "Answer.", ".label")
"""What Mechanical Turk adds to the names of inputs and answers in the results of a batch."""
SIDES = (
    ("a", "b"),
    ("b", "c"),
    ("1", "2"),
    ("0", "1"),
    ("left", "right"),
    ("first", "second"),
    ("one", "two"),
    ("links", "rechts"),
    ("erste", "zweite"),
    ("gauche", "droite"),
    ("premier", "deuxieme"),
    ("izquierda", "derecha"),
    ("primera", "segunda"),
)
"""What the first and the second of two captions are called."""
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAME = re.compile(r"[A-Z]{2}|\d")
"""What names of systems have, and other words have not: capitals, numbers."""
_TEXT_WORDS = 3
"""Words that captions have at least, on average; names have fewer."""
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]{2}")
"""Two characters of writing that has no spaces between words."""
_SHORT = 1.5
"""Words of captions, on average, below which they may be codes."""
_SAMPLE = 300
_SAMPLE_LENGTH = 200_000
"""Cells, and characters, that are looked at."""
_ALIKE = 0.12
"""How much more of its words a caption shares with references of its image than with others."""


@dataclass(frozen=True)
class _Proposal:
    """The proposed roles of a table; `unsure` says why some need an answer, by their columns."""

    roles: dict[str, tuple[str, str]]
    unsure: dict[str, str] = field(default_factory=dict)


def words_of(name: str) -> list[str]:
    """Return the words of the name of a column, in lower case and without accents."""
    for part in _CROWD_PARTS:
        name = name.removeprefix(part).removesuffix(part)
    split = _CAMEL.sub(" ", name)
    plain = unicodedata.normalize("NFKD", split)
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    return [word.casefold() for word in _PARTS.findall(letters)]


def role_of_name(name: str) -> Role | None:
    """Return the role that the name of a column says, or None."""
    words = words_of(name.rpartition(".")[2] or name)
    whole = "".join(words)
    if whole in _ROLE_OF:
        return _ROLE_OF[whole]
    if {*words} & _COMMENTS:
        return Role.UNUSED

    found = {_ROLE_OF[word] for word in words if word in _ROLE_OF}
    joined = ("".join(pair) for pair in pairwise(words))
    found |= {_ROLE_OF[word] for word in joined if word in _ROLE_OF}
    if {*words} & _COUNTED and found & {Role.REFERENCE, Role.CAPTION}:
        return Role.UNUSED
    if {*words} & {"sys", "model", "system"} and Role.CAPTION in found:
        return Role.CAPTION
    return next((role for role in _FIRST_ROLES if role in found), None)


def side_of(name: str) -> str:
    """Return what a name says of the side of a caption: its last running letter or number."""
    sides = {each for pair in SIDES for each in pair} | {"c", "d", "3", "4", "5"}
    words = words_of(name)
    return next((word for word in reversed(words) if word in sides), "")


def stem_of(name: str) -> str:
    """Return the words of a name without running letters and numbers."""
    words = words_of(name)
    sides = {each for pair in SIDES for each in pair}
    return " ".join(word for word in words if not (word.isdigit() or word in sides))


def cells_of(table: FileTable, name: str) -> list[str]:
    """Return the first cells of a column that are filled, up to some characters."""
    found: list[str] = []
    length = 0
    for cell in table.frame[name].iloc[: 4 * _SAMPLE]:
        if len(found) == _SAMPLE or length > _SAMPLE_LENGTH:
            break
        length += len(cell)
        if plain := cell.strip():
            found.append(plain)
    return found


def are_texts(cells: Sequence[str], words: float = _TEXT_WORDS) -> bool:
    """Return whether cells are sentences, on average; of writing without spaces, too."""
    counted = sum(len(cell.split()) + len(_UNSPACED.findall(cell)) for cell in cells)
    return bool(cells) and counted >= words * len(cells)


def are_numbers(cells: Sequence[str]) -> bool:
    return bool(cells) and all(map(NUMBER.fullmatch, cells))


def propose(table: FileTable, known: Roles = _NO_ROLES) -> _Proposal:
    """Propose a role for each column of a table.

    Parameters
    ----------
    table
        The table.
    known
        Roles that a layout gives, or people have chosen.
    """
    roles: dict[str, tuple[str, str]] = {}
    for name in table.header:
        proposed = role_of_name(name) or Role.UNUSED
        roles[name] = known.get(name) or (proposed, "")
    unsure: dict[str, str] = {}

    free = [name for name in table.header if name not in known]
    for settle in _SETTLING:
        settle(table, free, roles, unsure)
    for name, (role, label) in roles.items():
        if role in (Role.CAPTION, Role.RATING) and not label:
            roles[name] = role, _label(name)
    unsure = {name: why for name, why in unsure.items() if name in free}
    return _Proposal(roles, unsure)


def columns_of(roles: Roles, *wanted: str) -> list[str]:
    """Return the columns with one of some roles, in their order."""
    return [name for name, (own, _label) in roles.items() if own in wanted]


def _label(name: str) -> str:
    for part in _CROWD_PARTS:
        name = name.removeprefix(part).removesuffix(part)
    return name.rpartition(".")[2] or name


_Found = dict[str, tuple[str, str]]


def _settle_humans(
    _table: FileTable, free: list[str], roles: _Found, _unsure: dict[str, str]
) -> None:
    """Columns of people are references, unless others are: then they are captions of people."""
    has_references = bool(columns_of(roles, Role.REFERENCE))
    for name in free:
        words = {*words_of(name)}
        if words & _HUMAN and roles[name][0] in (Role.CAPTION, Role.UNUSED):
            is_text = are_texts(cells_of(_table, name))
            if is_text and has_references:
                roles[name] = Role.CAPTION, "human"
            elif is_text:
                roles[name] = Role.REFERENCE, ""


def _settle_images(
    table: FileTable, free: list[str], roles: _Found, _unsure: dict[str, str]
) -> None:
    """Of several columns of images, the one is used that is called so most plainly."""
    order = WORDS[Role.IMAGE].split()

    def place(name: str) -> int:
        words = words_of(name.rpartition(".")[2] or name)
        known = [
            order.index(each) for each in ("".join(words), *words) if each in order
        ]
        return min(known, default=len(order))

    images = sorted(columns_of(roles, Role.IMAGE), key=place)
    given = [name for name in images if name not in free]
    texts = [name for name in images if are_texts(cells_of(table, name))]
    for name in texts:
        if name in free:
            roles[name] = Role.UNUSED, ""
            images.remove(name)
    for name in images[1:] if not given else images:
        if name in free:
            roles[name] = Role.UNUSED, ""
    if not images:
        ids = [
            n for n in free if "".join(words_of(n)) in ("id", "item", "itemid", "name")
        ]
        for name in ids[:1]:
            if roles[name][0] == Role.UNUSED:
                roles[name] = Role.IMAGE, ""


def _settle_systems(
    table: FileTable, free: list[str], roles: _Found, _unsure: dict[str, str]
) -> None:
    """Columns called after systems hold their captions, where they are texts, or their names."""
    systems = columns_of(roles, Role.SYSTEM)
    for name in systems:
        if name in free and are_texts(cells_of(table, name)):
            roles[name] = Role.CAPTION, ""
    systems = [name for name in columns_of(roles, Role.SYSTEM) if name in free]
    if len(systems) == 2:
        roles[systems[0]] = Role.SYSTEM_B, ""
        roles[systems[1]] = Role.SYSTEM_C, ""


def _settle_answers(
    table: FileTable, free: list[str], roles: _Found, _unsure: dict[str, str]
) -> None:
    """Columns of several people are what each of them chose, or rated."""
    people = [name for name in columns_of(roles, Role.ANNOTATOR) if name in free]
    series = [name for name in people if side_of(name) or re.search(r"\d", name)]
    if len(series) > 1:
        for name in series:
            is_number = len({*cells_of(table, name)}) > _TEXT_WORDS
            role = (
                Role.RATING if is_number and _are_numeric(table, name) else Role.CHOICE
            )
            roles[name] = role, _label(name)
    elif len(people) > 1:
        for name in people[1:]:
            roles[name] = Role.UNUSED, ""
    for name in columns_of(roles, Role.CHOICE):
        if name in free and are_texts(cells_of(table, name)):
            values = {*cells_of(table, name)}
            texts = _texts_beside(table, name, roles)
            if values and len(values & texts) * 2 < len(values) and len(values) > 8:
                roles[name] = (
                    Role.CAPTION if _is_caption_name(name) else Role.UNUSED,
                    "",
                )
    for name in columns_of(roles, Role.RATING):
        if name in free and are_texts(cells_of(table, name)):
            roles[name] = Role.UNUSED, ""


def _is_caption_name(name: str) -> bool:
    return any(_ROLE_OF.get(word) == Role.CAPTION for word in words_of(name))


def _are_numeric(table: FileTable, name: str) -> bool:
    return are_numbers(cells_of(table, name))


def _texts_beside(table: FileTable, name: str, roles: _Found) -> set[str]:
    columns = columns_of(roles, Role.CAPTION, Role.REFERENCE)
    return {cell for each in columns if each != name for cell in cells_of(table, each)}


def _settle_captions(
    table: FileTable, free: list[str], roles: _Found, unsure: dict[str, str]
) -> None:
    """Captions without references beside them may be references, or captions of systems."""
    captions = [name for name in columns_of(roles, Role.CAPTION) if name in free]
    for name in [*captions, *columns_of(roles, Role.REFERENCE)]:
        if name in free and not are_texts(cells_of(table, name), _SHORT):
            cells = cells_of(table, name)
            lists = [each for each in map(list_in, cells) if each]
            if len({*cells}) > 1 and lists and len(lists) * 2 > len(cells):
                continue
            if not cells or are_numbers(cells):
                roles[name] = Role.UNUSED, ""
            else:
                unsure[name] = "holds no sentences"
    captions = [name for name in columns_of(roles, Role.CAPTION) if name in free]
    is_said = _settle_alike(captions, free, roles)
    is_judged = columns_of(roles, Role.CHOICE, Role.RATING, Role.SYSTEM, Role.RANK)
    if (
        not captions
        or is_said
        or is_judged
        or columns_of(roles, Role.PAIR, Role.REFERENCE)
    ):
        return

    stems = {stem_of(name) for name in captions}
    if len(captions) > 1 and all(map(_holds_lists(table), captions)):
        for name in captions:
            roles[name] = Role.REFERENCE, ""
    elif len(captions) == 1:
        _settle_lone_caption(table, captions[0], roles, unsure)
    elif len(captions) > 2 and len(stems) == 1:
        unsure[captions[0]] = "and those like it may be of people or of systems"


def _settle_alike(captions: list[str], free: list[str], roles: _Found) -> bool:
    """What was said of one column of a series holds for the others; return whether it was."""
    said = {stem_of(name): roles[name][0] for name in roles if name not in free}
    for name in captions:
        if said.get(stem_of(name)) == Role.REFERENCE:
            roles[name] = Role.REFERENCE, ""
    return any(stem_of(name) in said for name in captions)


def _holds_lists(table: FileTable) -> Callable[[str], bool]:
    def holds(name: str) -> bool:
        cells = cells_of(table, name)
        lists = [each for each in map(list_in, cells) if each is not None]
        return bool(cells) and len(lists) * 2 > len(cells)

    return holds


_RESULT_WORDS = word_set(
    "candidate candidates cand results result res output outputs prediction predictions pred hyp "
    "hypothesis generated generation system systems model"
)
_REFERENCE_WORDS = word_set(
    "references reference refs ref gts gt truth groundtruth human"
)


def _settle_lone_caption(
    table: FileTable, name: str, roles: _Found, unsure: dict[str, str]
) -> None:
    """Several captions of an image are references; of one, the name of the file may say it."""
    words = {*words_of(table.file.partition(".")[0]), *words_of(name)}
    images = columns_of(roles, Role.IMAGE)
    repeats = bool(images) and table.frame[images[0]].duplicated().any()
    lists = [list_in(cell) or [] for cell in cells_of(table, name)]
    if words & _RESULT_WORDS:
        roles[name] = Role.CAPTION, table.file.partition(".")[0]
    elif repeats or words & _REFERENCE_WORDS or max(map(len, lists), default=0) > 1:
        roles[name] = Role.REFERENCE, ""
    else:
        unsure[name] = "may be of people or of a system"


def _settle_texts(
    table: FileTable, free: list[str], roles: _Found, unsure: dict[str, str]
) -> None:
    """Columns of texts that are called otherwise are captions, named after their systems.

    That is so where the names of other columns are known, and the texts are like the references.
    """
    if not columns_of(roles, Role.IMAGE):
        return
    known = columns_of(roles, Role.REFERENCE, Role.CAPTION, Role.CHOICE)
    texts = [
        name
        for name in free
        if roles[name][0] == Role.UNUSED
        and role_of_name(name) is None
        and _are_full_texts(table, name)
    ]
    if not known or not texts:
        return

    references = columns_of(roles, Role.REFERENCE)
    captions = columns_of(roles, Role.CAPTION)
    unnamed = [name for name in captions if role_of_name(name) is None]
    are_two = len(texts) + len(captions) == 2 and captions == unnamed
    are_two = are_two and bool(columns_of(roles, Role.CHOICE))
    for name in texts:
        if "." in name and not name.startswith(_CROWD_PARTS):
            continue
        if are_two or _NAME.search(name) or _are_like(table, name, references):
            roles[name] = Role.CAPTION, ""
        else:
            unsure[name] = "holds texts that are not used"


def _are_full_texts(table: FileTable, name: str) -> bool:
    cells = cells_of(table, name)
    whole = min(len(table.frame), _SAMPLE)
    has_several = len({*cells}) > 1 or whole == 1
    return are_texts(cells) and has_several and len(cells) * 10 >= 7 * whole


def _are_like(table: FileTable, name: str, references: Sequence[str]) -> bool:
    """Return whether texts share more words with references of their rows than of others."""
    rows = table.frame.iloc[:_SAMPLE]
    if not references or len(rows) < 2:
        return False
    known = [{*" ".join(each).casefold().split()} for each in _rows(rows, references)]
    texts = [{*text.casefold().split()} for text in rows[name]]
    own = _shared(zip(texts, known, strict=True))
    other = _shared(zip(texts, known[1:] + known[:1], strict=True))
    return own > other + _ALIKE


def _rows(frame: pd.DataFrame, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return iter(frame[[*names]].itertuples(index=False, name=None))


def _shared(pairs: Iterator[tuple[set[str], set[str]]]) -> float:
    shares = [len(one & other) / len(one) for one, other in pairs if one]
    return sum(shares) / max(len(shares), 1)


_SETTLING: tuple[
    Callable[[FileTable, list[str], _Found, dict[str, str]], None], ...
] = (
    _settle_humans,
    _settle_images,
    _settle_systems,
    _settle_captions,
    _settle_answers,
    _settle_texts,
)
