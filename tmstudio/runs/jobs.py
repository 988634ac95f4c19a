"""The live processes of a run: one small file each, written by the process itself.

A file says where to reach its process; whether the process still lives is asked of the operating system,
so a file left behind by a killed process does no harm.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import write_json

_SCHEMA_VERSION = 1
_ACTOR_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_SAME_START_S = 0.05


@dataclass(frozen=True)
class Job:
    """A process that works on a run.

    Attributes:
        role: "learner" or "actor".
        pid: its process id.
        process_start_time: when it began, in :func:`process_start_time`'s clock; tells a reused pid apart.
        host: the address at which it takes Control calls.
        port: the port of that address.
        started_at: wall clock in UTC, ISO 8601, for people.
        actor_id: which actor; empty for a learner.
    """

    role: str
    pid: int
    process_start_time: float
    host: str
    port: int
    started_at: str
    actor_id: str = ""


def announce(run_path: Path, role: str, *, port: int, host: str = "127.0.0.1", actor_id: str = "") -> Job:
    """Say that this process works on the run, and where it takes Control calls."""
    pid = os.getpid()
    started = process_start_time(pid)
    if started is None:
        raise TMStudioError(
            "Could not read this process's own start time", hint="run again with more permissions"
        )
    job = Job(role, pid, started, host, port, datetime.now(UTC).isoformat(timespec="seconds"), actor_id)
    path = job_file(run_path, role, actor_id)
    path.parent.mkdir(exist_ok=True)
    write_json(path, {"schema_version": _SCHEMA_VERSION, **asdict(job)})
    return job


def withdraw(run_path: Path, job: Job) -> None:
    """Take the announcement back at a clean end."""
    path = job_file(run_path, job.role, job.actor_id)
    if _read(path) == job:  # else a successor has announced itself already
        path.unlink(missing_ok=True)


def live_jobs(run_path: Path) -> list[Job]:
    """The processes of the run that are alive now, the learner first."""
    found = [_read(path) for path in sorted((run_path / "jobs").glob("*.json"))]
    return sorted(
        (job for job in found if job is not None and is_alive(job)), key=lambda job: job.role != "learner"
    )


def live_job(run_path: Path, role: str, actor_id: str = "") -> Job | None:
    """The one live process with this role, or None."""
    job = _read(job_file(run_path, role, actor_id))
    return job if job is not None and is_alive(job) else None


def is_alive(job: Job) -> bool:
    """Whether the very process of ``job`` still runs on this machine."""
    started = process_start_time(job.pid)
    return started is not None and abs(started - job.process_start_time) < _SAME_START_S


def process_start_time(pid: int) -> float | None:
    """When the process began, on a clock that only serves to compare; None if it does not run.

    On Linux seconds since boot, which a change of the wall clock does not touch. A zombie does not run.
    """
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        if sys.platform.startswith("linux"):
            # Field 22; the second field, the name, is in brackets and may hold anything, blanks too.
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            return int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return process.create_time()
    except (psutil.Error, FileNotFoundError, ProcessLookupError):
        return None  # gone, or another user's


def job_file(run_path: Path, role: str, actor_id: str = "") -> Path:
    """Where a process announces itself."""
    if role == "learner":
        return run_path / "jobs" / "learner.json"
    if not _ACTOR_ID.fullmatch(actor_id):
        raise TMStudioError(
            f"'{actor_id}' cannot name an actor",
            hint="use up to 40 small letters, digits and hyphens, such as 'actor-1'",
        )
    return run_path / "jobs" / f"{role}-{actor_id}.json"


def program() -> list[str]:
    """The command line that starts this program, for starting it again with a subcommand."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "tmstudio"]


def _read(path: Path) -> Job | None:
    try:
        data = json.loads(path.read_bytes())
        if data.pop("schema_version") != _SCHEMA_VERSION:
            return None
        return Job(**data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # gone, or of another version: nothing that this program could talk to
