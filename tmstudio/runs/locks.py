"""One owner at a time: locks that the operating system releases when their holder dies, however it dies."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_fault

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Windows forbids others to read locked bytes, so the lock is on a byte far behind the holder's name.
_LOCKED_BYTE = 1 << 30
# Asking who holds a lock takes it for an instant; an acquirer waits that out.
_PATIENCE_S = 0.3


@dataclass(frozen=True)
class Holder:
    """Who holds a lock."""

    role: str
    pid: int
    host: str
    since: str

    def __str__(self) -> str:
        return f"{self.role}, process {self.pid} on {self.host} since {self.since}"


class FileLock:
    """A lock that is held from its making to :meth:`release` or to the end of the process.

    The file stays behind; whether it is locked is the operating system's knowledge, so there are no stale locks.
    """

    def __init__(self, path: Path, *, role: str, owned: str) -> None:
        """Take the lock.

        Args:
            path: the lock's file, made if missing.
            role: what this process is ("learner").
            owned: what the lock stands for, as a sentence's object ("the learner of run 'x'").

        Raises:
            TMStudioError: another holder has it; the message names it.
        """
        self._descriptor = _open(path)
        deadline = time.monotonic() + _PATIENCE_S
        while not _try_lock(self._descriptor):
            if time.monotonic() > deadline:
                holder = _read_holder(self._descriptor)
                os.close(self._descriptor)
                raise TMStudioError(
                    f"Another process already is {owned}",
                    cause=f"held by {holder}" if holder is not None else f"{path} is locked",
                    hint="stop that process first, or use it instead of starting a second one",
                )
            time.sleep(0.02)
        self.holder = Holder(
            role, os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds")
        )
        content = json.dumps({"schema_version": 1, **asdict(self.holder)}).encode()
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, content)

    def release(self) -> None:
        """Give the lock back; more than once does no harm."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            _unlock(descriptor)
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


def holder_of(path: Path) -> Holder | None:
    """Who holds the lock at ``path`` now, or None if nobody does."""
    if not path.exists():
        return None
    descriptor = _open(path)
    try:
        if _try_lock(descriptor):
            _unlock(descriptor)
            return None
        return _read_holder(descriptor) or Holder("unknown", 0, "unknown", "unknown")
    finally:
        os.close(descriptor)


def learner_lock(run_path: Path) -> FileLock:
    """The right to be the one learner of a run."""
    return FileLock(_learner_file(run_path), role="learner", owned=f"the learner of run '{run_path.name}'")


def learner_holder(run_path: Path) -> Holder | None:
    """The learner of a run, if one is at work."""
    return holder_of(_learner_file(run_path))


def studio_lock(run_path: Path) -> FileLock:
    """The right to be the one studio that steers a run."""
    return FileLock(
        run_path / "jobs" / "studio.lock", role="studio", owned=f"the studio of run '{run_path.name}'"
    )


def _learner_file(run_path: Path) -> Path:
    return run_path / "jobs" / "learner.lock"


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise disk_fault(error, path, "open") from error


def _read_holder(descriptor: int) -> Holder | None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        data = json.loads(os.read(descriptor, 4096))
        return Holder(str(data["role"]), int(data["pid"]), str(data["host"]), str(data["since"]))
    except (ValueError, KeyError, TypeError):
        return None  # its holder is about to write it


if sys.platform == "win32":

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _try_lock(descriptor: int) -> bool:
        # flock, not lockf: a lockf lock is lost as soon as the process closes any descriptor of the file.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
