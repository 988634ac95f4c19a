"""Entry point of the program. Help and version are answered at once, before anything is imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tmstudio import __version__

# Each command is the module tmstudio.cli.<name> with ``add_arguments(parser)`` and ``run(args) -> int``.
COMMANDS = {
    "train": "Teach a car to drive: learner and driver together, without a window.",
    "evaluate": "Let a trained policy drive laps and report how many it finishes, and how fast.",
    "runs": "List the runs, look into one, or delete one to the trash.",
    "track": "List, show, import, generate and delete tracks.",
    "simulator": "Drive the built-in simulator yourself, in a window.",
    "learner": "Run only the learning side of a run.",
    "actor": "Run only the driving side of a run, here or for a learner elsewhere.",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with ``argv`` (the process's own arguments if None) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] in (["-h"], ["--help"], ["help"]):
            print(help_text(), flush=True)
            return 0
        if arguments[:1] == ["--version"]:
            print(f"tmstudio {__version__}", flush=True)
            return 0

        from tmstudio.cli.dispatch import dispatch

        return dispatch(arguments, COMMANDS)
    except BrokenPipeError:
        # The reader of our output has left (``tmstudio runs | head``): nothing more to say, to nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def help_text() -> str:
    """The overview of all commands."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items())
    return (
        "usage: tmstudio [COMMAND] [OPTIONS]\n\n"
        "Teach a car to drive in TrackMania 2020, or in the simulator that comes with this program.\n"
        "Without a command the studio's window opens.\n\n"
        f"commands:\n{commands}\n\n"
        "options:\n"
        "  -h, --help  show this help; 'tmstudio COMMAND --help' explains one command\n"
        "  --version   show the version\n\n"
        "to begin: 'tmstudio', or without a screen 'tmstudio train --preset quickstart'"
    )
