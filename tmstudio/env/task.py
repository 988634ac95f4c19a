"""The driving task: N cars on a track, the delayed control clock, rewards and attempts.

Time runs on a grid of control steps (50 ms). An observation is taken 40 ms into a step; the action that the policy
makes of it goes out not at the next edge of the grid, which is too near, but at the one after it, 60 ms after the
observation. So between two observations the car is driven by the action before the last one for the 10 ms that are
left of the old step, and by the last one for the first 40 ms of the new step:

    edge          k            k+1           k+2
    observed            o(k)         o(k+1)
    in force      a(k-2)       a(k-1)        a(k)

Both actions are part of the observation, which thereby knows all that the car is going to do until the action takes
effect. The same code drives a simulator, whose `advance` computes, and a real game, whose `advance` waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tmstudio.config.run_config import RunConfig
from tmstudio.env.actions import as_sent, checked_actions, controls_of
from tmstudio.env.episodes import (
    FINISHED,
    MISSED_CHECKPOINT,
    OFF_TRACK,
    STUCK,
    TIME_LIMIT,
    WRONG_WAY,
    EpisodeAccounts,
    EpisodeSummary,
)
from tmstudio.env.observation import PAST_ACTIONS, ObservationBuilder
from tmstudio.env.progress import OFF_TRACK_M, ProgressRatchet
from tmstudio.env.reward import reward_terms, reward_weights
from tmstudio.env.starts import StartSource
from tmstudio.game.interface import Game
from tmstudio.game.state import VehicleState
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projection, Projector

HELD_AT_START: Final = (1.0, 0.0, 0.0)
"""The action in force when an attempt begins: full gas straight ahead, as held through a countdown."""

WRONG_WAY_M: Final = 10.0
"""A car that ends without progress and this far behind its furthest place has driven the wrong way."""

GATE_REACH_M: Final = 20.0
"""A car this far beyond a checkpoint that the game has not counted has missed it; a game may count a moment late."""


@runtime_checkable
class LocatesCars(Protocol):
    """A game that knows where on the track its cars are, so that they need not be looked for again."""

    @property
    def projection(self) -> Projection:
        """Where the cars are now."""
        ...


@dataclass(frozen=True)
class Transition:
    """What one control step brought to N cars. The arrays belong to the transition."""

    observation: NDArray[np.float32]
    """(N, D) what the policy acts on next; of an attempt that ended, the first of the next attempt."""
    final_observation: NDArray[np.float32]
    """(N, D) what the step itself led to; differs from ``observation`` where an attempt ended."""
    reward_terms: NDArray[np.float32]
    """(N, K) raw terms in the order of ``REWARD_TERMS``."""
    terminated: NDArray[np.bool_]
    """(N,) attempts that ended by what the car did: nothing more is earned after it."""
    truncated: NDArray[np.bool_]
    """(N,) attempts that were cut off by the time limit: the driving could have gone on."""
    episodes: list[EpisodeSummary]
    """The attempts that ended, by car."""


class DriveTask:
    """N cars that drive attempt after attempt; an attempt that ends is followed by the next in the same step.

    Args:
        config: observation, action, timing, reward and episode of the run.
        track: where the cars drive.
        game: what drives them.
        starts: where attempts begin.
        delays: draws how far the delay of each attempt is from the right one, where the configuration randomises it;
            None keeps it right.
    """

    def __init__(
        self,
        config: RunConfig,
        track: Track,
        game: Game,
        starts: StartSource,
        delays: np.random.Generator | None = None,
    ) -> None:
        cars = game.cars
        self.config = config
        self.track = track
        self.game = game
        self.cars = cars
        self.step_s = config.timing.step_ms / 1000.0
        self.weights: NDArray[np.float64] = reward_weights(config.reward)
        self.observations = ObservationBuilder(
            config.observation, track, cars, self.step_s, game.capabilities
        )
        self.ratchet = ProgressRatchet(cars, track.length_m, self.step_s, config.episode.stuck_s)
        self.accounts = EpisodeAccounts(cars, self.weights, track.length_m, track.checkpoints_m)
        self.state: VehicleState
        self.projection: Projection
        self.actions: NDArray[np.float32] = np.zeros((cars, PAST_ACTIONS, 3), dtype=np.float32)
        """(N, 2, 3) the last two actions as they reach the car, the newer one first."""
        self.starts = starts
        """Where the next attempts begin."""
        self._locator = game if isinstance(game, LocatesCars) else None
        self._projector = Projector(track)
        self._delays = delays if config.randomisation.delay_ms else None
        self._switch_ms = np.full(cars, config.timing.step_ms - config.timing.capture_ms)
        self._step_limit = round(config.episode.time_limit_s / self.step_s)
        counted = track.checkpoints_m if "checkpoint" in game.capabilities else ()
        self._gates_m = np.array([*counted, np.inf])
        self._clock_s = np.zeros(cars)
        self._arc_m = np.full(cars, track.start_arc_m)

    @property
    def observation_size(self) -> int:
        """Length D of an observation."""
        return self.observations.size

    @property
    def lidar_m(self) -> NDArray[np.float32]:
        """(N, 19) the newest LIDAR readings."""
        return self.observations.lidar_m

    def reset(self) -> NDArray[np.float32]:
        """Begin a new attempt with every car; the observations (N, D)."""
        return self._restart(np.arange(self.cars))

    def step(self, actions: NDArray[np.floating]) -> Transition:
        """Drive one control step with the actions (N, 3) made of the last observations."""
        sent = as_sent(checked_actions(actions, self.cars), self.config.action)
        self._drive()
        last_steer = self.actions[:, 0, 2]
        self.actions = np.stack([sent, self.actions[:, 0]], axis=1)

        state = self._look()
        projection = self.projection
        beyond_m = self._beyond_border_m()
        finished = state.finished
        progress_m = self.ratchet.advance(
            projection.arc_m - self.track.start_arc_m, beyond_m, finished, self._reach_m(state)
        )
        failed = ~finished & self.ratchet.stuck
        terms = reward_terms(
            progress_m=progress_m,
            elapsed_s=self._elapsed_s(state),
            finished=finished,
            failed=failed,
            beyond_border_m=beyond_m,
            step_s=self.step_s,
            steer=sent[:, 2],
            last_steer=last_steer,
        )
        self.accounts.add(terms, self.ratchet.furthest_m, self._clock_s)
        terminated = finished | failed
        truncated = ~terminated & (self.accounts.steps >= self._step_limit)
        final = self.observations.build(
            state, projection, self.actions, self.ratchet.behind_m, self.ratchet.without_progress
        )

        ended = np.nonzero(terminated | truncated)[0]
        if not len(ended):
            return Transition(final.copy(), final, terms, terminated, truncated, [])
        episodes = [self._close(car) for car in ended.tolist()]
        observation = final.copy()
        observation[ended] = self._restart(ended)
        return Transition(observation, final, terms, terminated, truncated, episodes)

    def _drive(self) -> None:
        """From observation to observation: the action before the last one, and from each car's switch on the last."""
        begin_ms, step_ms = 0, self.config.timing.step_ms
        for end_ms in [*np.unique(self._switch_ms).tolist(), step_ms]:
            if end_ms > begin_ms:
                older = self._switch_ms[:, None] >= end_ms
                in_force = np.where(older, self.actions[:, 1], self.actions[:, 0])
                self.game.advance(controls_of(in_force), (end_ms - begin_ms) / 1000.0)
                begin_ms = end_ms

    def _draw_delays(self, cars: NDArray[np.intp]) -> None:
        """Shift the switch of the cars at the indices (n,), on the game's grid of 10 ms and within a step."""
        if self._delays is not None:
            timing, most = self.config.timing, self.config.randomisation.delay_ms // 10
            shift_ms = 10 * self._delays.integers(-most, most + 1, len(cars))
            right_ms = timing.step_ms - timing.capture_ms
            self._switch_ms[cars] = np.clip(right_ms + shift_ms, 0, timing.step_ms)

    def _look(self) -> VehicleState:
        """Take in the newest state and where it is on the track, searched from where the cars were."""
        self.state = self.game.observe()
        if self._locator is not None:
            self.projection = self._locator.projection
        else:
            self.projection = self._projector.advance(self.state.position_m[:, ::2], self._arc_m)
        self._arc_m = self.projection.arc_m
        return self.state

    def _elapsed_s(self, state: VehicleState) -> NDArray[np.float64]:
        """(N,) time that this step took: up to the line where the race clock tells when it was crossed."""
        before = self._clock_s
        clock = state.race_time_s
        known = np.isfinite(clock)
        self._clock_s = np.where(known, clock, before + self.step_s)
        to_the_line = np.clip(clock - before, 0.0, self.step_s)
        return np.where(state.finished & known, to_the_line, self.step_s)

    def _close(self, car: int) -> EpisodeSummary:
        return self.accounts.close(
            car, self._end(car), float(self.ratchet.furthest_m[car]), float(self._clock_s[car])
        )

    def _end(self, car: int) -> str:
        """How the attempt of ``car`` has just ended."""
        if self.state.finished[car]:
            return FINISHED
        if not self.ratchet.stuck[car]:
            return TIME_LIMIT
        place_m = self.projection.arc_m[car] - self.track.start_arc_m
        if place_m > self._reach_m(self.state)[car]:
            return MISSED_CHECKPOINT
        if self._beyond_border_m()[car] > OFF_TRACK_M:
            return OFF_TRACK
        return WRONG_WAY if self.ratchet.behind_m[car] > WRONG_WAY_M else STUCK

    def _reach_m(self, state: VehicleState) -> NDArray[np.float64]:
        """(N,) how far each car can come without missing its next checkpoint, metres from the start line."""
        return self._gates_m[np.minimum(state.checkpoint, len(self._gates_m) - 1)] + GATE_REACH_M

    def _beyond_border_m(self) -> NDArray[np.float64]:
        """(N,) how far each car's centre is beyond the nearer border, negative inside."""
        beyond_m: NDArray[np.float64] = np.abs(self.projection.lateral_m) - self.projection.half_width_m
        return beyond_m

    def _restart(self, cars: NDArray[np.intp]) -> NDArray[np.float32]:
        """Begin a new attempt with the cars at the indices (n,); their first observations (n, D)."""
        self._draw_delays(cars)
        drawn = self.starts.draw(cars)
        mask = np.zeros(self.cars, dtype=np.bool_)
        mask[cars] = True
        self.game.reset(mask, drawn.starts)
        self.actions[cars] = HELD_AT_START
        self._arc_m = self._arc_m.copy()
        self._arc_m[cars] = drawn.starts.arc_m
        state = self._look()
        self.ratchet.restart(cars, self.projection.arc_m[cars] - self.track.start_arc_m)
        self.accounts.restart(cars, drawn.from_start, drawn.seeds)
        self._clock_s[cars] = np.nan_to_num(state.race_time_s[cars])
        return self.observations.restart(
            cars, state, self.projection, self.actions, self.ratchet.behind_m, self.ratchet.without_progress
        )
