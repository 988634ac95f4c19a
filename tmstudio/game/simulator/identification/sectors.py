"""Gates at the ends of ten equal parts of each recorded lap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S
from tmstudio.game.simulator.identification.laps import FIRST_WINDOW_S, Laps
from tmstudio.game.simulator.identification.predictors import Predictor
from tmstudio.game.state import FloatArray, IntArray
from tmstudio.track.geometry import Track
from tmstudio.track.projection import Projector

SECTORS: Final = 10

GATE_M: Final = 25.0
"""Half the width of a gate: a car that passes farther away has gone elsewhere."""

LATER: Final = 1.5
"""A car is waited for at a gate until the recorded time times this is over."""

LAST_GATE_S: Final = 0.5
"""The last gate stands this long before the end of the recording, so that a slower car can reach it as well."""


@dataclass(frozen=True, eq=False)
class Sectors:
    """Parts of laps, all arrays (N,): where they begin, and the gates at their ends."""

    number: IntArray
    """0 to 9."""
    start: IntArray
    """The moment at which the recorded car enters it."""
    end: IntArray
    """The moment by which the recorded car has left it."""
    gate_x_m: FloatArray
    gate_z_m: FloatArray
    gate_x: FloatArray
    """Direction in which the gate is passed, unit (x, z)."""
    gate_z: FloatArray

    def ahead_m(self, x_m: FloatArray, z_m: FloatArray) -> FloatArray:
        """(N,) how far cars are beyond their gates; NaN for those that are not near."""
        dx, dz = x_m - self.gate_x_m, z_m - self.gate_z_m
        return np.where(np.hypot(dx, dz) < GATE_M, dx * self.gate_x + dz * self.gate_z, np.nan)


def divide(laps: Laps, track: Track | None) -> Sectors:
    """Divide each lap by equal parts of the centre line, or without a track of the way that was driven.

    The first sector begins 1.0 s into the lap and the last ends a little before the recording does.
    """
    rows: list[tuple[int, int, int]] = []
    gates: list[tuple[float, float, float, float]] = []
    direction = laps.direction_rad
    for begin, end in laps.bounds:
        along_m = _along_m(laps, begin, end, track)
        first = begin + round((FIRST_WINDOW_S - laps.time_s[begin]) / SUBSTEP_S)
        last = end - 1 - round(LAST_GATE_S / SUBSTEP_S)
        whole = (0.0, along_m[-1]) if track is None else (track.start_arc_m, track.finish_arc_m)
        inner = np.linspace(whole[0], whole[1], SECTORS + 1)[1:-1]
        moments = [first, *(begin + int(np.argmax(along_m >= place)) for place in inner), last]
        for number, (start, stop) in enumerate(pairwise(moments)):
            # A lap that ends early has no more sectors, and one that is left again counts by its first visit.
            if not first <= start < stop <= last:
                continue
            rows.append((number, start, stop))
            if track is None or stop == last:
                turned = direction[stop]
                gates.append((laps.x_m[stop], laps.z_m[stop], np.sin(turned), np.cos(turned)))
            else:
                place, turned = track.place(np.array([inner[number]]))
                gates.append((place[0, 0], place[0, 2], np.sin(turned[0]), np.cos(turned[0])))
    return Sectors(
        *np.array(rows, dtype=np.int64).reshape(-1, 3).T, *np.array(gates, dtype=np.float64).reshape(-1, 4).T
    )


def times_s(predictor: Predictor, sectors: Sectors) -> FloatArray:
    """(N,) time that predicted cars take from the beginning of each sector to its gate; NaN for those that miss it."""
    longest = int((sectors.end - sectors.start).max(initial=0) * LATER)
    passed = np.full(len(sectors.start), np.nan)
    before = np.full(len(sectors.start), np.nan)
    for tick, predicted in enumerate(predictor(sectors.start, longest), start=1):
        before = _pass(sectors, predicted.x_m, predicted.z_m, before, passed, tick)
    return passed


def recorded_times_s(laps: Laps, sectors: Sectors) -> FloatArray:
    """(N,) what `times_s` says of the recorded cars."""
    longest = int((sectors.end - sectors.start).max(initial=0)) + 1
    passed = np.full(len(sectors.start), np.nan)
    before = np.full(len(sectors.start), np.nan)
    for tick in range(1, longest + 1):
        at = np.minimum(sectors.start + tick, len(laps.lap) - 1)
        before = _pass(sectors, laps.x_m[at], laps.z_m[at], before, passed, tick)
    return passed


def _pass(
    sectors: Sectors, x_m: FloatArray, z_m: FloatArray, before: FloatArray, passed: FloatArray, tick: int
) -> FloatArray:
    """Note the cars that pass their gates in this tick; where they are now."""
    now = sectors.ahead_m(x_m, z_m)
    new = np.isnan(passed) & (before < 0) & (now >= 0)
    passed[new] = (tick - now[new] / (now[new] - before[new])) * SUBSTEP_S
    return now


def _along_m(laps: Laps, begin: int, end: int, track: Track | None) -> FloatArray:
    """(T,) how far along its way the recorded car of one lap has come, never less than before."""
    if track is None:
        steps = np.hypot(np.diff(laps.x_m[begin:end]), np.diff(laps.z_m[begin:end]))
        return np.concatenate([[0.0], np.cumsum(steps)])
    projector = Projector(track)
    at = np.stack([laps.x_m[begin:end], laps.z_m[begin:end]], axis=1)
    arc_m = projector.locate(at[:1])
    along = [float(arc_m[0])]
    for position in at[1:]:
        arc_m = projector.advance(position[None], arc_m).arc_m
        along.append(float(arc_m[0]))
    return np.maximum.accumulate(np.array(along))
