from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.locks import FileLock, holder_of, learner_holder, learner_lock, studio_lock

HOLDER = """
import sys
from pathlib import Path
from tmstudio.runs.locks import learner_lock
lock = learner_lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


def test_a_second_learner_is_refused_and_the_first_is_named(run: RunFolder, process) -> None:
    holder = process(HOLDER, run.path)
    with pytest.raises(TMStudioError, match=f"already is the learner of run '{run.name}'") as caught:
        learner_lock(run.path)
    assert f"learner, process {holder.pid} on " in caught.value.cause
    found = learner_holder(run.path)
    assert found is not None
    assert (found.role, found.pid) == ("learner", holder.pid)


def test_a_lock_ends_with_its_holder_however_it_ends(run: RunFolder, process) -> None:
    holder = process(HOLDER, run.path)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert learner_holder(run.path) is None
    with learner_lock(run.path) as lock:
        assert lock.holder.pid == os.getpid()
    holder = process(HOLDER, run.path)
    holder.communicate("")
    with learner_lock(run.path):
        pass


def test_learner_and_studio_do_not_exclude_each_other(run: RunFolder) -> None:
    with learner_lock(run.path), studio_lock(run.path), pytest.raises(TMStudioError, match="studio of run"):
        studio_lock(run.path)


def test_a_released_lock_can_be_taken_again_and_released_twice(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "a.lock", role="tester", owned="the tester")
    lock.release()
    lock.release()
    FileLock(tmp_path / "a.lock", role="tester", owned="the tester").release()
    assert holder_of(tmp_path / "a.lock") is None
    assert holder_of(tmp_path / "none.lock") is None


def test_asking_who_holds_it_never_keeps_anyone_from_taking_it(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    FileLock(path, role="tester", owned="the tester").release()
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            holder_of(path)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(300):
            FileLock(path, role="tester", owned="the tester").release()
    finally:
        done.set()
        asking.join()


def test_a_lock_with_unreadable_words_is_still_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with FileLock(path, role="tester", owned="the tester"):
        path.write_bytes(b"\xff")
        with pytest.raises(TMStudioError, match="already is the tester"):
            FileLock(path, role="tester", owned="the tester")
        found = holder_of(path)
        assert found is not None
        assert found.role == "unknown"
