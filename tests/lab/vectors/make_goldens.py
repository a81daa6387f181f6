"""Write goldens.json anew: the distances of its captions by scipy's linear program.

Run `python -m tests.lab.vectors.make_goldens` after a change of its captions.
"""

import json
from pathlib import Path

from tercet.lab.vectors.glove import look_up
from tests.lab.vectors import naive

PATH = Path(__file__).with_name("goldens.json")


def main() -> None:
    """Compute the distances anew."""
    text = PATH.read_text(encoding="utf-8")
    cases = json.loads(text)
    lines = [json.dumps(case(*each[:2])) for each in cases]
    PATH.write_text("[\n " + ",\n ".join(lines) + "\n]\n", encoding="utf-8")


def case(candidate: str, reference: str) -> list[object]:
    """Two captions, their distance, and their relaxed one; null if infinite."""
    pair = candidate.split(), reference.split()
    words = [word for caption in pair for word in caption]
    rows, is_known = look_up(words)
    known = {
        word: row
        for word, row, is_one in zip(words, rows, is_known, strict=True)
        if is_one
    }
    distances = naive.distance(*pair, known), naive.relaxed(*pair, known)

    return [
        candidate,
        reference,
        *(round(each, 9) if each < 99 else None for each in distances),
    ]


if __name__ == "__main__":
    main()
