"""Writes the demo dataset: `python -m examples.build_demo`, run from the root of the repository.

The same code and captions give the same bytes. Votes are not made here: `examples/beliefs.csv`
says which candidate of each pair the simulated annotators are told to believe better.
"""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from configparser import ConfigParser
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from examples.drawing import svg
from examples.scenes import SCENES, Scene

T = TypeVar("T")

HERE = Path(__file__).parent
DEMO = HERE / "demo"
SEED = 2015
SYSTEMS = ("template", "nouns", "bigram")

ABOUT = {
    "title": "Tercet demo: 24 drawn scenes",
    "description": (
        "The scenes, captions and systems of this dataset were made for this demo. "
        "All its votes come from simulated annotators, not from people."
    ),
    "licence": "BSD-3-Clause",
    "citation": "",
    "url": "",
}


class DemoError(Exception):
    """The hand-written parts of the demo do not fit together."""


class Reference(NamedTuple):
    image: str
    caption: str
    author: str


class Candidate(NamedTuple):
    image: str
    caption: str
    source: str


class Verdict(NamedTuple):
    image: str
    better: str
    worse: str


@dataclass(frozen=True)
class Contest:
    """Two candidates of an image before they are put on sides, the believed winner first."""

    image: str
    category: str
    better: Candidate
    worse: Candidate


class Pair(NamedTuple):
    pair: str
    image: str
    candidate_b: str
    candidate_c: str
    category: str
    source_b: str
    source_c: str


class Belief(NamedTuple):
    pair: str
    winner: str


def chance(purpose: str) -> Random:
    return Random(f"{SEED} {purpose}")


def shuffled(things: Iterable[T], purpose: str) -> list[T]:
    order = list(things)
    chance(purpose).shuffle(order)
    return order


# Captions written by hand


def read_captions() -> ConfigParser:
    captions = ConfigParser(interpolation=None, delimiters=("=",))
    captions.read_string((HERE / "captions.ini").read_text(encoding="utf-8"))
    if set(captions.sections()) != {scene.name for scene in SCENES}:
        raise DemoError("captions.ini and scenes.py do not name the same images")
    return captions


def references_of(captions: ConfigParser) -> list[Reference]:
    return [
        Reference(scene.name, caption, f"writer-{writer}")
        for scene in SCENES
        for writer, caption in shuffled(
            captions[scene.name].items(), f"references {scene.name}"
        )
        if writer.isdigit()
    ]


def people_of(captions: ConfigParser) -> dict[str, list[Candidate]]:
    """The two human candidates of each image, the consensual one first."""
    return {
        scene.name: [
            Candidate(scene.name, captions[scene.name][key], "human")
            for key in ("common", "unusual")
        ]
        for scene in SCENES
    }


# Systems


def with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def seen_action(scene: Scene) -> str:
    """One scene in four is misread: what happens there is taken from another scene."""
    dice = chance(f"template {scene.name}")
    verb = scene.action.split()[0]
    others = [other.action for other in SCENES if other.action.split()[0] == verb]
    return dice.choice(others) if dice.random() < 0.25 else scene.action


def template_caption(scene: Scene) -> str:
    clothes = f"in {scene.clothes}" if scene.clothes else ""
    return " ".join(
        filter(None, (scene.subject, clothes, seen_action(scene), scene.place))
    )


def nouns_caption(scene: Scene) -> str:
    return " and ".join(with_article(noun) for noun in scene.nouns[:3])


def bigrams(captions: Iterable[str]) -> dict[str, list[str]]:
    """The words seen after each word, as often as seen; the empty word ends a caption."""
    followers: dict[str, list[str]] = defaultdict(list)
    for caption in captions:
        for word, follower in pairwise([*re.findall(r"[a-z'-]+", caption.lower()), ""]):
            followers[word].append(follower)
    return dict(followers)


