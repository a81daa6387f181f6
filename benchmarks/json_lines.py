"""`python -m benchmarks.json_lines`: what a line of JSON costs, alone and with others."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from tercet import score

LINES = 2_000
TOGETHER = (1, 8, 64, 256)
METRICS = ("METEOR", "ROUGE-L")
REFERENCES = ["a dog runs on the grass", "the dog is running", "a brown dog plays"]


def main() -> None:
    for size in TOGETHER:
        seconds = seconds_in_parts(size)
        print(f"{size:>4} at a time: {1000 * seconds / LINES:.2f} ms a line")
    print(f"tercet score --jsonl: {1000 * seconds_of_command() / LINES:.2f} ms a line")


def seconds_in_parts(size: int) -> float:
    """Score captions by METEOR and ROUGE-L, some at a time, after the first are compiled."""
    captions = [f"a dog and {number} cats" for number in range(LINES)]
    _score(captions)

    start = perf_counter()
    for first in range(0, LINES, size):
        _score(captions[first : first + size])
    return perf_counter() - start


def _score(captions: list[str]) -> None:
    score(references=[REFERENCES] * len(captions), candidates=captions, metrics=METRICS)


def seconds_of_command() -> float:
    """Run the command on a file of lines, its start included."""
    lines = [
        json.dumps({"id": n, "candidate": f"a dog {n}", "references": REFERENCES})
        for n in range(LINES)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "items.jsonl")
        path.write_text("\n".join(lines))
        command = [sys.executable, "-m", "tercet", "score", "--jsonl", str(path)]
        start = perf_counter()
        subprocess.run(
            [*command, "--metrics", ",".join(METRICS)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return perf_counter() - start


if __name__ == "__main__":
    main()
