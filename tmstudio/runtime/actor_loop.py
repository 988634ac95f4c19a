"""The driver's loop: drives for the learner, drives trials when asked to, and shows itself to whoever looks."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from tmstudio.config.run_config import RunConfig
from tmstudio.env.build import training_task, trial_task
from tmstudio.env.clock import RealTimeGame
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.errors import TMStudioError
from tmstudio.learning.policy import decode_policy
from tmstudio.runs import jobs
from tmstudio.runs.events import EventLog
from tmstudio.runs.folder import RunFolder
from tmstudio.runtime.collector import Collector
from tmstudio.runtime.lanes import ACTION_SIZE
from tmstudio.runtime.link import Identity, Link, OrderedTrials
from tmstudio.runtime.live import SOURCE_TRAINING, LiveShow, Shown, record_of
from tmstudio.runtime.pilot import LoadedPolicy, RandomPilot
from tmstudio.runtime.spool import Spool
from tmstudio.runtime.trials import TrialRun
from tmstudio.runtime.watch import Watch
from tmstudio.runtime.worker import CommandTable, StopRequest
from tmstudio.track.geometry import Track
from tmstudio.transport.proto import tmstudio_pb2 as pb

_TRAINING_FRAMES_PER_S: Final = 15.0
_TRIALS_SLICE_S: Final = 0.015
_LONGEST_WAIT_S: Final = 0.05
_FLUSH_AFTER_S: Final = 0.5
_HEALTH_EVERY_S: Final = 0.5
_DELIVER_AT_END_S: Final = 3.0


class ActorLoop:
    """The driving loop and its state. All driving is done by the thread that calls :meth:`run`.

    Args:
        run: the run.
        track: its track.
        actor_id: the driver's name.
        connect: the learner's ``host:port``; None to read it from the run folder.
        events: where is told what happens.
        stop: ends the loop.
    """

    def __init__(
        self,
        run: RunFolder,
        track: Track,
        actor_id: str,
        connect: str | None,
        events: EventLog,
        stop: StopRequest,
    ) -> None:
        config = run.config
        self._config = config
        self._track = track
        self._actor_id = actor_id
        self._events = events
        self._stop = stop
        seed = _seed(config, actor_id)
        task = training_task(config, track, seed)
        self._spool = Spool(run.spool_path(actor_id), config.pacing.spool_mb * 2**20)
        self._collector = Collector(task, RandomPilot(task.cars, seed), self._spool)
        self._link = Link(
            Identity(
                actor_id=actor_id,
                fingerprint=run.fingerprint,
                cars=task.cars,
                observation_size=task.observation_size,
                action_size=ACTION_SIZE,
                reward_terms=len(REWARD_TERMS),
            ),
            lambda: connect or _announced_learner(run.path),
            run.token,
            self._spool,
            _loaded,
            events.emit,
        )
        self._show = LiveShow(run.live_path(actor_id), track)
        self._watch: Watch | None = None
        self._watch_wanted = False
        self._paused = False
        self._trials: TrialRun | None = None
        self._ordered: OrderedTrials | None = None
        self._idle_since: float | None = None
        self._flushed = False
        self._told_fault = ""
        self._next_health_s = 0.0
        self._state = "waiting for the learner"
        self.commands = CommandTable(
            "driver",
            {
                "stop": self._command_stop,
                "pause": lambda: self._set_paused(paused=True),
                "resume": lambda: self._set_paused(paused=False),
                "watch": lambda: self._set_watch(wanted=True),
                "unwatch": lambda: self._set_watch(wanted=False),
            },
            self.status,
        )

    def run(self) -> None:
        """Drive until the run is finished or the end is asked for.

        Raises:
            TMStudioError: the learner will never work with this driver.
        """
        self._link.start()
        try:
            while not self._stop.requested and not self._finished:
                if self._link.fatal is not None:
                    raise self._link.fatal
                self._turn()
            self._leave()
        finally:
            self._link.close()
            self._show.close()

    def status(self) -> dict[str, Any]:
        """How it stands, as plain data; from any thread."""
        collector, link = self._collector, self._link
        pace = collector.pace
        orders, policy = link.orders, collector.policy
        return {
            "role": "actor",
            "actor_id": self._actor_id,
            "state": self._state,
            "connected": link.orders is not None and link.lost_at is None,
            "steps": self._driven_steps(),
            "step_limit": orders.step_limit if orders is not None else 0,
            "steps_per_s": pace.steps_per_s,
            "speed_factor": pace.speed_factor,
            "step_ms": pace.step_ms,
            "deadline_misses": self._deadline_misses,
            "cars": collector.task.cars,
            "policy_version": policy.version if policy is not None else 0,
            "policy_step": policy.policy_step if policy is not None else None,
            "spool_steps": self._spool.steps,
            "spool_bytes": self._spool.size_bytes,
            "paused": self._paused or (orders is not None and orders.paused),
            "watching": self._watch_wanted,
            "problem": collector.fault.message if collector.fault is not None else "",
        }

    @property
    def _finished(self) -> bool:
        orders = self._link.orders
        return orders is not None and orders.finished and self._link.lost_at is None

    @property
    def _deadline_misses(self) -> int:
        game = self._collector.task.game
        return game.deadline_misses if isinstance(game, RealTimeGame) else 0

    def _turn(self) -> None:
        """One turn: a slice of everything that is to be driven now, or a short wait."""
        self._link.beat()
        self._take_policies()
        self._tell_health()
        if self._watch_wanted != (self._watch is not None):
            self._watch = (
                Watch(self._config, self._track, _seed(self._config, "watch")) if self._watch_wanted else None
            )
        policy = self._collector.policy
        if self._watch is not None and policy is not None:
            self._watch.take_turn(policy, self._show)
        if self._trials is not None:
            self._drive_trials(self._trials)
        if self._may_drive():
            self._drive()
        elif self._trials is None:
            self._wait()

    def _take_policies(self) -> None:
        policy, trials = self._link.policy, self._link.trials
        if policy is not None:
            self._collector.policy = policy
        if trials is not self._ordered:
            self._ordered = trials
            self._trials = (
                TrialRun(trials, lambda seeds: trial_task(self._config, self._track, seeds))
                if trials is not None
                else None
            )

    def _drive_trials(self, trials: TrialRun) -> None:
        trials.drive_for(_TRIALS_SLICE_S)
        if trials.done:
            self._link.report_trials(trials.report())
            self._trials = None

    def _may_drive(self) -> bool:
        orders = self._link.orders
        if orders is None:
            self._state = "waiting for the learner"
            return False
        if self._paused or orders.paused:
            self._state = "paused"
            return False
        if not self._collector.put_away():
            self._state = "waiting for room on the disk"
            self._tell_fault()
            return False
        if not self._spool.has_room:
            self._state = "waiting for the learner"
            return False
        if self._driven_steps() + self._collector.task.cars > orders.step_limit + self._allowance():
            # A short wait is part of normal driving: the learner is the slower of the two.
            return False
        self._state = "driving" if self._link.lost_at is None else "driving without the learner"
        return True

    def _allowance(self) -> int:
        """Steps that may be driven beyond the limit: without a learner the cars go on at the speed of a clock."""
        lost_at = self._link.lost_at
        task = self._collector.task
        return 0 if lost_at is None else int((time.monotonic() - lost_at) * task.cars / task.step_s)

    def _driven_steps(self) -> int:
        return self._link.acknowledged_steps + self._spool.steps + self._collector.waiting_steps

    def _drive(self) -> None:
        collector = self._collector
        collector.step()
        self._idle_since, self._flushed = None, False
        if self._watch is None and self._show.wanted:
            shown = Shown(
                source=SOURCE_TRAINING,
                car=0,
                attempt=int(collector.attempts[0]),
                policy_step=int(collector.policy_steps[0]),
                pace=collector.pace,
                deadline_misses=self._deadline_misses,
            )
            self._show.show(record_of(collector.task, shown), _TRAINING_FRAMES_PER_S)

    def _wait(self) -> None:
        now = time.monotonic()
        if self._idle_since is None:
            self._idle_since = now
        elif not self._flushed and now - self._idle_since > _FLUSH_AFTER_S and self._link.orders is not None:
            # The learner may wait for just these steps.
            self._flushed = self._collector.put_away(everything=True)
        wait_s = _LONGEST_WAIT_S if self._watch is None else min(_LONGEST_WAIT_S, self._watch.wait_s())
        self._link.wait_for_news(wait_s)

    def _leave(self) -> None:
        """Put everything into the spool and try to deliver it; what stays there is delivered next time."""
        self._state = "leaving"
        if self._link.orders is not None and not self._finished:
            stored = self._collector.put_away(everything=True)
            delivered = stored and (self._link.lost_at is not None or self._link.delivered(_DELIVER_AT_END_S))
            if not stored:
                raise self._collector.fault or TMStudioError("What was driven last could not be kept")
            if not delivered:
                self._events.emit("driving kept", steps=self._spool.steps)

    def _tell_health(self) -> None:
        now = time.monotonic()
        if now < self._next_health_s:
            return
        self._next_health_s = now + _HEALTH_EVERY_S
        collector = self._collector
        pace = collector.pace
        self._link.tell_health(
            pb.Health(
                steps_per_s=pace.steps_per_s,
                speed_factor=pace.speed_factor,
                step_ms=pace.step_ms,
                deadline_misses=self._deadline_misses,
                policy_lag_s=self._link.policy_lag_s,
                backlog_steps=self._spool.steps + collector.waiting_steps,
            )
        )

    def _tell_fault(self) -> None:
        fault = self._collector.fault
        if fault is not None and fault.message != self._told_fault:
            self._told_fault = fault.message
            self._events.emit("driving waits", message=fault.message, cause=fault.cause, hint=fault.hint)

    def _command_stop(self) -> str:
        self._stop("command")
        return "The driver delivers what it has driven and leaves"

    def _set_paused(self, *, paused: bool) -> str:
        self._paused = paused
        return "The driver waits" if paused else "The driver goes on"

    def _set_watch(self, *, wanted: bool) -> str:
        self._watch_wanted = wanted
        if not wanted:
            return "The car on show stops"
        return (
            "The newest policy drives at play speed"
            if self._link.policy is not None
            else "The first policy will drive at play speed as soon as there is one"
        )


def _announced_learner(run_path: Path) -> str | None:
    job = jobs.live_job(run_path, "learner")
    return f"{job.host}:{job.port}" if job is not None else None


def _loaded(content: bytes, version: int) -> LoadedPolicy:
    policy, made = decode_policy(content, seed=version)  # each explores by other random numbers
    return LoadedPolicy(version, made.policy_step, policy)


def _seed(config: RunConfig, name: str) -> int:
    """A start for random numbers that differs between drivers and from that of everything else in the run."""
    return int(np.random.SeedSequence([config.seed, *re.sub(r"\W", "", name).encode()]).generate_state(1)[0])