def walk(followers: dict[str, list[str]], start: str, dice: Random) -> Iterator[str]:
    word = start
    while word:
        yield word
        word = dice.choice(followers[word])


def drafts(
    followers: dict[str, list[str]], noun: str, dice: Random
) -> Iterator[list[str]]:
    for _ in range(60):
        words = list(walk(followers, noun, dice))
        if 5 <= len(words) <= 11:
            yield words


def fluency(words: Sequence[str], followers: dict[str, list[str]]) -> float:
    """The mean share with which each word is followed by the next one."""
    steps = list(pairwise([*words, ""]))
    return sum(
        followers[word].count(after) / len(followers[word]) for word, after in steps
    ) / len(steps)


def bigram_caption(scene: Scene, references: Sequence[Reference]) -> str:
    """Knows the nouns of the scene; the rest is what people said about other images."""
    followers = bigrams(
        caption for image, caption, _ in references if image != scene.name
    )
    noun = next(noun for noun in scene.nouns if noun in followers)
    first, *rest = max(
        drafts(followers, noun, chance(f"bigram {scene.name}")),
        key=lambda words: (
            len(set(words) & set(scene.nouns)),
            fluency(words, followers),
        ),
    )
    return " ".join((with_article(first), *rest))


def machines_of(references: Sequence[Reference]) -> dict[str, dict[str, Candidate]]:
    """The candidates of the systems, by image and system."""
    describe: dict[str, Callable[[Scene], str]] = {
        "template": template_caption,
        "nouns": nouns_caption,
        "bigram": lambda scene: bigram_caption(scene, references),
    }
    return {
        scene.name: {
            system: Candidate(scene.name, describe[system](scene), system)
            for system in SYSTEMS
        }
        for scene in SCENES
    }


# Pairs


