"""Where numba keeps machine code; importing this module imports numba."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core.caching import FunctionCache

from tercet.metrics.core.caches import chosen_directory


class _Cache(FunctionCache):
    """numba's cache, which compiles anew where another version's names are gone."""

    def load_overload(self, sig: object, target_context: object) -> object:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except (AttributeError, ImportError):
            self.flush()  # type: ignore[no-untyped-call]
            return None


def cache_of(function: Callable[..., object]) -> FunctionCache:
    """Return what keeps the machine code of a function; raises RuntimeError if nothing can."""
    return _Cache(function)  # type: ignore[no-untyped-call]


@contextmanager
def kept_where_chosen() -> Iterator[None]:
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
