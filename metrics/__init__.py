"""Score image captions by their references: BLEU, ROUGE, METEOR and CIDEr, without Java.

:func:`score` is what most need. What it is made of is here as well: :func:`corpus` gathers
captions, :func:`compare` compares each candidate with each reference once, and the result gives
scores for every number and order of references.

>>> from metrics import score
>>> scores = score(
...     references=[["A dog runs.", "A dog is running."], ["Two cats!"]],
...     candidates=["a dog runs", "cats"],
... )
>>> scores.corpus["ROUGE-L"]
0.8144329896907216
>>> scores.captions["ROUGE-L"]
array([1.        , 0.62886598])
"""

from metrics.composed.combinations import Combination, combine
from metrics.composed.composites import Composite, with_composites, with_features
from metrics.composed.learned import Model, check_unseen, read_model
from metrics.core.arrays import FloatArray, IntArray
from metrics.corpora.corpus import Corpus, Documents, DocumentsMode, corpus, gather
from metrics.corpora.document_frequencies import (
    COCO,
    DocumentFrequencies,
    read_documents,
)
from metrics.corpora.metric import Comparison, Metric
from metrics.corpora.orders import Order, file_order, random_order
from metrics.corpus_scores import corpus_scores, figures_of_sums, summands
from metrics.explain import (
    Difference,
    Explanation,
    Part,
    Term,
    explain,
    explain_pair,
    explainable,
)
from metrics.leave_one_out import score_references
from metrics.ptb import ptb
from metrics.registry import (
    ALL,
    COCO_NAMES,
    Compared,
    compare,
    left_out,
    made_with,
    names,
    names_with_extras,
    resolve,
    weighed,
)
from metrics.scores import Scores
from metrics.scoring import count_documents, curves, score
from metrics.text.inputs import Candidates, Caption, Inputs, References
from metrics.text.tokenizers import TOKENIZERS, Tokenize
from metrics.text.tokens import characters, plain
from metrics.tuples.bags import BAGS, BagCounts, Grounding, read_grounding
from metrics.tuples.bast import bast
from metrics.tuples.roles import SemanticTuple

__version__ = "0.2.0"

__all__ = [
    "ALL",
    "BAGS",
    "COCO",
    "COCO_NAMES",
    "TOKENIZERS",
    "BagCounts",
    "Candidates",
    "Caption",
    "Combination",
    "Compared",
    "Comparison",
    "Composite",
    "Corpus",
    "Difference",
    "DocumentFrequencies",
    "Documents",
    "DocumentsMode",
    "Explanation",
    "FloatArray",
    "Grounding",
    "Inputs",
    "IntArray",
    "Metric",
    "Model",
    "Order",
    "Part",
    "References",
    "Scores",
    "SemanticTuple",
    "Term",
    "Tokenize",
    "bast",
    "characters",
    "check_unseen",
    "combine",
    "compare",
    "corpus",
    "corpus_scores",
    "count_documents",
    "curves",
    "explain",
    "explain_pair",
    "explainable",
    "figures_of_sums",
    "file_order",
    "gather",
    "left_out",
    "made_with",
    "names",
    "names_with_extras",
    "plain",
    "ptb",
    "random_order",
    "read_documents",
    "read_grounding",
    "read_model",
    "resolve",
    "score",
    "score_references",
    "summands",
    "weighed",
    "with_composites",
    "with_features",
]
