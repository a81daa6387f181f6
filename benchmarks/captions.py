"""What is timed: captions of ABSTRACT-50S (or of the demo), and of COCO val2014."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.coco_documents import annotations, installed_file
from tercet.metrics import Corpus, DocumentsMode
from tercet.metrics.corpora.corpus import corpus
from tercet.metrics.ptb import ptb_many

ROOT = Path(__file__).resolve().parents[1]
ABSTRACT = ROOT.parent / "shared" / "data" / "abstract50s"
DEMO = ROOT / "examples" / "demo"


@dataclass(frozen=True)
class Texts:
    """Captions; a caption is a string, or where it is tokenized already a list of tokens.

    references: by image. candidates: each of the image of that number in ``images``.
    """

    name: str
    references: Sequence[Sequence[str]]
    candidates: Sequence[str]
    images: Sequence[int]

    @property
    def most(self) -> int:
        """The most references of an image."""
        return max(map(len, self.references))

    def corpus(self) -> Corpus:
        """The captions as the library compares them, tokenized by it."""
        return corpus(
            references=self.references, candidates=self.candidates, images=self.images
        )

    def tokenized(self) -> "Tokenized":
        """The captions with their PTB tokens."""
        flat = [caption for captions in self.references for caption in captions]
        tokens = iter(ptb_many([*flat, *self.candidates]))
        references = [[next(tokens) for _ in captions] for captions in self.references]
        return Tokenized(self, references, list(tokens))


@dataclass(frozen=True)
class Tokenized:
    """Captions as lists of tokens, and as the peers have them: tokens with blanks between."""

    texts: Texts
    references: Sequence[Sequence[Sequence[str]]]
    candidates: Sequence[Sequence[str]]

    def corpus(self, documents: DocumentsMode = "pool") -> Corpus:
        """The captions as the library compares them."""
        return corpus(
            references=self.references,
            candidates=self.candidates,
            images=self.texts.images,
            documents=documents,
        )

    def joined(self, k: int | None = None) -> tuple[list[list[str]], list[str]]:
        """The first k references of each candidate, and the candidates, as strings."""
        references = [list(map(" ".join, captions)) for captions in self.references]
        candidates = list(map(" ".join, self.candidates))
        return [references[image][:k] for image in self.texts.images], candidates


def many_references() -> Texts:
    """ABSTRACT-50S, where it is at hand: 800 candidates, 48 references each; else the demo."""
    folder = ABSTRACT if ABSTRACT.is_dir() else DEMO
    references: dict[str, list[str]] = {}
    for row in _rows(folder / "references.csv"):
        references.setdefault(row["image"], []).append(row["caption"])
    shown = [
        (r["image"], r[f"candidate_{side}"])
        for r in _rows(folder / "pairs.csv")
        for side in "bc"
    ]
    places = {image: place for place, image in enumerate(references)}
    name = "ABSTRACT-50S" if folder is ABSTRACT else "the demo"
    images, candidates = (
        [places[image] for image, _ in shown],
        [text for _, text in shown],
    )
    return Texts(name, list(references.values()), candidates, images)


def coco_val2014(images: int | None = None) -> Texts:
    """COCO val2014, its first images or all: each image's last caption against its others."""
    captions: dict[int, list[str]] = {}
    for _, image, caption in annotations(installed_file()):
        captions.setdefault(image, []).append(caption)
    kept = list(captions.values())[:images]
    references, candidates = ([each[:-1] for each in kept], [each[-1] for each in kept])
    return Texts("COCO val2014", references, candidates, range(len(kept)))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
