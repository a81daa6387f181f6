"""Random datasets of which sentences are easily false, each from its seed.

Every trait of a dataset is drawn for itself: partly labelled categories, ties of systems, metrics
and people, one annotator, one pair, ratings that are equal or sorted, extreme scores, and others.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

WORDS = [
    "a",
    "the",
    "dog",
    "cat",
    "boy",
    "girl",
    "runs",
    "sits",
    "plays",
    "in",
    "on",
    "park",
    "street",
    "with",
    "ball",
    "red",
    "small",
]
Rows = list[dict[str, object]]


@dataclass
class Degenerate:
    """The tables of a dataset while it is made, and the options of its analysis."""

    random: Random
    tables: dict[str, Rows] = field(default_factory=dict)
    study: dict[str, object] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    winner: dict[object, str] = field(default_factory=dict)
    """What people will mostly prefer, by pair."""

    def often(self, share: float) -> bool:
        """Return whether a trait is there that so many of the datasets have."""
        return self.random.random() < share

    def one_of(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def caption(self) -> str:
        length = self.random.randint(2, 8)
        return " ".join(self.random.choices(WORDS, k=length))


def make(folder: Path, seed: int) -> dict[str, Any]:
    """Write the dataset of a seed into a folder; return the options of its analysis."""
    made = Degenerate(Random(seed))
    kind = made.one_of("pairs", "pairs", "pairs", "ratings", "both")
    _references(made)
    if kind != "ratings":
        _pairs(made)
        _votes(made)
    if kind != "pairs":
        _ratings(made)
    _scores(made)
    _options(made)

    if made.often(0.3):
        for name, rows in made.tables.items():
            if name != "references":  # their order is their numbers
                made.random.shuffle(rows)
    _lose_ratings(made.tables.get("ratings", []), Random(f"ratings {seed}"))
    _write(folder, made)
    return made.options


def _references(made: Degenerate) -> None:
    images = made.one_of(1, 2, 3, 8, 8, 12, 24, 32)
    most = made.one_of(1, 2, 3, 4)
    is_unequal = made.often(0.3)
    rows: Rows = []
    for number in range(images):
        references = made.random.randint(1, most) if is_unequal else most
        rows += [
            {"image": f"i{number}", "caption": made.caption()}
            for _ in range(references)
        ]
    made.tables["references"] = rows


def _images(made: Degenerate) -> list[object]:
    return list(dict.fromkeys(row["image"] for row in made.tables["references"]))


def _pairs(made: Degenerate) -> None:
    images = _images(made)
    each = 1 if len(images) > 12 else made.one_of(1, 1, 2, 3)
    systems = _systems(made)
    category = _categories(made)
    own = made.one_of(0, 0, 0, 0.2)
    equal = made.one_of(0, 0, 0, 0.1)
    rows: Rows = []
    for number in range(len(images) * each):
        image = images[number % len(images)]
        b, c = made.caption(), made.caption()
        if made.often(own):
            same = [row for row in made.tables["references"] if row["image"] == image]
            b = str(made.random.choice(same)["caption"])
        source_b, source_c = next(systems)
        rows.append(
            {
                "pair": f"p{number}",
                "image": image,
                "candidate_b": b,
                "candidate_c": b if made.often(equal) else c,
                "category": next(category),
                "source_b": source_b,
                "source_c": source_c,
            }
        )
    made.tables["pairs"] = rows[:1] if made.often(0.04) else rows


def _systems(made: Degenerate) -> Iterator[tuple[str, str]]:
    """Yield the systems of pairs: none, two, or several in turns."""
    number = made.one_of(0, 2, 2, 3, 5, 9)
    names = [f"s{system}" for system in range(number)]
    if number and made.often(0.2):
        names[0] = "human"
    while True:
        yield tuple(made.random.sample(names, 2)) if number else ("", "")  # type: ignore[misc]


def _categories(made: Degenerate) -> Iterator[str]:
    """Yield the categories of pairs: none, one, several, or some without."""
    names = made.one_of([""], ["x"], ["x", "y"], ["x", "y", "z"], ["MM", "HM"])
    weights = [made.one_of(1, 1, 3) for _ in names]
    labelled = made.one_of(1.0, 1.0, 0.5, 0.2)
    in_turns = made.often(0.4)
    number = 0
    while True:
        name = names[number % len(names)] if in_turns else None
        name = name or made.random.choices(names, weights)[0]
        number += 1
        yield name if made.often(labelled) else ""


def _votes(made: Degenerate) -> None:
    """Add winners, or votes: by many, by one, unnamed, all alike, undecided or unfinished."""
    pairs = made.tables["pairs"]
    tendency = made.one_of(
        "random", "random", "random", "B", "system", "undecided", "turns"
    )
    for number, row in enumerate(pairs):
        side = made.one_of("B", "C")
        if tendency == "system":
            side = "B" if str(row["source_b"]) < str(row["source_c"]) else "C"
        fixed = {"B": "B", "undecided": "tie", "turns": "BC"[number % 2]}
        made.winner[row["pair"]] = fixed.get(tendency, side)

    if made.often(0.25):
        for row in pairs:
            winner = made.winner[row["pair"]]
            row["winner"] = "" if made.often(0.1) else winner
        return
    _single_votes(made, tendency)


def _single_votes(made: Degenerate, tendency: str) -> None:
    is_pairwise = made.often(0.3)
    votes = made.one_of(1, 1, 2, 3, 5)
    people = made.one_of(1, 2, 3, 8)
    is_named = made.often(0.6)
    noise = made.one_of(0.0, 0.2, 0.4)
    without = made.one_of(0, 0, 0.1, 0.3)
    short = made.one_of(0, 0, 0.2)
    rows: Rows = []
    for row in made.tables["pairs"]:
        if row["candidate_b"] == row["candidate_c"] or made.often(without):
            continue
        own = [
            each for each in made.tables["references"] if each["image"] == row["image"]
        ]
        for number in [""] if is_pairwise else range(1, len(own) + 1):
            given = min(votes, people) if is_named else votes
            given = max(0, given - 1) if made.often(short) else given
            for person in made.random.sample(range(max(people, given)), given):
                side = made.winner[row["pair"]]
                if tendency != "undecided" and made.often(noise):
                    side = made.one_of("B", "C", "tie")
                rows.append(
                    {
                        "pair": row["pair"],
                        "reference": number,
                        "annotator": f"ann{person}" if is_named else "",
                        "choice": side,
                    }
                )
    made.tables["votes"] = rows
    if is_pairwise or made.often(0.4):
        made.study = {
            "protocol": "pairwise" if is_pairwise else "triplet",
            "votes": votes,
        }


def _ratings(made: Degenerate) -> None:
    """Add ratings: of aspects, by people or by columns, equal, sorted, or a metric's own scores."""
    aspects = made.one_of([""], [""], ["fluency", "relevance"], ["a", "b", "c"])
    raters = made.one_of(0, 1, 2, 3)
    values = made.one_of([1, 2, 3, 4, 5], [0, 1], [1, 2, 3], [2])
    is_sorted = made.often(0.25)
    follows = made.one_of("random", "random", "quality")
    several_sources = made.often(0.2)
    rows: Rows = []
    for image in _images(made)[:16]:
        for _ in range(made.one_of(1, 2, 3)):
            caption = made.caption()
            quality = made.random.choice(values)
            for aspect in aspects:
                given = [quality] * max(raters, 1)
                if follows == "random":
                    given = made.random.choices(values, k=max(raters, 1))
                given = sorted(given) if is_sorted else given
                for number, value in enumerate(given):
                    rows.append(
                        {
                            "image": image,
                            "caption": caption,
                            "rating": value,
                            "annotator": f"r{number}" if raters else "",
                            "source": made.one_of("s1", "s2")
                            if several_sources
                            else "",
                            "aspect": aspect,
                        }
                    )
    made.tables["ratings"] = _once(rows)


