"""The scales of a rating study, as its setting `aspects` declares them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NUMBER = r"-?\d{1,9}(?:\.\d{1,6})?"
_ASPECT = re.compile(
    rf"^\s*\[([^:\[\]]+):\s*(grades|slider)\s*,\s*({_NUMBER}) +to +({_NUMBER})\s*\]\s*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Scale:
    """The values that an aspect can be rated with; grades are whole numbers."""

    low: float
    high: float
    is_whole: bool

    def holds(self, value: float) -> bool:
        """Return whether a rating is on the scale; NaN is not."""
        is_step = not self.is_whole or value.is_integer()
        return self.low <= value <= self.high and is_step

    def __str__(self) -> str:
        kind = "a whole number" if self.is_whole else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}"


def scales_of(study: Mapping[str, Any]) -> dict[str, Scale]:
    """Return the scale of each aspect that a study declares.

    Examples
    --------
    >>> scales_of({"aspects": "Is it right?\\n[correctness: grades, 1 to 5]"})
    {'correctness': Scale(low=1.0, high=5.0, is_whole=True)}
    """
    found = _ASPECT.findall(str(study.get("aspects", "")))
    return {
        name.strip(): Scale(float(low), float(high), kind == "grades")
        for name, kind, low, high in found
    }
