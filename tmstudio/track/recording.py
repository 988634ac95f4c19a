"""From the raw recording of a drive along a border to a clean line.

Recordings have samples of a standing car, noise, and places where the driver had to back up. What comes out is a
line of points at even arc length that goes forward only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError

Floats = NDArray[np.float64]

LINE_SPACING_M = 0.5
TELEPORT_M = 50.0
"""A longer way between two samples is a restart or a respawn, never driving (278 m/s in 180 ms)."""

_MIN_LENGTH_M = 30.0
_SMOOTHING_M = 0.6
_BACK_AT_M = 0.8
_LONGEST_DETOUR_M = 100.0


def clean_line(samples_m: Floats, what: str) -> Floats:
    """Turn a recording into a line.

    Args:
        samples_m: (N, 3) positions in the order of driving.
        what: what it is, for messages ("The left border").

    Returns:
        (K, 3) positions `LINE_SPACING_M` apart along the line.

    Raises:
        TMStudioError: the car jumped, or hardly moved.
    """
    steps = np.hypot(*np.diff(samples_m[:, [0, 2]], axis=0).T)
    if steps.size and steps.max() > TELEPORT_M:
        place = int(steps.argmax())
        raise TMStudioError(
            f"{what} jumps {steps[place]:.0f} m from one sample to the next.",
            cause=f"between samples {place} and {place + 1}: a restart or respawn during the recording",
            hint="record the border again in one drive",
        )
    line = _thinned(samples_m)
    length_m = float(np.hypot(*np.diff(line[:, [0, 2]], axis=0).T).sum()) if len(line) > 1 else 0.0
    if len(line) < 3 or length_m < _MIN_LENGTH_M:
        raise TMStudioError(
            f"{what} is too short to be a border: {len(line)} different points, {length_m:.1f} m.",
            cause="the car stood still, or the recording is not of a whole drive",
            hint="drive along the wall from the start to the finish while recording",
        )
    line = _without_detours(resampled(line, LINE_SPACING_M))
    return resampled(smoothed(line, _SMOOTHING_M, LINE_SPACING_M), LINE_SPACING_M)


def arc_length(line: Floats) -> Floats:
    """(K,) length along a line up to each of its points, seen from above. Line: (K, 3), or (K, 2) x and z."""
    flat = line[:, [0, 2]] if line.shape[1] == 3 else line
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(flat, axis=0).T))])


def at_arcs(line: Floats, arcs: Floats, wanted: Floats) -> Floats:
    """Points of a line at arc lengths, on the straight stretches between its points."""
    return np.stack([np.interp(wanted, arcs, column) for column in line.T], axis=1)


def resampled(line: Floats, spacing_m: float) -> Floats:
    """A line with points at even arc length, about `spacing_m` apart, its ends kept."""
    arcs = arc_length(line)
    count = max(round(arcs[-1] / spacing_m), 1)
    return at_arcs(line, arcs, np.linspace(0, arcs[-1], count + 1))


def _thinned(samples_m: Floats) -> Floats:
    """Samples at least half a spacing apart: a standing car becomes one point, however long it stood."""
    kept = [0]
    x, z = samples_m[:, 0].tolist(), samples_m[:, 2].tolist()
    at_x, at_z = x[0], z[0]
    for index in range(1, len(x)):
        if (x[index] - at_x) ** 2 + (z[index] - at_z) ** 2 >= (LINE_SPACING_M / 2) ** 2:
            kept.append(index)
            at_x, at_z = x[index], z[index]
    return samples_m[kept]


def _without_detours(line: Floats) -> Floats:
    """Cut out where the car backed up and came by again: from the first visit to the last one nearby."""
    flat = line[:, [0, 2]]
    shortest, longest = int(3 / LINE_SPACING_M), int(_LONGEST_DETOUR_M / LINE_SPACING_M)
    goes_on = np.arange(1, len(line) + 1)
    for gap in range(shortest, min(longest, len(line) - 1)):
        near = np.hypot(*(flat[gap:] - flat[:-gap]).T) < _BACK_AT_M
        goes_on[:-gap][near] = np.arange(gap, len(line))[near]
    kept, index = [], 0
    while index < len(line):
        kept.append(index)
        index = int(goes_on[index])
    return line[kept]


def smoothed(line: Floats, sigma_m: float, spacing_m: float) -> Floats:
    """Gaussian smoothing of a line of evenly spaced points, its ends kept: it goes on point-mirrored beyond them."""
    sigma = sigma_m / spacing_m
    reach = min(int(np.ceil(4 * sigma)), len(line) - 1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    before = 2 * line[0] - line[reach:0:-1]
    beyond = 2 * line[-1] - line[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, line, beyond])
    return np.stack([np.convolve(column, kernel, mode="valid") for column in padded.T], axis=1)
