"""The search for a car's constants finds those of a car that is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.game.identification.driven import drive, write
from tmstudio.cli.main import main
from tmstudio.game.simulator.identification.fidelity import measure
from tmstudio.game.simulator.identification.fit import fit
from tmstudio.game.simulator.identification.laps import load_laps
from tmstudio.game.simulator.parameters import load_car, read_car


def test_the_fit_finds_a_car_that_is_known(tmp_path: Path) -> None:
    true = load_car()
    for seed in (1, 2):
        write(tmp_path / f"lap-{seed}.npz", *drive(true, 12.0, seed))
    laps = load_laps(tmp_path)
    first = replace(true, brake_per_s=1.06 * true.brake_per_s, yaw_lag_s=1.1 * true.yaw_lag_s)
    told: list[float] = []
    found = fit(laps, first, "found", sweeps=3, report=lambda _stage, _sweep, badness: told.append(badness))
    assert told[-1] < 0.7 * told[0]
    assert found.brake_per_s == pytest.approx(true.brake_per_s, rel=0.02)
    assert found.yaw_lag_s == pytest.approx(true.yaw_lag_s, rel=0.03)
    # Nothing in these laps tells anything about walls and grass.
    assert found.wall_friction == first.wall_friction
    assert found.grass_drag_per_s == first.grass_drag_per_s
    fitted = measure(found, laps)
    assert fitted.judged is None
    assert fitted.fitted is not None


def test_the_command_leaves_held_out_laps_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 2):
        write(tmp_path / f"lap-{seed}.npz", *drive(load_car(), 6.0, seed))
    out = tmp_path / "mine.json"
    arguments = ["simulator", "fit", "--laps", str(tmp_path), "--out", str(out), "--json"]
    assert main([*arguments, "--hold-out", "lap-2"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    car = read_car(out)
    assert car.name == "mine"
    assert list(car.fitted_to) == ["lap-1.npz"] == list(printed["fitted_to"])


@pytest.mark.parametrize(
    ("held_out", "problem"), [("lap-9", "There is no lap lap-9"), ("lap-1", "no lap left")]
)
def test_a_wrong_choice_of_laps_is_refused(
    held_out: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "lap-1.npz", *drive(load_car(), 8.0, 1))
    out = tmp_path / "mine.json"
    arguments = ["simulator", "fit", "--laps", str(tmp_path), "--out", str(out)]
    assert main([*arguments, "--hold-out", held_out]) != 0
    assert problem in capsys.readouterr().err
    assert not out.exists()
