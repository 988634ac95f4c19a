"""Plays a learner or a driver: announces itself and takes commands, as the real ones do, but imports no torch.

Usage: ``fake_worker.py ROLE RUN [options]``. The file ``behaviour`` in the run folder may hold a word:
``fail`` ends it at once with a message, ``bug`` with a traceback, ``deaf`` ignores stop, ``slow`` takes a
while to exit after it has taken its announcement back.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from pathlib import Path

from tmstudio.errors import TMStudioError
from tmstudio.runs import jobs
from tmstudio.runs.folder import RunFolder
from tmstudio.runtime import process
from tmstudio.runtime.worker import CommandTable
from tmstudio.transport.service import Server


def main(role: str, run_path: str, *options: str) -> int:
    """Work until told to stop."""
    run = RunFolder.open(Path(run_path))
    behaviour = (run.path / "behaviour").read_text() if (run.path / "behaviour").exists() else ""
    if behaviour == "fail":
        print("error: The port 5000 is taken\ntry:   choose another", file=sys.stderr)
        return 1
    if behaviour == "bug":
        raise RuntimeError("nobody has thought of this")
    stop = threading.Event()
    flags = {"paused": False, "watching": False}

    def change(name: str, value: bool, text: str) -> str:
        flags[name] = value
        return text

    def ended(_reason: str) -> None:
        if behaviour != "deaf":
            stop.set()

    def told_to_stop() -> str:
        ended("command")
        return "It saves and leaves"

    signal.signal(signal.SIGTERM, lambda *_: ended("signal"))
    if "--parent-bound" in options:
        process.end_with_parent(ended)
    commands = CommandTable(
        role,
        {
            "stop": told_to_stop,
            "pause": lambda: change("paused", True, "It waits"),
            "resume": lambda: change("paused", False, "It goes on"),
            "watch": lambda: change("watching", True, "It drives at play speed"),
            "unwatch": lambda: change("watching", False, "It drives as before"),
            "checkpoint": lambda: "A checkpoint is saved",
        },
        lambda: {"role": role, **flags},
    )
    server = Server(run.token, commands, port=0)
    actor_id = options[options.index("--name") + 1] if "--name" in options else ""
    job = jobs.announce(run.path, role, port=server.port, actor_id=actor_id)
    print("at work", file=sys.stderr, flush=True)
    stop.wait()
    server.stop()
    jobs.withdraw(run.path, job)
    if behaviour == "slow":
        time.sleep(2.0)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except TMStudioError as error:
        print(f"error: {error.message}", file=sys.stderr)
        sys.exit(1)
