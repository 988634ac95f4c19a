"""Points of the borders ahead."""

from __future__ import annotations

import numpy as np
import pytest

from tests.track.reference import random_places
from tmstudio.track.ahead import points_ahead
from tmstudio.track.geometry import Track


def test_points_on_a_straight_road(straight: Track) -> None:
    points = points_ahead(straight, np.array([[3.0, 10.0]]), np.array([0.0]), np.array([130.0]), 4, 8.0)
    assert points.shape == (1, 2, 4, 2)
    assert points.dtype == np.float32
    forward = [8.0, 16.0, 24.0, 32.0]
    assert points[0, 0] == pytest.approx(np.stack([forward, [7.0] * 4], axis=1), abs=1e-5)
    assert points[0, 1] == pytest.approx(np.stack([forward, [-13.0] * 4], axis=1), abs=1e-5)


def test_a_car_turned_left_has_the_road_to_its_right(straight: Track) -> None:
    points = points_ahead(straight, np.array([[0.0, 10.0]]), np.array([np.pi / 2]), np.array([130.0]), 1, 8.0)
    # Facing +x, +z is to the right.
    assert points[0, 0, 0] == pytest.approx([10.0, -8.0], abs=1e-5)


def test_points_are_those_of_the_borders(track: Track) -> None:
    position, road, arc, _ = random_places(track, 200, seed=3)
    heading = road + np.random.default_rng(1).normal(size=len(arc))
    points = points_ahead(track, position, heading, arc, 20, 8.0)
    for car in range(0, 200, 7):
        pairs = track.pairs_at(arc[car] + 8.0 * np.arange(1, 21))
        for border in (0, 1):
            away = pairs[border][:, [0, 2]] - position[car]
            sine, cosine = np.sin(heading[car]), np.cos(heading[car])
            expected = np.stack([away @ [sine, cosine], away @ [cosine, -sine]], axis=1)
            assert points[car, border] == pytest.approx(expected, abs=1e-3)


def test_beyond_the_end_the_road_goes_on_straight(straight: Track) -> None:
    points = points_ahead(straight, np.array([[0.0, 200.0]]), np.array([0.0]), np.array([320.0]), 30, 30.0)
    assert points[0, 0, :, 0] == pytest.approx(30.0 * np.arange(1, 31), rel=1e-5)
    assert points[0, 0, :, 1] == pytest.approx(10.0, rel=1e-4)
