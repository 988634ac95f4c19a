"""Picks the command, runs it, and turns its errors into messages and exit codes."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Mapping

from tmstudio.cli.output import CommandParser, UsageError, add_json_flag, print_error, print_json
from tmstudio.errors import TMStudioError

INTERRUPTED = 130


def dispatch(arguments: list[str], commands: Mapping[str, str]) -> int:
    """Run the command that ``arguments`` ask for, the studio where they ask for none; returns the exit code.

    Args:
        arguments: the command line behind the program's name.
        commands: every command's name and what it does.
    """
    as_json = "--json" in arguments
    _tolerate_narrow_terminals()
    try:
        code = _run(arguments, commands)
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
        raise
    except Exception as error:
        if as_json:
            found = f"internal error: {type(error).__name__}: {error}"
            print_json(
                {"error": {"message": found, "cause": "a bug in TMStudio", "hint": "report the traceback"}}
            )
        raise
    return code


def _run(arguments: list[str], commands: Mapping[str, str]) -> int:
    if not arguments:
        studio = importlib.import_module("tmstudio.app.main")
        return int(studio.main([]))
    name, rest = arguments[0], arguments[1:]
    if name not in commands:
        raise _unknown(name, commands)
    module = importlib.import_module(f"tmstudio.cli.{name}")
    parser = CommandParser(prog=f"tmstudio {name}", description=commands[name])
    add_json_flag(parser)
    module.add_arguments(parser)
    try:
        args = parser.parse_args(rest)
    except SystemExit as done:  # after --help
        return int(done.code or 0)
    args.json = getattr(args, "json", False)
    return int(module.run(args))


def _unknown(word: str, commands: Mapping[str, str]) -> UsageError:
    if word.startswith("-"):
        return UsageError(
            f"Unknown option '{word}'", hint="options come after the command; see 'tmstudio --help'"
        )
    near = difflib.get_close_matches(word, commands, n=1)
    hint = f"did you mean 'tmstudio {near[0]}'?" if near else f"the commands are {', '.join(commands)}"
    return UsageError(f"Unknown command '{word}'", hint=hint)


def _tolerate_narrow_terminals() -> None:
    """Print a replacement for a character that the terminal cannot show, instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
