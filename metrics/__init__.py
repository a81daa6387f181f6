"""Captions in, scores out: BLEU, ROUGE, CIDEr and METEOR without Java.

>>> from metrics import score
>>> score([["A dog runs.", "A dog is running."], ["Two cats!"]], ["a dog runs", "cats"])["ROUGE-L"]
array([1.        , 0.62886598])
"""

from metrics.arrays import FloatArray, IntArray
from metrics.cider import weighed
from metrics.corpus import Corpus, Documents, DocumentsMode, Tokenize, corpus, gather
from metrics.corpus_scores import COCO_NAMES, corpus_scores
from metrics.document_frequencies import COCO, DocumentFrequencies, read_documents
from metrics.inputs import Caption, Inputs
from metrics.metric import Comparison, Metric
from metrics.orders import file_order, random_order
from metrics.ptb import ptb
from metrics.registry import METRICS, compare, names, select
from metrics.scoring import check_documents, count_documents, curves, score
from metrics.tokens import Captions, plain

__version__ = "0.2.0"

__all__ = [
    "COCO",
    "COCO_NAMES",
    "METRICS",
    "Caption",
    "Captions",
    "Comparison",
    "Corpus",
    "DocumentFrequencies",
    "Documents",
    "DocumentsMode",
    "FloatArray",
    "Inputs",
    "IntArray",
    "Metric",
    "Tokenize",
    "check_documents",
    "compare",
    "corpus",
    "corpus_scores",
    "count_documents",
    "curves",
    "file_order",
    "gather",
    "names",
    "plain",
    "ptb",
    "random_order",
    "read_documents",
    "score",
    "select",
    "weighed",
]
