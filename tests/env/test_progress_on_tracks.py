"""What a finished lap earns on generated tracks, on circuits and on the laps that people drove in the game."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tmstudio.env.progress import ProgressRatchet
from tmstudio.track.circuit import generate_circuit
from tmstudio.track.generator import generate
from tmstudio.track.geometry import Track
from tmstudio.track.importers.borders import import_borders
from tmstudio.track.projection import Projector

STEP_S = 0.05
Floats = NDArray[np.float64]


@cache
def cached(seed: int, difficulty: int, circuit: bool) -> tuple[Track, Projector]:
    make = generate_circuit(seed, difficulty, 600, 18, 2, "any") if circuit else None
    track = make or generate(seed, difficulty, 500, 20, "any")
    return track, Projector(track)


def earned_m(track: Track, projector: Projector, position_xz: Floats) -> list[float]:
    """What each step of a car pays that is at these places (T, 2), one a step, from the spawn on."""
    ratchet = ProgressRatchet(1, track.length_m, STEP_S, 3.0)
    arc_m, paid = np.array([track.start_arc_m]), []
    for xz in position_xz:
        place = projector.advance(xz[None], arc_m)
        arc_m = place.arc_m
        beyond_m = np.abs(place.lateral_m) - place.half_width_m
        finished = arc_m >= track.finish_arc_m
        paid.append(float(ratchet.advance(arc_m - track.start_arc_m, beyond_m, finished)[0]))
        if finished[0]:
            break
    return paid


tracks = st.builds(cached, st.integers(0, 40), st.integers(1, 6), st.booleans())
moves = st.lists(st.tuples(st.floats(-9.0, 9.0), st.floats(-1.0, 1.0)), max_size=80)


@settings(max_examples=60, deadline=None)
@given(tracks, moves, st.floats(-0.95, 0.95), st.floats(3.0, 60.0), st.floats(1.0, 4.0))
def test_a_finished_lap_earns_its_length_however_it_is_driven(
    made: tuple[Track, Projector], first: list[tuple[float, float]], side: float, wave_m: float, step_m: float
) -> None:
    """Back and forth at will at first, then on to the finish, from one side of the road to the other."""
    track, projector = made
    arcs: list[float] = [track.start_arc_m]
    for move, _ in first:
        arcs.append(max(arcs[-1] + move, track.start_arc_m - 50.0))
    arcs += np.arange(arcs[-1], track.finish_arc_m + step_m, step_m).tolist()
    arc_m = np.minimum(np.array(arcs), track.arc_m[-1])
    swing = side * np.sin(arc_m / wave_m)
    swing[1 : len(first) + 1] = [share for _, share in first]
    half_m = np.interp(arc_m, track.arc_m, track.half_width_m)
    position, _ = track.place(arc_m, swing * half_m)
    paid = earned_m(track, projector, position[:, ::2])
    assert sum(paid) == pytest.approx(track.length_m, rel=0.01)
    assert max(paid) <= 14.0
    assert min(paid) >= 0.0


@settings(max_examples=40, deadline=None)
@given(tracks, st.floats(0.0, 1.0), st.floats(0.2, 1.5), st.floats(-0.9, 0.9))
def test_swinging_on_the_spot_earns_no_more_than_one_swing(
    made: tuple[Track, Projector], along: float, swing_m: float, side: float
) -> None:
    track, projector = made
    center_m = track.start_arc_m + along * (track.length_m - 4.0)
    arc_m = center_m + swing_m * np.sin(np.arange(400) * 0.7)
    position, _ = track.place(arc_m, side * np.interp(arc_m, track.arc_m, track.half_width_m))
    ratchet = ProgressRatchet(1, track.length_m, STEP_S, 3.0)
    ratchet.restart(np.array([0]), np.array([center_m - track.start_arc_m]))
    arc, paid = np.array([center_m]), 0.0
    for xz in position[:, ::2]:
        arc = projector.advance(xz[None], arc).arc_m
        paid += ratchet.advance(arc - track.start_arc_m, np.array([-5.0]), np.array([False]))[0]
    assert paid <= swing_m + 1e-6


@pytest.mark.parametrize("number", range(1, 8))
def test_a_lap_of_a_person_earns_the_length_of_the_track(data_dir: Path, number: int) -> None:
    folder = data_dir / "tmrl-test"
    if not folder.is_dir():
        pytest.skip("the recordings of tmrl-test are not on this machine")
    track = import_borders(folder / "left-recorded.npy", folder / "right-recorded.npy", "tmrl-test", None)
    with np.load(folder / "laps" / f"human-0{number}.npz") as archive:
        position_m = archive["frames"][:, 4:7].astype(np.float64)
    # One place for each step of the clock, and the last one; the recording may end a frame before the line.
    steps = [*position_m[::5], position_m[-1]]
    paid = earned_m(track, Projector(track), np.array(steps)[:, ::2])
    assert sum(paid) == pytest.approx(track.length_m, rel=0.01)
    assert max(paid) <= 14.0
