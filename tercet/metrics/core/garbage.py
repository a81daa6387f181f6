"""Pause the garbage collector, or slow it down, where many small objects are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_RARELY = (100_000, 20, 100)
"""Thresholds of the collector: a hundred times as many new objects as usual."""


@contextmanager
def no_collection() -> Iterator[None]:
    """Do not look for cycles of objects meanwhile.

    Hundreds of thousands of tuples of strings are made more than twice as fast, as the collector
    would go through all of them again and again. They have no cycles.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def rare_collection() -> Iterator[None]:
    """Look for cycles of objects less often meanwhile.

    A command that ends soon has little garbage, and a full collection goes through all that its
    libraries have loaded.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
