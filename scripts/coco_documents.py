"""`python -m scripts.coco_documents [captions_val2014.json]`: make the table coco-val2014.

The captions are those of COCO's annotations of 2014 (CC BY 4.0), which cocodataset.org offers as
annotations_trainval2014.zip; without a file, those that pycocoevalcap has inside are taken. The
table is written into the package, where its digest has to be noted. It comes out the same as long
as PTB tokens, stems and the compression library are the same.
"""

import json
import sys
import zipfile
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tercet.metrics.core.jit import much_work
from tercet.metrics.corpora.document_frequencies import (
    COCO_FILE,
    DocumentFrequencies,
    packed,
)
from tercet.metrics.ptb import ptb_many
from tercet.metrics.text.tokens import Vocabulary
from tercet.metrics.text.word_maps import split_words

JAR = "spice/spice-1.0.jar"
IN_JAR = "coco/annotations/captions_val2014.json"


class Annotation(NamedTuple):
    """A caption of an image."""

    number: int
    image: int
    caption: str


def main(files: list[str]) -> None:
    """Write the table, and print its digest."""
    content = Path(files[0]).read_bytes() if files else installed_file()
    COCO_FILE.write_bytes(packed(count(annotations(content))))
    print(f"{COCO_FILE}: SHA-256 {sha256(COCO_FILE.read_bytes()).hexdigest()}")


def installed_file() -> bytes:
    """Read COCO's annotations inside the installed pycocoevalcap."""
    package = find_spec("pycocoevalcap")
    if package is None or not package.submodule_search_locations:
        raise FileNotFoundError("pip install pycocoevalcap==1.2, or name a file")

    folder = Path(package.submodule_search_locations[0])
    with zipfile.ZipFile(folder / JAR) as jar:
        return jar.read(IN_JAR)


def annotations(content: bytes) -> list[Annotation]:
    """Read a file of COCO's annotations, in its order."""
    return [
        Annotation(each["id"], each["image_id"], each["caption"])
        for each in json.loads(content)["annotations"]
    ]


def count(captions: list[Annotation]) -> DocumentFrequencies:
    """Count the n-grams of captions, and of their stems."""
    _, images, texts = zip(*captions, strict=True)
    vocabulary = Vocabulary()
    references = vocabulary.intern(ptb_many(texts))
    split = split_words(vocabulary.words)
    _, numbers = np.unique(images, return_inverse=True)

    with much_work():
        references = split.of(references)
        return DocumentFrequencies.with_stems(references, numbers, split.words)


if __name__ == "__main__":
    main(sys.argv[1:])
