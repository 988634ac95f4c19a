"""Which point of the left border lies across from which point of the right one.

The two recordings have different lengths and the outer one is longer in every bend, so equal shares of length do
not face each other. A first pairing is the alignment of the two lines with the least distance between partners
that never goes back on either (dynamic time warping); it then moves until each pair is at right angles to
the middle line, still never going back. So pairs cannot cross, not even at sharp inner corners.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.recording import arc_length, at_arcs, resampled

Floats = NDArray[np.float64]

_COARSE_M = 4.0
_MOST_COARSE_POINTS = 2000
_FINE_M = 1.0
_REACH_M = 8.0
_ROUNDS = 12
_TANGENT_REACH = 4


def pair_borders(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Pair two borders across the road.

    Args:
        left, right: (K, 3) and (L, 3) clean lines.

    Returns:
        Two (P, 3) arrays of partners about `_FINE_M` apart along the middle, from the first pair for which both
        borders exist to the last one.
    """
    places = _aligned(left, right)
    ends = arc_length(left)[-1], arc_length(right)[-1]
    # Both lines go on straight for the pairing, so that normals near the ends meet something.
    lines = _overlong(left), _overlong(right)
    arcs = tuple(arc_length(line) for line in lines)
    places = [
        np.concatenate([[0.0], place + _REACH_M, [arc[-1]]]) for place, arc in zip(places, arcs, strict=True)
    ]
    for round_ in range(_ROUNDS):
        partners = [at_arcs(line, arc, place) for line, arc, place in zip(lines, arcs, places, strict=True)]
        middle = (partners[0] + partners[1])[:, [0, 2]] / 2
        along = arc_length(middle)
        even = np.linspace(0, along[-1], max(int(along[-1] / _FINE_M), 8) + 1)
        places = [np.interp(even, along, place) for place in places]
        middle = at_arcs(middle, along, even)
        # At first the middle still has the corners of the coarse alignment: look at its direction from afar.
        tangent = _directions(middle, _TANGENT_REACH * (2 if round_ < _ROUNDS // 2 else 1))
        places = [
            _across(line, arc, middle, tangent, place)
            for line, arc, place in zip(lines, arcs, places, strict=True)
        ]
    return _cut(lines, arcs, places, ends)


def _cut(
    lines: tuple[Floats, Floats], arcs: tuple[Floats, ...], places: list[Floats], ends: tuple[float, float]
) -> tuple[Floats, Floats]:
    """The pairs from the first to the last for which both borders were recorded, these two exactly."""
    index = np.arange(len(places[0]), dtype=np.float64)
    rising = [place + 1e-9 * index for place in places]
    first = max(float(np.interp(_REACH_M, place, index)) for place in rising)
    last = min(
        float(np.interp(_REACH_M + end, place, index)) for place, end in zip(rising, ends, strict=True)
    )
    inner = np.arange(np.floor(first) + 1, np.ceil(last))
    wanted = np.concatenate([[first], inner, [max(last, first)]])
    left, right = (
        at_arcs(line, arc, np.interp(wanted, index, place))
        for line, arc, place in zip(lines, arcs, places, strict=True)
    )
    return left, right


def _overlong(line: Floats) -> Floats:
    """A line with its ends drawn out straight by `_REACH_M`, in steps as long as its own."""
    step = float(arc_length(line)[1])
    count = round(_REACH_M / step)
    reach = max(min(round(2.0 / step), len(line) - 1), 1)
    ahead, back = line[-1] - line[-1 - reach], line[0] - line[reach]
    ahead, back = (direction / np.hypot(direction[0], direction[2]) for direction in (ahead, back))
    far = np.linspace(0, _REACH_M, count + 1)[1:, None]
    return np.concatenate([line[0] + back * far[::-1], line, line[-1] + ahead * far])


def _aligned(left: Floats, right: Floats) -> list[Floats]:
    """Arc lengths on left and right of the coarse alignment, never falling."""
    longest = max(arc_length(left)[-1], arc_length(right)[-1])
    spacing = max(_COARSE_M, longest / _MOST_COARSE_POINTS)
    coarse = resampled(left, spacing), resampled(right, spacing)
    arcs = arc_length(coarse[0]), arc_length(coarse[1])
    apart = coarse[0][:, None, [0, 2]] - coarse[1][None, :, [0, 2]]
    cost = np.einsum("ijk,ijk->ij", apart, apart)
    rows, columns = cost.shape
    # move: 0 both go on, 1 only left, 2 only right.
    move = np.zeros(cost.shape, dtype=np.int8)
    total = np.cumsum(cost[0])
    move[0] = 2
    for row in range(1, rows):
        straight = np.concatenate([[np.inf], total[:-1]])
        best = np.minimum(straight, total)
        move[row] = best < straight
        entered = cost[row] + best
        # Going on along the right border within a row: cheapest entry so far plus the way from there.
        way = np.cumsum(cost[row])
        through = np.minimum.accumulate(entered - way) + way
        move[row][through < entered - 1e-9] = 2
        total = through
    path = [(rows - 1, columns - 1)]
    while path[-1] != (0, 0):
        row, column = path[-1]
        step = 1 if column == 0 else 2 if row == 0 else move[row, column]
        path.append((row - (step != 2), column - (step != 1)))
    chosen = np.array(path[::-1])
    return [arcs[0][chosen[:, 0]], arcs[1][chosen[:, 1]]]


def _across(line: Floats, arcs: Floats, middle: Floats, tangent: Floats, place: Floats) -> Floats:
    """Where the normals of the middle line meet a border, as arc lengths near the present ones, never falling."""
    spacing = arcs[1] - arcs[0]
    reach = int(_REACH_M / spacing)
    nearest = np.clip(np.round(place / spacing).astype(np.intp), 0, len(line) - 1)
    window = np.clip(nearest[:, None] + np.arange(-reach, reach + 1), 0, len(line) - 1)
    ahead = np.einsum("mwk,mk->mw", line[:, [0, 2]][window] - middle[:, None, :], tangent)
    crossing = (ahead[:, :-1] <= 0) & (ahead[:, 1:] > 0)
    nearness = 1.0 / (1.0 + np.abs(np.arange(2 * reach) - reach + 0.5))
    best = (crossing * nearness).argmax(axis=1)
    rows = np.arange(len(place))
    before, after = ahead[rows, best], ahead[rows, best + 1]
    share = before / np.where(after == before, 1.0, before - after)
    first = arcs[window[rows, best]]
    met = first + share * (arcs[window[rows, best + 1]] - first)
    # Where no normal meets the border nearby it ends there, or turns too sharply: stay with the partner so far.
    moved = np.where(
        crossing.any(axis=1), met, np.where(ahead[:, -1] <= 0, arcs[window[:, -1]], arcs[window[:, 0]])
    )
    return (np.maximum.accumulate(moved) + np.minimum.accumulate(moved[::-1])[::-1]) / 2


def _directions(line: Floats, reach: int) -> Floats:
    """Unit directions of a line of points, from `reach` points before to as many after."""
    index = np.arange(len(line))
    chord = line[np.minimum(index + reach, len(line) - 1)] - line[np.maximum(index - reach, 0)]
    return np.asarray(chord / np.hypot(*chord.T)[:, None])
