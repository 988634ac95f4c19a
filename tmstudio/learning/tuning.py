"""Settings of the process without which an update takes up to twice as long on the CPU."""

from __future__ import annotations

import ctypes
import sys

import torch

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3  # malloc.h of the GNU C library
_LARGEST_FROM_HEAP_BYTES = 32 << 20
_KEPT_BYTES = 64 << 20


def tune_process() -> None:
    """Prepare this process and thread for many small updates. Calling it again does no harm.

    Numbers too small for the processor's quick path count as zero in this thread: Adam's moments are full of
    them, and each costs a hundred times a normal one.

    Freed memory stays with the process: the arrays of an update are large enough for the C library to give them
    back to the system each time and to fault every page in again for the next one.
    """
    torch.set_flush_denormal(True)
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
        if mallopt is not None:
            mallopt(_M_MMAP_THRESHOLD, _LARGEST_FROM_HEAP_BYTES)
            mallopt(_M_TRIM_THRESHOLD, 1 << 30)
            mallopt(_M_TOP_PAD, _KEPT_BYTES)