def _lose_ratings(rows: Rows, random: Random) -> None:
    """Exclude, empty or remove some ratings, so that raters share few captions; add sources."""
    lost = random.choice([0, 0, 0.2, 0.6])
    sources = random.choice([0, 0, 1, 3, 7])
    for row in rows[1:]:
        if sources:
            row["source"] = f"s{random.randrange(sources)}"
        if random.random() < lost:
            fate = random.choice(["excluded", "superseded", "empty", "removed"])
            row |= {"rating": ""} if fate in ("empty", "removed") else {"status": fate}
            if fate == "removed":
                row["purpose"] = "gold"


def _once(rows: Rows) -> Rows:
    """Drop ratings of one caption by one person for one aspect and source, but the first."""
    keys = ("image", "caption", "annotator", "source", "aspect")
    seen = {tuple(row[key] for key in keys): row for row in reversed(rows)}
    return list(reversed(seen.values()))


def _scores(made: Degenerate) -> None:
    """Add metrics of which all is known: perfect, reversed, constant, and of extreme sizes."""
    kinds = made.random.sample(
        ["perfect", "reversed", "constant", "noise", "alike"], k=2
    )
    scale = made.one_of(1.0, 1.0, 1.0, 1e170, 1e-180)
    if made.often(0.4):
        return

    rows: Rows = []
    for kind in kinds:
        for row in made.tables.get("pairs", []):
            side = {"B": 1, "C": -1, "tie": 0}[made.winner[row["pair"]]]
            b, c = _two_scores(made, kind, side)
            rows.append(
                {
                    "metric": kind,
                    "pair": row["pair"],
                    "score_b": repr(b * scale),
                    "score_c": repr(c * scale),
                }
            )
        rows += _scores_of_rated(made, kind, scale)
    made.tables["scores"] = rows


