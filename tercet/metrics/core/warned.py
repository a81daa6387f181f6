"""Warnings that point at the line of the caller, outside of this package."""

import sys
import warnings


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line up the stack that is not Tercet's."""
    frame = sys._getframe()
    level = 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("tercet."):
        frame = frame.f_back
        level += 1

    warning = category(message)
    warning.is_of_tercet = True  # type: ignore[attr-defined]
    warnings.warn(warning, stacklevel=level)
