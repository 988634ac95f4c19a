"""Which side is left, and how far a lap is: laps of people in the game against the imported track."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tmstudio.track.geometry import Track, heading_of
from tmstudio.track.projection import Projection, Projector

Floats = NDArray[np.float64]

RACE_TIME_MS, POSITION_XZ, VELOCITY_XZ, FORWARD_XZ, STEER = 3, [4, 6], [7, 9], [10, 12], 30
HUMANS = [f"human-0{number}" for number in range(1, 8)]
RECOVERIES = [f"recovery-0{number}" for number in range(1, 4)]


def load(recordings: Path, name: str) -> Floats:
    with np.load(recordings / "laps" / f"{name}.npz") as archive:
        frames: Floats = archive["frames"].astype(np.float64)
        return frames


def follow(track: Track, position_xz: Floats) -> Projection:
    """Places of one car at all frames, each looked for around the last one."""
    projector = Projector(track)
    last = np.array([track.start_arc_m])
    places = []
    for xz in position_xz:
        place = projector.advance(xz[None], last)
        last = place.arc_m
        places.append(place)
    return Projection(*(np.concatenate(parts) for parts in zip(*places, strict=True)))


@pytest.mark.parametrize("name", HUMANS)
def test_a_human_lap_is_as_long_as_the_track_and_inside_it(tmrl: Track, recordings: Path, name: str) -> None:
    frames = load(recordings, name)
    place = follow(tmrl, frames[:, POSITION_XZ])
    progress = place.arc_m - tmrl.start_arc_m
    assert progress[0] == pytest.approx(0.0, abs=0.1)
    # The last frame is at most a frame (1 m) after the finish, or one before it.
    assert progress[-1] == pytest.approx(tmrl.length_m, abs=1.3)
    assert np.diff(progress).min() > -0.01
    assert (np.abs(place.lateral_m) - place.half_width_m).max() < -0.4
    # Centre line per metre driven: people cut bends.
    gained, driven = np.diff(progress), np.hypot(*np.diff(frames[:, POSITION_XZ], axis=0).T)
    moving = driven > 0.1
    assert np.median(gained[moving] / driven[moving]) == pytest.approx(1.06, abs=0.04)
    assert gained.max() < 14.0


@pytest.mark.parametrize("name", RECOVERIES)
def test_cars_at_the_wall_are_at_most_1_1_m_beyond_the_border(
    tmrl: Track, recordings: Path, name: str
) -> None:
    frames = load(recordings, name)
    place = follow(tmrl, frames[:, POSITION_XZ])
    beyond = np.abs(place.lateral_m) - place.half_width_m
    assert beyond.max() < 1.1
    assert place.arc_m[-1] - tmrl.start_arc_m == pytest.approx(tmrl.length_m, abs=2.0)


def test_the_race_clock_at_the_finish_is_that_of_the_game(tmrl: Track, recordings: Path) -> None:
    for name in HUMANS:
        frames = load(recordings, name)
        with np.load(recordings / "laps" / f"{name}.npz") as archive:
            finish_time_s = float(archive["finish_time_s"])
        progress = follow(tmrl, frames[:, POSITION_XZ]).arc_m - tmrl.start_arc_m
        speed = np.hypot(*frames[-1, VELOCITY_XZ])
        crossing_s = frames[-1, RACE_TIME_MS] / 1000 - (progress[-1] - tmrl.length_m) / speed
        assert crossing_s == pytest.approx(finish_time_s, abs=0.03)


def test_steering_right_lowers_the_heading(recordings: Path) -> None:
    frames = load(recordings, HUMANS[0])
    heading = np.unwrap(heading_of(frames[:, FORWARD_XZ]))
    turning = np.gradient(heading, frames[:, RACE_TIME_MS] / 1000)
    moving = np.hypot(*frames[:, VELOCITY_XZ].T) > 10
    assert np.corrcoef(frames[moving, STEER], turning[moving])[0, 1] < -0.7


def test_cars_face_along_the_road(tmrl: Track, recordings: Path) -> None:
    frames = load(recordings, HUMANS[3])
    place = follow(tmrl, frames[:, POSITION_XZ])
    along = np.einsum("nk,nk->n", frames[:, FORWARD_XZ], place.tangent)
    assert np.median(along) > 0.95
    assert along.min() > 0.3


def test_moving_left_of_the_road_raises_the_lateral_place(tmrl: Track, recordings: Path) -> None:
    frames = load(recordings, HUMANS[2])
    place = follow(tmrl, frames[:, POSITION_XZ])
    left = np.stack([place.tangent[:, 1], -place.tangent[:, 0]], axis=1)
    sideways = np.einsum("nk,nk->n", frames[:, VELOCITY_XZ], left)
    time_s = frames[:, RACE_TIME_MS] / 1000
    assert np.corrcoef(np.gradient(place.lateral_m, time_s), sideways)[0, 1] > 0.99
