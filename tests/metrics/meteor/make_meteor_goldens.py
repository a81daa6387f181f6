"""Print meteor_goldens.json: captions of our own, and what METEOR's Java program makes of them.

Run it with pycocoevalcap 1.2 and Java installed:
``python make_meteor_goldens.py > meteor_goldens.json``. Captions are taken as they are, not
tokenized; those with "|||" or a line break cannot be sent. The corpus score is that of all cases
with the best reference of each.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# candidate, then references, all of one image
CASES: dict[str, list[str]] = {
    "ordinary": [
        "a brown dog runs across the wet grass",
        "a dog runs on the grass",
        "the brown dog is running across a lawn",
        "a wet dog plays outside in the grass",
    ],
    "perfect": ["two cats sleep on a sofa", "two cats sleep on a sofa", "two cats nap on a couch"],
    "stems": ["dogs running quickly", "a dog runs quick", "the dog ran"],
    "synonyms": ["a large automobile on the road", "a big car on the route", "a huge auto"],
    "synonyms by shared offsets": ["able to boil", "breathe an entity noncellular"],
    "exceptions": ["the geese flew over men and mice", "a goose flies over a man and a mouse"],
    "paraphrases": [
        "a number of people take part in the game",
        "several people participate in the match",
        "many persons are taking part in a game",
    ],
    "paraphrases both ways": ["in front of the house", "opposite the home", "before the house of"],
    "crossing": ["a b c d e f", "f e d c b a", "d e f a b c"],
    "ambiguous words": [
        "the man and the dog and the cat in the park with the ball",
        "the cat and the dog and the man with the ball in the park",
        "a park the ball the cat the man and and the",
    ],
    "repeated words": [
        "the the the the the the the",
        "the cat is on the mat",
        "the the the",
    ],
    "ambiguous stems": ["run running runs runner", "runs run ran running", "runner runner run"],
    "nothing shared": ["purple elephants juggle quietly", "a man eats soup"],
    "one word": ["dog", "dog", "a dog sits", "dogs"],
    "empty candidate": ["", "a red bus"],
    "empty reference": ["a red bus", "", "a bus"],
    "two hundred words": [
        " ".join(f"a dog number {i} runs" for i in range(40)),
        " ".join(f"a cat number {i} sits" for i in range(0, 80, 2)),
        "a dog runs",
    ],
    "forty words in another order": [
        " ".join(f"the w{i % 13}" for i in range(40)),
        " ".join(f"w{i % 11} the" for i in range(45)),
    ],
    "exactly 32 words": [
        " ".join(f"w{i}" for i in range(32)),
        " ".join(f"w{31 - i}" for i in range(32)),
        " ".join(f"w{i}" for i in range(1, 34)),
    ],
    "only punctuation": ["... !!! ?", "!!! ... ?", ". . ."],
    "emoji": ["a 😀 on a 🏖️ beach", "😀 😀 on the beach", "a 🏖️ beach"],
    "combining marks": ["cafe\u0301 on the corner", "café on the corner", "cafe on the corner"],
    "Arabic": ["رجل يركب حصانا في الحقل", "رجل يركب حصانا", "حصان في الحقل الأخضر"],
    "Chinese": ["一个 男人 骑 着 一 匹 马", "一个 男人 骑 马", "男人 在 马 上"],
    "Greek, final sigma": ["ΟΔΥΣΣΕΥΣ ΣΤΗ ΘΑΛΑΣΣΑ", "οδυσσευς στη θαλασσα", "οδυσσευσ θαλασσα"],
    "capitals": ["İstanbul STRASSE Ärger", "i̇stanbul strasse ärger", "istanbul straße arger"],
    "apostrophes": [
        "the man 's t-shirt does n't fit ' ' 's",
        "the man's t-shirt doesn't fit",
        "'the man' 's 's '' it 's mike 's",
    ],
    "dashes": ["a-b-c--d well-known 3-4 \u2013 x", "a b c d well known 3", "-lrb- a -rrb-"],
    "periods": [
        "mr. smith of the u.s. at 5 p.m. etc.",
        "mr . smith of the us at 5 pm etc .",
        "vs. v. i.e. rev. e.g. pp. 5 no. 5 pp. x dr.",
    ],
    "dots": ["wait .. for ... it .... now.", "wait . for . it . now", "..a ...b. c.. .d"],
    "numbers and commas": ["1,000 dogs, 2.5 cats,3 a,b ,c", "1,000 dogs 2.5 cats", "1 , 000 dogs"],
    "quotes": ["`` a '' “ b ” \u2018 c \u2019 ` d", '" a " " b " \' c \' d', "a b c d"],
    "web address": ["see http://example.com/a_b?c=1&d", "see example.com/a_b", "http : / / x"],
    "hash codes that collide": ["Aa BB c'", "aa bb ae", "BB Aa ae"],
    "other blanks": ["25\u00a01/2\u2003cups\u3000tea", "25 1/2 cups tea", "\ttea  cups "],
    "control characters": ["\x01 a \x0b dog \x02", "a dog", "a \x02 \x0bdog\x0b"],
    "dotmulti": ["dotmulti DOTMULTI DOTMULTI. x", "dotmulti . x", "DOTDOTMULTI x"],
}  # fmt: skip


def goldens() -> dict[str, Any]:
    """Each case with its scores by reference, and the corpus score."""
    pairs = [(case[0], reference) for case in CASES.values() for reference in case[1:]]
    statistics = [
        answer.strip()
        for answer in _ask(f"SCORE ||| {right} ||| {left}" for left, right in pairs)
    ]
    scores = _scores(statistics)
    cases, best, start = [], [], 0

    for name, (candidate, *references) in CASES.items():
        end = start + len(references)
        here = slice(start, end)
        start = here.stop
        best.append(statistics[here][scores[here].index(max(scores[here]))])
        cases.append(
            {
                "name": name,
                "candidate": candidate,
                "references": references,
                "statistics": [_whole(each) for each in statistics[here]],
                "scores": scores[here],
            }
        )

    return {"cases": cases, "corpus": _evaluate(best)[-1]}


def _whole(statistics: str) -> str:
    """The program prints whole numbers with a fraction."""
    return " ".join(str(int(float(number))) for number in statistics.split())


def _scores(statistics: list[str]) -> list[float]:
    return _evaluate(statistics)[:-1]


def _evaluate(statistics: list[str]) -> list[float]:
    """The score of each segment, and that of all together."""
    return list(map(float, _ask(["EVAL ||| " + " ||| ".join(statistics)])))


def _ask(lines: Iterable[str]) -> list[str]:
    """What the program answers to some lines, however many lines that is."""
    spec = find_spec("pycocoevalcap")
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit("pip install pycocoevalcap==1.2")

    package = Path(next(iter(spec.submodule_search_locations)))
    jar = package / "meteor" / "meteor-1.5.jar"
    program = [
        "java",
        "-jar",
        "-Xmx2G",
        jar.name,
        "-",
        "-",
        "-stdio",
        "-l",
        "en",
        "-norm",
    ]
    run = subprocess.run(
        program, cwd=jar.parent, input="\n".join(lines) + "\n", encoding="utf-8",
        capture_output=True, check=True,
    )  # fmt: skip

    return run.stdout.splitlines()


if __name__ == "__main__":
    json.dump(goldens(), sys.stdout, ensure_ascii=False, indent=1)
    print()
