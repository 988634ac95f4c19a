"""A growing curve that can be drawn at any length: appended to in pieces, thinned to the pixels it covers.

Plain NumPy, no Qt. Thinning keeps the lowest and the highest value of every pixel column, so that no spike is
lost; from a few hundred points per column on it reads a coarser copy that is kept beside the data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_BLOCK = 64
_MIN_CAPACITY = 1024


class _Growing:
    """An array that grows by doubling."""

    def __init__(self) -> None:
        self._store = np.empty(_MIN_CAPACITY)
        self.size = 0

    @property
    def values(self) -> Floats:
        return self._store[: self.size]

    def extend(self, values: Floats) -> None:
        needed = self.size + len(values)
        if needed > len(self._store):
            grown = np.empty(max(needed, 2 * len(self._store)))
            grown[: self.size] = self.values
            self._store = grown
        self._store[self.size : needed] = values
        self.size = needed


class _Channel:
    """Values with the minimum and maximum of each full block of them."""

    def __init__(self) -> None:
        self._values = _Growing()
        self._low = _Growing()
        self._high = _Growing()

    @property
    def values(self) -> Floats:
        return self._values.values

    def extend(self, values: Floats) -> None:
        self._values.extend(values)
        done = self._low.size * _BLOCK
        ready = self._values.size // _BLOCK * _BLOCK
        if ready > done:
            blocks = self._values.values[done:ready].reshape(-1, _BLOCK)
            self._low.extend(blocks.min(axis=1))
            self._high.extend(blocks.max(axis=1))

    def extremes(self, edges: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Lowest and highest value between successive indices ``edges``; every span holds a point."""
        starts, stop = edges[:-1], int(edges[-1])
        if (stop - int(edges[0])) < 4 * _BLOCK * len(starts):
            part = self.values[:stop]
            return np.minimum.reduceat(part, starts), np.maximum.reduceat(part, starts)
        # Whole blocks only: a column is then at most a quarter of its width off.
        first = np.minimum(starts // _BLOCK, self._low.size - 1)
        last = max(stop // _BLOCK, int(first[-1]) + 1)
        low = np.minimum.reduceat(self._low.values[:last], first)
        high = np.maximum.reduceat(self._high.values[:last], first)
        return low, high


class Series:
    """A curve y(x) with x that never falls, and its running mean.

    Args:
        window: points that the running mean covers.
    """

    def __init__(self, window: int = 15) -> None:
        if window < 1:
            raise ValueError(f"a running mean covers at least one point, not {window}")
        self._x = _Growing()
        self._raw = _Channel()
        self._mean = _Channel()
        self._sums = _Growing()
        self._window = window

    def __len__(self) -> int:
        return self._x.size

    @property
    def x(self) -> Floats:
        """(n,) abscissae."""
        return self._x.values

    @property
    def y(self) -> Floats:
        """(n,) values as they came."""
        return self._raw.values

    @property
    def mean(self) -> Floats:
        """(n,) mean of the last `window` values at each point, of fewer at the beginning."""
        return self._mean.values

    def append(self, x: ArrayLike, y: ArrayLike) -> None:
        """Add points at the end. Points that are not finite or go back in x are left out."""
        new_x = np.atleast_1d(np.asarray(x, dtype=np.float64))
        new_y = np.atleast_1d(np.asarray(y, dtype=np.float64))
        if new_x.shape != new_y.shape or new_x.ndim != 1:
            raise ValueError(f"x and y must be rows of the same length, not {new_x.shape} and {new_y.shape}")
        start = self._x.values[-1] if self._x.size else -np.inf
        good = np.isfinite(new_x) & np.isfinite(new_y)
        new_x, new_y = new_x[good], new_y[good]
        if not len(new_x):
            return
        forward = new_x >= np.maximum.accumulate(np.concatenate([[start], new_x]))[:-1]
        new_x, new_y = new_x[forward], new_y[forward]
        if not len(new_x):
            return
        before = self._x.size
        self._x.extend(new_x)
        self._raw.extend(new_y)
        total = self._sums.values[-1] if before else 0.0
        self._sums.extend(total + np.cumsum(new_y))
        self._mean.extend(self._running_mean(before))

    def _running_mean(self, first: int) -> Floats:
        index = np.arange(first, self._x.size)
        lagged = index - self._window
        sums = self._sums.values
        before = np.where(lagged >= 0, sums[np.maximum(lagged, 0)], 0.0)
        return (sums[index] - before) / np.minimum(index + 1, self._window)

    def thinned(self, low_x: float, high_x: float, columns: int, *, mean: bool) -> tuple[Floats, Floats]:
        """Points to draw for x from ``low_x`` to ``high_x``, about two per pixel column at most.

        Args:
            low_x: left end of what is visible.
            high_x: right end.
            columns: pixel columns between them.
            mean: whether the running mean is wanted instead of the values.

        Returns:
            x, y: the visible points and one beyond each end, so that the line reaches the edges.
        """
        channel = self._mean if mean else self._raw
        x = self._x.values
        first = max(int(np.searchsorted(x, low_x, side="left")) - 1, 0)
        stop = min(int(np.searchsorted(x, high_x, side="right")) + 1, len(x))
        if stop - first <= 2 * columns:
            return x[first:stop], channel.values[first:stop]
        walls = np.linspace(low_x, high_x, columns + 1)
        edges = np.searchsorted(x[first:stop], walls[1:-1], side="left") + first
        edges = np.unique(np.concatenate([[first], edges, [stop]]))  # a column without a point has no span
        low, high = channel.extremes(edges)
        thin_x = np.repeat(x[edges[:-1]], 2)
        thin_y = np.empty(2 * len(low))
        # Low and high take turns in coming first, so that no stroke crosses its column twice.
        thin_y[0::2] = np.where(np.arange(len(low)) % 2, high, low)
        thin_y[1::2] = np.where(np.arange(len(low)) % 2, low, high)
        return thin_x, thin_y

    def nearest(self, x: float) -> int:
        """Index of the point nearest to ``x``.

        Raises:
            ValueError: there is no point yet.
        """
        if not self._x.size:
            raise ValueError("the curve has no points")
        values = self._x.values
        right = int(np.searchsorted(values, x))
        if right == 0:
            return 0
        if right == len(values):
            return len(values) - 1
        return right if values[right] - x < x - values[right - 1] else right - 1
