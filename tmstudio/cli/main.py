"""Entry point of the program: picks the command, runs it, and turns its errors into messages and exit codes.

Nothing is imported before it is known which command is asked for, so ``tmstudio --help`` is instant.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Sequence

from tmstudio import __version__
from tmstudio.cli.output import CommandParser, UsageError, add_json_flag, print_error, print_json
from tmstudio.errors import TMStudioError

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

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with ``argv`` (the process's own arguments if None) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    _tolerate_narrow_terminals()
    try:
        code = _dispatch(arguments)
        if sys.stdout is not None:  # a program without a console has none
            sys.stdout.flush()
    except TMStudioError as error:
        print_error(error, as_json=as_json)
        return error.exit_code
    except KeyboardInterrupt:
        if as_json:
            print_json({"error": {"message": "interrupted", "cause": "", "hint": ""}})
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has left (``tmstudio runs | head``): nothing more to say, to nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if as_json:
            found = f"internal error: {type(error).__name__}: {error}"
            print_json(
                {"error": {"message": found, "cause": "a bug in TMStudio", "hint": "report the traceback"}}
            )
        raise
    return code


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


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        return _open_studio()
    first, rest = arguments[0], arguments[1:]
    if first in ("-h", "--help", "help"):
        print(help_text())
        return 0
    if first == "--version":
        print(f"tmstudio {__version__}")
        return 0
    if first not in COMMANDS:
        raise _unknown(first)
    module = importlib.import_module(f"tmstudio.cli.{first}")
    parser = CommandParser(prog=f"tmstudio {first}", description=COMMANDS[first])
    add_json_flag(parser)
    module.add_arguments(parser)
    try:
        args = parser.parse_args(rest)
    except SystemExit as done:  # after --help
        return int(done.code or 0)
    args.json = getattr(args, "json", False)
    return int(module.run(args))


def _open_studio() -> int:
    studio = importlib.import_module("tmstudio.app.main")
    return int(studio.main([]))


def _unknown(word: str) -> UsageError:
    if word.startswith("-"):
        return UsageError(
            f"Unknown option '{word}'", hint="options come after the command; see 'tmstudio --help'"
        )
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    hint = f"did you mean 'tmstudio {near[0]}'?" if near else f"the commands are {', '.join(COMMANDS)}"
    return UsageError(f"Unknown command '{word}'", hint=hint)


def _tolerate_narrow_terminals() -> None:
    """Print a replacement for a character that the terminal cannot show, instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
