"""Drives out of ghosts and replays: real ones, made up ones, and none out of damaged ones."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.track.gbx.writing import (
    GHOST,
    MAP,
    REPLAY,
    UID,
    gbx,
    ghost_body,
    ghost_file,
    new_name,
    record,
    replay_file,
    samples,
    text,
    uint,
    winding,
)
from tmstudio.errors import TMStudioError
from tmstudio.track.importers.gbx.ghost_file import read_runs
from tmstudio.track.importers.gbx.kind import gbx_kind


def written(folder: Path, content: bytes) -> Path:
    path = folder / "some.bin"
    path.write_bytes(content)
    return path


def recording(version: int = 10, cars: int = 1) -> bytes:
    time_ms, position, steer = winding()
    rows = samples(position, steer, np.ones(len(steer)), np.zeros(len(steer)))
    return record(version, [(time_ms, rows)] * cars)


def test_the_real_ghost_has_a_line_and_inputs(data_dir: Path) -> None:
    path = data_dir / "gbx" / "sample.Ghost.Gbx"
    assert gbx_kind(path) == "ghost"
    (run,) = read_runs(path)
    assert (run.car, run.nickname, run.race_time_s) == ("CarSport", "WinterlyTM", 10.782)
    assert run.map_uid == "AJFJd6yABuSMfgJGc8UpWRwUVa0"
    assert run.confirmed
    assert len(run.time_s) == 216
    assert run.time_s[0] == pytest.approx(0.01)
    assert np.diff(run.time_s) == pytest.approx(0.05)
    assert set(run.gas.tolist()) == {1.0}
    assert run.steer.min() >= -1.0
    assert run.steer.max() == 1.0
    assert (run.gear[0], run.gear[-1]) == (1, 3)
    assert set(run.gear.tolist()) == {1, 2, 3}
    assert 5000 < run.engine_rpm[20:].min() < run.engine_rpm.max() < 12000
    # A car that drives: its places agree with a speed that a car can have.
    speed = np.linalg.norm(np.diff(run.position_m, axis=0), axis=1) / 0.05
    assert speed.max() < 70.0
    assert speed[-1] > 30.0


@pytest.mark.parametrize(("version", "confirmed"), [(10, True), (11, False), (12, False)])
def test_rows_and_columns_give_the_same_drive(version: int, confirmed: bool, tmp_path: Path) -> None:
    time_ms, position, steer = winding()
    (run,) = read_runs(written(tmp_path, ghost_file(recording(version))))
    assert run.confirmed is confirmed
    assert run.time_s == pytest.approx(time_ms / 1000)
    assert run.position_m == pytest.approx(position, abs=1e-4)
    assert run.steer == pytest.approx(steer, abs=0.005)
    assert (run.gas == 1.0).all()
    assert (run.brake == 0.0).all()
    assert (run.gear == 3).all()
    assert (run.map_uid, run.nickname, run.race_time_s) == (UID, "Driver", 9.5)


def test_a_replay_has_all_its_drives_and_the_map_of_its_header(tmp_path: Path) -> None:
    path = written(tmp_path, replay_file([recording(), recording(cars=2)]))
    assert gbx_kind(path) == "replay"
    runs = read_runs(path)
    assert len(runs) == 3
    assert {run.map_uid for run in runs} == {UID}


def test_names_that_a_replay_has_already_told_are_passed_over(tmp_path: Path) -> None:
    first = ghost_body(recording())
    second = first.replace(new_name("CarSport"), uint(0x40000001)).replace(
        new_name("Nadeo"), uint(0x40000002)
    )
    second = second.replace(new_name(UID), uint(0x40000003)).replace(text("$aaaDriver"), text("Other"))
    runs = read_runs(written(tmp_path, gbx(REPLAY, {}, first + second)))
    assert [(run.car, run.nickname, run.map_uid) for run in runs] == [
        ("CarSport", "Driver", UID),
        (None, "Other", None),
    ]


def test_the_car_tells_the_environment(tmp_path: Path) -> None:
    (run,) = read_runs(written(tmp_path, ghost_file(recording(), car="CarSnow")))
    assert run.car == "CarSnow"


def with_size_of_recording(size: int) -> bytes:
    made = recording()
    return ghost_file(made[:12] + uint(size) + made[16:])


def zip_bomb() -> bytes:
    packed = zlib.compress(bytes(60_000_000))
    head = b"\x00\xf0\x11\x09\x00\xf0\x11\x09" + uint(10)
    return ghost_file(head + uint(20_000_000, len(packed)) + packed)


def record_of(data: bytes, version: int = 10) -> bytes:
    packed = zlib.compress(data)
    return ghost_file(b"\x00\xf0\x11\x09\x00\xf0\x11\x09" + uint(version, len(data), len(packed)) + packed)


@cache
def bad_ghosts() -> dict[str, tuple[bytes, str]]:
    time_ms, position, steer = winding()
    still = np.zeros(len(steer))
    nowhere = position.copy()
    nowhere[7, 2] = np.nan
    far = position.copy()
    far[7, 2] = 1e30
    rows = samples(position, steer, still, still)
    body = ghost_body(recording())
    lying = bytearray(gbx(GHOST, {}, body))
    lying[25:29] = uint(0xFFFFFFFF)
    smaller = bytearray(gbx(GHOST, {}, body))
    smaller[25:29] = uint(len(body) - 1)
    refers = bytearray(gbx(GHOST, {}, body))
    refers[21:25] = uint(1)
    head = uint(0, 0, 1) + uint(0x0A018000, 1, 0, 1, 0, 0) + uint(0) + b"\x01" + uint(0, 0, 0, 0, 0)
    return {
        "a map": (gbx(MAP, {}), "neither a ghost nor a replay"),
        "no recording": (gbx(GHOST, {}), "damaged"),
        "no car": (ghost_file(record(10, [])), "no drive"),
        "old version": (ghost_file(recording(10).replace(uint(10), uint(3), 1)), "damaged"),
        "size of 4 GB": (with_size_of_recording(0xFFFFFFFF), "too much"),
        "size too small": (with_size_of_recording(100), "damaged"),
        "zip bomb": (zip_bomb(), "damaged"),
        "honest zip bomb": (record_of(bytes(60_000_000)), "too much"),
        "body of 4 GB": (bytes(lying), "damaged"),
        "body longer than it says": (bytes(smaller), "damaged"),
        "other files needed": (bytes(refers), "damaged"),
        "no zlib": (ghost_file(b"\x00\xf0\x11\x09" * 2 + uint(10, 4, 4) + b"nope"), "damaged"),
        "not a place": (ghost_file(record(10, [(time_ms, samples(nowhere, steer, still, still))])), "no map"),
        "beyond any map": (ghost_file(record(10, [(time_ms, samples(far, steer, still, still))])), "no map"),
        "time goes back": (ghost_file(record(10, [(time_ms[::-1], rows)])), "time goes back"),
        "short samples": (ghost_file(record(10, [(time_ms, rows[:, :40])])), "40 bytes"),
        "4 billion samples": (record_of(head + uint(0xFFFFFFFF, 107), 11), "too much"),
        "4 billion descriptions": (record_of(uint(0, 0, 0xFFFFFFFF)), "too much"),
        "unknown entity": (record_of(head[:-20] + uint(9, 0, 0, 0, 0)), "damaged"),
    }


@pytest.mark.parametrize("kind", bad_ghosts())
def test_what_is_no_ghost_is_refused_with_the_reason(kind: str, tmp_path: Path) -> None:
    content, problem = bad_ghosts()[kind]
    with pytest.raises(TMStudioError) as caught:
        read_runs(written(tmp_path, content))
    assert problem in f"{caught.value.message} {caught.value.cause}"
    assert caught.value.hint


def test_the_real_ghost_cut_off_anywhere_is_refused(data_dir: Path, tmp_path: Path) -> None:
    content = (data_dir / "gbx" / "sample.Ghost.Gbx").read_bytes()
    for size in range(0, len(content), 97):
        with pytest.raises(TMStudioError):
            read_runs(written(tmp_path, content[:size]))


def test_a_ghost_cut_off_anywhere_is_refused_or_whole(tmp_path: Path) -> None:
    content = ghost_file(recording())
    refused = 0
    for size in range(0, len(content), 13):
        try:
            read_runs(written(tmp_path, content[:size]))
        except TMStudioError:
            refused += 1
    assert refused > 100
