"""The rows of our tables that tables with roles hold; problems keep the lines of the file."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import numpy as np
import pandas as pd

from tercet.analysis.dataset.plans import Plan
from tercet.analysis.number_texts import plural
from tercet.analysis.roles.meanings import LEAVE, chosen, plain_values
from tercet.analysis.roles.roles import (
    Role,
    Roles,
    columns_of,
    role_of_name,
    side_of,
    stem_of,
)
from tercet.analysis.tables import limits
from tercet.analysis.tables.csv_tables import (
    BYTES_PER_CELL,
    FaultyDataset,
    Problem,
    Sheet,
    Table,
    origin,
    shortened,
)
from tercet.analysis.tables.file_tables import without_faulty_rows
from tercet.analysis.tables.headers import NUMBER
from tercet.analysis.tables.json_tables import list_in
from tercet.analysis.tables.rows import are_blank
from tercet.analysis.tables.rules import is_time
from tercet.analysis.tables.schema import (
    CANDIDATES,
    PAIRS,
    RATINGS,
    REFERENCES,
    TIE,
    VOTES,
)
from tercet.analysis.tables.sheets import empty_problem, sheet_of_table

_SHOWN = ["image", "candidate_b", "candidate_c"]
_FLIPPED = {"B": "C", "C": "B"}
_CANDIDATE_OF = {"caption_b": "candidate_b", "caption_c": "candidate_c"}


def sheets_of(plan: Plan) -> dict[Table, Sheet]:
    """Return our tables that a table of a file holds, as it is planned to be read."""
    table = plan.table
    if not plan.is_used:
        return {}
    if plan.own:
        sheet = sheet_of_table(table, replace(plan.own, file=table.key))
        if table.is_entry:
            counted = [replace(each, is_entry=True) for each in sheet.problems]
            sheet = replace(sheet, problems=counted)
        return {plan.own: sheet}
    if not plan.tables:
        return {}

    used = [name for name, (role, _) in plan.roles.items() if role != Role.UNUSED]
    table = without_faulty_rows(table, used)
    rows = _Rows(replace(plan, table=table))
    try:
        frames = {each: _stacked([*rows.of(each)], each) for each in plan.tables}
    except FaultyDataset as error:
        return {each: each.unreadable(*error.problems) for each in plan.tables[:1]}
    if rows.image is not None:
        rows.note_empty(columns_of(plan.roles, Role.REFERENCE))
    notes = [*table.notes, *plan.lost, *rows.notes]
    problems, more = list(table.problems), table.more
    sheets: dict[Table, Sheet] = {}
    for ours, frame in frames.items():
        if frame.empty and ours == VOTES and sheets:
            continue  # the choices are published winners
        if len(frame) > limits.MAX_ROWS:
            what = f"has {len(frame):,} references or captions, more than {limits.MAX_ROWS:,}"
            remedy = "Split the dataset into several"
            sheets[ours] = ours.unreadable(Problem(table.file, what, remedy))
            continue
        if frame.empty and not problems and not sheets:
            problems = [empty_problem(ours.file)]
        size = BYTES_PER_CELL * len(ours.columns) * len(frame)
        sheets[ours] = Sheet(frame, problems, notes, more=more, size=size)
        problems, notes, more = [], [], 0
    return sheets


def _stacked(parts: list[pd.DataFrame], ours: Table) -> pd.DataFrame:
    """Return the rows of all parts in the order of their lines, with all columns of a table."""
    if not parts:
        return ours.empty()
    rows = pd.concat(parts) if len(parts) > 1 else parts[0]
    parts.clear()
    rows = rows.sort_index(kind="stable").reset_index(drop=True)
    absent = {name: "" for name in ours.columns if name not in rows}
    whole = rows.assign(**absent).astype(dict.fromkeys(absent, "str"))
    return whole.filter([*ours.columns, *map(origin, ours.columns), "line"])


class _Rows:
    """The rows of a table that are not left out, by its roles."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.roles = plan.roles
        self.notes: list[str] = []
        frame = plan.table.frame
        for name in columns_of(plan.roles, Role.LEAVE_OUT):
            left = [value for value, each in plan.values[name].items() if each == LEAVE]
            frame = frame[~frame[name].str.strip().isin(left)]

        used = [name for name, (role, _) in plan.roles.items() if role != Role.UNUSED]
        is_filled = np.zeros(len(frame), dtype=bool)
        for name in used:
            is_filled |= frame[name].to_numpy(dtype=object) != ""
        self.frame = frame if is_filled.all() else frame[is_filled]
        images = columns_of(plan.roles, Role.IMAGE)
        self.image = self._names(images[0]) if images else None
        self.has_people = bool(columns_of(plan.roles, Role.ANNOTATOR))
        self.has_subjects = bool(columns_of(plan.roles, Role.CHOICE, Role.PAIR))

    def _names(self, column: str) -> "pd.Series[str]":
        """Return the names of images: of addresses the last part, of numbered ones their image."""
        cells = self.frame[column].str.strip()
        filled = {*cells.tolist()} - {""}
        names: dict[str, str] = {}
        if all(each.startswith(("http://", "https://")) for each in filled):
            for each in filled:
                path = PurePosixPath(urlsplit(each).path)
                names[each] = unquote(path.name or each)
            if len({*names.values()}) < len(names):
                return cells
        elif all(map(_is_numbered, filled)):
            names = {each: each.rpartition("#")[0] for each in filled}
        return cells.map(names | {"": ""}).astype("str") if names else cells

    def of(self, ours: Table) -> Iterator[pd.DataFrame]:
        """Yield the parts of one of our tables."""
        return {
            REFERENCES: self._references,
            CANDIDATES: self._candidates,
            PAIRS: self._pairs,
            VOTES: self._votes,
            RATINGS: self._ratings,
        }[ours]()

    def _filled(self, name: str, ours: str) -> pd.DataFrame:
        """Return image, cell and line of the cells of a column that are not empty."""
        frame = self.frame
        rows = pd.DataFrame({ours: frame[name], "line": frame["line"]})
        if self.image is not None:
            rows.insert(0, "image", self.image)
        rows[origin(ours)] = name
        return rows[~are_blank(rows[ours])]

    def _one(self, role: Role) -> "pd.Series[str] | None":
        names = columns_of(self.roles, role)
        return self.frame[names[0]].str.strip() if names else None

    def _references(self) -> Iterator[pd.DataFrame]:
        """Yield the references of each column; on several lines of an image each of them once."""
        columns = columns_of(self.roles, Role.REFERENCE)
        author, written = self._one(Role.AUTHOR), self._one(Role.ORIGIN)
        others = [Role.CAPTION, Role.CHOICE, Role.RATING]
        is_alone = not columns_of(self.roles, *others)
        for name in columns:
            rows = self._filled(name, "caption")
            if author is not None:
                rows["author"] = author
            rows["origin"] = self.roles[name][1] if written is None else written
            lists = rows["caption"].map(list_in)
            is_list = lists.notna()
            if is_list.sum() * 2 > len(rows):
                texts = lists.where(is_list, rows["caption"].map(lambda cell: [cell]))
                rows = rows.assign(caption=texts).explode("caption")
                rows = rows[rows["caption"].notna()].astype({"caption": "str"})
                is_alone = False
            if not is_alone or len(columns) > 1:
                rows = rows.drop_duplicates(["image", "caption", "origin"])
            yield rows
        if len(columns) > 1:
            shown = shortened(", ".join(columns), 300)
            file = self.plan.table.file
            self.notes.append(f"{file}: columns {shown} are read as references")

    def note_empty(self, references: list[str]) -> None:
        """Count the empty cells of references and captions, in rows that have others."""
        columns = [*references, *columns_of(self.roles, Role.CAPTION)]
        if not columns:
            return
        blank = np.column_stack([are_blank(self.frame[name]) for name in columns])
        has_row = ~blank.all(axis=1) if len(columns) > 1 else self.image != ""
        empty = int(blank[has_row].sum())
        if empty:
            file = self.plan.table.file
            text = plural(
                empty,
                f"{file}: {empty:,} empty cell of references and captions is left out",
                f"{file}: {empty:,} empty cells of references and captions are left out",
            )
            self.notes.append(text)

    def _candidates(self) -> Iterator[pd.DataFrame]:
        system = self._one(Role.SYSTEM)
        for name in columns_of(self.roles, Role.CAPTION):
            rows = self._filled(name, "caption")
            rows["source"] = self.roles[name][1]
            if system is not None:
                rows["source"] = system
            sources = self._systems_beside(name)
            if sources is not None:
                rows["source"] = sources
            yield rows.drop_duplicates(["image", "caption", "source"])

    def _systems_beside(self, caption: str) -> "pd.Series[str] | None":
        """Return the systems of the captions of a column, where a column names them."""
        captions = columns_of(self.roles, Role.CAPTION)
        is_second = len(captions) == 2 and caption == captions[1]
        return self._one(Role.SYSTEM_C if is_second else Role.SYSTEM_B)

    @cached_property
    def shown(self) -> pd.DataFrame:
        """A row for each line with two captions."""
        b, c = columns_of(self.roles, Role.CAPTION)
        frame = self.frame
        rows = pd.DataFrame(
            {
                "image": self.image,
                "candidate_b": frame[b],
                "candidate_c": frame[c],
                "source_b": self.roles[b][1],
                "source_c": self.roles[c][1],
                "line": frame["line"],
                origin("candidate_b"): b,
                origin("candidate_c"): c,
            }
        )
        for column, role in (
            ("source_b", Role.SYSTEM_B),
            ("source_c", Role.SYSTEM_C),
            ("category", Role.CATEGORY),
            ("pair", Role.PAIR),
        ):
            cells = self._one(role)
            if cells is not None:
                rows[column] = cells
        return rows[~are_blank(frame[b]) & ~are_blank(frame[c])]

    @cached_property
    def are_votes(self) -> bool:
        """Whether choices are votes of people, not published winners."""
        choices = columns_of(self.roles, Role.CHOICE)
        if not choices or self.has_people or len(choices) > 1:
            return bool(choices)
        subject = ["pair"] if "pair" in self.shown else _SHOWN
        return bool(self.shown.duplicated(subject).any())

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The shown captions with their pair, and whether they are turned.

        Pairs without a name are p1, p2, … in their order, lines of the same two captions of one.
        """
        rows = self.shown
        if "pair" in rows:
            return rows.assign(turned=False)
        if not self.are_votes:
            names = [f"p{number}" for number in range(1, len(rows) + 1)]
            return rows.assign(
                pair=pd.Series(names, rows.index, dtype="str"), turned=False
            )

        known: dict[tuple[str, str, str], str] = {}
        names, turned = [], []
        for image, b, c in rows[_SHOWN].itertuples(index=False, name=None):
            is_turned = (image, b, c) not in known and (image, c, b) in known
            key = (image, c, b) if is_turned else (image, b, c)
            names.append(known.setdefault(key, f"p{len(known) + 1}"))
            turned.append(is_turned)
        return rows.assign(pair=names, turned=turned).astype({"pair": "str"})

    def _pairs(self) -> Iterator[pd.DataFrame]:
        """Yield the pairs, with their winners where each line is judged once."""
        if columns_of(self.roles, Role.RANK):
            ranked = self._ranked()
            if self.has_people:
                ranked = ranked.drop_duplicates("pair").drop(columns="choice")
            winner = ranked.get("choice", pd.Series("", ranked.index))
            yield ranked.assign(winner=winner).astype({"winner": "str"})
        if len(columns_of(self.roles, Role.CAPTION)) != 2 or not self.has_subjects:
            return
        rows = self.pairs
        choices = columns_of(self.roles, Role.CHOICE)
        if self.are_votes:
            rows = rows[~rows["turned"]].drop_duplicates(["pair", *_SHOWN])
        elif choices:
            rows = rows.assign(winner=self._chosen(choices[0]).reindex(rows.index))
            rows[origin("winner")] = choices[0]
        yield rows.drop(columns="turned")

    def _chosen(self, name: str) -> "pd.Series[str]":
        plan = self.plan
        return chosen(self.frame, name, plan.sides, plan.values[name])

    def _votes(self) -> Iterator[pd.DataFrame]:
        """Yield the votes of each column on the pairs; of a table of pairs without a reference."""
        if columns_of(self.roles, Role.RANK) and self.has_people:
            yield self._ranked()
        choices = columns_of(self.roles, Role.CHOICE)
        if not choices:
            return
        if columns_of(self.roles, Role.CAPTION):
            if not self.are_votes:
                return
            pairs = self.pairs
        else:
            pairs = self.frame[["line"]].assign(pair=self._one(Role.PAIR), turned=False)

        person = self._one(Role.ANNOTATOR)
        seconds = self._one(Role.SECONDS)
        dates = self._one(Role.DATE)
        for name in choices:
            rows = pairs[["pair", "line"]].copy()
            meant = self._chosen(name).reindex(rows.index)
            flipped = meant.map(lambda each: _FLIPPED.get(each, each))
            rows["choice"] = meant.where(~pairs["turned"], flipped)
            rows[origin("choice")] = name
            rows["annotator"] = self.roles[name][1] if len(choices) > 1 else ""
            if len(choices) > 1 and not self.roles[name][1]:
                rows["annotator"] = name
            if person is not None:
                rows["annotator"] = person
            if seconds is not None and all(
                NUMBER.fullmatch(cell) for cell in seconds.unique() if cell
            ):
                rows["seconds"] = seconds.str.replace(",", ".")
            if dates is not None and all(map(is_time, dates)):
                rows["created_at"] = dates
            if not columns_of(self.roles, Role.CAPTION):
                for reference in columns_of(self.roles, Role.REFERENCE):
                    rows["reference"] = self.frame[reference].str.strip()
            yield rows[rows["choice"] != ""]

    def _ratings(self) -> Iterator[pd.DataFrame]:
        """Yield the ratings of each column, of the captions that it is of."""
        for name in columns_of(self.roles, Role.RATING):
            rows = self._judged(name)
            is_person = role_of_name(name) == Role.ANNOTATOR
            yield rows.assign(aspect="" if is_person else self.roles[name][1])

    def _judged(self, name: str) -> pd.DataFrame:
        """Return the captions that a column of ratings or ranks is of, each with who judged it."""
        caption = _rated_captions(self.roles, name)
        rows = self._filled(name, "rating")
        rows["caption"] = self.frame[caption]
        cells = plain_values(rows["rating"])
        rows["rating"] = cells.str.replace(r"^([+-]?\d+),(\d+)$", r"\1.\2", regex=True)
        label = self.roles[caption][1]
        system = self._one(Role.SYSTEM)
        rows["source"] = "" if label == caption and system is None else label
        if system is not None:
            rows["source"] = system
        person = self._one(Role.ANNOTATOR)
        rows["annotator"] = name if role_of_name(name) == Role.ANNOTATOR else ""
        if person is not None:
            rows["annotator"] = person
        return rows[rows["caption"].str.strip() != ""]

    def _ranked(self) -> pd.DataFrame:
        """Return each two captions that somebody ranked, with the better one: the lower rank."""
        columns = columns_of(self.roles, Role.RANK)
        ranks = pd.concat([self._judged(name) for name in columns], ignore_index=True)
        ranks["rating"] = pd.to_numeric(ranks["rating"], errors="coerce")
        ranks["place"] = ranks.groupby(
            [*_SHOWN[:1], "caption", "source"], sort=False
        ).ngroup()
        ranks["group"] = ranks["line"] if len(columns) > 1 else ranks["annotator"]
        together = ["image", "annotator", "group"]
        if (ranks.groupby(together).size() ** 2).sum() > 2 * limits.MAX_ROWS:
            what = f"has more than {limits.MAX_ROWS:,} pairs of captions that are ranked together"
            remedy = "Name the annotator, or split the file"
            raise FaultyDataset([Problem(self.plan.table.key, what, remedy)])

        both = ranks.merge(ranks, on=together, suffixes=("_b", "_c"))
        both = both[both["place_b"] < both["place_c"]].reset_index(drop=True)
        difference = both["rating_b"] - both["rating_c"]
        better = difference.map(
            lambda each: "B" if each < 0 else "C" if each > 0 else TIE
        )
        names = both.groupby(["place_b", "place_c"], sort=False).ngroup() + 1
        return both.rename(columns=_CANDIDATE_OF).assign(
            pair="p" + names.astype("str"),
            choice=better.astype("str"),
            line=both[["line_b", "line_c"]].max(axis=1),
        )


def _rated_captions(roles: Roles, rating: str) -> str:
    """Return the captions that ratings are of: called alike, or before them, or the first."""
    captions = columns_of(roles, Role.CAPTION)
    side = side_of(rating)
    alike = [name for name in captions if side and side_of(name) == side]
    named = [name for name in captions if stem_of(name) and name in rating]
    names = list(roles)
    before = [each for each in names[: names.index(rating)] if each in captions]
    return [*named, *alike, *reversed(before), *captions][0]


def _is_numbered(name: str) -> bool:
    image, hash_mark, number = name.rpartition("#")
    return bool(image and hash_mark and number.isdigit())
