"""Word mover's distance: how far the words of a caption are from those of its references, 0..1.

Kusner, Sun, Kolkin, Weinberger: From word embeddings to document distances, ICML 2015. Each caption
is a mass of 1 that its words share equally, repeated ones several times; the distance of two
captions is the least cost of moving the mass of one onto the words of the other, where a unit costs
the Euclidean distance of the two words' vectors. As Kilickaya, Erdem, Ikizler-Cinbis, Erdem
(Re-evaluating automatic metrics for image captioning, EACL 2017), the score is exp(-distance).

WMD        the mean over references; the papers do not say how several references are combined
WMD-max    the best reference
RWMD       the relaxed distance, a lower bound: each word moves to the nearest one of the other
           caption, whatever that can take; the larger of both directions; mean over references
-nostop    WMD and WMD-max without stop words
-idf       words weigh by their inverse document frequency, as the n-grams of CIDEr do

Words without a vector are left out. A caption of which no word is left has the similarity 0 with
every other, also with an equal one.

The vectors are GloVe's, not word2vec's as in the papers; the extra ``vectors`` installs them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tercet.lab.vectors import glove
from tercet.lab.vectors.flows import Flow, Move, flow
from tercet.lab.vectors.versions import MAIN, VARIANTS, WEIGHED
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.metric import Comparison, Extra, Metric

if TYPE_CHECKING:
    from tercet.metrics.explain.explanation import Explanation

__all__ = ["VECTORS", "Flow", "Move", "compare", "flow"]


def compare(corpus: Corpus, wanted: Sequence[str]) -> Comparison:
    """Compare every candidate with every reference of its image.

    Raises MissingVectorsError where there are no vectors.
    """
    from tercet.lab.vectors.comparison import WordMoverComparison

    return WordMoverComparison.of(corpus, wanted)


def explain(corpus: Corpus, name: str, score: float) -> "Explanation":
    """Explain the score of the only candidate of a corpus."""
    from tercet.lab.vectors import explanation

    return explanation.explain(corpus, name, score)


VECTORS = Metric(
    tuple(MAIN),
    compare,
    variants=tuple(VARIANTS),
    weighed=tuple(WEIGHED),
    extra=Extra(glove.missing, glove.is_switched_off, glove.software, "vectors"),
    is_english=True,
    explain=explain,
    place=30,
)
