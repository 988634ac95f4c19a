"""What people see of the driving."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from tests.runtime.workers import Workshop, until
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.live_ring import LiveReader, new_record
from tmstudio.runtime.live import SOURCE_TRAINING, SOURCE_WATCH, halfway


@pytest.mark.parametrize(("before", "after"), [(3.1, -3.1), (-3.1, 3.1), (0.2, 0.4)])
def test_halfway_lies_between_two_places_the_short_way_round(before, after):
    one, two = new_record(), new_record()
    one["position_m"], two["position_m"] = (0, 5, 10), (2, 5, 20)
    one["heading_rad"], two["heading_rad"] = before, after
    one["gear"], two["gear"] = 2, 3
    between = halfway(one, two)
    assert between["position_m"].tolist() == [1, 5, 15]
    assert between["gear"] == 3
    heading = float(between["heading_rad"])
    for end in (before, after):
        assert math.cos(heading - end) > math.cos(0.11)


class Viewer:
    """Keeps a ring alive, as the Live page does, and collects what it shows."""

    def __init__(self, run: RunFolder) -> None:
        self.records: list[np.void] = []
        self.frames = 0
        self._reader = LiveReader(run.live_path("actor-1"))
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        index = number = 0
        while not self._ended.wait(0.01):
            self._reader.beat()
            records = self._reader.records_since(index)
            if len(records):
                index = int(records["index"][-1])
                self.records.extend(records)
            frame = self._reader.frame(number)
            if frame is not None:
                number, self.frames = frame.number, self.frames + 1

    def close(self) -> None:
        """Look away."""
        self._ended.set()
        self._thread.join()
        self._reader.close()


@pytest.fixture
def watched(workshop: Workshop) -> Iterator[tuple]:
    run = workshop.new_run()
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    actor.until(lambda status: status["policy_version"] > 0, "a policy drives")
    viewer = Viewer(run)
    yield learner, actor, viewer
    viewer.close()
    assert actor.stop() == learner.stop() == 0


def test_watching_shows_the_newest_policy_at_play_speed_while_training_goes_on(watched):
    learner, actor, viewer = watched
    until(lambda: viewer.frames >= 3, "training is shown")
    assert {int(record["source"]) for record in viewer.records} == {SOURCE_TRAINING}
    training = viewer.records[-1]
    assert training["steps_per_s"] >= 0
    assert np.isclose(training["terms"].sum(), training["return_"], atol=1e-3)

    assert "play speed" in actor.command("watch")
    until(lambda: viewer.records[-1]["source"] == SOURCE_WATCH, "the watched car is shown")
    before, begun, seen = (learner.status() or {})["steps"], time.monotonic(), len(viewer.records)
    time.sleep(4.0)
    shown = viewer.records[seen:]
    assert {int(record["source"]) for record in shown} == {SOURCE_WATCH}
    assert (learner.status() or {})["steps"] > before
    one_attempt = [record for record in shown if record["episode"] == shown[-1]["episode"]]
    driven_s = one_attempt[-1]["race_time_s"] - one_attempt[0]["race_time_s"]
    passed_s = one_attempt[-1]["time_s"] - one_attempt[0]["time_s"]
    assert driven_s <= passed_s + 0.2, "never faster than the clock"
    assert time.monotonic() - begun >= 4.0

    actor.command("unwatch")
    until(lambda: viewer.records[-1]["source"] == SOURCE_TRAINING, "training is shown again")


def test_a_run_on_the_clock_drives_at_the_speed_of_the_clock(workshop: Workshop):
    run = workshop.new_run(game={"cars": 1, "pace": "real time"}, replay={"warmup": 40})
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    first = actor.until(lambda status: status["steps"] > 20, "it drives")
    begun = time.monotonic()
    later = actor.until(lambda status: status["steps"] > first["steps"] + 100, "it drives on")
    assert later["steps"] - first["steps"] <= 20 * (time.monotonic() - begun) + 5
    learner.until(lambda status: status["updates"] > 0, "it is learned from")
    assert actor.stop() == learner.stop() == 0


def test_a_full_spool_stops_the_driving_until_the_learner_is_back(workshop: Workshop):
    run = workshop.new_run(pacing={"spool_mb": 1}, game={"cars": 64}, observation={"track_points": 60})
    learner, actor = workshop.start(run, "learner"), workshop.start(run, "actor")
    learner.until(lambda status: status["updates"] > 0, "it learns")
    learner.kill()
    full = actor.until(
        lambda status: status["spool_bytes"] > 2**20 and status["state"] == "waiting for the learner",
        "the spool is full",
    )
    assert full["spool_bytes"] < 4 * 2**20
    again = workshop.start(run, "learner")
    again.until(lambda status: status["steps"] > full["steps"], "it goes on")
    assert actor.stop() == again.stop() == 0
