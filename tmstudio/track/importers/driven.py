"""What recorded drives tell about a road: the middle of where they went, a width, and what lies under the wheels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track import lap_file
from tmstudio.track.lap_file import LapFile
from tmstudio.track.recording import LINE_SPACING_M, TELEPORT_M, arc_length, clean_line

Floats = NDArray[np.float64]

USUAL_WIDTH_M: Final = 24.0
"""Width of most roads of the Stadium environment, between the places where a car's centre can be."""

_MARGIN_M: Final = 4.0
_WINDOW_M: Final = 60.0


@dataclass(frozen=True, eq=False)
class Drive:
    """One recorded drive from the spawn on.

    Attributes:
        name: of the file.
        samples_m: (N, 3) positions in the order of driving.
        cut: what was left out of it, in words; nothing where it is whole.
    """

    name: str
    samples_m: Floats
    cut: str


@dataclass(frozen=True)
class Middle:
    """The middle of several drives on one road.

    Attributes:
        samples_m: (K, 3) positions.
        width_m: an estimate: as far as the drives are apart, and a margin; at least the usual one where there is
            only one drive.
    """

    samples_m: Floats
    width_m: float


def whole_drive(name: str, samples_m: Floats) -> Drive:
    """A drive without what came before a restart: of the parts between jumps, the longest.

    Raises:
        TMStudioError: no part is long enough to be a drive.
    """
    steps = np.hypot(*np.diff(samples_m[:, [0, 2]], axis=0).T)
    jumps = np.flatnonzero(steps > TELEPORT_M)
    if not len(jumps):
        return Drive(name, samples_m, "")
    edges = [0, *(jumps + 1).tolist(), len(samples_m)]
    parts = [samples_m[begin:end] for begin, end in pairwise(edges)]
    lengths = [float(arc_length(part)[-1]) for part in parts]
    longest = int(np.argmax(lengths))
    times = "once" if len(jumps) == 1 else f"{len(jumps)} times"
    left_out = sum(lengths) - lengths[longest]
    cut = f"{name} jumps {times}, as after a restart: {left_out:.0f} m of driving were left out."
    return Drive(name, parts[longest], cut)


def middle_of(drives: Sequence[Drive]) -> Middle:
    """The middle between the outermost of several drives, seen from the first.

    Raises:
        TMStudioError: a drive is too short, or the drives are not from one road.
    """
    line = clean_line(drives[0].samples_m, f"The drive in {drives[0].name}")
    ahead = np.gradient(line[:, [0, 2]], axis=0)
    ahead /= np.hypot(*ahead.T)[:, None]
    to_left = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    offsets = [np.zeros(len(line))]
    for drive in drives[1:]:
        other = clean_line(drive.samples_m, f"The drive in {drive.name}")
        if abs(len(other) / len(line) - 1) > 0.25 or np.hypot(*(other[0] - line[0])[[0, 2]]) > TELEPORT_M:
            raise TMStudioError(
                f"{drives[0].name} and {drive.name} are not drives on the same road.",
                cause=f"they are {len(line) * LINE_SPACING_M:.0f} m and {len(other) * LINE_SPACING_M:.0f} m long "
                "or begin at different places",
                hint="choose laps of one map that go from the start to the finish",
            )
        offsets.append(_beside(line, to_left, other))
    beside = np.stack(offsets)
    low, high = beside.min(axis=0), beside.max(axis=0)
    middle = line.copy()
    middle[:, [0, 2]] += to_left * ((low + high) / 2)[:, None]
    apart_m = float(np.percentile(high - low, 95))
    width_m = USUAL_WIDTH_M if len(drives) == 1 else max(float(np.ceil(apart_m + _MARGIN_M)), 10.0)
    return Middle(middle, width_m)


def surface_of(laps: Sequence[LapFile]) -> dict[str, Any]:
    """What laps tell about the ground: height, time in the air, materials under the wheels; plain data."""
    frames = np.concatenate([lap.frames for lap in laps])
    materials = np.unique(frames[:, lap_file.MATERIALS].astype(np.int64))
    return {
        "height_range_m": round(float(np.ptp(frames[:, lap_file.POSITION][:, 1])), 2),
        "longest_flight_s": round(float(frames[:, lap_file.FLYING_MS].max()) / 1000, 2),
        "materials": materials.tolist(),
    }


def _beside(line: Floats, to_left: Floats, other: Floats) -> Floats:
    """(K,) how far to the left of each point of a line another drive came by."""
    reach = round(_WINDOW_M / LINE_SPACING_M)
    guess = np.round(np.linspace(0, len(other) - 1, len(line))).astype(np.intp)
    found = np.empty(len(line))
    for begin in range(0, len(line), 1024):
        part = slice(begin, begin + 1024)
        window = np.clip(guess[part, None] + np.arange(-reach, reach + 1), 0, len(other) - 1)
        away = other[:, [0, 2]][window] - line[part, None][..., [0, 2]]
        nearest = np.einsum("kwi,kwi->kw", away, away).argmin(axis=1)
        chosen = away[np.arange(len(nearest)), nearest]
        found[part] = np.einsum("ki,ki->k", chosen, to_left[part])
    return found
