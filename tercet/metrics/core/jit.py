"""Compile functions of numbers and arrays."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from tercet.metrics.core.caches import cache_directory, obstacle, warn_not_kept

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


_FEW = 1_000
"""Comparisons of a process that are made without compiling anything."""

_compiles: ContextVar[bool] = ContextVar("compiles", default=True)
_made_uncompiled = 0


class Kernel(Generic[_Arguments, _Result]):
    """A function that is compiled when it is first called, or called by a compiled one.

    Within :func:`first_calls`, what is not compiled yet runs as Python, with the same result.
    """

    def __init__(
        self, function: Callable[_Arguments, _Result], options: dict[str, Any]
    ) -> None:
        update_wrapper(self, function)
        self.function = function
        self._options = options
        self._compiled: Callable[_Arguments, _Result] | None = None

    def __call__(
        self, *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> _Result:
        if self._compiled is None and not _compiles.get():
            return self.function(*arguments, **named)
        return self.compiled(*arguments, **named)

    @property
    def compiled(self) -> Callable[_Arguments, _Result]:
        """The function as machine code."""
        if self._compiled is None:
            self._compiled = _compile(self.function, self._options)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """What numba takes the kernel for where a compiled function calls it."""
        compiled: Any = self.compiled
        return compiled._numba_type_


def compiles() -> bool:
    """Whether kernels are compiled here, not run as Python (:func:`first_calls`)."""
    return _compiles.get()


@contextmanager
def first_calls(comparisons: int) -> Iterator[None]:
    """Compile nothing for the first few comparisons of a process.

    Compiling takes seconds, or half a minute with METEOR. It pays for more comparisons than these.
    """
    global _made_uncompiled
    _made_uncompiled += comparisons
    token = _compiles.set(_made_uncompiled > _FEW)

    try:
        # hashes wrap around, which numpy warns of and machine code does not
        with np.errstate(over="ignore"):
            yield
    finally:
        _compiles.reset(token)


@contextmanager
def much_work() -> Iterator[None]:
    """Compile kernels even within the first few comparisons: the work is no part of them."""
    token = _compiles.set(True)
    try:
        yield
    finally:
        _compiles.reset(token)


def jit(function: Callable[_Arguments, _Result]) -> Kernel[_Arguments, _Result]:
    """Compile a function, once for a machine.

    The machine code is kept in the directory that the environment variable TERCET_CACHE names;
    without it, beside the source, or in the user's cache directory where that cannot be written.
    Where nothing can be written, the function is compiled in each process, and a RuntimeWarning
    says so. The function holds no interpreter lock while it runs.
    """
    return Kernel(function, {"nogil": True})


def jit_step(function: Callable[_Arguments, _Result]) -> Kernel[_Arguments, _Result]:
    """Compile a step of a compiled function into its callers.

    A step reads and writes the arrays that it is given, but makes none and returns none: it counts
    no references to arrays, which for tuples of many arrays costs more than a short step itself.
    """
    return Kernel(function, {"nogil": True, "forceinline": True, "_nrt": False})


def _compile(
    function: Callable[_Arguments, _Result], options: dict[str, Any]
) -> Callable[_Arguments, _Result]:
    # numba takes a third of a second to import
    from numba import njit

    from tercet.metrics.core.machine_code import cache_of, kept_where_chosen

    compiled: Callable[_Arguments, _Result]
    try:
        with kept_where_chosen():
            dispatcher: Any = njit(**options)(function)
            dispatcher._cache = cache_of(function)
            compiled = dispatcher
    except RuntimeError:
        directory = cache_directory()
        warn_not_kept(directory, obstacle(directory))
        compiled = njit(**options)(function)

    return compiled


def warn_unless_kept() -> None:
    """Warn if compiled code cannot be kept: call it before workers start, which are silent."""
    _compile(_nothing, {})


def _nothing() -> None:
    pass
