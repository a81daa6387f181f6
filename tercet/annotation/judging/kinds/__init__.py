"""The kinds of questions: whatever is particular to one lies in its module."""

from tercet.annotation.judging.kinds.choice import PAIRWISE, TRIPLET
from tercet.annotation.judging.kinds.kind import Kind
from tercet.annotation.judging.kinds.rating import RATING
from tercet.annotation.judging.kinds.sentence import SENTENCE
from tercet.annotation.models import Dataset, Study

_KINDS = (TRIPLET, PAIRWISE, RATING, SENTENCE)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}
"""The kinds by the name of their protocol."""


def kind_of(study: Study) -> Kind:
    """Return the kind of the questions of a study."""
    return KINDS[study.protocol]


def hidden_settings(study: Study) -> frozenset[str]:
    """Return the settings of other kinds, which mean nothing in a study."""
    of_some = frozenset().union(*(kind.settings for kind in KINDS.values()))
    return of_some - kind_of(study).settings


def kind_for(dataset: Dataset) -> Kind:
    """Return the kind that shows images where all have pictures, else the one that shows none."""
    without_picture = dataset.images.filter(file="", url="")
    return TRIPLET if without_picture.exists() else PAIRWISE
