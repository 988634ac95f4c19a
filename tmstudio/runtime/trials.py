"""Trials that the learner orders to choose its best policy, driven beside the training."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tmstudio.env.loop import TrialRound
from tmstudio.env.task import DriveTask
from tmstudio.runtime.episode_records import to_message
from tmstudio.runtime.link import OrderedTrials
from tmstudio.transport.proto import tmstudio_pb2 as pb


class TrialRun:
    """Ordered trials, driven side by side with their policy as it acts without exploring.

    Args:
        ordered: which, and by whom.
        make_task: makes a task with one car for each seed, as fast as it goes.
    """

    def __init__(self, ordered: OrderedTrials, make_task: Callable[[Sequence[int]], DriveTask]) -> None:
        policy = ordered.policy.policy
        task = make_task(ordered.seeds)
        self._ordered = ordered
        self._origin = task.game.origin
        self._round = TrialRound(
            task, lambda observations: policy.act(observations, deterministic=True), ordered.seeds
        )
        self._driving_s = 0.0

    @property
    def number(self) -> int:
        """Number of the order."""
        return self._ordered.number

    @property
    def done(self) -> bool:
        """Whether all trials have ended."""
        return self._round.done

    def drive_for(self, duration_s: float) -> None:
        """Drive at least one step, and more until ``duration_s`` has passed."""
        begun = time.perf_counter()
        while not self._round.done:
            self._round.step()
            if time.perf_counter() - begun >= duration_s:
                break
        self._driving_s += time.perf_counter() - begun

    def report(self) -> pb.TrialsReport:
        """The outcome."""
        simulated_s = self._round.steps * self._round.task.step_s
        speed = simulated_s / self._driving_s if self._driving_s > 0.0 else 0.0
        policy = self._ordered.policy
        return pb.TrialsReport(
            number=self._ordered.number,
            policy_version=policy.version,
            episodes=[
                to_message(
                    summary,
                    policy_step=policy.policy_step,
                    mixed_policies=False,
                    exploring=False,
                    speed_factor=speed,
                )
                for summary in self._round.results()
            ],
            speed=speed,
            origin=self._origin,
        )
