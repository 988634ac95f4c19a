"""The comparison of the simulated car with recorded laps: true, fair, and blind for where a lap lies."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.game.identification.driven import drive, moved, write
from tmstudio.cli.main import main
from tmstudio.game.simulator.identification.fidelity import Errors, measure
from tmstudio.game.simulator.identification.laps import load_laps
from tmstudio.game.simulator.parameters import load_car
from tmstudio.game.state import FloatArray
from tmstudio.track import lap_file

JUDGED = ("human-06", "human-07", "recovery-01", "recovery-02")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two laps of the default car."""
    path = tmp_path_factory.mktemp("laps")
    for seed in (1, 2):
        write(path / f"lap-{seed}.npz", *drive(load_car(), 25.0, seed))
    return path


def fidelity_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["simulator", "fidelity", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


def test_a_car_goes_where_itself_went(folder: Path) -> None:
    fidelity = measure(load_car(), load_laps(folder))
    assert fidelity.judged is not None
    assert fidelity.fitted is None
    at = fidelity.judged.car.horizons
    # What no recording has, such as the turning rate, is observed: a little is lost.
    assert at["1.0"].position_m.p90 < 0.05
    assert at["3.0"].position_m.median < 0.15
    assert at["1.0"].gear_agreement > 0.99
    assert at["1.0"].slide_agreement is not None
    assert at["1.0"].slide_agreement > 0.98


def test_another_car_goes_elsewhere(folder: Path) -> None:
    own = load_car()
    other = replace(own, yaw_rate_rps=tuple(0.9 * rate for rate in own.yaw_rate_rps))
    fidelity = measure(other, load_laps(folder))
    assert fidelity.judged is not None
    assert fidelity.judged.car.horizons["1.0"].position_m.median > 0.3
    assert fidelity.judged.car.horizons["1.0"].heading_rad.median > 0.03


def errors_of(frames: FloatArray, controls: FloatArray, folder: Path) -> dict[str, Errors]:
    folder.mkdir()
    write(folder / "lap.npz", frames, controls)
    judged = measure(load_car(), load_laps(folder)).judged
    assert judged is not None
    return {"car": judged.car, **judged.baselines}


def assert_same(some: Errors, other: Errors) -> None:
    assert some.horizons.keys() == other.horizons.keys()
    for key, at in some.horizons.items():
        there = other.horizons[key]
        assert (at.windows, at.hits) == (there.windows, there.hits)
        assert (at.gear_agreement, at.slide_agreement) == (there.gear_agreement, there.slide_agreement)
        for what in ("position_m", "speed_mps", "heading_rad"):
            mine, theirs = getattr(at, what), getattr(there, what)
            assert mine.median == pytest.approx(theirs.median, rel=1e-6, abs=1e-7), (key, what)
            assert mine.p90 == pytest.approx(theirs.p90, rel=1e-6, abs=1e-7), (key, what)
    for sector, same in zip(some.sectors, other.sectors, strict=True):
        assert sector.missed == same.missed
        assert sector.bias_s == pytest.approx(same.bias_s, abs=1e-6)


def test_turned_shifted_and_mirrored_laps_give_the_same_errors(tmp_path: Path) -> None:
    # A clumsy car, so that there are errors to compare.
    frames, controls = drive(replace(load_car(), coast_base_mps2=2.5, yaw_lag_s=0.2), 25.0, 3)
    first = errors_of(frames, controls, tmp_path / "as recorded")
    assert first["car"].horizons["1.0"].position_m.median > 0.02
    for how, lap in moved(frames, controls).items():
        there = errors_of(*lap, tmp_path / how)
        for way, errors in first.items():
            assert_same(errors, there[way])


def test_recorded_laps_turned_shifted_and_mirrored_give_the_same_errors(
    data_dir: Path, tmp_path: Path
) -> None:
    lap = lap_file.read_lap(data_dir / "tmrl-test" / "laps" / "recovery-02.npz")
    frames, controls = lap.frames, lap.controls[:-1]
    first = errors_of(frames, controls, tmp_path / "as recorded")
    for how, other in moved(frames, controls).items():
        there = errors_of(*other, tmp_path / how)
        for way, errors in first.items():
            assert_same(errors, there[way])


def circling(speed_mps: float, turn_rps: float) -> tuple[FloatArray, FloatArray]:
    """Ten seconds of a lap on which nothing changes."""
    time_s = np.arange(0.0, 10.0, 0.01)
    heading = -turn_rps * time_s
    frames = np.zeros((len(time_s), lap_file.FRAME_FIELDS))
    frames[:, lap_file.RACE_TIME_MS] = np.round(time_s * 1000)
    frames[:, 7], frames[:, 9] = speed_mps * np.sin(heading), speed_mps * np.cos(heading)
    frames[:, 10], frames[:, 12] = np.sin(heading), np.cos(heading)
    radius_m = speed_mps / turn_rps if turn_rps else np.inf
    if turn_rps:
        frames[:, 4], frames[:, 6] = radius_m * (np.cos(heading) - 1.0), -radius_m * np.sin(heading)
    else:
        frames[:, 6] = speed_mps * time_s
    frames[:, lap_file.GEAR] = 2
    return frames, np.zeros((len(time_s) - 1, 3))


def test_the_baselines_say_what_they_are_called(tmp_path: Path) -> None:
    straight = errors_of(*circling(40.0, 0.0), tmp_path / "straight")
    assert straight["constant_velocity"].horizons["3.0"].position_m.p90 < 1e-6
    assert straight["constant_turn_rate_and_acceleration"].horizons["3.0"].position_m.p90 < 1e-6
    bend = errors_of(*circling(40.0, 0.5), tmp_path / "bend")
    assert bend["constant_turn_rate_and_acceleration"].horizons["3.0"].position_m.p90 < 0.01
    # Straight on for 40 m where the road bends by half a radian.
    chord = 2 * 80.0 * np.sin(0.25)
    away = np.hypot(chord * np.cos(0.25) - 40.0, chord * np.sin(0.25))
    assert bend["constant_velocity"].horizons["1.0"].position_m.median == pytest.approx(away, rel=1e-3)
    assert bend["constant_velocity"].horizons["1.0"].heading_rad.median == pytest.approx(0.5, rel=1e-3)


def test_windows_begin_a_second_into_the_lap_and_end_before_the_finish(tmp_path: Path) -> None:
    write(tmp_path / "lap.npz", *circling(40.0, 0.5))
    laps = load_laps(tmp_path)
    starts = laps.windows(3.0)
    assert laps.time_s[starts[0]] == pytest.approx(1.0)
    assert np.diff(laps.time_s[starts]) == pytest.approx(0.2)
    assert laps.time_s[starts[-1]] + 3.0 <= laps.time_s[-1]
    assert laps.time_s[starts[-1]] + 3.2 > laps.time_s[-1]


def test_laps_are_known_by_their_content_whatever_they_are_called(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (folder / "lap-1.npz").read_bytes()
    car = tmp_path / "car.json"
    values = json.loads(json.dumps(load_car().__dict__))
    car.write_text(json.dumps({**values, "fitted_to": {"x.npz": hashlib.sha256(content).hexdigest()}}))
    laps = tmp_path / "laps"
    laps.mkdir()
    (laps / "a.npz").write_bytes(content)
    (laps / "b.npz").write_bytes((folder / "lap-2.npz").read_bytes())
    found = fidelity_json(capsys, "--laps", str(laps), "--car", str(car))
    assert [(lap["file"], lap["use"]) for lap in found["laps"]] == [("a.npz", "fitted"), ("b.npz", "judged")]
    assert found["on"] == "judged laps"
    windows = found["laps"][1]["windows"]
    assert {key: at["windows"] for key, at in found["horizons"].items()} == windows
    assert found["fitted"]["horizons"]["1.0"]["windows"] == found["laps"][0]["windows"]["1.0"]


def test_the_default_car_meets_its_aims_on_laps_that_its_fit_has_not_seen(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    laps = data_dir / "tmrl-test" / "laps"
    found = fidelity_json(capsys, "--laps", str(laps))
    assert {Path(lap["file"]).stem for lap in found["laps"] if lap["use"] == "judged"} == set(JUDGED)
    one, three = found["horizons"]["1.0"], found["horizons"]["3.0"]
    assert one["position_m"]["median"] <= 0.5
    assert one["position_m"]["p90"] <= 2.0
    assert three["position_m"]["median"] <= 4.0
    assert three["position_m"]["p90"] <= 15.0
    assert one["speed_mps"]["median"] <= 0.5
    assert found["gear_agreement"] >= 0.97
    assert found["slide_agreement"] >= 0.90
    straight = found["baselines"]["constant_velocity"]["horizons"]
    assert straight["1.0"]["position_m"]["median"] == pytest.approx(19.3, abs=0.3)
    turning = found["baselines"]["constant_turn_rate_and_acceleration"]["horizons"]
    assert turning["1.0"]["position_m"]["median"] == pytest.approx(8.1, abs=0.3)


def test_the_table_says_which_laps_are_which(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulator", "fidelity", "--laps", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "Laps that the fit has not seen: lap-1.npz, lap-2.npz" in text
    assert "constant velocity" in text
    assert "grass" in text


@pytest.fixture
def bad_laps(folder: Path, tmp_path: Path) -> dict[str, Path]:
    with np.load(folder / "lap-1.npz") as archive:
        frames, controls = archive["frames"], archive["controls"]
    spoilt = frames.copy()
    spoilt[300, 4] = np.nan
    kinds = {
        "nan": (spoilt, controls),
        "short": (frames[:100], controls[:99]),
        "late": (frames[500:], controls[500:]),
        "uneven": (frames, controls[:-5]),
        "one frame": (frames[:1], controls[:0]),
    }
    folders = {}
    for name, lap in kinds.items():
        folders[name] = tmp_path / name
        folders[name].mkdir()
        write(folders[name] / "lap.npz", *lap)
    folders["no archive"] = tmp_path / "no archive"
    folders["no archive"].mkdir()
    (folders["no archive"] / "lap.npz").write_bytes(b"not a zip")
    folders["empty"] = tmp_path / "empty"
    folders["empty"].mkdir()
    folders["missing"] = tmp_path / "missing"
    return folders


@pytest.mark.parametrize(
    "kind", ["nan", "short", "late", "uneven", "one frame", "no archive", "empty", "missing"]
)
def test_laps_that_are_none_are_refused_by_name(
    kind: str, bad_laps: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulator", "fidelity", "--laps", str(bad_laps[kind]), "--json"]) != 0
    error = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    assert kind in error["message"] or "lap.npz" in error["message"]
    assert error["hint"]
