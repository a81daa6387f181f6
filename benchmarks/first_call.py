"""Time the first `score` of a process: with empty caches, and with full ones.

    python -m benchmarks.first_call [--captions 1 200 2000] [--metrics METEOR] [--former FOLDER]

Each caption has five references. Figures are processor seconds, the smallest of several runs, with
the import. `--former` names a checkout of another version, which is run in turns with this one.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
SCORE = """
import json, sys, time
from tercet import score

count, metrics = int(sys.argv[1]), sys.argv[2]
words = "a man dog cat red house runs sits ball park street two under small".split()
captions = [" ".join(words[(n * k) % 14] for k in range(1, 9)) for n in range(6 * count)]
references = [captions[5 * n : 5 * n + 5] for n in range(count)]
score(references=references, candidates=captions[5 * count :], metrics=metrics.split(","),
      documents="coco-val2014" if count == 1 and "CIDEr" in metrics else "pool")
print(time.process_time())
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", type=int, nargs="+", default=[1, 200, 2_000])
    parser.add_argument("--metrics", default="BLEU-4,ROUGE-L")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--former", type=Path)
    options = parser.parse_args()

    folders = {"present": ROOT}
    if options.former:
        folders["former"] = options.former.resolve()
    for count in options.captions:
        for name, (cold, warm) in timed(folders, count, options).items():
            ratio = cold / warm
            print(
                f"{count:>6,} captions, {name}: {cold:.2f} cold, {warm:.2f} warm, ",
                end="",
            )
            print(f"ratio {ratio:.1f}")


def timed(
    folders: dict[str, Path], count: int, options: argparse.Namespace
) -> dict[str, tuple[float, float]]:
    """Return the smallest times with empty and with full caches, of versions in turns."""
    cold: dict[str, list[float]] = {name: [] for name in folders}
    warm: dict[str, list[float]] = {name: [] for name in folders}

    for _run in range(options.runs):
        for name, folder in folders.items():
            # version 0.2 keeps code beside its files
            for kept in folder.glob("tercet/metrics/**/__pycache__/*.nb[ic]"):
                kept.unlink()
            with TemporaryDirectory() as cache:
                for times in (cold[name], warm[name]):
                    seconds = run(folder, cache, count, options.metrics)
                    times.append(seconds)

    return {name: (min(cold[name]), min(warm[name])) for name in folders}


def run(folder: Path, cache: str, count: int, metrics: str) -> float:
    """Score captions in a process of its own; return its processor seconds."""
    environment = {**os.environ, "TERCET_CACHE": cache, "PYTHONPATH": str(folder)}
    script = SCORE
    if not (folder / "tercet").is_dir():
        script = SCORE.replace("from tercet import", "from metrics import")
    command = [sys.executable, "-c", script, str(count), metrics]
    output = subprocess.check_output(command, cwd=folder, env=environment, text=True)
    return float(output)


if __name__ == "__main__":
    main()
