"""Checkpoints, written in the background: the learner only stops for a copy of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tmstudio.errors import TMStudioError
from tmstudio.learning.algorithms.base import AlgorithmState
from tmstudio.learning.checkpoints import CheckpointStore, name_of
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
        self.last = store.resolve("last") or ""
        self._store = store
        self._journal = journal
        self._events = events
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="saver")
        self._writing: Future[None] | None = None
        self._judged = {store.resolve("best")}

    def save(self, student: Student, drivers: Mapping[str, Mapping[str, int]], time_s: float) -> str:
        """Save everything as it is now; the checkpoint's name. Nothing may arrive during the call.

        Args:
            student: what has learned.
            drivers: what arrived from each driver.
            time_s: time of training.
        """
        name = name_of(student.steps)
        if name in self._judged:
            return name  # nothing arrived since: the policy that was judged stays as it was
        if self._writing is not None:
            self._writing.result()  # one at a time: a second copy of the tensors would only pile up
        segment = self._journal.begin_segment()
        replay = student.replay
        state: dict[str, Any] = {
            "time_s": time_s,
            "journal_segment": segment,
            "drivers": drivers,
            "replay": {"head": replay.head, "size": replay.size, "random_state": replay.random_state},
        }
        step, policy, learner = student.steps, student.policy_file(), student.state()
        pinned = [each for each in self._judged if each is not None]

        def write() -> None:
            self._store.save(step, policy, learner, state, pinned)
            self._journal.drop_before(segment)
            self.last = name
            self._events.emit("checkpoint", name=name)

        self._writing = self._thread.submit(self._guarded, write)
        return name

    def keep(self, name: str) -> None:
        """Leave the checkpoint ``name`` as it is, beside the best one: its policy is on trial."""
        self._judged = {name, self._store.resolve("best")}

    def promote(self, name: str) -> None:
        """Make a checkpoint the best, once it is safe."""

        def mark() -> None:
            self._store.promote(name)
            self._events.emit("new best", name=name)

        self._thread.submit(self._guarded, mark)

    def load_algorithm(self) -> AlgorithmState:
        """The algorithm's state in the newest checkpoint."""
        return self._store.load("last").learner

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


def restore(store: CheckpointStore, student: Student) -> Mapping[str, Any]:
    """Bring ``student`` back to the newest checkpoint; the process's own numbers, empty if there is none."""
    if store.resolve("last") is None:
        student.replay.restore(0, 0)
        return {}
    checkpoint = store.load("last")
    student.load_state(checkpoint.learner)
    student.steps = checkpoint.step
    replay = checkpoint.state["replay"]
    student.replay.random_state = replay["random_state"]
    student.replay.restore(int(replay["head"]), int(replay["size"]))
    return checkpoint.state
