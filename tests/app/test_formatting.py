"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from tmstudio.app import formatting


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(36.9, "36.90 s"), (59.999, "60.00 s"), (62.4, "1:02.40"), (None, "–"), (math.nan, "–")],
)
def test_a_lap_time_has_hundredths(seconds: float | None, text: str) -> None:
    assert formatting.lap(seconds) == text


def test_the_exact_lap_time_has_thousandths_and_carries() -> None:
    assert formatting.lap_exact(36.9) == "36.900 s"
    assert formatting.lap_exact(59.9996) == "1:00.000"


def test_thousands_are_apart_and_minus_is_a_minus() -> None:
    assert formatting.count(412384) == "412\u202f384"
    assert formatting.decimal(-1.25, 1, signed=True) == "\u22121.2"
    assert formatting.decimal(-0.001, 1, signed=True) == "0.0"


@pytest.mark.parametrize(
    ("value", "text"), [(410_000, "410 k"), (2_400_000, "2.4 M"), (950, "950"), (999_700, "1.0 M")]
)
def test_large_numbers_are_short(value: float, text: str) -> None:
    assert formatting.short_count(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.014, "14 ms"), (12.4, "12 s"), (540, "9 min"), (7200, "2 h"), (400_000, "5 days")],
)
def test_an_age_has_one_unit(seconds: float, text: str) -> None:
    assert formatting.age(seconds) == text


def test_elapsed_time_shows_hours_only_where_there_are_any() -> None:
    assert formatting.clock(751) == "12:31"
    assert formatting.clock(3729) == "1:02:09"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0312, "0.031"), (1.234, "1.23"), (12.34, "12.3"), (1e-5, "1.0e\u221205")]
)
def test_losses_have_three_digits(value: float, text: str) -> None:
    assert formatting.compact(value) == text
