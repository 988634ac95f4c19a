"""What a track is, and which side is left."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.track.reference import cross
from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import SPACING_M, Pose, Track, forward_of, heading_of, to_top_view


def test_facing_plus_z_left_is_plus_x(straight: Track) -> None:
    position, heading = straight.place([straight.start_arc_m + 50], [3.0])
    assert heading == pytest.approx([0.0])
    assert position[0] == pytest.approx([3.0, 0.0, 50.0])
    left, right = straight.pairs_at([150.0])
    assert left[0, 0] > right[0, 0]


def test_headings_turn_from_plus_z_toward_plus_x() -> None:
    assert forward_of(np.array([0.0, np.pi / 2])) == pytest.approx(np.array([[0, 1], [1, 0]]), abs=1e-12)
    headings = np.linspace(-3, 3, 25)
    assert heading_of(forward_of(headings) * 7) == pytest.approx(headings)


def test_the_top_view_is_no_mirror_image(track: Track) -> None:
    """On the screen the left border lies to the left of the direction of driving."""
    center = to_top_view(track.center_m[:, [0, 2]])
    left = to_top_view(track.left_m[:, [0, 2]])
    driving = np.diff(center, axis=0)
    assert (cross(driving, (left - center)[:-1]) > 0).all()
    # With z up, the right side of a car that faces up is on the right of the screen.
    assert to_top_view(np.array([-1.0, 0.0]))[0] == 1.0


def test_points_are_evenly_spaced_and_pairs_never_cross(track: Track) -> None:
    steps = np.hypot(*np.diff(track.center_m[:, [0, 2]], axis=0).T)
    assert steps == pytest.approx(SPACING_M, rel=0.05)
    assert np.diff(track.arc_m) == pytest.approx(SPACING_M)
    for border in (track.left_m, track.right_m):
        forward = np.einsum("mk,mk->m", np.diff(border[:, [0, 2]], axis=0), track.tangent[:-1])
        assert forward.min() > 0.1


def test_tangent_and_half_width_describe_the_pairs(track: Track) -> None:
    normal = np.stack([track.tangent[:, 1], -track.tangent[:, 0]], axis=1)
    left = track.center_m[:, [0, 2]] + normal * track.half_width_m[:, None]
    assert left == pytest.approx(track.left_m[:, [0, 2]])
    assert np.hypot(*track.tangent.T) == pytest.approx(1.0)
    driving = np.diff(track.center_m[:, [0, 2]], axis=0)
    assert (np.einsum("mk,mk->m", driving, track.tangent[:-1]) > 1.9).all()


def test_the_spawn_is_at_the_start_and_faces_along_the_road(track: Track) -> None:
    position, heading = track.place([track.start_arc_m])
    assert position[0] == pytest.approx(track.spawn.position_m, abs=0.01)
    assert heading[0] == pytest.approx(track.spawn.heading_rad, abs=1e-3)


def test_borders_of_a_lap_are_cut_at_start_and_finish(track: Track) -> None:
    left, right = track.lap_borders()
    middle = (left + right)[:, [0, 2]] / 2
    assert middle[0] == pytest.approx(np.array(track.spawn.position_m)[[0, 2]], abs=0.01)
    steps = np.hypot(*np.diff(middle, axis=0).T)
    assert steps.sum() == pytest.approx(track.length_m, rel=0.01)


def test_beyond_its_ends_a_track_goes_on_straight(straight: Track) -> None:
    left, right = straight.pairs_at([-10.0, 500.0])
    assert left == pytest.approx(np.array([[10, 0, -130], [10, 0, 380]]))
    assert right == pytest.approx(np.array([[-10, 0, -130], [-10, 0, 380]]))


def test_arrays_cannot_be_changed(straight: Track) -> None:
    for name in ("left_m", "right_m", "center_m", "arc_m", "half_width_m", "tangent"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(straight, name)[0] = 1


def test_the_hash_is_of_the_geometry_alone(straight: Track) -> None:
    renamed = dataclasses.replace(straight, name="other", map_uid="uid", medals_s={"gold": 30.0})
    assert renamed.sha256 == straight.sha256
    moved = straight.left_m.copy()
    moved[50, 0] += 0.001
    others = [
        dataclasses.replace(straight, left_m=moved),
        dataclasses.replace(straight, finish_arc_m=straight.finish_arc_m - 1),
        dataclasses.replace(straight, checkpoints_m=(100.0,)),
        dataclasses.replace(straight, spawn=Pose((0.0, 0.0, 0.0), 0.1)),
    ]
    assert len({straight.sha256, *(other.sha256 for other in others)}) == 5
    # What is below a tenth of a millimetre differs between processors, and does not count.
    noise = straight.left_m + np.random.default_rng(0).uniform(-1e-5, 1e-5, straight.left_m.shape)
    assert dataclasses.replace(straight, left_m=noise).sha256 == straight.sha256


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left_m": np.zeros((5, 2))}, "not a list of points"),
        ({"left_m": np.full((221, 3), np.nan)}, "no numbers"),
        ({"left_m": np.zeros((4, 3)), "right_m": np.zeros((4, 3))}, "eight at least"),
        ({"finish_arc_m": 20.0}, "out of order"),
        ({"finish_arc_m": 9999.0}, "out of order"),
        ({"checkpoints_m": (50.0, 40.0)}, "checkpoints"),
        ({"checkpoints_m": (200.0,)}, "checkpoints"),
    ],
)
def test_what_is_no_track_is_refused(straight: Track, change: dict[str, Any], message: str) -> None:
    with pytest.raises(TMStudioError, match=message) as caught:
        dataclasses.replace(straight, **change)
    assert caught.value.hint


def test_exchanged_borders_are_refused(straight: Track) -> None:
    with pytest.raises(TMStudioError, match="exchanged"):
        dataclasses.replace(straight, left_m=straight.right_m, right_m=straight.left_m)


def test_touching_borders_are_refused(straight: Track) -> None:
    with pytest.raises(TMStudioError, match="touch"):
        dataclasses.replace(straight, left_m=straight.right_m)


def test_uneven_points_are_refused(straight: Track) -> None:
    with pytest.raises(TMStudioError, match="not 2 m apart"):
        dataclasses.replace(
            straight, left_m=straight.left_m * [1, 1, 3], right_m=straight.right_m * [1, 1, 3]
        )
