"""Checkpoints, written in the background: the learner only stops for a copy of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tmstudio.errors import TMStudioError
from tmstudio.learning.checkpoints import CheckpointStore
from tmstudio.runs.events import EventLog
from tmstudio.runtime.journal import Journal
from tmstudio.runtime.student import Student


class Saver:
    """Saves and promotes checkpoints, one after another, in a thread of its own.

    A checkpoint and the journal from its segment on are all that ever arrived. So the older segments are dropped
    when the checkpoint is safe, and not before.

    Args:
        store: where checkpoints are.
        journal: what arrived since the last one.
        events: where is told what happens.

    Attributes:
        fault: why the last save failed; None if it did not.
        last: name of the newest safe checkpoint; empty before the first.
    """

    def __init__(self, store: CheckpointStore, journal: Journal, events: EventLog) -> None:
        self.fault: TMStudioError | None = None
        self.last = ""
        self._store = store
        self._journal = journal
        self._events = events
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="saver")
        self._writing: Future[None] | None = None
        self._kept = ""

    def save(self, student: Student, drivers: Mapping[str, Mapping[str, int]], time_s: float) -> str:
        """Save everything as it is now; returns the checkpoint's name. Nothing may arrive during the call.

        Args:
            student: what has learned.
            drivers: what arrived from each driver.
            time_s: time of training.
        """
        if self._writing is not None:
            self._writing.result()  # one at a time: a second copy of the tensors would only pile up
        name = f"step-{student.steps:09d}"
        segment = self._journal.begin_segment()
        policy, learner = student.policy_file(), student.state()
        state: dict[str, Any] = {
            "steps": student.steps,
            "updates": student.updates,
            "time_s": time_s,
            "journal_segment": segment,
            "drivers": drivers,
            "replay": {
                "head": student.replay.head,
                "size": student.replay.size,
                "random_state": student.replay.random_state,
            },
        }
        kept = self._kept

        def write() -> None:
            self._store.save(student.steps, policy, learner, state, pinned=(kept,))
            self._journal.drop_before(segment)
            self.last = name
            self._events.emit("checkpoint", name=name, updates=state["updates"])

        self._writing = self._thread.submit(self._guarded, write)
        return name

    def keep(self, name: str) -> None:
        """Do not clear this checkpoint away, whatever comes; in place of the one kept before."""
        self._kept = name

    def promote(self, name: str) -> None:
        """Make a saved checkpoint the best."""
        self._thread.submit(self._guarded, lambda: self._store.promote(name))

    def close(self) -> None:
        """Wait until all is written.

        Raises:
            TMStudioError: the last save failed.
        """
        self._thread.shutdown(wait=True)
        if self.fault is not None:
            raise self.fault

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do it; a full disk does not end the training: the journal still holds what the checkpoint would."""
        try:
            work()
        except TMStudioError as error:
            self.fault = error
            self._events.emit("checkpoint failed", message=error.message, cause=error.cause, hint=error.hint)
        else:
            self.fault = None


def restore(store: CheckpointStore, student: Student) -> dict[str, Any]:
    """Bring ``student`` back to the newest checkpoint; the checkpoint's state, empty if there is none."""
    name = store.resolve("last")
    if name is None:
        student.replay.restore(0, 0)
        return {}
    checkpoint = store.load(name)
    state: dict[str, Any] = checkpoint.state
    student.load_state(checkpoint.learner)
    student.steps = int(state["steps"])
    replay = state["replay"]
    student.replay.random_state = replay["random_state"]
    student.replay.restore(int(replay["head"]), int(replay["size"]))
    return state
