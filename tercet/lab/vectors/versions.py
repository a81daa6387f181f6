"""The versions of the word mover's distance, by name."""

from typing import Literal, NamedTuple, TypeAlias

Weighting: TypeAlias = Literal["alike", "no stop words", "idf"]


class Measure(NamedTuple):
    """How two captions are compared: what words weigh, and whether by the relaxed distance."""

    weighting: Weighting = "alike"
    is_relaxed: bool = False


class Version(NamedTuple):
    """A version of the metric; ``best``: the best reference instead of the mean over references."""

    measure: Measure
    best: bool = False


MAIN = {
    "WMD": Version(Measure()),
    "WMD-max": Version(Measure(), best=True),
    "RWMD": Version(Measure(is_relaxed=True)),
}
WEIGHED = {
    "WMD-idf": Version(Measure("idf")),
    "WMD-max-idf": Version(Measure("idf"), best=True),
}
"""Those that depend on document frequencies."""
VARIANTS = {
    "WMD-nostop": Version(Measure("no stop words")),
    "WMD-max-nostop": Version(Measure("no stop words"), best=True),
    **WEIGHED,
}
VERSIONS = MAIN | VARIANTS
