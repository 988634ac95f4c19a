"""What the learner wants of its drivers now, and the drivers that wait for it to change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tmstudio.runtime.drivers import Driver, Drivers
from tmstudio.transport.proto import tmstudio_pb2 as pb

_LOOK_EVERY_S: Final = 1.0
_MAX_PATIENCE_S: Final = 30.0


@dataclass
class Trials:
    """Trials that were ordered.

    Attributes:
        number: counts from 1; a driver that sees a new number drives them.
        policy_version: which policy drives.
        seeds: one for each trial.
        session: the process that drives them; empty until one takes them.
    """

    number: int
    policy_version: int
    seeds: tuple[int, ...]
    session: str = ""


class OrderBoard:
    """The newest orders. The learner sets them, drivers read them or wait for news.

    Args:
        drivers: the drivers.
        lock: guards them.
    """

    def __init__(self, drivers: Drivers, lock: threading.RLock) -> None:
        self._drivers = drivers
        self._changed = threading.Condition(lock)
        self._step_limit = 0
        self._policy_version = 0
        self._trials: Trials | None = None
        self._paused = False
        self._finished = False
        self._closed = False

    def allow_steps(self, step_limit: int) -> None:
        """All drivers together may have driven so many steps."""
        with self._changed:
            self._step_limit = step_limit
            self._changed.notify_all()

    def publish(self, policy_version: int) -> None:
        """There is a new policy."""
        with self._changed:
            self._policy_version = policy_version
            self._changed.notify_all()

    def order_trials(self, trials: Trials | None) -> None:
        """Let one driver drive trials; None takes the order back."""
        with self._changed:
            self._trials = trials
            self._changed.notify_all()

    def pause(self, *, paused: bool) -> None:
        """Let all drivers wait, or go on."""
        with self._changed:
            self._paused = paused
            self._changed.notify_all()

    def finish(self) -> None:
        """Send all drivers home."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def close(self) -> None:
        """Let nobody wait any longer."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def for_driver(self, driver: Driver) -> pb.Orders:
        """The orders of one driver."""
        with self._changed:
            present = sum(other.present for other in self._drivers if other is not driver) + 1
            share = max(0, self._step_limit - self._drivers.steps) // present
            orders = pb.Orders(
                step_limit=driver.steps + share,
                policy_version=self._policy_version,
                paused=self._paused,
                finished=self._finished,
            )
            if self._trials is not None and self._takes(driver, self._trials):
                orders.trials.CopyFrom(
                    pb.TrialsOrder(
                        number=self._trials.number,
                        policy_version=self._trials.policy_version,
                        seeds=self._trials.seeds,
                    )
                )
            driver.told_finished = self._finished
            return orders

    def news_for(self, driver: Driver, request: pb.PaceRequest, still_asked: Callable[[], bool]) -> pb.Orders:
        """The orders of one driver, as soon as they hold something that it waits for."""
        deadline = time.monotonic() + min(request.patience_s, _MAX_PATIENCE_S)
        with self._changed:
            while True:
                orders = self.for_driver(driver)
                left_s = deadline - time.monotonic()
                if self._closed or left_s <= 0.0 or _is_news(orders, request) or not still_asked():
                    return orders
                # Also looks by itself now and then: a driver may have gone, which changes the shares.
                self._changed.wait(min(_LOOK_EVERY_S, left_s))

    def _takes(self, driver: Driver, trials: Trials) -> bool:
        taken_by = next(
            (other for other in self._drivers if other.session and other.session == trials.session), None
        )
        if taken_by is None or not taken_by.present:
            trials.session = driver.session
        return trials.session == driver.session


def _is_news(orders: pb.Orders, request: pb.PaceRequest) -> bool:
    known = request.known
    return (
        orders.policy_version != known.policy_version
        or orders.trials.number != known.trials.number
        or orders.paused != known.paused
        or orders.finished != known.finished
        or (request.wanted_steps > 0 and orders.step_limit >= request.wanted_steps)
    )
