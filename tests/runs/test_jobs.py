from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import (
    announce,
    is_alive,
    job_file,
    live_job,
    live_jobs,
    process_start_time,
    program,
    withdraw,
)

WORKER = """
import sys
from pathlib import Path
from tmstudio.runs.jobs import announce
announce(Path(sys.argv[1]), sys.argv[2], port=4711, actor_id=sys.argv[3])
print("announced", flush=True)
sys.stdin.read()
"""


def test_live_processes_are_found_the_learner_first(run: RunFolder, process) -> None:
    actor = process(WORKER, run.path, "actor", "actor-1")
    learner = process(WORKER, run.path, "learner", "")
    found = live_jobs(run.path)
    assert [(job.role, job.actor_id, job.pid) for job in found] == [
        ("learner", "", learner.pid),
        ("actor", "actor-1", actor.pid),
    ]
    assert (found[0].host, found[0].port) == ("127.0.0.1", 4711)
    assert live_job(run.path, "actor", "actor-1") == found[1]
    assert live_job(run.path, "actor", "actor-2") is None


def test_a_killed_process_is_not_alive_though_its_file_is_left(run: RunFolder, process) -> None:
    worker = process(WORKER, run.path, "learner", "")
    worker.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)  # a zombie now: dead, not yet collected
    assert job_file(run.path, "learner").exists()
    assert live_jobs(run.path) == []
    worker.wait()
    assert live_jobs(run.path) == []


def test_another_process_with_the_same_id_is_not_the_job(run: RunFolder) -> None:
    job = announce(run.path, "learner", port=1)
    assert is_alive(job)
    assert not is_alive(replace(job, process_start_time=job.process_start_time - 10))


def test_a_clean_end_takes_the_announcement_back_but_not_that_of_a_successor(run: RunFolder) -> None:
    job = announce(run.path, "learner", port=1)
    announce(run.path, "learner", port=2)
    withdraw(run.path, job)
    successor = live_job(run.path, "learner")
    assert successor is not None
    assert successor.port == 2
    withdraw(run.path, successor)
    assert not job_file(run.path, "learner").exists()
    withdraw(run.path, successor)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\xff", b'{"schema_version": 9}', b'{"schema_version": 1}']
)
def test_files_that_say_nothing_are_no_jobs(content: bytes, run: RunFolder) -> None:
    job_file(run.path, "learner").write_bytes(content)
    assert live_jobs(run.path) == []


@pytest.mark.parametrize("actor_id", ["", "../x", "A", "a b", "x" * 41])
def test_an_actors_name_cannot_leave_its_folder(actor_id: str, run: RunFolder) -> None:
    with pytest.raises(TMStudioError, match="cannot name an actor"):
        announce(run.path, "actor", port=1, actor_id=actor_id)


def test_a_jobs_file_holds_no_secret(run: RunFolder) -> None:
    announce(run.path, "learner", port=1)
    text = job_file(run.path, "learner").read_text()
    assert run.token not in text
    assert json.loads(text)["pid"] == os.getpid()


def test_start_times_tell_processes_apart(process) -> None:
    first = process("import sys; print(1, flush=True); sys.stdin.read()")
    assert process_start_time(first.pid) != process_start_time(os.getpid())
    assert process_start_time(2**22 + 12345) is None


def test_the_program_can_start_itself() -> None:
    answer = subprocess.run([*program(), "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("tmstudio ")


def test_a_frozen_program_is_its_own_executable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert program() == [sys.executable]
