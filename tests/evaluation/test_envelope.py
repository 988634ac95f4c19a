"""Which moments of a drive lie inside the envelope of recorded ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.game.identification.driven import drive, write
from tmstudio.evaluation.envelope import Envelope, Floats, compare, motion, recorded_motion
from tmstudio.game.simulator.identification.laps import load_laps
from tmstudio.game.simulator.parameters import load_car
from tmstudio.runs.folder import RunFolder


@pytest.fixture(scope="module")
def laps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two laps that the simulated car drove."""
    folder = tmp_path_factory.mktemp("laps")
    for seed in range(2):
        write(folder / f"lap-{seed}.npz", *drive(load_car(), seconds=20.0, seed=seed))
    return folder


def test_motion_is_speed_turning_rate_and_acceleration() -> None:
    times = np.linspace(0.0, 0.5, 11)
    speed_mps: Floats = 20.0 + 3.0 * times
    heading_rad: Floats = -0.5 * times
    points = motion(speed_mps, heading_rad, 0.05)
    assert points.shape == (9, 3)
    assert np.allclose(points, np.stack([speed_mps[1:-1], np.full(9, 0.5), np.full(9, 3.0)], axis=1))
    assert motion(speed_mps[:2], heading_rad[:2], 0.05).shape == (0, 3)


def test_what_lies_between_recorded_moments_is_inside_and_what_no_car_did_is_not() -> None:
    recorded = np.array([(30.0, turn, gain) for turn in (0.0, 1.0) for gain in (-20.0, 10.0)])
    envelope = Envelope(recorded)
    cases = {
        (30.0, 0.5, 0.0): True,
        (32.0, 0.0, -20.5): True,
        (30.0, 1.2, 0.0): False,
        (30.0, 0.5, 15.0): False,
        (30.0, 0.5, -25.0): False,
        (40.0, 0.5, 0.0): False,
    }
    assert envelope.inside(np.array(list(cases))).tolist() == list(cases.values())


def test_recorded_laps_lie_inside_their_own_envelope_and_a_stronger_car_does_not(laps: Path) -> None:
    recorded = load_laps(laps)
    points = np.concatenate(recorded_motion(recorded))
    report = compare(points, recorded)
    assert report.inside == 1.0
    assert report.points == len(points)
    assert 0.5 < report.recorded_inside <= 1.0
    assert compare(points * (1.0, 1.0, 2.0), recorded).inside < 0.9


def test_the_command_compares_and_paints(
    run: RunFolder, save_policy: Callable[..., None], run_cli: Any, laps: Path, tmp_path: Path
) -> None:
    save_policy(run, 1000)
    picture = tmp_path / "envelope.png"
    common = ("evaluate", run.name, "--episodes", "2", "--checkpoint", "last")
    answer = run_cli(*common, "--envelope", laps, "--picture", picture, "--json")
    assert answer.code == 0, answer.stderr
    compared = answer.json()["envelope"]
    assert 0.0 <= compared["inside"] <= 1.0
    assert compared["points"] > 100
    image = cv2.imread(str(picture))
    assert image is not None
    assert image.shape[1] > 1000
    assert "moments are such as were recorded" in run_cli(*common, "--envelope", laps).stdout
    assert "--envelope" in run_cli(*common, "--picture", picture).stderr
