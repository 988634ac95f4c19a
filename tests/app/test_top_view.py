"""The track from above is no mirror image."""

from __future__ import annotations

import numpy as np
import pytest

from tmstudio.app.top_view import TopView
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary


@pytest.mark.parametrize("name", ["meadow", "valley", "canyon"])
def test_left_of_the_road_is_left_of_the_driving_direction_on_the_screen(name: str) -> None:
    track = TrackLibrary().load(name)
    view = TopView(track, 0, 0, 600, 300)
    ahead = np.diff(view.pixels(track.center_m[track.lap_points]), axis=0)
    to_left = (view.pixels(track.left_m) - view.pixels(track.right_m))[track.lap_points][:-1]
    # Rows grow downward: left of (right, down) is where this product is negative.
    cross = ahead[:, 0] * to_left[:, 1] - ahead[:, 1] * to_left[:, 0]
    assert (cross < 0).all()


def test_it_fills_its_rectangle_and_stays_inside(valley: Track) -> None:
    view = TopView(valley, 10, 20, 400, 200)
    points = np.concatenate([view.left_border, view.right_border])
    low, high = points.min(axis=0), points.max(axis=0)
    assert (low >= [9.99, 19.99]).all()
    assert (high <= [410.01, 220.01]).all()
    assert max((high - low) / [400, 200]) == pytest.approx(1.0)


def test_it_lies_rather_than_stands(valley: Track) -> None:
    view = TopView(valley, 0, 0, 1000, 1000)
    size = np.ptp(np.concatenate([view.left_border, view.right_border]), axis=0)
    assert size[0] >= size[1]
