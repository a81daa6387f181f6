"""Write goldens.json anew: vectors and token scores of its texts by PyTorch and transformers.

Run `python -m tests.lab.embedding.make_goldens FOLDER` with both installed, after a
change of its texts. FOLDER has the files of all-MiniLM-L6-v2. Last made with PyTorch 2.14.1 and
transformers 5.24.0.
"""

import itertools
import json
import sys
from collections import Counter
from math import log
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel, AutoTokenizer

PATH = Path(__file__).with_name("goldens.json")
EVERY = 8
"""Which of the numbers of a vector are kept; the cosines depend on all of them."""


def main(folder: str) -> None:
    """Compute the vectors and scores anew."""
    texts = json.loads(PATH.read_text(encoding="utf-8"))["texts"]
    read = reader(folder)
    found = [read(text) for text in texts]

    vectors = torch.nn.functional.normalize(
        torch.stack([states.mean(dim=0) for _, states in found]), dim=1
    )
    cosines = vectors.double() @ vectors.double().T
    weights = inverse_frequencies([numbers for numbers, _ in found])
    pairs = list(itertools.pairwise(found))

    goldens = {
        "texts": texts,
        "vectors": [rounded(vector[::EVERY]) for vector in vectors],
        "cosines": [rounded(row) for row in cosines],
        "token-F": [token_f(*pair, {}) for pair in pairs],
        "token-F-idf": [token_f(*pair, weights) for pair in pairs],
    }
    lines = [f" {json.dumps(name)}: {listed(each)}" for name, each in goldens.items()]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def reader(folder: str) -> Any:
    """Return a function from a text to its token numbers (L,) and their states (L, d)."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()

    def read(text: str) -> tuple[list[int], Any]:
        given = tokenizer(text, return_tensors="pt", truncation=True, max_length=256)
        with torch.no_grad():
            states = model(**given).last_hidden_state[0]
        return given["input_ids"][0].tolist(), states

    return read


def inverse_frequencies(texts: list[list[int]]) -> dict[int, float]:
    frequencies = Counter(number for numbers in texts for number in set(numbers))
    return {
        number: log((len(texts) + 1) / (count + 1))
        for number, count in frequencies.items()
    }


def token_f(candidate: Any, reference: Any, weights: dict[int, float]) -> float:
    """F1 of the tokens between [CLS] and [SEP]."""
    numbers, states = zip(candidate, reference, strict=True)
    vectors = [torch.nn.functional.normalize(each[1:-1], dim=1) for each in states]
    cosines = vectors[0].double() @ vectors[1].double().T
    if not cosines.numel():
        return 0.0

    shares = []
    for side in (0, 1):
        counts = [weights.get(number, 1.0) for number in numbers[side][1:-1]]
        best = cosines.max(dim=1 - side).values.tolist()
        weighed = [a * b for a, b in zip(counts, best, strict=True)]
        shares.append(sum(weighed) / sum(counts))

    precision, recall = shares
    score: float = 2 * precision * recall / (precision + recall)

    return round(score, 7)


def rounded(numbers: Any) -> list[float]:
    return [round(number, 7) for number in numbers.tolist()]


def listed(values: list[Any]) -> str:
    """A list with a line for each of its lists and texts."""
    lines = [json.dumps(value) for value in values]
    return "[\n  " + ",\n  ".join(lines) + "\n ]"


if __name__ == "__main__":
    main(sys.argv[1])
