"""A straight road, on which everything can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tmstudio.track.geometry import Pose, Track

EXTENSION_M = 120.0
LAP_M = 400.0
HALF_WIDTH_M = 10.0


@pytest.fixture(scope="session")
def straight() -> Track:
    """A straight road of 400 m towards +z, 20 m wide, with checkpoints at 100 m and 200 m."""
    z = np.arange(0.0, LAP_M + 2 * EXTENSION_M + 1.0, 2.0) - EXTENSION_M
    left = np.stack([np.full_like(z, HALF_WIDTH_M), np.zeros_like(z), z], axis=1)
    return Track(
        name="straight",
        left_m=left,
        right_m=left * [-1.0, 1.0, 1.0],
        start_arc_m=EXTENSION_M,
        finish_arc_m=EXTENSION_M + LAP_M,
        spawn=Pose((0.0, 0.0, 0.0), 0.0),
        checkpoints_m=(100.0, 200.0),
    )
