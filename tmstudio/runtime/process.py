"""How a worker process is set up: threads, priority, the end of its parent, and the signals that end it.

``prepare_environment`` must run before NumPy, torch and gRPC are imported: their libraries read these variables
when they are loaded. So this module imports none of them by itself.
"""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tmstudio.runtime.worker import StopRequest

_BELOW_NORMAL: Final = 5
_PR_SET_PDEATHSIG: Final = 1
# A waiting thread of OpenMP that spins takes its core from the other worker: 30 times slower beside a busy one.
_ENVIRONMENT: Final = {
    "OMP_WAIT_POLICY": "PASSIVE",
    "KMP_BLOCKTIME": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "GRPC_VERBOSITY": "NONE",  # it prints to stderr what is raised as an error anyway
}


def begin_worker(*, threads: int = 1, parent_bound: bool) -> StopRequest:
    """What every worker does first: environment, log, signals, and the end with its parent if it is bound to it.

    Returns:
        What tells the worker to stop.
    """
    prepare_environment(threads)
    log_to_stderr()

    from tmstudio.runtime.worker import StopRequest

    stop = StopRequest()
    stop_on_signals(stop)
    if parent_bound:
        end_with_parent(stop)
    return stop


def prepare_environment(threads: int = 1) -> None:
    """Set the variables that the numerical libraries and gRPC read when they are loaded."""
    os.environ.update(_ENVIRONMENT)
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(threads)


def learner_threads() -> int:
    """Threads for updates: one where the driver needs the other core, more only where cores are left over."""
    cores = os.cpu_count() or 1
    return 1 if cores <= 4 else min(4, cores // 4)


def set_up_torch(threads: int = 1) -> None:
    """Fix torch's threads, and make numbers too small to matter zero: they would be computed very slowly."""
    import torch

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.set_flush_denormal(True)


def log_to_stderr() -> None:
    """Warnings and tracebacks go to stderr, which whoever started the process keeps."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    faulthandler.enable()


def lower_priority() -> None:
    """Let people's programs and the driver go first."""
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(_BELOW_NORMAL)


def end_with_parent(stop: Callable[[str], None]) -> None:
    """Call ``stop`` when the process that started this one ends: then its end of our stdin closes.

    Where the system can, it is asked to send SIGTERM as well, for a parent that gave us no pipe.
    """
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    def wait_for_end_of_stdin() -> None:
        with suppress(OSError):  # it was closed from the start
            while os.read(0, 4096):
                pass
        stop("its parent has ended")

    threading.Thread(target=wait_for_end_of_stdin, name="parent", daemon=True).start()


def stop_on_signals(stop: Callable[[str], None]) -> None:
    """Call ``stop`` on SIGINT and SIGTERM; the second of a kind ends the process at once. For the main thread."""

    def handle(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop(f"signal {signal.Signals(number).name}")

    signal.signal(signal.SIGINT, handle)
    signal.signal(signal.SIGTERM, handle)
