"""Time the whole report on ABSTRACT-50S, and print the share of each step.

``python -m benchmarks.analysis`` takes 48 counts, 100 draws, all metrics, 10,000 resamples and
10,000 sign flips; METEOR's comparison is timed apart. Seconds are those of the processor.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from benchmarks.captions import ABSTRACT
from benchmarks.metrics import machine
from tercet.analysis.dataset.folder import load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.findings import FINDINGS
from tercet.analysis.report.folder import write_report
from tercet.analysis.scoring.options import Options
from tercet.metrics import compare
from tercet.metrics.corpora.corpus import corpus


class Clock:
    """Seconds of the processor by step, from one telling of progress to the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.step, self.since = "Starting", process_time()

    def __call__(self, share: float, doing: str) -> None:
        now = process_time()
        self.seconds[self.step] = self.seconds.get(self.step, 0.0) + now - self.since
        self.step, self.since = (
            ("Orders" if doing.startswith("Order ") else doing),
            now,
        )


def meteor_seconds(folder: Path) -> float:
    """What METEOR's comparison of all pairs takes alone."""
    dataset = load(folder)
    references = dataset.references.groupby("image", sort=False)["caption"].agg(list)
    candidates = [
        (image, caption)
        for side in ("candidate_b", "candidate_c")
        for image, caption in zip(
            dataset.pairs["image"], dataset.pairs[side], strict=True
        )
    ]
    places = {image: place for place, image in enumerate(references.index)}
    images = [places[image] for image, _ in candidates]
    gathered = corpus(
        references=references.tolist(),
        candidates=[text for _, text in candidates],
        images=images,
    )
    compare(gathered, ["METEOR"])
    before = process_time()
    compare(gathered, ["METEOR"])
    return process_time() - before


def main() -> None:
    """Write the report, print the steps."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.analysis", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, nargs="?", default=ABSTRACT)
    parser.add_argument("--draws", type=int, default=100)
    given = parser.parse_args()
    print(machine())
    clock = Clock()
    dataset = load(given.folder)
    evaluation = evaluate(dataset, Options(draws=given.draws), clock)
    with TemporaryDirectory() as folder:
        write_report(evaluation, Path(folder, "report"), clock)
    clock(1.0, "")
    for step, seconds in sorted(clock.seconds.items(), key=lambda item: -item[1]):
        print(f"{seconds:8.2f} s  {step}")
    print(
        f"{sum(clock.seconds.values()):8.2f} s  together, with {len(FINDINGS)} findings"
    )
    print(f"{meteor_seconds(given.folder):8.2f} s  of that METEOR's comparison")


if __name__ == "__main__":
    main()
