"""The published sets that are known: how to cite them, which files to bring, and how many rows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tercet.analysis.scoring.presets import USUAL
from tercet.analysis.tables.schema import Dataset
from tercet.analysis.tables.settings import SET_FILE


@dataclass(frozen=True)
class PublishedSet:
    """A set of judgments.

    Attributes
    ----------
    name, title
        In commands, and in texts.
    preset
        The protocol of its published figures, a name in `tercet.analysis.scoring.presets`.
    source, licence, files
        How to cite it, the licence as stated, and the files that the user brings.
    use
        What it answers, where that is neither the choice between captions of an image nor systems.
    columns
        What papers print of it.
    releases
        Numbers of rows by table, and of images, for each release that was counted.
    digests
        SHA-256 of the releases of each file.
    """

    name: str
    title: str
    preset: str = USUAL
    source: str = ""
    licence: str = ""
    files: str = ""
    use: str = ""
    columns: Sequence[str] = ()
    releases: Sequence[Mapping[str, int]] = ()
    digests: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def differences(self, dataset: Dataset) -> Iterator[str]:
        """Say where a dataset has other counts than the release that is most like it."""
        counts = {table.name: len(frame) for table, frame in dataset.frames.items()}
        counts["images"] = dataset.references["image"].nunique()
        unlike = [
            {name: count for name, count in release.items() if counts[name] != count}
            for release in self.releases
        ]
        for name, count in min(unlike, key=len, default={}).items():
            yield (
                f"{self.title} has {counts[name]:,} {name} here, and {count:,} as published: "
                "figures of another release may differ"
            )


def _read() -> dict[str, PublishedSet]:
    text = Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    return {name: PublishedSet(name, **row) for name, row in json.loads(text).items()}


SETS = _read()


def set_named(name: str) -> PublishedSet:
    """Return a published set; raises ValueError for another name."""
    if name not in SETS:
        raise ValueError(f"{name} is no set that is known. Known are {', '.join(SETS)}")
    return SETS[name]


def set_of(folder: Path) -> PublishedSet:
    """Return the set of a dataset folder; without set.json it is one of its own."""
    file = folder / SET_FILE
    if not file.is_file():
        name = folder.resolve().name
        return PublishedSet(name, name)
    try:
        return set_named(json.loads(file.read_text(encoding="utf-8"))["name"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{file} names no set: write it with tercet bench add ({error})."
        ) from error
