"""What commands print: tables for people, one JSON object as the last line for programs, errors with a hint.

Imports nothing heavy: the help and the error paths of every command go through here.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tmstudio.errors import ConfigError, TMStudioError

_OF_NUMBERS = set("0123456789,.-%")


class UsageError(TMStudioError):
    """A command line that cannot be understood."""

    exit_code = 2


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose complaints are the project's errors instead of an exit on the spot."""

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would have printed."""
        text = message[:1].upper() + message[1:]
        raise UsageError(text, hint=f"see '{self.prog} --help'")


def add_json_flag(parser: argparse.ArgumentParser) -> None:
    """Let ``parser`` take ``--json``. For parsers below a command's own; the command's own has it already."""
    parser.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,  # a default here would undo the flag given before a nested command
        help="print the result as one JSON object in the last line",
    )


def print_json(data: Mapping[str, Any]) -> None:
    """Print ``data`` as one line of strict JSON; numbers that JSON does not know become null."""
    print(json.dumps(_plain(data), allow_nan=False, ensure_ascii=False), flush=True)


def print_error(error: TMStudioError, *, as_json: bool) -> None:
    """Print message, cause and hint on stderr, and as a JSON object on stdout where asked."""
    lines = [f"error: {error.message}"]
    if error.cause:
        lines.append(f"cause: {error.cause}")
    if error.hint:
        lines.append(f"try:   {error.hint}")
    print("\n".join(lines), file=sys.stderr, flush=True)
    if as_json:
        details: dict[str, Any] = {"message": error.message, "cause": error.cause, "hint": error.hint}
        if isinstance(error, ConfigError):
            details["faults"] = [{"path": fault.path, "problem": fault.problem} for fault in error.faults]
        print_json({"error": details})


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under headers, two spaces apart. Columns in which all cells are numbers stand to the right."""
    cells = [list(headers), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headers))]
    to_the_right = [
        bool(rows) and all(set(row[column]) <= _OF_NUMBERS for row in rows) for column in range(len(headers))
    ]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, to_the_right, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join(lines)


def _plain(value: Any) -> Any:
    """``value`` in JSON's own types. NumPy's scalars and arrays are met by what they can do, not by name."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    raise TypeError(f"{type(value).__name__} has no JSON form")
