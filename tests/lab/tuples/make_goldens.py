"""Write goldens.json anew: the tuples of its captions by the rules and the default model.

Run `python -m tests.lab.tuples.make_goldens` after a change of either, and read what changes.
"""

import json
from pathlib import Path

from tercet.lab.tuples.extraction import extract
from tercet.lab.tuples.parser import parse

GOLDENS = Path(__file__).with_name("goldens.json")


def main() -> None:
    captions = list(json.loads(GOLDENS.read_text(encoding="utf-8")))
    lines = []

    for caption, words in zip(captions, parse(captions), strict=True):
        ordered = sorted(extract(words), key=lambda each: (len(each), each))
        joined = [" | ".join(each) for each in ordered]
        lines.append(f" {json.dumps(caption)}: {json.dumps(joined)}")

    GOLDENS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
