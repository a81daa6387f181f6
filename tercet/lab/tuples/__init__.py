"""Tuples of meaning: what a caption says of which objects, compared with its references, 0..1.

A caption is parsed, and its objects, attributes and relations are extracted (see
:mod:`tercet.lab.tuples.extraction`). ``tuple-F`` is the F1 of the candidate's
tuples against all
distinct tuples of the references, where synonyms are equal. ``tuple-C`` weighs, in the recall,
each tuple of the references by the number of references that have it.

The idea is that of SPICE (Anderson et al., ECCV 2016); parser, rules and scores differ from it.
The parser is spaCy, which the extra ``tuples`` installs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tercet.lab.tuples import parser
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.metric import Comparison, Extra, Metric
from tercet.metrics.meteor import missing_data

if TYPE_CHECKING:
    from tercet.metrics.explain.explanation import Explanation


def missing() -> str:
    """Say in one line what to install for parses and synonyms, or "" where nothing is missing."""
    synonyms = missing_data()
    return parser.missing() or (synonyms and f"its synonyms are METEOR's: {synonyms}")


def compare(corpus: Corpus, wanted: Sequence[str]) -> Comparison:
    """Compare the tuples of every candidate with those of its references.

    Raises MissingParserError where no parser is installed. What it takes is loaded here, so that
    other metrics need not wait for compiled code.
    """
    from tercet.lab.tuples.captions import tuples_in
    from tercet.lab.tuples.comparison import TupleComparison
    from tercet.lab.tuples.matching import meteor_synsets

    references, candidates = tuples_in(corpus)

    return TupleComparison.of(corpus, references, candidates, synsets_of=meteor_synsets)


def explain(corpus: Corpus, name: str, score: float) -> "Explanation":
    """Explain tuple-F or tuple-C of the only candidate of a corpus."""
    from tercet.lab.tuples import explanation

    return explanation.explain(corpus, name, score)


TUPLES = Metric(
    ("tuple-F", "tuple-C"),
    compare,
    extra=Extra(missing, parser.is_switched_off, parser.software, "tuples"),
    is_english=True,
    explain=explain,
    place=10,
)
