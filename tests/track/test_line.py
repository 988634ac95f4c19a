"""A driven line becomes a road, narrower where it has to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.importers.trajectory import read_trajectory
from tmstudio.track.line import track_from_line


def straight() -> NDArray[np.float64]:
    return np.linspace([0.0, 10.0, 0.0], [0.0, 10.0, 200.0], 2000)


def hairpin(radius_m: float) -> NDArray[np.float64]:
    """Two legs of 150 m, and half a circle to the left between them."""
    turn = np.linspace(0.0, np.pi, 100)
    legs = np.linspace(0.0, 150.0, 200)
    x = np.concatenate([0 * legs, radius_m * (1 - np.cos(turn)), 0 * legs + 2 * radius_m])
    z = np.concatenate([legs, 150.0 + radius_m * np.sin(turn), legs[::-1]])
    return np.stack([x, np.zeros(len(x)), z], axis=1)


def test_a_straight_line_becomes_a_road_of_the_width_from_its_first_point_on() -> None:
    track = track_from_line(straight(), "straight", 24.0)
    assert track.width_m == pytest.approx(24.0, abs=0.01)
    assert track.length_m == pytest.approx(200.0, abs=0.5)
    assert track.spawn.position_m == pytest.approx((0.0, 10.0, 0.0), abs=0.3)
    assert (track.left_m[:, 0] > track.right_m[:, 0]).all()
    assert "narrowest_m" not in track.origin


def test_inside_a_tight_bend_the_road_is_narrower_and_says_so() -> None:
    track = track_from_line(hairpin(10.0), "hairpin", 24.0)
    assert track.origin["narrowest_m"] < 20.0
    width = 2 * track.half_width_m[track.lap_points]
    assert width.min() == pytest.approx(track.origin["narrowest_m"], abs=0.5)
    # Away from the bend it is limited by the other leg alone.
    assert np.median(width) > 20.0


def test_a_wide_bend_keeps_the_width() -> None:
    track = track_from_line(hairpin(40.0), "hairpin", 24.0)
    assert "narrowest_m" not in track.origin


@pytest.mark.parametrize("width_m", [3.0, 300.0, float("nan")])
def test_impossible_widths_are_refused(width_m: float) -> None:
    with pytest.raises(TMStudioError, match="m wide"):
        track_from_line(straight(), "straight", width_m)


@pytest.mark.parametrize("width_m", [12.0, 24.0])
def test_the_real_trajectory_becomes_a_road(recordings: Path, width_m: float) -> None:
    track = track_from_line(read_trajectory(recordings / "reward.pkl"), "reward", width_m)
    assert track.width_m == pytest.approx(width_m, abs=0.1)
    assert track.spawn.position_m == pytest.approx((496.0, 10.0, 624.0), abs=0.3)
