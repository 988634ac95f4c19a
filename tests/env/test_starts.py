"""Starts: varied on the line, repeatable by seed, and the right share of them along the track."""

from __future__ import annotations

import numpy as np

from tmstudio.env.starts import (
    CLOCK_TICKS,
    ROLL_MPS,
    SHIFT_M,
    TURN_RAD,
    TrainingStarts,
    TrialStarts,
    line_starts,
)
from tmstudio.game.interface import Starts
from tmstudio.track.geometry import Track


def half_way(track: Track, count: int, rng: np.random.Generator) -> Starts:
    """Starts that can be told apart by their place and order."""
    arc = track.start_arc_m + 200.0 + rng.uniform(0.0, 1.0, count)
    position, heading = track.place(arc)
    still = np.zeros(count)
    return Starts(position, heading, np.full(count, 20.0), arc, still, still)


def test_starts_on_the_line_vary_within_bounds(straight: Track) -> None:
    starts = line_starts(straight, 500, np.random.default_rng(1))
    away = starts.position_m - np.array(straight.spawn.position_m)
    for axis in (0, 2):
        assert 0.9 * SHIFT_M < np.abs(away[:, axis]).max() <= SHIFT_M
    assert 0.9 * TURN_RAD < np.abs(starts.heading_rad).max() <= TURN_RAD
    assert starts.speed_mps.min() >= 0.0
    assert 0.9 * ROLL_MPS < starts.speed_mps.max() <= ROLL_MPS
    assert len(np.unique(starts.race_time_s)) == CLOCK_TICKS
    assert starts.race_time_s.max() == 0.0


def test_a_trial_starts_the_same_way_whatever_else_is_driven(straight: Track) -> None:
    many = TrialStarts(straight, [5, 6, 7]).draw(np.arange(3))
    one = TrialStarts(straight, [6]).draw(np.array([0]))
    assert one.starts.position_m[0].tolist() == many.starts.position_m[1].tolist()
    assert one.starts.heading_rad[0] == many.starts.heading_rad[1]
    assert many.seeds == [5, 6, 7]
    assert many.from_start.all()
    assert len({tuple(position) for position in many.starts.position_m.tolist()}) == 3


def test_the_share_of_starts_along_the_track(straight: Track) -> None:
    source = TrainingStarts(straight, 0.7, np.random.default_rng(3), half_way)
    drawn = source.draw(np.arange(1000))
    assert 0.65 < 1.0 - drawn.from_start.mean() < 0.75
    on_line = np.abs(drawn.starts.arc_m - straight.start_arc_m) < 2.0
    assert (on_line == drawn.from_start).all()
    assert (drawn.starts.speed_mps[~drawn.from_start] == 20.0).all()
    assert drawn.starts.count == 1000
    for share, along in ((0.0, 0), (1.0, 50)):
        source = TrainingStarts(straight, share, np.random.default_rng(3), half_way)
        assert (~source.draw(np.arange(50)).from_start).sum() == along


def test_training_starts_repeat_by_seed(straight: Track) -> None:
    draws = [
        TrainingStarts(straight, 0.5, np.random.default_rng(seed), half_way).draw(np.arange(20))
        for seed in (1, 1, 2)
    ]
    assert (draws[0].starts.position_m == draws[1].starts.position_m).all()
    assert (draws[0].starts.position_m != draws[2].starts.position_m).any()