def read_verdicts() -> list[Verdict]:
    """Decisions made by hand; they hold only while both captions stay as they were."""
    with (HERE / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        return [Verdict(**row) for row in csv.DictReader(file)]


def dealt(kinds: Sequence[T], purpose: str) -> dict[str, T]:
    """Each image gets one kind, and each kind the same number of images."""
    order = shuffled((scene.name for scene in SCENES), purpose)
    return {image: kinds[place % len(kinds)] for place, image in enumerate(order)}


class Draw:
    """Draws the pairs of each category from the candidates of people and systems."""

    def __init__(
        self,
        people: dict[str, list[Candidate]],
        machines: dict[str, dict[str, Candidate]],
        verdicts: Sequence[Verdict],
    ) -> None:
        self.people = people
        self.machines = machines
        self.verdicts = verdicts
        self.undecided: list[tuple[str, str, str]] = []
        self.used: set[Verdict] = set()

    def contests(self) -> list[Contest]:
        contests = [
            *self.human_correct(),
            *self.human_incorrect(),
            *self.human_machine(),
            *self.machine_machine(),
        ]
        self.check_verdicts()
        return contests

    def human_correct(self) -> Iterator[Contest]:
        for image, (common, unusual) in self.people.items():
            yield Contest(image, "HC", common, unusual)

    def human_incorrect(self) -> Iterator[Contest]:
        circle = shuffled(self.people, "HI circle")
        strangers = dict(pairwise([*circle, circle[0]]))
        for image, own in self.people.items():
            dice = chance(f"HI {image}")
            foreign = self.people[strangers[image]]
            yield Contest(image, "HI", dice.choice(own), dice.choice(foreign))

    def human_machine(self) -> Iterator[Contest]:
        system_of = dealt(SYSTEMS, "HM systems")
        for image, own in self.people.items():
            human = chance(f"HM {image}").choice(own)
            machine = self.machines[image][system_of[image]]
            yield self.judged("HM", human, machine) or Contest(
                image, "HM", human, machine
            )

    def machine_machine(self) -> Iterator[Contest]:
        rivals_of = dealt(list(combinations(SYSTEMS, 2)), "MM systems")
        for image, candidates in self.machines.items():
            first, second = (candidates[system] for system in rivals_of[image])
            contest = self.judged("MM", first, second)
            if contest:
                yield contest
            else:
                self.undecided.append((image, first.caption, second.caption))

    def judged(self, category: str, one: Candidate, other: Candidate) -> Contest | None:
        for better, worse in ((one, other), (other, one)):
            verdict = Verdict(one.image, better.caption, worse.caption)
            if verdict in self.verdicts:
                self.used.add(verdict)
                return Contest(one.image, category, better, worse)
        return None

    def check_verdicts(self) -> None:
        stale = set(self.verdicts) - self.used
        if self.undecided or stale:
            lines = [
                *map(str, self.undecided),
                *(f"no longer a pair: {v}" for v in sorted(stale)),
            ]
            raise DemoError(
                "verdicts.csv must decide each MM pair:\n" + "\n".join(lines)
            )


def kind(contest: Contest) -> tuple[str, ...]:
    """Sides are balanced within the contests of one kind."""
    return (contest.category, *sorted({contest.better.source, contest.worse.source}))


def put_on_sides(contests: Sequence[Contest]) -> Iterator[tuple[Pair, Belief]]:
    sizes = Counter(map(kind, contests))
    sides = {
        key: iter(shuffled("BC" * (size // 2), f"sides {' '.join(key)}"))
        for key, size in sizes.items()
    }
    places: Counter[str] = Counter()
    for contest in contests:
        places[contest.category] += 1
        name = f"{contest.category}-{places[contest.category]:02}"
        yield on_side(name, contest, next(sides[kind(contest)]))


def on_side(name: str, contest: Contest, winner: str) -> tuple[Pair, Belief]:
    b, c = contest.better, contest.worse
    if winner == "C":
        b, c = c, b
    pair = Pair(
        name, contest.image, b.caption, c.caption, contest.category, b.source, c.source
    )
    return pair, Belief(name, winner)


# Checks and files


def bare(caption: str) -> str:
    return caption.lower().rstrip(".")


def check(references: Sequence[Reference], candidates: Sequence[Candidate]) -> None:
    described = [
        (image, bare(caption)) for image, caption, _ in (*references, *candidates)
    ]
    twice = [where for where, count in Counter(described).items() if count > 1]
    if twice:
        raise DemoError(f"captions that an image has twice: {twice}")
    scarce = [
        image for image, n in Counter(r.image for r in references).items() if n < 12
    ]
    if scarce:
        raise DemoError(f"fewer than 12 references: {scarce}")


def write_table(
    path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def write_images() -> None:
    folder = DEMO / "images"
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.svg"):
        stale.unlink()
    for scene in SCENES:
        (folder / f"{scene.name}.svg").write_bytes(svg(scene.picture).encode())
    rows = [(scene.name, f"images/{scene.name}.svg", scene.alt) for scene in SCENES]
    write_table(DEMO / "images.csv", ("image", "file", "alt"), rows)


def build() -> None:
    captions = read_captions()
    references, people = references_of(captions), people_of(captions)
    machines = machines_of(references)
    candidates = [
        candidate
        for image in people
        for candidate in shuffled(
            [*people[image], *machines[image].values()], f"place {image}"
        )
    ]
    check(references, candidates)
    pairs, beliefs = zip(
        *put_on_sides(Draw(people, machines, read_verdicts()).contests()), strict=True
    )
    write_images()
    (DEMO / "dataset.json").write_bytes((json.dumps(ABOUT, indent=2) + "\n").encode())
    write_table(DEMO / "references.csv", Reference._fields, references)
    write_table(DEMO / "candidates.csv", Candidate._fields, candidates)
    write_table(DEMO / "pairs.csv", Pair._fields, pairs)
    write_table(HERE / "beliefs.csv", Belief._fields, beliefs)


if __name__ == "__main__":
    build()
