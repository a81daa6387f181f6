"""Score image captions by their references: BLEU, ROUGE, METEOR and CIDEr, without Java.

:func:`score` is what most need. What it is made of is here as well: :func:`corpus` gathers
captions, :func:`compare` compares each candidate with each reference once, and the result gives
scores for every number and order of references.

>>> from tercet.metrics import score
>>> scores = score(
...     references=[["A dog runs.", "A dog is running."], ["Two cats!"]],
...     candidates=["a dog runs", "cats"],
... )
>>> scores.corpus["ROUGE-L"]
0.8144329896907216
>>> scores.captions["ROUGE-L"]
array([1.        , 0.62886598])
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tercet.metrics.composed.combinations import Combination, combine
from tercet.metrics.composed.composites import Composite, with_composites, with_features
from tercet.metrics.composed.learned import Model, check_unseen, read_model
from tercet.metrics.core.arrays import FloatArray, IntArray
from tercet.metrics.corpora.corpus import (
    Corpus,
    Documents,
    DocumentsMode,
    corpus,
    gather,
)
from tercet.metrics.corpora.document_frequencies import (
    COCO,
    DocumentFrequencies,
    read_documents,
)
from tercet.metrics.corpora.merging import merge_documents
from tercet.metrics.corpora.metric import Comparison, Metric
from tercet.metrics.corpora.orders import Order, file_order, order_by, random_order
from tercet.metrics.corpus_scores import Sums, corpus_scores, figures_of_sums, summands
from tercet.metrics.explain import (
    Difference,
    Explanation,
    Part,
    Term,
    explain,
    explain_pair,
    explainable,
)
from tercet.metrics.leave_one_out import score_references
from tercet.metrics.outside.calls import MetricFailed
from tercet.metrics.outside.command import Limits, command
from tercet.metrics.outside.text_metric import TextMetric, metric
from tercet.metrics.ptb import ptb
from tercet.metrics.registry import (
    ALL,
    COCO_NAMES,
    Compared,
    compare,
    left_out,
    made_with,
    missing_metrics,
    names,
    names_with_extras,
    resolve,
    weighed,
)
from tercet.metrics.scores import Scores
from tercet.metrics.scoring import count_documents, curves, score
from tercet.metrics.text.inputs import Candidates, Caption, Inputs, References
from tercet.metrics.text.tokenizers import TOKENIZERS, Tokenize
from tercet.metrics.text.tokens import characters, plain

if TYPE_CHECKING:
    from tercet.lab.tuples.bags import BAGS, BagCounts, Grounding, read_grounding
    from tercet.lab.tuples.bast import bast
    from tercet.lab.tuples.roles import SemanticTuple

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
    "Limits",
    "Metric",
    "MetricFailed",
    "Model",
    "Order",
    "Part",
    "References",
    "Scores",
    "SemanticTuple",
    "Sums",
    "Term",
    "TextMetric",
    "Tokenize",
    "bast",
    "characters",
    "check_unseen",
    "combine",
    "command",
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
    "merge_documents",
    "metric",
    "missing_metrics",
    "names",
    "names_with_extras",
    "order_by",
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

_IN_LAB = {
    "BAGS": "tercet.lab.tuples.bags",
    "BagCounts": "tercet.lab.tuples.bags",
    "Grounding": "tercet.lab.tuples.bags",
    "SemanticTuple": "tercet.lab.tuples.roles",
    "bast": "tercet.lab.tuples.bast",
    "read_grounding": "tercet.lab.tuples.bags",
}
"""Names of version 0.2 that stay for one version, by the module in which they are now."""


def __getattr__(name: str) -> object:
    """Import a name that has moved when it is first used."""
    if name not in _IN_LAB:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    return getattr(import_module(_IN_LAB[name]), name)
