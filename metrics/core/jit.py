"""Compile functions of numbers and arrays."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import numba
from numba import njit
from numba.core.caching import FunctionCache

from tercet.metrics.core.caches import (
    cache_directory,
    chosen_directory,
    obstacle,
    warn_not_kept,
)

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def jit(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Compile a function, once for a machine.

    The machine code is kept in the directory that the environment variable TERCET_CACHE names;
    without it, beside the source, or in the user's cache directory where that cannot be written.
    Where nothing can be written, the function is compiled in each process, and a RuntimeWarning
    says so. The function holds no interpreter lock while it runs.
    """
    return _compiled(function, {"nogil": True})


def jit_step(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Compile a step of a compiled function into its callers.

    A step reads and writes the arrays that it is given, but makes none and returns none: it counts
    no references to arrays, which for tuples of many arrays costs more than a short step itself.
    """
    return _compiled(function, {"nogil": True, "forceinline": True, "_nrt": False})


def _compiled(
    function: Callable[_Arguments, _Result], options: dict[str, Any]
) -> Callable[_Arguments, _Result]:
    compiled: Callable[_Arguments, _Result]

    try:
        with _kept_where_chosen():
            dispatcher: Any = njit(**options)(function)
            dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
            compiled = dispatcher
    except RuntimeError:
        directory = cache_directory()
        warn_not_kept(directory, obstacle(directory))
        compiled = njit(**options)(function)

    return compiled


class _Cache(FunctionCache):
    """numba's cache, which compiles anew where another version's names are gone."""

    def load_overload(self, sig: object, target_context: object) -> object:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except (AttributeError, ImportError):
            self.flush()  # type: ignore[no-untyped-call]
            return None


def warn_unless_kept() -> None:
    """Warn if compiled code cannot be kept: call it before workers start, which are silent."""
    jit(_nothing)


def _nothing() -> None:
    pass


@contextmanager
def _kept_where_chosen() -> Iterator[None]:
    """Let numba keep code in the directory that TERCET_CACHE names.

    numba reads its setting when a function is declared; functions of others keep theirs.
    """
    config: Any = numba.config
    before = config.CACHE_DIR
    chosen = chosen_directory()

    if chosen is not None:
        config.CACHE_DIR = str(chosen / "compiled")
    try:
        yield
    finally:
        config.CACHE_DIR = before
