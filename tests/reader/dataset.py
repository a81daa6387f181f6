"""A dataset as its files hold it, decided anew: winners, groups, votes and ratings."""

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

Row = dict[str, str]
NO_CATEGORY = "no category"
SIDES = {"B": 1, "C": -1, "tie": 0}


@dataclass(frozen=True)
class Pair:
    """A pair with its votes and what they decide."""

    row: Row
    votes: Sequence[Row]
    winner: str
    references: int
    triplets: int
    """How many of its triplets have votes, of the references that are left."""
    is_unfinished: bool

    @property
    def sources(self) -> tuple[str, str]:
        return self.row.get("source_b", ""), self.row.get("source_c", "")

    @property
    def candidates(self) -> tuple[str, str]:
        return self.row["candidate_b"], self.row["candidate_c"]


@dataclass(frozen=True)
class Data:
    """The tables of a dataset and the options that decide which of them count."""

    folder: Path
    options: dict[str, Any]

    @cached_property
    def tables(self) -> dict[str, list[Row]]:
        """The rows of each table, by the name of its file."""
        tables = {}
        for path in self.folder.glob("*.csv"):
            with path.open(encoding="utf-8-sig", newline="") as file:
                tables[path.stem] = list(csv.DictReader(file))
        return tables

    def table(self, name: str) -> list[Row]:
        return self.tables.get(name, [])

    @cached_property
    def study(self) -> dict[str, Any]:
        path = self.folder / "study.json"
        found: dict[str, Any] = (
            json.loads(path.read_text("utf-8")) if path.exists() else {}
        )
        return found

    @property
    def shows_references(self) -> bool:
        return bool(self.study.get("protocol", "triplet") == "triplet")

    @cached_property
    def ratings(self) -> list[Row]:
        """The ratings that count; an empty one is no rating."""
        return [row for row in counted(self.table("ratings")) if row["rating"]]

    @cached_property
    def rated(self) -> list[Row]:
        """The ratings that are evaluated: those of references only where the option keeps them."""
        if self.options["exclude_identical"]:
            return [
                row
                for row in self.ratings
                if {*self.all_references[row["image"]]} - {row["caption"]}
            ]
        return [
            row
            for row in self.ratings
            if row["caption"] not in self.all_references[row["image"]]
        ]

    @cached_property
    def votes(self) -> list[Row]:
        """The votes that count."""
        return counted(self.table("votes"))

    @cached_property
    def all_references(self) -> dict[str, list[str]]:
        """The references of each image, in their order."""
        found = defaultdict(list)
        for row in self.table("references"):
            found[row["image"]].append(row["caption"])
        return dict(found)

    @cached_property
    def candidates(self) -> dict[str, set[str]]:
        """The candidates of each image."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self.table("pairs"):
            found[row["image"]] |= {row["candidate_b"], row["candidate_c"]}
        return dict(found)

    def other_references(self, image: str) -> dict[int, str]:
        """Return the references of an image that equal none of its candidates, by number."""
        own = self.candidates.get(image, set())
        numbered = enumerate(self.all_references.get(image, []), start=1)
        return {number: caption for number, caption in numbered if caption not in own}

    def references(self, image: str) -> dict[int, str]:
        """Return the references of an image that are evaluated, by number."""
        if self.options["exclude_identical"]:
            return self.other_references(image)
        return dict(enumerate(self.all_references.get(image, []), start=1))

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs, decided."""
        by_pair = defaultdict(list)
        for vote in self.votes:
            by_pair[vote["pair"]].append(vote)
        return [self._decided(row, by_pair[row["pair"]]) for row in self.table("pairs")]

    @cached_property
    def with_winner(self) -> list[Pair]:
        """The pairs with a winner, which may be a tie, and with references."""
        return [pair for pair in self.pairs if pair.references and pair.winner]

    @cached_property
    def judged(self) -> list[Pair]:
        """The pairs that an evaluation counts: ties only where they are not dropped."""
        drops = self.options["human_ties"] == "drop"
        return [
            pair for pair in self.with_winner if not (drops and pair.winner == "tie")
        ]

    @property
    def is_decided(self) -> bool:
        """Whether people decided any pair at all."""
        return any(pair.winner in ("B", "C") for pair in self.judged)

    @property
    def publishes_winners(self) -> bool:
        """Whether pairs.csv says who won, and no votes do."""
        return not self.table("votes") and any(
            row.get("winner") for row in self.table("pairs")
        )

    def _decided(self, row: Row, votes: list[Row]) -> Pair:
        references = self.references(row["image"])
        shown = {"", *map(str, references)}
        triplets = {vote["reference"] for vote in votes} & shown
        winner = self._winner(row, votes)
        is_short = self._misses(row, votes)
        return Pair(row, votes, winner, len(references), len(triplets), is_short)

    def _winner(self, row: Row, votes: list[Row]) -> str:
        if self.publishes_winners:
            return row.get("winner", "") or "tie"
        ballots = Counter(vote["choice"] for vote in votes)
        if self.shows_references:
            ballots = Counter(map(majority, by_reference(votes)))
        is_equal = row["candidate_b"] == row["candidate_c"]
        if not votes:
            return "tie" if is_equal else ""
        return _name(ballots["B"] - ballots["C"])

    def _misses(self, row: Row, votes: list[Row]) -> bool:
        """Return whether a pair has fewer votes than its study asks for."""
        if self.publishes_winners:
            return False
        if row["candidate_b"] == row["candidate_c"]:
            return False
        if not self.study:
            return not votes
        needed = int(self.study.get("votes", 0))
        asked = 1
        if self.shows_references:
            asked = len(self.all_references.get(row["image"], []))
            asked = min(asked, self.study.get("references") or asked)
        complete = [own for own in by_reference(votes) if len(own) >= needed]
        return len(complete) < asked

    @cached_property
    def has_categories(self) -> bool:
        return any(row.get("category") for row in self.table("pairs"))

    def category_of(self, pair: Pair) -> str:
        """Return the group of a pair: without a category, those are one that others have."""
        return pair.row.get("category") or (NO_CATEGORY if self.has_categories else "")

    def in_group(self, group: str, count: str = "all") -> list[Pair]:
        """Return the judged pairs of a category, or all; with so many references at least."""
        least = 1 if count == "all" else int(count)
        return [
            pair
            for pair in self.judged
            if pair.references >= least
            and group in ("all", "mean", self.category_of(pair))
        ]


def counted(answers: Iterable[Row]) -> list[Row]:
    """Return the answers that are neither excluded or undone, nor given to checks."""
    return [
        answer
        for answer in answers
        if answer.get("status", "") in ("", "valid")
        and answer.get("purpose", "") not in ("gold", "repeat")
    ]


def images(pairs: Iterable[Pair]) -> int:
    return len({pair.row["image"] for pair in pairs})


def by_reference(votes: Iterable[Row]) -> list[list[Row]]:
    """Return the votes of each triplet."""
    found = defaultdict(list)
    for vote in votes:
        found[vote["reference"]].append(vote)
    return list(found.values())


def majority(votes: Iterable[Row]) -> str:
    """Return what most of the votes prefer."""
    return _name(sum(SIDES[vote["choice"]] for vote in votes))


def _name(lead: int) -> str:
    return "tie" if not lead else "B" if lead > 0 else "C"
