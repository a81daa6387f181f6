"""What the columns of tables hold, proposed from their names."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

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
    ORIGIN = "origin"
    LEAVE_OUT = "leave out"
    SECONDS = "seconds"
    DATE = "date"
    UNUSED = "not used"


Roles = Mapping[str, tuple[str, str]]
"""Role and label of columns, by their names.

The label of captions is their system, that of references their origin, that of ratings their
aspect, that of choices who chose.
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
        "candidate candidates cand hypothesis hypotheses hyp output outputs prediction predictions "
        "pred generation generated mt beschreibung beschreibungen satz satze bildunterschrift "
        "legende phrase texte descripcion frase texto captioner commentary encap raw"
    ),
    Role.PAIR: "pair pairid pairname paar paarid paire par pareja",
    Role.CHOICE: (
        "choice winner better best preferred preference prefer prefers preferences vote votes "
        "answer label response selected selection judgment judgement verdict decision choose "
        "chosen which welche welcher quelle cual urteil wahl auswahl besser beste bevorzugt stimme "
        "antwort gewinner choix vote "
        "comparison pairwise pref meilleur reponse gagnant eleccion ganador mejor respuesta "
        "preferido closer closest similar ergebnis"
    ),
    Role.ANNOTATOR: (
        "annotator annotatorid worker workerid rater raterid judge user userid username person "
        "participant participantid subject coder assessor respondent responseid email "
        "prolificpid prolificid emailaddress mailadresse bewerter annotateur teilnehmer proband "
        "versuchsperson personne evaluateur participante anotador evaluador persona kurzel "
        "nutzer nutzername benutzer benutzername utilisateur usuario courriel correo"
    ),
    Role.CATEGORY: "category pairtype type kind kategorie categorie categoria class group",
    Role.SYSTEM: (
        "system systems source model models method modell systeme sistema modele modelo sys"
    ),
    Role.RATING: (
        "rating ratings rate score scores grade humanscore quality stars points likert mos "
        "bewertung punkte punktzahl evaluation puntuacion calificacion correctness throughness "
        "relevance fluency thoroughness adequacy accuracy informativeness coherence grammaticality "
        "naturalness helpfulness"
    ),
    Role.RANK: "rank ranking rang rango",
    Role.AUTHOR: "author writer autor auteur",
    Role.ORIGIN: "origin herkunft origine origen",
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
_RESULT_WORDS = word_set(
    "candidate candidates cand results result res output outputs prediction predictions pred hyp "
    "hypothesis generated generation system systems model"
)
_REFERENCE_WORDS = word_set(
    "references reference refs ref gts gt truth groundtruth human"
)
_COUNTED = word_set(
    "id number nr no index count length len tokens n num page trial order position split fold set "
    "round batch session age year step"
)
_QUANTITIES = word_set(
    "words word chars characters size width height area version week day hour month minutes people "
    "persons objects faces times years months days start end worter zeichen breite hohe personen "
    "objekte mots largeur hauteur palabras ancho alto"
)
"""Words of columns that measure or count something else than how good a caption is."""
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
    Role.ORIGIN,
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
_OF_RECORDS = (Role.IMAGE, Role.REFERENCE, Role.CAPTION)
"""Columns beside which, in nested JSON, texts may be captions."""
_IDS = ("id", "item", "itemid", "name")
_SAYING_WHOSE = (
    Role.CHOICE,
    Role.RATING,
    Role.SYSTEM,
    Role.RANK,
    Role.PAIR,
    Role.REFERENCE,
)
"""Columns beside which captions are of systems."""
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
_LETTERS = 2
"""Letters of a cell that is a code rather than a word."""
_MOST_GRADES = 11
"""Different ratings that people give."""
SAMPLE = 300
_SAMPLE_LENGTH = 200_000
"""Cells, and characters, that are looked at."""
_ALIKE = 0.12
"""How much more of its words a caption shares with references of its image than with others."""


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
    for cell in table.frame[name].iloc[: 4 * SAMPLE]:
        if len(found) == SAMPLE or length > _SAMPLE_LENGTH:
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


def counts_something(name: str) -> bool:
    """Return whether a column is called as one that numbers, measures or counts."""
    return bool({*words_of(name)} & (_COUNTED | _QUANTITIES))


def may_be_ratings(table: FileTable, name: str) -> bool:
    """Return whether a column holds few small numbers."""
    cells = cells_of(table, name)
    if role_of_name(name) or not are_numbers(cells):
        return False
    numbers = [float(cell.replace(",", ".")) for cell in cells]
    steps = {after - before for before, after in pairwise(numbers)}
    is_count = steps == {1.0}
    are_few = len({*numbers}) <= _MOST_GRADES
    return are_few and not is_count and all(0 <= each <= 10 for each in numbers)


def columns_of(roles: Roles, *wanted: str) -> list[str]:
    """Return the columns with one of some roles, in their order."""
    return [name for name, (own, _label) in roles.items() if own in wanted]


