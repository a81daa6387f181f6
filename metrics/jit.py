"""Compile functions of numbers and arrays."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba import njit

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def jit(
    function: Callable[_Arguments, _Result],
) -> Callable[_Arguments, _Result]:
    """Compile a function, once for a machine.

    The machine code is kept beside the source, or in the user's cache directory where that cannot
    be written. The function holds no interpreter lock while it runs.
    """
    compiled: Callable[_Arguments, _Result] = njit(cache=True, nogil=True)(
        function
    )
    return compiled


def jit_step(
    function: Callable[_Arguments, _Result],
) -> Callable[_Arguments, _Result]:
    """Compile a step of a compiled function into its callers.

    A step reads and writes the arrays that it is given, but makes none and returns none: it counts
    no references to arrays, which for tuples of many arrays costs more than a short step itself.
    """
    options: dict[str, Any] = {
        "cache": True,
        "nogil": True,
        "forceinline": True,
        "_nrt": False,
    }
    compiled: Callable[_Arguments, _Result] = njit(**options)(function)

    return compiled
