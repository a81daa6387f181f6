"""Bags of semantic tuples (BAST): which predicates, participants and places captions share.

The semantic tuples of a caption (see :mod:`tercet.lab.tuples.roles`) give seven bags: single
predicates, participants and locatives, the three kinds of pairs, and triplets. Each bag is a set.
The bag of an image is the union of those of its references. Precision is the share of the
candidate's elements that the image's bag has, recall the share of the image's elements that the
candidate's bag has.

After Ellebracht et al.: Semantic Tuples for Evaluation of Image to Sentence Generation (Workshop
on Vision and Language, 2015). Its tuples are marked by people; these are parsed, unless others
are given.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tercet.lab.tuples import parser
from tercet.lab.tuples.bags import BAGS, BagCounts, Grounding
from tercet.metrics.corpora.corpus import Corpus, corpus
from tercet.metrics.corpora.metric import Comparison, Extra, Metric
from tercet.metrics.corpora.orders import file_order
from tercet.metrics.ptb import ptb
from tercet.metrics.text.inputs import Candidates, References
from tercet.metrics.text.tokenizers import Tokenize

if TYPE_CHECKING:
    from tercet.metrics.explain.explanation import Explanation

NAMES = {f"BAST-{bag}": bag for bag in BAGS}
"""The bags by the names of the metrics that are their F1."""


def bast(
    *,
    references: References,
    candidates: Candidates,
    images: Sequence[int] | None = None,
    grounding: Grounding = "lemma",
    tokenize: Tokenize = ptb,
) -> BagCounts:
    """Compare the semantic tuples of candidates with those of the references of their images.

    Parameters
    ----------
    references, candidates : sequences or mappings
        As for :func:`metrics.score`.
    images : sequence of int, optional
        The number of each candidate's image, from 0. Without it, candidate i describes image i.
    grounding : {"lemma", "synset"} or mapping of str to str
        What makes two values equal: their lemmas, a shared synset in METEOR's list of synonyms, or
        their entries in a table (see :func:`read_grounding`), where a lemma that is not in the
        table stands for itself.
    tokenize : callable, optional
        Turns a string into tokens.

    Returns
    -------
    BagCounts
        Of each candidate and bag, (candidates, 7); its `precision`, `recall` and `f1` are scores
        per caption, those of its `total()` of a system.

    Raises
    ------
    MissingParserError
        If spaCy or the model is not installed.
    TypeError, ValueError
        As for :func:`tercet.metrics.corpus`.

    Examples
    --------
    >>> counts = bast(
    ...     references=[["A boy is playing in a park."]],
    ...     candidates=["A kid playing on the park."],
    ...     grounding={"boy": "child", "kid": "child"},
    ... )
    >>> predicate, participant, locative, *_ = counts.f1[0].tolist()
    >>> participant
    1.0
    """
    from tercet.lab.tuples.bag_comparison import Meanings

    captions = corpus(
        references=references, candidates=candidates, images=images, tokenize=tokenize
    )
    meanings = Meanings.parsed(captions)

    return meanings.count(grounding, file_order(captions))


def compare(captions: Corpus, wanted: Sequence[str]) -> Comparison:
    """Compare the wanted bags of every candidate with those of its references.

    Values are equal if they share a synset. Raises MissingParserError where no parser is
    installed. What it takes is loaded here, so that other metrics need not wait for it.
    """
    from tercet.lab.tuples.bag_comparison import BagComparison, Meanings

    meanings = Meanings.parsed(captions)
    bags = {name: bag for name, bag in NAMES.items() if name in wanted}

    return BagComparison(
        {name: meanings.compare(bag, has_synonyms=True) for name, bag in bags.items()}
    )


def explain(captions: Corpus, name: str, score: float) -> "Explanation":
    """Explain the F1 of a bag of the only candidate of a corpus."""
    from tercet.lab.tuples.explanation import explain_bag

    return explain_bag(captions, name, score)


BAST = Metric(
    (),
    compare,
    variants=tuple(NAMES),
    extra=Extra(parser.missing, parser.is_switched_off, parser.software, "tuples"),
    is_english=True,
    explain=explain,
    place=20,
)
