"""Generated circuits: closed, drivable, and raced over several laps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.track.test_generator import curvature
from tmstudio.errors import TMStudioError
from tmstudio.track.circuit import generate_circuit
from tmstudio.track.geometry import SPACING_M
from tmstudio.track.library import TrackLibrary
from tmstudio.track.projection import Projector


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**31 - 1), st.integers(1, 6), st.floats(500, 3000), st.floats(14, 24), st.integers(1, 4)
)
def test_every_seed_gives_a_circuit_that_closes(
    seed: int, difficulty: int, length_m: float, width_m: float, laps: int
) -> None:
    track = generate_circuit(seed, difficulty, length_m, width_m, laps, "any")
    lap_m = track.length_m / laps
    assert lap_m == pytest.approx(length_m, abs=SPACING_M / 2)
    assert track.width_m == pytest.approx(width_m, abs=0.01)
    one, next_lap = (track.pairs_at(track.start_arc_m + along) for along in (3.0, 3.0 + lap_m))
    if laps > 1:
        np.testing.assert_allclose(one, next_lap, atol=0.002)
    # Once around, to the left.
    assert curvature(track).sum() * SPACING_M / (2 * np.pi) == pytest.approx(laps, abs=0.1)
    # The inner border never folds, not even 1.1 m beyond it.
    assert np.abs(curvature(track)).max() * (width_m / 2 + 1.1) < 1.0


def test_a_race_of_three_laps_is_one_long_way() -> None:
    track = generate_circuit(7, 4, 600, 18, 3, "ring")
    arcs = np.arange(track.start_arc_m, track.finish_arc_m, 1.3)
    position, _ = track.place(arcs, 4.0 * np.sin(arcs / 11.0))
    projector, last, seen = Projector(track), np.array([track.start_arc_m]), []
    for xz in position[:, [0, 2]]:
        last = projector.advance(xz[None], last).arc_m
        seen.append(last[0])
    assert seen == pytest.approx(arcs, abs=1e-6)


def test_the_same_arguments_give_the_same_circuit() -> None:
    one, other = (generate_circuit(5, 3, 900, 20, 2, "ring") for _ in range(2))
    assert one.sha256 == other.sha256
    assert one.sha256 != generate_circuit(6, 3, 900, 20, 2, "ring").sha256


def test_a_circuit_is_kept_by_the_library() -> None:
    track = generate_circuit(5, 3, 900, 20, 2, "ring")
    library = TrackLibrary()
    library.save(track)
    assert library.load("ring").sha256 == track.sha256
    library.delete("ring")


@pytest.mark.parametrize(
    ("laps", "length_m", "width_m"), [(0, 900, 20), (21, 900, 20), (2, 200, 40), (2, 100, 20)]
)
def test_what_cannot_be_is_refused(laps: int, length_m: float, width_m: float) -> None:
    with pytest.raises(TMStudioError):
        generate_circuit(1, 1, length_m, width_m, laps, "any")
