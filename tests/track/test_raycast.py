"""LIDAR from geometry, against slow and simple references."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.track.conftest import straight_track, track_along
from tests.track.reference import (
    distances_to_all_borders,
    random_places,
    way_in_corridor,
)
from tmstudio.track.geometry import EXTENSION_M, SPACING_M, Track
from tmstudio.track.projection import Projector
from tmstudio.track.raycast import BEAM_ANGLES_RAD, BEAMS, RayCaster, cast
from tmstudio.track.sight import needed_points

Floats = NDArray[np.float64]

RANGE_M = 120.0
KEPT_WITHIN_M = 0.03


def kept_borders(track: Track) -> list[Floats]:
    """The borders of the lap with the points that the ray caster keeps, cut at start and finish."""
    ends = np.array([track.start_arc_m, track.finish_arc_m]) / SPACING_M
    borders = []
    for border in (track.left_m[:, [0, 2]], track.right_m[:, [0, 2]]):
        kept = needed_points(border, KEPT_WITHIN_M)
        wanted = np.concatenate([ends[:1], kept[(kept > ends[0]) & (kept < ends[1])], ends[1:]])
        borders.append(np.stack([np.interp(wanted, kept, column[kept]) for column in border.T], axis=1))
    return borders


def test_beams_on_a_straight_road_read_what_trigonometry_says(straight: Track) -> None:
    position = np.array([[3.0, 80.0]])
    reading = cast(straight, position, np.array([0.0]), np.array([200.0]), RANGE_M)
    angle = np.abs(BEAM_ANGLES_RAD)
    # Left is +x: 7 m to the left border, 13 m to the right one; index 0 points right.
    aside = np.where(BEAM_ANGLES_RAD < 0, 13.0, 7.0)
    with np.errstate(divide="ignore"):
        expected = np.minimum(aside / np.sin(angle), RANGE_M)
    assert reading.shape == (1, BEAMS)
    assert reading.dtype == np.float32
    assert reading[0] == pytest.approx(expected, rel=1e-5)
    assert (reading[0, 0], reading[0, 18]) == pytest.approx((13.0, 7.0), rel=1e-5)
    assert reading[0, 9] == RANGE_M


def test_a_car_facing_back_reads_mirrored(straight: Track) -> None:
    position = np.array([[3.0, 80.0], [3.0, 80.0]])
    ahead, back = cast(straight, position, np.array([0.0, np.pi]), np.array([200.0, 200.0]), RANGE_M)
    assert back == pytest.approx(ahead[::-1], rel=1e-5)


def test_readings_equal_those_against_every_stretch_of_every_border(track: Track) -> None:
    """No other part of the track is ever seen, however near it is: all borders together give the same answer.

    Beams that leave the lap by an open end are the exception: beyond it they may meet another part of the track in
    the plane, where a car reads the straight continuation or the range.
    """
    position, road, arc, _ = random_places(track, 600, seed=2)
    heading = road + np.random.default_rng(3).uniform(-np.pi, np.pi, len(arc))
    reading = RayCaster(track, RANGE_M).cast(position, heading, arc)
    expected = distances_to_all_borders(kept_borders(track), position, heading, RANGE_M)
    excused = 0
    for car, beam in np.argwhere(np.abs(reading - expected) > 0.002 + 1e-4 * expected):
        angle = heading[car] + BEAM_ANGLES_RAD[beam]
        _, end_m = way_in_corridor(track, position[car], angle, arc[car], RANGE_M)
        if not track.start_arc_m + 4 < end_m < track.finish_arc_m - 4:
            continue
        assert touches_a_corner(track, position[car], angle), (
            car,
            beam,
            reading[car, beam],
            expected[car, beam],
        )
        excused += 1
    assert excused <= 3


def touches_a_corner(track: Track, position: Floats, angle: float) -> bool:
    """Whether a beam passes a point of a border so closely that single precision decides on which side."""
    points = np.concatenate(kept_borders(track)) - position
    ray = np.array([np.sin(angle), np.cos(angle)])
    along = points @ ray
    aside = np.abs(points @ np.array([ray[1], -ray[0]]))
    return bool((aside[(along > 0) & (along < RANGE_M)] < 0.003).any())


def test_left_out_points_hardly_matter(track: Track) -> None:
    """Against the full borders: beams that graze a wall feel the 3 cm most."""
    position, road, arc, _ = random_places(track, 300, seed=5)
    heading = road + np.random.default_rng(6).uniform(-np.pi, np.pi, len(arc))
    reading = RayCaster(track, RANGE_M).cast(position, heading, arc)
    borders = [border[:, [0, 2]] for border in (track.left_m, track.right_m)]
    expected = distances_to_all_borders(borders, position, heading, RANGE_M)
    inside = (arc > track.start_arc_m + 130) & (arc < track.finish_arc_m - 130)
    error = np.abs(reading - expected)[inside]
    assert np.median(error) < 0.01
    assert np.quantile(error, 0.99) < 0.5


@lru_cache(maxsize=16)
def winding(radius_m: float, turn_rad: float) -> RayCaster:
    """Left and right again."""
    bend_m = radius_m * turn_rad
    stretches = [(140, 0.0), (bend_m, 1 / radius_m), (20, 0.0), (bend_m, -1 / radius_m), (140, 0.0)]
    return RayCaster(track_along(stretches), RANGE_M)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([13.0, 20.0, 35.0, 60.0]), st.sampled_from([1.0, 2.2, 3.0]))
def test_readings_are_the_ways_inside_the_corridor(seed: int, radius_m: float, turn_rad: float) -> None:
    """Against a walk from one quadrilateral of the road to the next; the borders may be 3 cm off, as thinned."""
    caster = winding(radius_m, turn_rad)
    position, road, arc, _ = random_places(caster.track, 3, seed)
    heading = road + np.random.default_rng(seed).uniform(-np.pi, np.pi, 3)
    reading = caster.cast(position, heading, arc)
    for car in range(3):
        for beam in range(BEAMS):
            angle = heading[car] + BEAM_ANGLES_RAD[beam]
            slip = max(0.004, 0.03 / reading[car, beam])
            ways = [
                way_in_corridor(caster.track, position[car], angle + turn, arc[car], RANGE_M)[0]
                for turn in (-slip, 0.0, slip)
            ]
            assert min(ways) - 0.1 <= reading[car, beam] <= max(ways) + 0.1


def test_a_hairpin_hides_its_other_leg(hairpin: Track) -> None:
    position = np.array([[0.0, 180.0]])
    to_the_left = cast(hairpin, position, np.array([0.0]), np.array([180.0]), RANGE_M)[0, 18]
    assert to_the_left == pytest.approx(10.0, rel=1e-4)


def test_around_a_hairpin_nothing_is_missed(hairpin: Track) -> None:
    """From the bend both legs are in sight, far back and far ahead."""
    caster = RayCaster(hairpin, RANGE_M)
    arc = 220 + np.linspace(0, 14 * np.pi, 40)
    for lateral in (-9.9, 0.0, 9.9):
        position, road = hairpin.place(arc, lateral)
        xz = position[:, [0, 2]]
        for turn in np.linspace(-np.pi, np.pi, 9):
            reading = caster.cast(xz, road + turn, arc)
            expected = distances_to_all_borders(kept_borders(hairpin), xz, road + turn, RANGE_M)
            seen = expected < RANGE_M
            assert np.mean(np.abs(reading - expected)[seen] > 0.01) < 0.01


def test_a_border_point_exactly_behind_or_beside_a_car_is_no_hit(straight: Track) -> None:
    """Where rounding has the last word: border points straight behind, ahead and at right angles."""
    caster = RayCaster(straight, RANGE_M)
    for turn, beam in ((0.0, 9), (np.pi, 9), (np.pi / 2, 9), (-np.pi / 2, 9)):
        reading = caster.cast(
            np.array([[0.0, 40.0], [0.0, 41.0]]), np.full(2, turn), np.array([160.0, 161.0])
        )
        across = np.abs(np.sin(turn + BEAM_ANGLES_RAD))
        with np.errstate(divide="ignore"):
            expected = np.minimum(10.0 / np.where(across < 1e-9, 0.0, across), RANGE_M)
        assert reading[0] == pytest.approx(expected, rel=1e-4)
        assert reading[1, beam] == pytest.approx(expected[beam], rel=1e-4)


@pytest.mark.parametrize("beyond_m", [0.0, 0.5, 1.1])
@pytest.mark.parametrize("side", [-1, 1])
def test_beyond_a_border_the_road_is_seen_from_the_border(
    straight: Track, beyond_m: float, side: int
) -> None:
    """Outward beams read nothing, inward ones look across instead of ending at the border just behind."""
    position = np.array([[side * (10.0 + beyond_m), 80.0]])
    reading = cast(straight, position, np.array([0.0]), np.array([200.0]), RANGE_M)[0]
    outward, inward = (reading[10:], reading[:9][::-1]) if side > 0 else (reading[:9][::-1], reading[10:])
    assert outward[-1] == pytest.approx(0.05, abs=0.005)
    assert inward == pytest.approx(
        np.minimum(19.95 / np.sin(np.radians(np.arange(10, 91, 10))), RANGE_M), rel=1e-4
    )
    # From one side of the border to the other nothing jumps.
    just_inside = np.array([[side * 9.94, 80.0]])
    assert cast(straight, just_inside, np.array([0.0]), np.array([200.0]), RANGE_M)[0] == pytest.approx(
        reading, abs=0.15
    )


def test_beyond_a_border_of_a_bend_beams_look_across(track: Track) -> None:
    position, road, arc, lateral = random_places(track, 400, seed=8, beyond_m=1.1)
    half_width = np.interp(arc, track.arc_m, track.half_width_m)
    beyond = np.abs(lateral) > half_width + 0.05
    assert beyond.sum() > 20
    inward = road - np.sign(lateral) * np.pi / 2
    reading = RayCaster(track, RANGE_M).cast(position, inward, arc)[beyond, 9]
    assert reading == pytest.approx(2 * half_width[beyond], rel=0.15)


def test_through_the_open_ends_beams_read_the_range() -> None:
    track = straight_track(lambda arc: np.full(len(arc), 20.0), length_m=60.0)
    position = np.array([[0.0, 60.0], [0.0, 0.0], [0.0, 175.0]])
    arc = position[:, 1] + EXTENSION_M
    for range_m in (50.0, 120.0, 300.0):
        reading = cast(track, position, np.array([0.0, np.pi, 0.0]), arc, range_m)
        assert (reading[:, 9] == range_m).all()
        assert reading[:, 0] == pytest.approx(10.0, rel=1e-4)


def test_no_reading_exceeds_the_range_or_is_negative(bends: Track) -> None:
    position, road, arc, _ = random_places(bends, 500, seed=11, beyond_m=1.1)
    for range_m in (20.0, 120.0, 300.0):
        reading = cast(bends, position, road + 0.3, arc, range_m)
        assert reading.min() >= 0
        assert reading.max() <= range_m


def test_one_car_alone_reads_as_in_company(bends: Track) -> None:
    position, road, arc, _ = random_places(bends, 64, seed=12)
    caster = RayCaster(bends, RANGE_M)
    together = caster.cast(position, road, arc)
    for car in range(64):
        assert (
            caster.cast(position[car : car + 1], road[car : car + 1], arc[car : car + 1])[0] == together[car]
        ).all()


def test_walls_read_by_beams_are_where_the_projection_has_them(track: Track) -> None:
    """A car that drives as far as its side beam says is exactly at the border."""
    position, road, arc, _ = random_places(track, 300, seed=13)
    reading = RayCaster(track, RANGE_M).cast(position, road, arc)
    left = np.stack([np.cos(road), -np.sin(road)], axis=1)
    place = Projector(track).advance(position + left * reading[:, 18:19], arc)
    assert place.lateral_m == pytest.approx(place.half_width_m, abs=0.05)
