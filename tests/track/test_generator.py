"""Generated tracks, and the six that ship with the program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.track.reference import cross
from tmstudio.errors import TMStudioError
from tmstudio.track.generator import bundled_specs, generate, write_bundled
from tmstudio.track.geometry import SPACING_M, Track
from tmstudio.track.library import BUNDLED, TrackLibrary, read_track

Floats = NDArray[np.float64]


def bundled(name: str) -> Track:
    return TrackLibrary(Path("nowhere")).load(name)


def curvature(track: Track) -> Floats:
    """1/m at each point of the lap, positive to the left."""
    heading = np.unwrap(np.arctan2(*track.tangent[track.lap_points].T))
    return np.diff(heading) / SPACING_M


def overlaps(track: Track) -> bool:
    """Whether any two stretches of the borders, extensions included, cross."""
    lines = [border[:, [0, 2]] for border in (track.left_m, track.right_m)]
    start = np.concatenate([line[:-1] for line in lines])
    step = np.concatenate([np.diff(line, axis=0) for line in lines])
    offset = start[None] - start[:, None]
    turn = cross(step[:, None], step[None])
    with np.errstate(divide="ignore", invalid="ignore"):
        along = cross(offset, step[None]) / turn
        beside = cross(offset, step[:, None]) / turn
    inside = (along > 1e-6) & (along < 1 - 1e-6) & (beside > 1e-6) & (beside < 1 - 1e-6)
    return bool(inside.any())


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**31 - 1),
    st.integers(1, 6),
    st.floats(200, 1600),
    st.floats(14, 28),
)
def test_every_seed_gives_a_sound_track(seed: int, difficulty: int, length_m: float, width_m: float) -> None:
    track = generate(seed, difficulty, length_m, width_m, "any")
    assert track.length_m == pytest.approx(length_m)
    assert track.width_m == pytest.approx(width_m, rel=0.2)
    assert not overlaps(track)
    bend = curvature(track)
    half_width = track.half_width_m[track.lap_points][:-1]
    # The inner border never folds, not even 1.1 m beyond it.
    assert (np.abs(bend) * (half_width + 1.1)).max() < 1
    assert all(100 <= gap <= 400 for gap in np.diff([0, *track.checkpoints_m, track.length_m]))


def test_the_same_seed_gives_the_same_track_and_another_one_another() -> None:
    one, same, other = (generate(seed, 3, 600, 20, "any") for seed in (7, 7, 8))
    assert one.sha256 == same.sha256
    assert one.sha256 != other.sha256


def test_difficulty_tightens_the_bends() -> None:
    sharpest = [
        float(
            np.median(
                [np.abs(curvature(generate(seed, difficulty, 1000, 20, "any"))).max() for seed in range(8)]
            )
        )
        for difficulty in range(1, 7)
    ]
    assert sharpest == sorted(sharpest)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 3, 800, 20), "seed"),
        ((1, 0, 800, 20), "difficulty"),
        ((1, 7, 800, 20), "difficulty"),
        ((1, 3, 100, 20), "length"),
        ((1, 3, float("nan"), 20), "length"),
        ((1, 3, 800, 400), "width"),
    ],
)
def test_what_cannot_be_generated_is_said(arguments: tuple[int, int, float, float], message: str) -> None:
    with pytest.raises(TMStudioError, match=message):
        generate(*arguments, "any")


def test_the_shipped_tracks_are_what_the_generator_makes(tmp_path: Path) -> None:
    paths = write_bundled(tmp_path)
    assert [path.stem for path in paths] == [spec.name for spec in bundled_specs()] == list(BUNDLED)
    for path in paths:
        fresh, shipped = read_track(path), bundled(path.stem)
        assert fresh.sha256 == shipped.sha256
        assert (fresh.checkpoints_m, fresh.origin) == (shipped.checkpoints_m, shipped.origin)


@pytest.mark.parametrize("name", BUNDLED)
def test_shipped_tracks_have_bends_both_ways_and_an_early_one(name: str) -> None:
    track = bundled(name)
    assert 600 <= track.length_m <= 1500
    assert 16 <= track.width_m <= 26.5
    assert not overlaps(track)
    turned = curvature(track) * SPACING_M
    assert turned[turned > 0].sum() > np.radians(60)
    assert -turned[turned < 0].sum() > np.radians(60)
    assert np.abs(np.cumsum(turned))[: round(160 / SPACING_M)].max() > np.radians(45)


def test_shipped_tracks_rise_in_difficulty() -> None:
    """More turning to the kilometre, and longer."""
    tracks = [bundled(name) for name in BUNDLED]
    turning = [np.abs(curvature(track)).sum() / track.length_m for track in tracks]
    assert turning == sorted(turning)
    assert [track.length_m for track in tracks] == sorted(track.length_m for track in tracks)
