"""Tuples of meaning: what a caption says of which objects, compared with its references, 0..1.

A caption is parsed, and its objects, attributes and relations are extracted (see
:mod:`metrics.tuples.extraction`). ``tuple-F`` is the F1 of the candidate's tuples against all
distinct tuples of the references, where synonyms are equal. ``tuple-C`` weighs, in the recall,
each tuple of the references by the number of references that have it.

The idea is that of SPICE (Anderson et al., ECCV 2016); parser, rules and scores differ from it.
The parser is spaCy, which the extra ``tuples`` installs.
"""

from collections.abc import Sequence
from itertools import pairwise

from metrics.corpus import Corpus
from metrics.metric import Comparison, Extra, Metric
from metrics.tokens import Captions
from metrics.tuples import parser


def compare(corpus: Corpus, wanted: Sequence[str]) -> Comparison:
    """Compare the tuples of every candidate with those of its references.

    Raises MissingParserError where no parser is installed. What it takes is loaded here, so that
    other metrics need not wait for compiled code.
    """
    from metrics.meteor.lexicon import rows_of, synsets_of
    from metrics.meteor.resources import shared_resources
    from metrics.tuples.captions import tuples_of
    from metrics.tuples.comparison import TupleComparison

    references = _texts(corpus.references, corpus.words)
    candidates = _texts(corpus.candidates, corpus.words)
    known = tuples_of([*references, *candidates])

    lexicon = shared_resources().lexicon

    return TupleComparison.of(
        corpus,
        references=[known[text] for text in references],
        candidates=[known[text] for text in candidates],
        synsets_of=lambda words: synsets_of(
            lexicon, words, rows_of(lexicon, words)
        ),
    )


def _texts(captions: Captions, words: Sequence[str]) -> list[str]:
    tokens = [words[number] for number in captions.tokens.tolist()]
    bounds = pairwise(captions.offsets.tolist())

    return [" ".join(tokens[start:end]) for start, end in bounds]


TUPLES = Metric(
    ("tuple-F", "tuple-C"),
    compare,
    extra=Extra(parser.missing, parser.is_switched_off, parser.software),
)
