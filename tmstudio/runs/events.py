"""What happened in a run, one JSON object a line in ``logs/events.jsonl``; and the workers' own last words.

Every process of the run appends; each line is one write, so that lines never mix.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tmstudio.errors import TMStudioError
from tmstudio.runs.locks import FileLock
from tmstudio.runs.manifest import now

_SCHEMA_VERSION = 1
_MAX_BYTES = 8_000_000
_TAIL_BYTES = 65_536


class EventLog:
    """Appends the events of one process. Usable from any thread.

    A disk that cannot take an event does not stop the work that it tells about: the event goes to stderr then.
    """

    def __init__(self, run_path: Path, role: str, *, echo: bool = False) -> None:
        """Append to the events of the run in ``run_path``.

        Args:
            run_path: the run folder.
            role: what this process is ("learner", "actor-1").
            echo: whether each event is also printed on stdout, as the same line.
        """
        self._path = events_file(run_path)
        self._role = role
        self._echo = echo
        self._lock = threading.Lock()
        self._torn = False  # a part of a line was written: the next one begins on its own

    def emit(self, kind: str, **fields: Any) -> None:
        """Append an event.

        Args:
            kind: what happened ("started", "checkpoint", "error").
            fields: more about it, as JSON knows it.
        """
        event = {
            "v": _SCHEMA_VERSION,
            "at": now(),
            "role": self._role,
            "pid": os.getpid(),
            "kind": kind,
            **fields,
        }
        line = json.dumps(event, ensure_ascii=False, default=_plain) + "\n"
        with self._lock:
            try:
                self._append(line.encode())
            except (OSError, TMStudioError) as error:
                print(f"event not written ({error}): {line}", end="", file=sys.stderr, flush=True)  # noqa: T201
            if self._echo:
                print(line, end="", flush=True)  # noqa: T201 programs read it

    def _append(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._is_long():
            with FileLock(
                self._path.with_suffix(".lock"), role=self._role, owned="the one who cuts the event log"
            ):
                if self._is_long():  # still: else another process has just begun it anew
                    os.replace(self._path, self._path.with_suffix(".1.jsonl"))
        descriptor = os.open(
            self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644
        )
        try:
            content = b"\n" + line if self._torn else line
            if os.write(descriptor, content) < len(content):
                self._torn = True
                raise OSError(errno.ENOSPC, "the disk is full")
            self._torn = False
        finally:
            os.close(descriptor)

    def _is_long(self) -> bool:
        return self._path.exists() and self._path.stat().st_size > _MAX_BYTES


class EventReader:
    """Reads the events of a run as they come."""

    def __init__(self, run_path: Path) -> None:
        """Begin with the oldest event that is still kept."""
        self._path = events_file(run_path)
        self._offset = 0
        self._file_id = 0

    def skip(self) -> None:
        """Begin with what comes from now on."""
        while self.read():
            pass

    def read(self) -> list[dict[str, Any]]:
        """The events since the last call, oldest first. A line that is still being written comes next time."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_ino != self._file_id or status.st_size < self._offset:
                    self._file_id, self._offset = status.st_ino, 0  # the log was begun anew
                file.seek(self._offset)
                content = file.read(_MAX_BYTES)
        except FileNotFoundError:
            return []
        whole = content[: content.rfind(b"\n") + 1]
        self._offset += len(whole)
        events = []
        for line in whole.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # torn by a crash of the machine
            if isinstance(event, dict) and event.get("v") == _SCHEMA_VERSION:
                events.append(event)
        return events


def events_file(run_path: Path) -> Path:
    """The events of the run."""
    return run_path / "logs" / "events.jsonl"


def log_file(run_path: Path, role: str) -> Path:
    """Where the stderr of the process with this role goes."""
    return run_path / "logs" / f"{role}.log"


def last_lines(path: Path, count: int = 20) -> Sequence[str]:
    """The last ``count`` lines of a text file; none if there is no such file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return text.splitlines()[-count:]


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)
