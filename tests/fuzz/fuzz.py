"""Give a reader damaged copies of a real file for some minutes: it must refuse them with the project's own error.

Run ``python tests/fuzz/fuzz.py ghost --minutes 10 --seed 1``; targets are map, ghost and pickle. Anything else than
a result or a `TMStudioError`, more than five seconds, or more than 200 MB of memory over the beginning is a finding:
its file is kept, and the exit code is 1. The same seed gives the same files. Where compiled code hangs or crashes,
the process ends with a traceback, and the file is the one left in the folder that is printed first.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MEMORY_MB = 200
ADDRESS_SPACE_MB = 4096  # far over the limit: an allocation beyond is refused instead of filling the machine
SLOW_S = 5
STUCK_S = 20


class TooSlowError(BaseException):
    """A file that is not refused in time; no `Exception`, which a reader might take for a damaged file."""


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Fuzz one target."""
    sys.path.insert(0, str(ROOT))
    from tests.fuzz.targets import TARGETS
    from tmstudio.errors import TMStudioError

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    data = Path(os.environ.get("TMSTUDIO_DATA") or ROOT.parent / "shared" / "data")
    target = TARGETS[args.target]
    real = (data / target.real).read_bytes()
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{args.target}-"))
    path = folder / "file.bin"
    path.write_bytes(real)
    target.read(path)
    print(f"Files are in {folder}", flush=True)
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_MB * 2**20,) * 2)
    signal.signal(signal.SIGALRM, _too_slow)
    before_mb, findings, outcomes = _peak_mb(), 0, Counter[str]()
    number, slowest_s, ends = 0, 0.0, time.monotonic() + 60 * args.minutes
    while time.monotonic() < ends and findings < 20:
        content = target.mutate(real, np.random.default_rng([args.seed, number]))
        path.write_bytes(content)
        peak_mb, begun, problem = _peak_mb(), time.monotonic(), ""
        signal.alarm(SLOW_S)
        faulthandler.dump_traceback_later(STUCK_S, exit=True)
        try:
            target.read(path)
            outcomes["read"] += 1
        except TMStudioError as error:
            outcomes[error.message.replace(path.name, "FILE")[:60]] += 1
        except TooSlowError:
            problem = traceback.format_exc()
        except Exception:  # noqa: BLE001 - that is what is looked for
            problem = traceback.format_exc()
        finally:
            signal.alarm(0)
            faulthandler.cancel_dump_traceback_later()
        took_s = time.monotonic() - begun
        slowest_s = max(slowest_s, took_s)
        if took_s > SLOW_S:
            problem = problem or f"took {took_s:.1f} s"
        if _peak_mb() - before_mb > MEMORY_MB and _peak_mb() > peak_mb:
            problem = problem or f"{_peak_mb() - before_mb:.0f} MB more than at the beginning"
        if problem:
            findings += 1
            kept = folder / f"finding-{number}.bin"
            kept.write_bytes(content)
            print(f"{kept}\n{problem}", flush=True)
        number += 1
    print(f"{args.target}: {number} files, {findings} findings, slowest {slowest_s:.2f} s, ", end="")
    print(f"peak {_peak_mb() - before_mb:.0f} MB over the beginning; {dict(outcomes.most_common(6))}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
