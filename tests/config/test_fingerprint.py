from __future__ import annotations

import pytest

from tmstudio.config.fingerprint import differences, fingerprint, identity_of
from tmstudio.config.loading import apply_overrides
from tmstudio.config.run_config import RunConfig

TRACK = "ab" * 32


@pytest.mark.parametrize(
    "override",
    [
        "budget.minutes=1000", "reward.time=-2", "replay.capacity=5000", "algorithm.gamma=0.9", "seed=7", "name=other",
        "game.cars=3", "checkpoints.every_s=10", "pacing.max_updates_per_step=1", "evaluation.episodes=3",
    ],
)  # fmt: skip
def test_a_run_stays_the_same_with_another(override: str) -> None:
    assert fingerprint(apply_overrides(RunConfig(), [override]), TRACK) == fingerprint(RunConfig(), TRACK)


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("track=summit", "track: valley, now summit"),
        ("algorithm.kind=sac", "algorithm.kind: tqc, now sac"),
        ("algorithm.network.actor_width=96", "algorithm.network.actor_width: 64, now 96"),
        ("observation.lidar_history=2", "observation.lidar_history: 4, now 2"),
        ("timing.capture_ms=30", "timing.capture_ms: 40, now 30"),
        ("action.kind=keyboard", "action.kind: analog, now keyboard"),
    ],
)
def test_a_run_is_another_with_another(override: str, line: str) -> None:
    other = apply_overrides(RunConfig(), [override])
    assert fingerprint(other, TRACK) != fingerprint(RunConfig(), TRACK)
    assert differences(identity_of(RunConfig(), TRACK), identity_of(other, TRACK)) == [line]


def test_the_track_itself_counts_not_only_its_name() -> None:
    assert fingerprint(RunConfig(), TRACK) != fingerprint(RunConfig(), "cd" * 32)
    assert differences(identity_of(RunConfig(), TRACK), identity_of(RunConfig(), "cd" * 32)) == [
        "track_sha256: abababababab, now cdcdcdcdcdcd"
    ]


def test_a_whole_number_typed_with_a_point_is_the_same_setting() -> None:
    typed = apply_overrides(RunConfig(), ["observation.track_point_spacing_m=8"])
    assert fingerprint(typed, TRACK) == fingerprint(RunConfig(), TRACK)


def test_a_field_that_the_older_version_did_not_have_is_no_difference() -> None:
    older = identity_of(RunConfig(), TRACK)
    del older["observation.lidar_range_m"]
    assert differences(older, identity_of(RunConfig(), TRACK)) == []
