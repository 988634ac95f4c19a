"""How long the program takes to answer ``--help`` and ``--version``."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_TRIES = 7


def main() -> list[tuple[str, str, str]]:
    """Rows of (what, measured, asked)."""
    return [
        ("tmstudio --help", f"{_best_s('--help'):.2f} s", "<= 0.3 s"),
        ("tmstudio --version", f"{_best_s('--version'):.2f} s", "<= 0.3 s"),
    ]


def _best_s(argument: str) -> float:
    """The quickest of some tries: what else the machine does is not the program's."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    times = []
    for _ in range(_TRIES):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "tmstudio", argument],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    for row in main():
        print(*row, sep="  ")
