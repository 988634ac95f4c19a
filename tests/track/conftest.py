from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tmstudio.track.generator import generate
from tmstudio.track.geometry import EXTENSION_M, SPACING_M, Pose, Track
from tmstudio.track.importers.borders import import_borders
from tmstudio.track.library import BUNDLED, TrackLibrary

Floats = NDArray[np.float64]

MAP_UID = "oqIJ5rQDRrNwLPTh9H2p_W4tLof"


@pytest.fixture(scope="session")
def recordings(data_dir: Path) -> Path:
    """Folder of the reference track's recordings."""
    folder = data_dir / "tmrl-test"
    if not folder.is_dir():
        pytest.skip("the recordings of tmrl-test are not on this machine")
    return folder


@pytest.fixture(scope="session")
def tmrl(recordings: Path) -> Track:
    """The reference track, imported from its raw recordings."""
    left, right = recordings / "left-recorded.npy", recordings / "right-recorded.npy"
    return import_borders(left, right, "tmrl-test", MAP_UID)


@pytest.fixture(scope="session", params=[*BUNDLED, "tmrl-test"])
def track(request: pytest.FixtureRequest) -> Track:
    """Each track there is."""
    if request.param == "tmrl-test":
        found: Track = request.getfixturevalue("tmrl")
        return found
    return TrackLibrary(Path("nowhere")).load(request.param)


@pytest.fixture(scope="session")
def bends() -> Track:
    """A generated track with hairpins."""
    return generate(3, 6, 700, 20, "bends")


@pytest.fixture(scope="session")
def straight() -> Track:
    """200 m straight toward +z, 20 m wide."""
    return straight_track(lambda arc: np.full(len(arc), 20.0))


@pytest.fixture(scope="session")
def hairpin() -> Track:
    """Up 100 m, round a left bend of 14 m radius, and 100 m back down beside it, 20 m wide."""
    return track_along([(220, 0.0), (14 * np.pi, 1 / 14), (220, 0.0)])


def track_along(stretches: list[tuple[float, float]], width_m: float = 20.0) -> Track:
    """A track through stretches of (length, curvature to the left), extensions included."""
    curvature = np.concatenate([np.full(round(length / SPACING_M), bend) for length, bend in stretches])
    heading = np.concatenate([[0.0], np.cumsum(curvature)]) * SPACING_M
    between = (heading[1:] + heading[:-1]) / 2
    steps = np.stack([np.sin(between), np.zeros(len(between)), np.cos(between)], axis=1) * SPACING_M
    center = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    normal = np.stack([np.cos(heading), np.zeros(len(heading)), -np.sin(heading)], axis=1) * width_m / 2
    x, y, z = (float(value) for value in center[round(EXTENSION_M / SPACING_M)])
    return Track(
        name="made",
        left_m=center + normal,
        right_m=center - normal,
        start_arc_m=EXTENSION_M,
        finish_arc_m=len(curvature) * SPACING_M - EXTENSION_M,
        spawn=Pose((x, y, z), 0.0),
    )


def straight_track(width: Callable[[Floats], Floats], length_m: float = 200.0) -> Track:
    arc = np.arange(0, 2 * EXTENSION_M + length_m + 1, SPACING_M)
    zero = np.zeros(len(arc))
    left = np.stack([width(arc) / 2, zero, arc - EXTENSION_M], axis=1)
    return Track(
        name="straight",
        left_m=left,
        right_m=left * [-1, 1, 1],
        start_arc_m=EXTENSION_M,
        finish_arc_m=EXTENSION_M + length_m,
        spawn=Pose((0.0, 0.0, 0.0), 0.0),
    )