def _label(name: str) -> str:
    for part in _CROWD_PARTS:
        name = name.removeprefix(part).removesuffix(part)
    return name.rpartition(".")[2] or name


class Proposal:
    """The proposed roles of a table; `unsure` says why some need an answer, by their columns.

    Parameters
    ----------
    table
        The table.
    known
        Roles that a layout gives, or people have chosen.
    """

    def __init__(self, table: FileTable, known: Roles = _NO_ROLES) -> None:
        self.table = table
        self.roles: dict[str, tuple[str, str]] = {}
        self.unsure: dict[str, str] = {}
        for name in table.header:
            explained = table.explanations.get(name, "")
            proposed = role_of_name(name) or role_of_name(explained) or Role.UNUSED
            self.roles[name] = known.get(name) or (proposed, "")
        self.free = [name for name in table.header if name not in known]

        self._settle_humans()
        self._settle_images()
        self._settle_systems()
        self._settle_captions()
        self._settle_answers()
        self._settle_texts()
        if not self._of(Role.REFERENCE):
            self._set(self._free_of(Role.ORIGIN), Role.UNUSED)
        for name, (role, label) in self.roles.items():
            if role in (Role.CAPTION, Role.RATING) and not label:
                self.roles[name] = role, _label(name)
        for name in known:
            self.unsure.pop(name, None)

    def _of(self, *wanted: Role) -> list[str]:
        return columns_of(self.roles, *wanted)

    def _free_of(self, *wanted: Role) -> list[str]:
        return [name for name in self._of(*wanted) if name in self.free]

    def _set(self, names: Iterable[str], role: Role) -> None:
        self.roles |= dict.fromkeys(names, (role, ""))

    def _are_texts(self, name: str) -> bool:
        return are_texts(cells_of(self.table, name))

    def _settle_humans(self) -> None:
        """Columns of people are references, unless others are: then they are captions of people."""
        has_references = bool(self._of(Role.REFERENCE))
        for name in self._free_of(Role.CAPTION, Role.UNUSED):
            if {*words_of(name)} & _HUMAN and self._are_texts(name):
                human = (Role.CAPTION, "human"), (Role.REFERENCE, "")
                self.roles[name] = human[not has_references]

    def _settle_images(self) -> None:
        """Of several columns of images, the one is used that is called so most plainly."""
        order = WORDS[Role.IMAGE].split()

        def place(name: str) -> int:
            words = words_of(name.rpartition(".")[2] or name)
            spelled = ["".join(words), *words]
            return min(map(order.index, {*spelled} & {*order}), default=len(order))

        self._set(filter(self._are_texts, self._free_of(Role.IMAGE)), Role.UNUSED)
        images = sorted(self._of(Role.IMAGE), key=place)
        is_given = any(name not in self.free for name in images)
        others = [name for name in images[not is_given :] if name in self.free]
        self._set(others, Role.UNUSED)
        if not images:
            unused = self._free_of(Role.UNUSED)
            ids = [name for name in unused if "".join(words_of(name)) in _IDS]
            self._set(ids[:1], Role.IMAGE)

    def _settle_systems(self) -> None:
        """Columns called after systems hold their captions, if they are texts, or their names."""
        self._set(filter(self._are_texts, self._free_of(Role.SYSTEM)), Role.CAPTION)
        systems = self._free_of(Role.SYSTEM)
        if len(systems) == 2:
            self._set(systems[:1], Role.SYSTEM_B)
            self._set(systems[1:], Role.SYSTEM_C)

    def _settle_answers(self) -> None:
        """Columns of several people are what each of them chose, or rated."""
        people = self._free_of(Role.ANNOTATOR)
        series = [name for name in people if side_of(name) or re.search(r"\d", name)]
        if len(series) > 1:
            cells = [cell for name in series for cell in cells_of(self.table, name)]
            are_two = len(self._of(Role.CAPTION)) == 2
            may_be_sides = are_two and {*cells} <= {"0", "1", "2"}
            is_rated = are_numbers(cells) and not may_be_sides
            for name in series:
                role = Role.RATING if is_rated else Role.CHOICE
                self.roles[name] = role, _label(name)
        else:
            self._set(people[1:], Role.UNUSED)

        for name in filter(self._are_texts, self._free_of(Role.CHOICE)):
            values = {*cells_of(self.table, name)}
            beside = self._of(Role.CAPTION, Role.REFERENCE)
            texts = {cell for each in beside for cell in cells_of(self.table, each)}
            if len(values & texts) * 2 < len(values) and len(values) > 8:
                words = words_of(name)
                is_caption = any(_ROLE_OF.get(each) == Role.CAPTION for each in words)
                self._set([name], Role.CAPTION if is_caption else Role.UNUSED)
        self._set(filter(self._are_texts, self._free_of(Role.RATING)), Role.UNUSED)
        for name in self._of(Role.RANK):
            if not are_numbers(cells_of(self.table, name)):
                self._set([name], Role.UNUSED)
                self.unsure[name] = "holds ranks that are no numbers"

    def _settle_captions(self) -> None:
        """Captions without references beside them may be references, or captions of systems."""
        for name in self._free_of(Role.CAPTION, Role.REFERENCE):
            cells = cells_of(self.table, name)
            if not cells or are_numbers(cells):
                self._set([name], Role.UNUSED)
            elif _are_codes(cells) and not _are_lists(cells):
                self.unsure[name] = "holds no sentences"
        captions = self._free_of(Role.CAPTION)
        said = {
            stem_of(name): role
            for name, (role, _label) in self.roles.items()
            if name not in self.free
        }
        alike = [name for name in captions if stem_of(name) in said]
        for name in alike:
            if said[stem_of(name)] == Role.REFERENCE:
                self._set([name], Role.REFERENCE)
        if captions and not alike and not self._of(*_SAYING_WHOSE):
            self._settle_whose(captions)

    def _settle_whose(self, captions: list[str]) -> None:
        """Several captions of an image are references; of one, a name may say it."""
        if len(captions) == 1:
            self._settle_lone_caption(captions[0])
        elif all(_are_lists(cells_of(self.table, name)) for name in captions):
            self._set(captions, Role.REFERENCE)
        elif len(captions) > 2 and len({*map(stem_of, captions)}) == 1:
            why = "and those like it may be of people or of systems"
            self.unsure[captions[0]] = why

    def _settle_lone_caption(self, name: str) -> None:
        stem = self.table.file.partition(".")[0]
        words = {*words_of(f"{self.table.part or stem} {name}")}
        images = self._of(Role.IMAGE)
        repeats = bool(images) and self.table.frame[images[0]].duplicated().any()
        lists = [list_in(cell) or [] for cell in cells_of(self.table, name)]
        if words & _RESULT_WORDS:
            self.roles[name] = Role.CAPTION, stem
        elif repeats or words & _REFERENCE_WORDS or max(map(len, lists), default=0) > 1:
            self._set([name], Role.REFERENCE)
        else:
            self.unsure[name] = "may be of people or of a system"

    def _settle_texts(self) -> None:
        """Columns of texts that are called otherwise are captions, named after their systems.

        Their names are those of systems, or the texts are like the references.
        """
        if not self._of(Role.IMAGE):
            return
        records = {name.rpartition(".")[0] for name in self._of(*_OF_RECORDS)}
        texts = [
            name
            for name in self._free_of(Role.UNUSED)
            if role_of_name(name) is None and self._are_full_texts(name)
        ]
        captions = self._of(Role.CAPTION)
        are_unnamed = not any(map(role_of_name, captions))
        is_chosen = bool(self._of(Role.CHOICE))
        are_two = is_chosen and are_unnamed and len(texts) + len(captions) == 2
        for name in texts:
            parent = name.rpartition(".")[0]
            is_of_system = role_of_name(parent) in (Role.CAPTION, Role.SYSTEM)
            is_beside = is_of_system or parent in records
            if parent and not (is_beside or name.startswith(_CROWD_PARTS)):
                continue
            is_named = are_two or is_of_system or bool(_NAME.search(name))
            if is_named or self._are_like_references(name):
                self._set([name], Role.CAPTION)
            else:
                self.unsure[name] = "holds texts that are not used"

    def _are_full_texts(self, name: str) -> bool:
        cells = cells_of(self.table, name)
        whole = min(len(self.table.frame), SAMPLE)
        has_several = len({*cells}) > 1 or whole == 1
        return are_texts(cells) and has_several and len(cells) * 10 >= 7 * whole

    def _are_like_references(self, name: str) -> bool:
        """Return whether texts share more words with references of their rows than of others."""
        rows = self.table.frame.iloc[:SAMPLE]
        references = self._of(Role.REFERENCE)
        if not references or len(rows) < 2:
            return False
        known = [
            {*" ".join(each).casefold().split()}
            for each in rows[references].itertuples(index=False, name=None)
        ]
        texts = [{*text.casefold().split()} for text in rows[name]]
        own = _shared(zip(texts, known, strict=True))
        other = _shared(zip(texts, known[1:] + known[:1], strict=True))
        return own > other + _ALIKE


def _are_codes(cells: Sequence[str]) -> bool:
    """Return whether cells are hardly captions: no words, or few words that recur."""
    if are_texts(cells, _SHORT):
        return False
    words = [cell for cell in cells if len(cell) > _LETTERS and cell.isalpha()]
    return len({*words}) * 2 <= len(cells)


def _are_lists(cells: Sequence[str]) -> bool:
    """Return whether most cells are lists of texts."""
    lists = [each for each in map(list_in, cells) if each is not None]
    return len(lists) * 2 > len(cells)


def _shared(pairs: Iterator[tuple[set[str], set[str]]]) -> float:
    shares = [len(one & other) / len(one) for one, other in pairs if one]
    return sum(shares) / max(len(shares), 1)
