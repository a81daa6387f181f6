"""The other implementations, each behind one function of references and candidates.

References are lists of strings, one list for each candidate; strings hold tokens with blanks
between. The functions give what they score, a number for each candidate or one for all.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np

from tercet.lab.vectors.glove import look_up
from tercet.metrics.core.arrays import FloatArray

References: TypeAlias = Sequence[Sequence[str]]
Candidates: TypeAlias = Sequence[str]
Peer: TypeAlias = Callable[[References, Candidates], Any]


def missing(name: str) -> str:
    """Why a peer cannot run here; empty if it can."""
    package = name.split()[0].replace("-", "_")
    if find_spec(package) is None:
        return f"{package} is not installed: pip install -r locks/benchmarks.txt"
    if "Java" in name and shutil.which("java") is None:
        return "java is not installed"
    return ""


def java_tokenizer(references: References, candidates: Candidates) -> Any:
    """The Stanford tokenizer as pycocoevalcap runs it: once for references, once for candidates."""
    tokenizer = import_module("pycocoevalcap.tokenizer.ptbtokenizer").PTBTokenizer()
    texts = [[{"caption": text} for text in captions] for captions in references]
    known = tokenizer.tokenize(dict(enumerate(texts)))
    wanted = {place: [{"caption": text}] for place, text in enumerate(candidates)}
    return known, tokenizer.tokenize(wanted)


def coco_bleu(references: References, candidates: Candidates) -> Any:
    """BLEU-1 to BLEU-4 of pycocoevalcap: its rows of scores."""
    scorer = import_module("pycocoevalcap.bleu.bleu").Bleu(4)
    return scorer.compute_score(*_numbered(references, candidates), verbose=0)[1]


def coco_rouge(references: References, candidates: Candidates) -> Any:
    """ROUGE-L of pycocoevalcap."""
    scorer = import_module("pycocoevalcap.rouge.rouge").Rouge()
    return scorer.compute_score(*_numbered(references, candidates))[1]


def coco_cider(references: References, candidates: Candidates) -> Any:
    """CIDEr-D of pycocoevalcap, which calls it CIDEr."""
    scorer = import_module("pycocoevalcap.cider.cider").Cider()
    return scorer.compute_score(*_numbered(references, candidates))[1]


def coco_meteor(references: References, candidates: Candidates) -> Any:
    """METEOR of pycocoevalcap, in a Java machine that is running already."""
    return warm_meteor().compute_score(*_numbered(references, candidates))[1]


@cache
def warm_meteor() -> Any:
    """METEOR's Java machine, after some captions: its data is loaded and its loops compiled."""
    scorer = import_module("pycocoevalcap.meteor.meteor").Meteor()
    texts = [
        f"a dog number {number} runs over the green grass" for number in range(2000)
    ]
    scorer.compute_score(*_numbered([[text, "a cat sleeps"] for text in texts], texts))
    return scorer


def rust_bleu(references: References, candidates: Candidates) -> Any:
    """BLEU-4 of the corpus by bleuscore, a Rust package."""
    compute = import_module("bleuscore").compute
    return compute(
        [list(each) for each in references], list(candidates), ref_len_method="closest"
    )


def rust_rouge(references: References, candidates: Candidates) -> Any:
    """ROUGE-L of every pair by rouge-score-rs, a Rust package that uses all cores."""
    scorer = import_module("rouge_score_rs.rouge_scorer").RougeScorer(["rougeL"])
    pairs = _pairs(references, candidates)
    return scorer.score_batch([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def google_rouge(references: References, candidates: Candidates) -> Any:
    """ROUGE-L of every pair by rouge-score."""
    scorer = import_module("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    return [
        scorer.score(reference, text)
        for reference, text in _pairs(references, candidates)
    ]


def nltk_bleu(references: References, candidates: Candidates) -> Any:
    """BLEU-4 of the corpus by NLTK."""
    score = import_module("nltk.translate.bleu_score").corpus_bleu
    texts = [[text.split() for text in each] for each in references]
    return score(texts, [text.split() for text in candidates])


def sacre_bleu(references: References, candidates: Candidates) -> Any:
    """BLEU-4 of the corpus by sacrebleu."""
    most = max(map(len, references))
    columns = [
        [each[k] if k < len(each) else None for each in references] for k in range(most)
    ]
    scorer = import_module("sacrebleu").BLEU(tokenize="none")
    return scorer.corpus_score(list(candidates), columns).score


def pot_word_movers(references: References, candidates: Candidates) -> Any:
    """The word mover's distance of every pair by POT, with the vectors of this library."""
    ot = import_module("ot")
    pairs = _pairs(references, candidates)
    vectors = _vectors({word for pair in pairs for word in " ".join(pair).split()})

    distances = []
    for reference, text in pairs:
        ours, our_shares = _bag(text, vectors)
        theirs, their_shares = _bag(reference, vectors)
        costs = ot.dist(ours, theirs, "euclidean")
        distances.append(ot.emd2(our_shares, their_shares, costs))

    return distances


def _vectors(words: Collection[str]) -> dict[str, FloatArray]:
    vectors, is_known = look_up(list(words))
    rows = zip(words, vectors, is_known, strict=True)

    return {word: vector for word, vector, known in rows if known}


def _bag(text: str, vectors: dict[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The vectors of the known words of a caption, and their shares."""
    counts = Counter(word for word in text.split() if word in vectors)
    shares = np.array(list(counts.values())) / counts.total()

    return np.array([vectors[word] for word in counts]), shares


def _numbered(
    references: References, candidates: Candidates
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    known = {place: list(captions) for place, captions in enumerate(references)}
    return known, {place: [text] for place, text in enumerate(candidates)}


def _pairs(references: References, candidates: Candidates) -> list[tuple[str, str]]:
    both = zip(references, candidates, strict=True)
    return [(reference, text) for captions, text in both for reference in captions]


BLEU: dict[str, Peer] = {
    "pycocoevalcap": coco_bleu,
    "nltk": nltk_bleu,
    "sacrebleu": sacre_bleu,
    "bleuscore (Rust)": rust_bleu,
}
ROUGE: dict[str, Peer] = {
    "pycocoevalcap": coco_rouge,
    "rouge-score": google_rouge,
    "rouge-score-rs (Rust)": rust_rouge,
}
CIDER: dict[str, Peer] = {"pycocoevalcap": coco_cider}
WMD: dict[str, Peer] = {"ot (POT)": pot_word_movers}
METEOR: dict[str, Peer] = {"pycocoevalcap (Java)": coco_meteor}
TOKENIZERS: dict[str, Peer] = {"pycocoevalcap (Java)": java_tokenizer}
