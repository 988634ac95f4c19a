"""The drivers that a learner knows: what has arrived from each, and how each is doing."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tmstudio.transport.faults import RefusedError, UnreachableError
from tmstudio.transport.proto import tmstudio_pb2 as pb

CONTACT_S: Final = 10.0
"""A driver that has been silent for longer is not there at the moment. It calls every few seconds."""


@dataclass
class Driver:
    """One driver.

    Attributes:
        actor_id: its name.
        sequence: the last batch that arrived.
        steps: steps in all batches that arrived.
        session: the process that drives under this name now; empty until one has joined.
        cars: how many it drives.
        health: what it last told about itself.
        contact_s: monotonic time of its last call.
        told_finished: whether it knows that the run is finished.
    """

    actor_id: str
    sequence: int = 0
    steps: int = 0
    session: str = ""
    cars: int = 0
    health: pb.Health = field(default_factory=pb.Health)
    contact_s: float = float("-inf")
    told_finished: bool = False

    @property
    def silent_s(self) -> float:
        """Time since its last call."""
        return time.monotonic() - self.contact_s

    @property
    def present(self) -> bool:
        """Whether it is in touch."""
        return self.silent_s < CONTACT_S


class Drivers:
    """All drivers of a run. Not guarded: its user holds a lock.

    Args:
        saved: what :meth:`state` gave before.
    """

    def __init__(self, saved: Mapping[str, Mapping[str, int]]) -> None:
        self._known = {
            actor_id: Driver(actor_id, sequence=int(counts["sequence"]), steps=int(counts["steps"]))
            for actor_id, counts in saved.items()
        }

    def __iter__(self) -> Any:
        """The drivers, in the order in which they first came."""
        return iter(self._known.values())

    @property
    def steps(self) -> int:
        """Steps that arrived from all of them."""
        return sum(driver.steps for driver in self._known.values())

    def state(self) -> dict[str, dict[str, int]]:
        """What a checkpoint keeps, as plain data."""
        return {
            driver.actor_id: {"sequence": driver.sequence, "steps": driver.steps}
            for driver in self._known.values()
        }

    def of(self, actor_id: str) -> Driver:
        """The driver with this name, made if it is new."""
        return self._known.setdefault(actor_id, Driver(actor_id))

    def joined(self, actor_id: str, session: str, cars: int) -> Driver:
        """Let a process drive under this name, in place of any before it."""
        driver = self.of(actor_id)
        driver.session, driver.cars, driver.told_finished = session, cars, False
        driver.contact_s = time.monotonic()
        return driver

    def calling(self, actor_id: str, session: str) -> Driver:
        """The driver of a call.

        Raises:
            UnreachableError: it has not joined this process yet.
            RefusedError: another process drives under its name by now.
        """
        driver = self._known.get(actor_id)
        if driver is None or not driver.session:
            raise UnreachableError("The learner was restarted", cause="the driver has not joined it yet")
        if driver.session != session:
            raise RefusedError(
                f"Another process drives as '{actor_id}' by now",
                cause="it joined later under the same name",
                hint="give each driver a name of its own with --name",
            )
        driver.contact_s = time.monotonic()
        return driver
