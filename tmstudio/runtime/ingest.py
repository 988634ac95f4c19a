"""Driving on its way into the learner: checked, journalled, acknowledged, and handed on in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tmstudio.errors import TMStudioError
from tmstudio.runtime.drivers import Drivers
from tmstudio.runtime.journal import Journal
from tmstudio.transport.codec import Batch, check_widths, unpack
from tmstudio.transport.faults import RejectedError, UnreachableError
from tmstudio.transport.proto import tmstudio_pb2 as pb

_MAX_WAITING: Final = 64
_PATIENCE_S: Final = 5.0


@dataclass(frozen=True)
class Widths:
    """Numbers in an observation, in an action, and reward terms."""

    observation_size: int
    action_size: int
    reward_terms: int


@dataclass(frozen=True)
class Arrival:
    """A batch that is safe in the journal, and who drove it."""

    actor_id: str
    batch: Batch


class Ingest:
    """Takes batches from many threads and gives them to the one that learns.

    Args:
        journal: where they are safe; what it holds from before arrives first.
        drivers: who has delivered what; as of the checkpoint with which the journal goes on.
        widths: what the run's driving looks like.

    Attributes:
        lock: guards the drivers as well.
        fault: why nothing can be taken in now, None if it can.
    """

    def __init__(self, journal: Journal, drivers: Drivers, widths: Widths) -> None:
        self.lock = threading.RLock()
        self.drivers = drivers
        self.fault: TMStudioError | None = None
        self._changed = threading.Condition(self.lock)
        self._journal = journal
        self.widths = widths
        self._waiting: deque[Arrival] = deque()
        self._closed = False

    def recover(self) -> Iterator[Arrival]:
        """What the journal holds, in the order in which it came; to be used up before anything else."""
        for push in self._journal.replay():
            driver = self.drivers.of(push.actor_id)
            if push.sequence > driver.sequence:
                batch = self._checked(push)
                driver.sequence, driver.steps = push.sequence, driver.steps + batch.steps
                yield Arrival(push.actor_id, batch)

    def push(self, push: pb.PushRequest) -> None:
        """Take a batch in; when this returns, it is safe. One that came before is dropped.

        Raises:
            RejectedError: it is no usable driving.
            UnreachableError: not now: the disk is full, the learner is busy or about to stop.
        """
        with self._changed:
            if push.sequence <= self.drivers.calling(push.actor_id, push.session).sequence:
                return
        batch = self._checked(push)  # takes a while: other drivers go on
        with self._changed:
            driver = self.drivers.calling(push.actor_id, push.session)
            if not self._changed.wait_for(
                lambda: self._closed or len(self._waiting) < _MAX_WAITING, _PATIENCE_S
            ):
                raise UnreachableError("The learner is busy", cause="it has not learned yet what came before")
            if self._closed:
                raise UnreachableError("The learner is about to stop")
            if push.sequence <= driver.sequence:
                return
            self._write(push)
            driver.sequence, driver.steps = push.sequence, driver.steps + batch.steps
            self._waiting.append(Arrival(push.actor_id, batch))
            self._changed.notify_all()

    def take(self, patience_s: float = 0.0) -> list[Arrival]:
        """What has arrived, oldest first; waits up to ``patience_s`` for the first."""
        if not patience_s and not self._waiting:
            return []  # without the lock: asked between any two updates
        with self._changed:
            self._changed.wait_for(lambda: bool(self._waiting), patience_s)
            arrivals = list(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        return arrivals

    @contextmanager
    def held(self) -> Iterator[list[Arrival]]:
        """Let nothing more in meanwhile; gives what has arrived. Journal and drivers then say the same."""
        with self._changed:
            yield self.take()

    def close(self) -> None:
        """Take nothing more in."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _checked(self, push: pb.PushRequest) -> Batch:
        batch = unpack(push.batch)
        widths = self.widths
        check_widths(batch.rollouts, widths.observation_size, widths.action_size, widths.reward_terms)
        if batch.steps != push.steps:
            raise RejectedError(
                "A batch of driving cannot be used",
                cause=f"it holds {batch.steps} steps, {push.steps} are announced",
            )
        return batch

    def _write(self, push: pb.PushRequest) -> None:
        try:
            self._journal.append(push)
        except TMStudioError as error:
            self.fault = error
            raise UnreachableError(error.message, cause=error.cause, hint=error.hint) from error
        self.fault = None
