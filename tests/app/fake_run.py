"""Runs that look as if they had trained, made through the same interfaces that workers use."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from tmstudio.config.loading import apply_overrides
from tmstudio.config.presets import preset
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.game.simulator.renderer import HoodRenderer
from tmstudio.runs import jobs
from tmstudio.runs.events import EventLog
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.live_ring import LiveWriter, new_record
from tmstudio.runs.metrics import MetricsWriter
from tmstudio.runs.records import EpisodeRow, EvaluationRow
from tmstudio.track.geometry import Track
from tmstudio.track.raycast import cast


class FakeRun:
    """A run whose learner and driver are played by the test.

    Args:
        track: the track.
        name: the run's name.
        overrides: changes of the quick-start preset.
    """

    def __init__(self, track: Track, name: str, overrides: tuple[str, ...] = ()) -> None:
        config = apply_overrides(preset("quickstart"), [f"track={track.name}", *overrides], "the test")
        self.track = track
        self.folder = RunFolder.create(config, track_sha256=track.sha256, name=name)
        self.metrics = MetricsWriter(self.folder.metrics_path)
        self.events = EventLog(self.folder.path, "learner")
        self._jobs: list[jobs.Job] = []
        self._driving: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def announce(self, *roles: str) -> None:
        """Let this process pass for workers."""
        for role in roles:
            self._jobs.append(
                jobs.announce(self.folder.path, role, port=9, actor_id="actor-1" if role == "actor" else "")
            )

    def withdraw(self) -> None:
        """Let the workers be gone."""
        for job in self._jobs:
            jobs.withdraw(self.folder.path, job)
        self._jobs.clear()

    def train(self, minutes: float = 12.5, *, seed: int = 1, best_s: float = 22.4) -> None:
        """Write metrics as a run of that length has them."""
        rng = np.random.default_rng(seed)
        seconds = int(minutes * 60)
        for second in range(1, seconds, 2):
            part = second / seconds
            step = second * 640
            self.metrics.scalars(
                {
                    "loss/critic": 0.2 + 2.2 * np.exp(-4 * part) * rng.lognormal(0, 0.25),
                    "loss/actor": -8 - 20 * part + rng.normal(),
                    "policy/entropy": 1.2 - 3.4 * part**0.5 + 0.12 * rng.normal(),
                    "policy/temperature": 0.1 * np.exp(-3 * part),
                    "learner/updates_per_s": 58 + 2 * rng.normal(),
                    "learner/update_ratio": 0.09,
                    "replay/size": float(min(step, 300_000)),
                    "replay/capacity": 300_000.0,
                    "replay/age_s": min(second, 470.0),
                    "actor/steps_per_s": 641 + 12 * rng.normal(),
                    "actor/policy_lag_s": 0.4,
                    "actor/speed_factor": 2.0,
                },
                step=step,
                updates=second * 58,
                time_s=float(second),
            )
        for number in range(1, int(minutes * 50)):
            self._attempt(number, number / (minutes * 50), seconds, rng, best_s)
        for number in range(1, int(minutes * 60 / 15)):
            self._trial(number, number * 15 / seconds, seconds, rng, best_s)
        self.metrics.flush()
        self.events.emit("checkpoint", step=seconds * 640, path="checkpoints/step-000480000")

    def _attempt(self, number: int, part: float, seconds: int, rng: Any, best_s: float) -> None:
        from_start = rng.random() < 0.3
        good = rng.random() < min(0.97, 3 * part)
        progress = 1.0 if good else float(rng.uniform(0.05, 0.9))
        lap = best_s * (1 + 0.9 * np.exp(-3 * part)) + abs(rng.normal(0, 0.6))
        metres = self.track.length_m * progress
        terms = dict(
            zip(
                REWARD_TERMS,
                (metres * 0.1, -lap * progress, 10.0 * good, -5.0 * (not good), -0.9, 0.0),
                strict=True,
            )
        )
        returned = sum(terms.values())
        self.metrics.episode(
            EpisodeRow(
                time_s=seconds * part,
                step=int(seconds * part * 640),
                actor_id="actor-1",
                car=number % 16,
                policy_step=int(seconds * part * 620),
                origin="simulator",
                exploring=True,
                speed_factor=2.1,
                from_start=from_start,
                finished=good,
                lap_time_s=lap if good and from_start else None,
                progress_m=metres,
                progress_fraction=progress,
                return_=returned,
                steps=int(lap * 20 * progress),
                end="finished" if good else rng.choice(["stuck", "wrong way", "time limit"]),
                terms=terms,
            )
        )
        self.metrics.scalars(
            {"episode/return": returned, "rolling/finish_rate": min(0.97, 3 * part)},
            step=int(seconds * part * 640),
            updates=int(seconds * part * 58),
            time_s=seconds * part,
        )

    def _trial(self, number: int, part: float, seconds: int, rng: Any, best_s: float) -> None:
        rate = round(min(1.0, 4 * part) * 10) / 10
        laps = [
            best_s * (1 + 0.8 * np.exp(-3.5 * part)) + abs(rng.normal(0, 0.5)) for _ in range(int(rate * 10))
        ]
        self.metrics.evaluation(
            EvaluationRow(
                time_s=seconds * part,
                step=int(seconds * part * 640),
                policy_step=int(seconds * part * 640),
                updates=int(seconds * part * 58),
                episodes=10,
                finish_rate=rate,
                median_lap_s=float(np.median(laps)) if laps else None,
                best_lap_s=min(laps, default=None),
                mean_return=50.0,
                lap_times_s=(*laps, *[None] * (10 - len(laps))),
                seeds=tuple(range(10)),
                speed=31.0,
                origin="simulator",
                best=True,
            )
        )

    def drive(
        self, *, source: int = 0, start: float = 0.0, rate_per_s: float = 60.0, ahead: float = 0.5
    ) -> None:
        """Write telemetry and frames like a driver, from ``start`` to beyond, until `stop_driving`.

        Args:
            source: 0 for training, 1 for watching.
            start: share of the lap at which it begins.
            rate_per_s: records a second.
            ahead: share of the lap that is in the ring before any time has passed.
        """
        self._driving = threading.Event()
        self._thread = threading.Thread(target=self._drive, args=(source, start, rate_per_s, ahead))
        self._thread.start()

    def stop_driving(self) -> None:
        """Let the driver fall silent, as a killed one does."""
        if self._driving is not None and self._thread is not None:
            self._driving.set()
            self._thread.join()
            self._driving = None

    def _drive(self, source: int, start: float, rate_per_s: float, ahead: float) -> None:
        writer = LiveWriter(self.folder.live_path("actor-1"))
        renderer = HoodRenderer(self.track)
        points = self.track.center_m[self.track.lap_points]
        count = len(points)
        turn = np.gradient(np.unwrap(np.arctan2(*self.track.tangent[self.track.lap_points].T)))
        bend = np.abs(turn)
        speeds = np.convolve(np.clip(78 - 900 * bend, 24, 78), np.ones(21) / 21, mode="same") * np.minimum(
            1, np.arange(count) / 40 + 0.1
        )
        place, lap = int(start * count), 1
        assert self._driving is not None
        while not self._driving.wait(
            1 / rate_per_s if place > ahead * count or not writer.wanted() else 0.001
        ):
            position = points[place]
            tangent = self.track.tangent[self.track.lap_points][place]
            heading = float(np.arctan2(tangent[0], tangent[1]))
            arc = np.array([self.track.start_arc_m + place * 2.0])
            lidar = cast(self.track, position[[0, 2]][None], np.array([heading]), arc, 120.0)[0]
            record = new_record()
            speed = float(speeds[place])
            values = {
                "time_s": time.monotonic(),
                "source": source,
                "car": 0,
                "episode": lap,
                "policy_step": 410_000,
                "position_m": position,
                "velocity_mps": (speed * tangent[0], 0, speed * tangent[1]),
                "heading_rad": heading,
                "speed_mps": speed,
                "engine_rpm": 4000 + 90 * speed,
                "gear": 1 + min(4, int(speed / 16)),
                "skidding_wheels": int(bend[place] > 0.03) * 2,
                "gas": 1.0,
                "brake": 0.0,
                "steer": float(np.clip(-20 * turn[place], -1, 1)),
                "race_time_s": place * 0.04,
                "progress_m": place * 2.0,
                "progress_fraction": place / count,
                "from_start": 1,
                "lidar_m": lidar,
                "terms": (place * 0.2, -place * 0.04, 0, 0, -0.9, 0),
                "return_": place * 0.16 - 0.9,
                "steps_per_s": 641.0,
                "speed_factor": 1.0 if source else 2.1,
                "step_ms": 24.9,
                "deadline_misses": 0,
            }
            for name, value in values.items():
                record[name] = value
            frame = renderer.render(position, heading) if place > ahead * count and place % 3 == 0 else None
            writer.publish(record, frame)
            place += 1
            if place >= count:
                place, lap = 0, lap + 1
        writer.close()

    def close(self) -> None:
        """End everything."""
        self.stop_driving()
        self.withdraw()
        self.metrics.close()
