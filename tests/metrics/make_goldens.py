"""Print goldens.json: captions of our own and their scores by the reference implementation.

Run it with pycocoevalcap 1.2 installed: ``python make_goldens.py > goldens.json``. Needs no Java:
the captions are tokenized already. Its Cider is CIDEr-D.
"""

import json
import sys
from importlib import import_module
from typing import Any

# candidate, then references, all of one image
CASES: dict[str, list[str]] = {
    "ordinary": [
        "a brown dog runs across the wet grass",
        "a dog runs on the grass",
        "the brown dog is running across a lawn",
        "a wet dog plays outside in the grass",
    ],
    "perfect": ["two cats sleep on a sofa", "two cats sleep on a sofa"],
    "empty candidate": ["", "a red bus", "the bus is red"],
    "empty candidate and an empty reference": ["", "", "a red bus"],
    "empty reference": ["a red bus", "", "a bus"],
    "one word": ["dog", "dog", "a dog sits"],
    "two words": ["a dog", "a dog", "a dog"],
    "three words, perfect": ["the bus stops", "the bus stops", "the bus stops"],
    "nothing shared": [
        "purple elephants juggle quietly",
        "a man eats soup",
        "soup for dinner",
    ],
    "repeated words": [
        "the the the the the the the",
        "the cat is on the mat",
        "there is a cat on the mat",
    ],
    "repeated phrases": [
        "a dog and a dog and a dog and a dog",
        "a dog and a dog and a cat",
        "a dog and a cat and a dog and a dog",
    ],
    "two hundred words": [
        " ".join(f"a dog number {i} runs" for i in range(40)),
        " ".join(f"a dog number {i} sits" for i in range(0, 80, 2)),
        "a dog runs",
    ],
    "closest length ties to the shorter": [
        "a man rides a horse now",
        "a man rides one",
        "a man on a big horse rides away",
    ],
    "duplicated references": [
        "a plate of food",
        "a plate",
        "a plate",
        "a plate",
        "some food",
    ],
    "punctuation only": ["... !!! ?", "!!! ... ?", ". . ."],
    "emoji": ["a 😀 on a 🏖️ beach", "😀 😀 on the beach", "a 🏖️ beach"],
    "Arabic": ["رجل يركب حصانا في الحقل", "رجل يركب حصانا", "حصان في الحقل الأخضر"],
    "Chinese": ["一个 男人 骑 着 一 匹 马", "一个 男人 骑 马", "男人 在 马 上"],
    "apostrophes and hyphens": [
        "a man 's t-shirt does n't fit",
        "the man 's t-shirt is too small",
        "a t-shirt that does n't fit",
    ],
    "numbers": ["3 dogs and 12.5 cats", "3 dogs and 12 cats", "three dogs"],
}


def goldens() -> list[dict[str, Any]]:
    """Each case with its scores by metric; tokens are parted by blanks."""
    candidates = {name: captions[:1] for name, captions in CASES.items()}
    references = {name: captions[1:] for name, captions in CASES.items()}
    bleu = import_module("pycocoevalcap.bleu.bleu").Bleu(4)
    rows = list(bleu.compute_score(references, candidates, verbose=0)[1])

    for module, scorer in (("rouge.rouge", "Rouge"), ("cider.cider", "Cider")):
        metric = getattr(import_module(f"pycocoevalcap.{module}"), scorer)()
        rows.append(metric.compute_score(references, candidates)[1])

    names = (*(f"BLEU-{n}" for n in range(1, 5)), "ROUGE-L", "CIDEr-D")
    return [
        {
            "name": name,
            "candidate": CASES[name][0],
            "references": CASES[name][1:],
            "scores": dict(zip(names, map(float, scores), strict=True)),
        }
        for name, scores in zip(CASES, zip(*rows, strict=True), strict=True)
    ]


if __name__ == "__main__":
    json.dump(goldens(), sys.stdout, ensure_ascii=False, indent=1)
    print()
