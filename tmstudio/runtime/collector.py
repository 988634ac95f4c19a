"""The driving that is learned from: N cars, step after step, into the spool."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.env.reward import REWARD_TERMS
from tmstudio.env.task import DriveTask, Transition
from tmstudio.errors import TMStudioError
from tmstudio.runtime.episode_records import to_message
from tmstudio.runtime.lanes import ACTION_SIZE, CHUNK_STEPS, Lanes
from tmstudio.runtime.pilot import LoadedPolicy, RandomPilot
from tmstudio.runtime.rates import Rate
from tmstudio.runtime.spool import Spool
from tmstudio.transport.codec import Batch, LaneChunk, pack
from tmstudio.transport.proto import tmstudio_pb2 as pb

_BATCH_STEPS_PER_CAR: Final = CHUNK_STEPS // 2
_BATCH_AGE_S: Final = 0.25
_RETRY_S: Final = 1.0
NO_POLICY_STEP: Final = -1
"""The policy step of an attempt that chance has driven."""


@dataclass(frozen=True)
class Pace:
    """How fast the driving goes.

    Attributes:
        steps_per_s: steps of all cars.
        speed_factor: driven seconds for each second of the clock.
        step_ms: time that the last step of all cars took, waiting for the clock included.
    """

    steps_per_s: float
    speed_factor: float
    step_ms: float


class Collector:
    """Drives, and puts what was driven into the spool.

    Args:
        task: the cars.
        pilot: drives before there is a policy.
        spool: takes the driving.

    Attributes:
        task: the cars.
        policy: drives; None before the first.
        policy_steps: (N,) the step of the newest policy that drove in each car's attempt.
        attempts: (N,) how many attempts each car has begun.
        fault: why the spool took nothing at the last try; None if it did.
    """

    def __init__(self, task: DriveTask, pilot: RandomPilot, spool: Spool) -> None:
        self.task = task
        self.policy: LoadedPolicy | None = None
        self.policy_steps = np.full(task.cars, NO_POLICY_STEP, np.int64)
        self.attempts = np.ones(task.cars, np.int64)
        self.fault: TMStudioError | None = None
        self._pilot = pilot
        self._spool = spool
        self._observations = task.reset()
        self._lanes = Lanes(self._observations, action_size=ACTION_SIZE, reward_terms=len(REWARD_TERMS))
        self._rollouts: list[LaneChunk] = []
        self._episodes: list[pb.Episode] = []
        self._waiting_steps = 0
        self._oldest_s = 0.0
        self._retry_at_s = 0.0
        self._rate = Rate()
        self._step_ms = 0.0
        self._mixed = np.zeros(task.cars, np.bool_)

    @property
    def waiting_steps(self) -> int:
        """Steps that were driven and are not in the spool yet; a killed process has not driven them."""
        return self._waiting_steps + self._lanes.steps

    @property
    def pace(self) -> Pace:
        """How fast the driving goes now."""
        per_s = self._rate.per_s
        return Pace(per_s, per_s / self.task.cars * self.task.step_s, self._step_ms)

    def step(self) -> Transition:
        """Drive one step of all cars."""
        begun = time.perf_counter()
        actions = self._act()
        transition = self.task.step(actions)
        for chunk in self._lanes.add(actions, transition):
            self._gather(chunk)
        for summary in transition.episodes:
            car = summary.car
            self._episodes.append(
                to_message(
                    summary,
                    policy_step=int(self.policy_steps[car]),
                    mixed_policies=bool(self._mixed[car]),
                    exploring=True,
                    speed_factor=self.pace.speed_factor,
                )
            )
            self.attempts[car] += 1
            self._mixed[car] = False
            self.policy_steps[car] = self._policy_step()
        self._observations = transition.observation
        self._rate.add(self.task.cars)
        self._step_ms = 1e3 * (time.perf_counter() - begun)
        return transition

    def put_away(self, *, everything: bool = False) -> bool:
        """Bring what was driven into the spool when it is enough or old enough; whether there was no fault.

        Args:
            everything: also what is neither, such as before a longer wait. Attempts go on afterwards.
        """
        if everything:
            for chunk in self._lanes.flush():
                self._gather(chunk)
        if not self._rollouts and not (everything and self._episodes):
            return True
        now = time.monotonic()
        enough = self._waiting_steps >= _BATCH_STEPS_PER_CAR * self.task.cars
        if not (everything or enough or now - self._oldest_s >= _BATCH_AGE_S):
            return True
        if self.fault is not None and now < self._retry_at_s:
            return False
        try:
            self._spool.add(pack(Batch(self._rollouts, self._episodes)), self._waiting_steps)
        except TMStudioError as error:  # a full disk: what was driven stays here until it has room again
            self.fault = error
            self._retry_at_s = now + _RETRY_S
            return False
        self.fault = None
        self._rollouts, self._episodes, self._waiting_steps = [], [], 0
        return True

    def _act(self) -> NDArray[np.float32]:
        if self.policy is None:
            return self._pilot.act()
        self._mixed |= self.policy_steps != self.policy.policy_step
        self.policy_steps[:] = self.policy.policy_step
        return self.policy.policy.act(self._observations, deterministic=False)

    def _policy_step(self) -> int:
        return NO_POLICY_STEP if self.policy is None else self.policy.policy_step

    def _gather(self, chunk: LaneChunk) -> None:
        if not self._rollouts:
            self._oldest_s = time.monotonic()
        self._rollouts.append(chunk)
        self._waiting_steps += len(chunk.chunk)