def _two_scores(made: Degenerate, kind: str, side: int) -> tuple[float, float]:
    noise = made.random.random(), made.random.random()
    known = {"perfect": (side, 0.0), "reversed": (-side, 0.0), "constant": (1.0, 1.0)}
    return known.get(kind, noise)


def _scores_of_rated(
    made: Degenerate, kind: str, scale: float
) -> Iterator[dict[str, object]]:
    seen = set()
    for row in made.tables.get("ratings", []):
        key = row["image"], row["caption"]
        if key in seen:
            continue
        seen.add(key)
        value = float(str(row["rating"]))
        score = {"perfect": value, "reversed": -value, "constant": 1.0}.get(
            kind, made.random.random()
        )
        yield {
            "metric": kind,
            "image": row["image"],
            "caption": row["caption"],
            "score": repr(score * scale),
        }


def _options(made: Degenerate) -> None:
    built_in = made.random.sample(
        ["BLEU-1", "ROUGE-L", "CIDEr-D", "length"], made.one_of(1, 2, 3)
    )
    own = list(
        dict.fromkeys(str(row["metric"]) for row in made.tables.get("scores", []))
    )
    made.options = {
        "metrics": (*built_in, *own),
        "draws": 2,
        "resamples": made.one_of(50, 100, 200),
        "flips": made.one_of(19, 49, 99),
        "coefficient": made.one_of("tau_c", "tau_c", "tau_b", "Spearman", "Pearson"),
        "exclude_identical": made.often(0.1),
        "human_ties": made.one_of("half", "half", "half", "drop"),
    }


def _write(folder: Path, made: Degenerate) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in made.tables.items():
        _write_table(folder / f"{name}.csv", rows)
    if made.study:
        (folder / "study.json").write_text(json.dumps(made.study), encoding="utf-8")


def _write_table(path: Path, rows: Sequence[dict[str, object]]) -> None:
    if not rows:
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        columns = dict.fromkeys(column for row in rows for column in row)
        writer = csv.DictWriter(file, list(columns), restval="")
        writer.writeheader()
        writer.writerows(rows)
