"""Curves of any length, thinned to what can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmstudio.app.series import Series


def filled(count: int, seed: int = 0, window: int = 10) -> Series:
    rng = np.random.default_rng(seed)
    series = Series(window)
    series.append(np.arange(count, dtype=float), rng.normal(size=count))
    return series


def test_points_come_back_as_they_went_in() -> None:
    series = Series()
    series.append([0.0, 1.0], [5.0, 6.0])
    series.append(2.0, 7.0)
    assert series.x.tolist() == [0, 1, 2]
    assert series.y.tolist() == [5, 6, 7]


def test_points_without_a_value_or_out_of_order_are_left_out() -> None:
    series = Series()
    series.append([0.0, 1.0, 0.5, 2.0], [1.0, np.nan, 3.0, 4.0])
    series.append([1.0, 3.0], [9.0, 5.0])
    assert series.y.tolist() == [1, 3, 4, 5]


def test_the_mean_covers_the_window_and_less_at_the_beginning() -> None:
    series = Series(window=3)
    for value in (3.0, 6.0, 9.0, 0.0):
        series.append(len(series), value)
    assert series.mean.tolist() == [3, 4.5, 6, 5]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=6))
@settings(deadline=None, max_examples=40)
def test_the_mean_does_not_depend_on_the_pieces(sizes: list[int]) -> None:
    total = sum(sizes)
    values = np.random.default_rng(1).normal(size=total)
    whole, pieces = Series(7), Series(7)
    whole.append(np.arange(total, dtype=float), values)
    start = 0
    for size in sizes:
        pieces.append(np.arange(start, start + size, dtype=float), values[start : start + size])
        start += size
    np.testing.assert_allclose(pieces.mean, whole.mean, atol=1e-9)


def test_few_points_are_drawn_as_they_are() -> None:
    x, y = filled(50).thinned(0, 49, 100, mean=False)
    assert len(x) == len(y) == 50


@pytest.mark.parametrize("count", [5_000, 300_000])
def test_no_spike_is_lost(count: int) -> None:
    series = filled(count)
    series.append(count, 1000.0)
    series.append([count + 1.0, count + 2.0], [-1000.0, 0.0])
    series.append(np.arange(count + 3.0, 2.0 * count), np.zeros(count - 3))
    x, y = series.thinned(0, 2 * count, 300, mean=False)
    assert len(x) <= 2 * 300
    assert y.max() == 1000
    assert y.min() == -1000


def test_each_column_has_the_extremes_of_its_points() -> None:
    series = filled(12_000, seed=3)
    x, y = series.thinned(0, 11_999, 100, mean=False)
    for column in range(100):
        inside = (x >= column * 120) & (x < (column + 1) * 120)
        points = series.y[column * 120 : (column + 1) * 120]
        if inside.any() and 0 < column < 99:
            assert y[inside].max() == pytest.approx(points.max(), abs=0.3)


def test_a_zoom_reaches_beyond_both_edges() -> None:
    x, _ = filled(1000).thinned(100.5, 110.5, 200, mean=False)
    assert x[0] == 100
    assert x[-1] == 111


def test_the_nearest_point() -> None:
    series = Series()
    with pytest.raises(ValueError, match="no points"):
        series.nearest(1.0)
    series.append([0.0, 10.0, 20.0], [1.0, 2.0, 3.0])
    assert [series.nearest(x) for x in (-5, 4, 6, 19, 50)] == [0, 0, 1, 2, 2]
