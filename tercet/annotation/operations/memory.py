"""Memory of processes that read large files."""

import ctypes

_MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD of glibc's malloc.h."""
_LARGE = 1_000_000
"""Bytes of a block that is taken from the system by itself."""


def return_large_blocks() -> None:
    """Return large blocks of memory to the system as soon as they are freed.

    glibc raises the size of such blocks up to 32 MB while a process runs: columns of a table then
    lie between small texts, and their memory stays with the process. Without glibc this changes
    nothing.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option:
        set_option(_MMAP_THRESHOLD, _LARGE)
