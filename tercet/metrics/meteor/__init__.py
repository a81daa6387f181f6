"""METEOR 1.5 for English, 0..1, bit for bit what the Java program gives pycocoevalcap.

Denkowski and Lavie: Meteor Universal, Workshop on Statistical Machine Translation, 2014, with the
parameters "rank", all four modules (exact, stem, synonym, paraphrase) and normalised captions.
Where the program differs from the paper, the program is followed: words are equal where their
hash codes are; synonyms share a WordNet offset, whatever its part of speech; the beam search
counts half a matched word for each but exact matches, cut to a whole number, and adds distances
to the wrong path; chunks of perfect captions cost nothing.

The data (synonyms, paraphrases, function words) is that of pycocoevalcap 1.2, which the extra
``meteor`` installs, compiled on first use: see :mod:`tercet.metrics.meteor.resources`.
"""

from collections.abc import Sequence

from tercet.metrics.core.packages import is_installed
from tercet.metrics.corpora.corpus import Corpus
from tercet.metrics.corpora.metric import Comparison, Extra, Metric

PACKAGE = "pycocoevalcap"
INSTALL = "pip install 'tercet[meteor]'"


def missing_data() -> str:
    """Say in one line what to install for METEOR's data and under which licences, or ""."""
    if is_installed(PACKAGE):
        return ""

    return (
        f"its data are not installed: {INSTALL} (METEOR 1.5 is under the LGPL; {PACKAGE} brings "
        "Java programs under the GPL and AGPL with it, which are not run)"
    )


def compare(corpus: Corpus, wanted: Sequence[str]) -> Comparison:
    """Every candidate with every reference of its image; compiles the data on first use.

    What it takes is loaded here, so that other metrics need not wait for compiled code.
    """
    from tercet.metrics.meteor.comparison import MeteorComparison

    return MeteorComparison.of(corpus)


METEOR = Metric(
    ("METEOR",), compare, extra=Extra(missing_data, name="meteor"), is_english=True
)
