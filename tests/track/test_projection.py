"""From positions to places on the track."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.track.reference import random_places
from tmstudio.track.generator import generate
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projector

CAR_BEYOND_M = 1.1


@lru_cache(maxsize=64)
def cached(seed: int, difficulty: int) -> tuple[Track, Projector]:
    track = generate(seed, difficulty, 400, 20, "any")
    return track, Projector(track)


tracks = st.builds(
    cached,
    st.integers(0, 40),
    st.integers(min_value=1, max_value=6),
)


@settings(max_examples=60, deadline=None)
@given(tracks, st.floats(0, 1), st.floats(-1, 1), st.floats(-14, 14))
def test_a_known_place_is_found_again(
    pair: tuple[Track, Projector], share: float, side: float, moved_m: float
) -> None:
    """Anywhere in the corridor, and as far beyond its borders as a car can be."""
    track, projector = pair
    arc = np.array([share * track.arc_m[-1]])
    half_width = np.interp(arc, track.arc_m, track.half_width_m)
    lateral = side * (half_width + CAR_BEYOND_M)
    position, heading = track.place(arc, lateral)
    place = projector.advance(position[:, [0, 2]], arc + moved_m)
    assert place.arc_m == pytest.approx(arc, abs=1e-6)
    assert place.lateral_m == pytest.approx(lateral, abs=1e-6)
    left, right = track.pairs_at(arc)
    across = (left - right)[:, [0, 2]]
    assert place.half_width_m == pytest.approx(np.hypot(*across.T) / 2, abs=1e-6)
    assert np.sin(np.arctan2(*place.tangent.T) - heading) == pytest.approx([0.0], abs=1e-9)
    assert projector.locate(position[:, [0, 2]]) == pytest.approx(arc, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(tracks, st.floats(0, 0.9), st.floats(-1, 1), st.floats(-1, 1))
def test_the_smallest_step_forward_is_progress(
    pair: tuple[Track, Projector], share: float, side: float, turn: float
) -> None:
    """No stand-still and no jump at the corners of the centre line: a millimetre counts as about one."""
    track, projector = pair
    arc = np.array([share * track.arc_m[-1]])
    half_width = np.interp(arc, track.arc_m, track.half_width_m)
    position, heading = track.place(arc, side * half_width)
    steps = np.linspace(0, 1.0, 1001)[:, None]
    direction = heading + turn
    line = position[:, [0, 2]] + steps * np.stack([np.sin(direction), np.cos(direction)], axis=1)
    place = projector.advance(line, np.full(len(line), arc[0]))
    gained = np.diff(place.arc_m)
    assert gained.min() > 0
    # Along an inner border the centre passes faster: by half width over the radius there.
    assert gained.max() < 0.001 * 8
    assert np.abs(np.diff(place.lateral_m)).max() < 0.0011


def test_places_of_all_tracks_are_found(track: Track) -> None:
    position, heading, arc, lateral = random_places(track, 2000, seed=4, beyond_m=CAR_BEYOND_M)
    projector = Projector(track)
    place = projector.advance(position, arc + np.random.default_rng(1).uniform(-14, 14, len(arc)))
    assert place.arc_m == pytest.approx(arc, abs=1e-6)
    assert place.lateral_m == pytest.approx(lateral, abs=1e-6)
    assert np.sin(np.arctan2(*place.tangent.T) - heading) == pytest.approx(0.0, abs=1e-9)


def test_left_of_the_centre_is_positive(straight: Track) -> None:
    place = Projector(straight).advance(np.array([[4.0, 30.0], [-4.0, 30.0]]), np.array([150.0, 150.0]))
    assert place.lateral_m == pytest.approx([4.0, -4.0])
    assert place.arc_m == pytest.approx([150.0, 150.0])


def test_a_car_that_drives_a_lap_passes_every_metre_once(track: Track) -> None:
    projector = Projector(track)
    arcs = np.arange(track.start_arc_m, track.finish_arc_m, 0.37)
    lateral = 0.8 * np.sin(arcs / 9.0) * np.interp(arcs, track.arc_m, track.half_width_m)
    position, _ = track.place(arcs, lateral)
    last, seen = np.array([track.start_arc_m]), []
    for xz in position[:, [0, 2]]:
        last = projector.advance(xz[None], last).arc_m
        seen.append(last[0])
    assert seen == pytest.approx(arcs, abs=1e-6)


def test_the_other_leg_of_a_hairpin_is_never_jumped_to(hairpin: Track) -> None:
    """A car that goes through the wall to the middle of the other leg is still beside the leg it came from."""
    projector = Projector(hairpin)
    for start_m in (130.0, 170.0, 200.0):
        z = start_m
        last = np.array([start_m])
        for x in np.linspace(0, 28, 60):
            place = projector.advance(np.array([[x, z]]), last)
            last = place.arc_m
        assert place.arc_m == pytest.approx([start_m])
        assert place.lateral_m == pytest.approx([28.0])
        # Without a last place it belongs to the other leg.
        assert projector.locate(np.array([[28.0, z]]))[0] > hairpin.arc_m[-1] - 240


def test_long_moves_are_followed_along_the_road(straight: Track) -> None:
    projector = Projector(straight)
    z = np.array([-119.0, 0.0, 60.0, 319.0])
    position = np.stack([np.full(4, 2.0), z], axis=1)
    assert projector.advance(position, np.full(4, 200.0)).arc_m == pytest.approx(z + 120)


def test_beyond_the_ends_places_stay_at_the_ends(straight: Track) -> None:
    position = np.array([[3.0, -500.0], [3.0, 900.0], [1e6, 1e7]])
    place = Projector(straight).advance(position, np.full(3, 200.0))
    assert place.arc_m == pytest.approx([0.0, 440.0, 440.0])
    assert place.lateral_m[:2] == pytest.approx([3.0, 3.0])


def test_a_position_that_is_no_number_does_not_hang_or_spread(straight: Track) -> None:
    position = np.array([[np.nan, np.nan], [1.0, 10.0]])
    place = Projector(straight).advance(position, np.full(2, 130.0))
    assert np.isnan(place.arc_m[0])
    assert place.arc_m[1] == pytest.approx(130.0)


def test_cars_do_not_depend_on_their_company(bends: Track) -> None:
    projector = Projector(bends)
    position, _, arc, _ = random_places(bends, 64, seed=9, beyond_m=CAR_BEYOND_M)
    together = projector.advance(position, arc - 5)
    for car in range(64):
        alone = projector.advance(position[car : car + 1], arc[car : car + 1] - 5)
        assert alone.arc_m[0] == together.arc_m[car]
        assert alone.lateral_m[0] == together.lateral_m[car]
