"""Car files: the shipped one loads, faults are told all at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tmstudio.config.assets import asset
from tmstudio.errors import TMStudioError
from tmstudio.game.simulator.parameters import load_car, read_car


@pytest.fixture
def values() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(asset("cars", "stadium.json").read_text(encoding="utf-8"))
    return read


def written(folder: Path, values: Any) -> Path:
    path = folder / "car.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def test_the_shipped_car_loads() -> None:
    assert load_car("stadium").name == "stadium"


def test_an_unknown_car_is_refused_with_the_known_ones() -> None:
    with pytest.raises(TMStudioError, match="no-such-car") as caught:
        load_car("no-such-car")
    assert "stadium" in caught.value.hint


def test_every_fault_of_a_car_file_is_told_at_once(tmp_path: Path, values: dict[str, Any]) -> None:
    values["yaw_lag_s"] = "soon"
    values["shift_up_mps"] = [1.0]
    values["wall_friction"] = -1
    with pytest.raises(TMStudioError) as caught:
        read_car(written(tmp_path, values))
    for field in ("yaw_lag_s", "shift_up_mps", "wall_friction"):
        assert field in caught.value.cause


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"yaw_lag_s": None}, "yaw_lag_s"),
        ({"wings": 2}, "wings is unknown"),
        ({"yaw_speed_mps": [0.0, 3.0, 2.0], "yaw_rate_rps": [0.0, 1.0, 1.0]}, "must rise"),
        ({"yaw_speed_mps": [0.0, 3.0]}, "same number"),
        ({"yaw_lag_s": [0.1]}, "one number"),
        ({"yaw_rate_rps": 1.0}, "a list"),
    ],
)
def test_a_faulty_car_file_is_refused(
    tmp_path: Path, values: dict[str, Any], change: dict[str, Any], fault: str
) -> None:
    with pytest.raises(TMStudioError) as caught:
        read_car(written(tmp_path, values | change))
    assert fault in caught.value.cause


def test_a_missing_value_is_named(tmp_path: Path, values: dict[str, Any]) -> None:
    del values["yaw_lag_s"]
    with pytest.raises(TMStudioError) as caught:
        read_car(written(tmp_path, values))
    assert "yaw_lag_s is missing" in caught.value.cause


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "car.json"
    path.write_text("not json", encoding="utf-8")
    with pytest.raises(TMStudioError, match="cannot be read"):
        read_car(path)
    with pytest.raises(TMStudioError, match="not usable"):
        read_car(written(tmp_path, [1, 2]))
