"""Compiled functions."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numba import njit

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def jit(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Compile a function of numbers and arrays, once for a machine.

    The machine code is kept beside the source, or in the user's cache directory where that cannot
    be written. The function holds no interpreter lock while it runs.
    """
    compiled: Callable[_Arguments, _Result] = njit(cache=True, nogil=True)(function)
    return compiled
