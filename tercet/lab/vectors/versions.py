"""The versions of the word mover's distance, by name."""

from typing import Literal, NamedTuple, TypeAlias

Weighting: TypeAlias = Literal["alike", "no stop words", "idf"]


class WordMeasure(NamedTuple):
    """How two captions are compared: what words weigh, and whether by the relaxed distance."""

    weighting: Weighting = "alike"
    is_relaxed: bool = False


class DistanceVersion(NamedTuple):
    """A version of the metric; ``best``: the best reference instead of the mean over references."""

    measure: WordMeasure
    best: bool = False


MAIN = {
    "WMD": DistanceVersion(WordMeasure()),
    "WMD-max": DistanceVersion(WordMeasure(), best=True),
    "RWMD": DistanceVersion(WordMeasure(is_relaxed=True)),
}
WEIGHED = {
    "WMD-idf": DistanceVersion(WordMeasure("idf")),
    "WMD-max-idf": DistanceVersion(WordMeasure("idf"), best=True),
}
"""Those that depend on document frequencies."""
VARIANTS = {
    "WMD-nostop": DistanceVersion(WordMeasure("no stop words")),
    "WMD-max-nostop": DistanceVersion(WordMeasure("no stop words"), best=True),
    **WEIGHED,
}
VERSIONS = MAIN | VARIANTS
