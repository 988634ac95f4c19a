"""What files are is found out from their content; what belongs together becomes one track."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.track.gbx.writing import UID, ghost_file, map_file, map_xml, record, replay_file, samples, winding
from tmstudio.errors import TMStudioError
from tmstudio.track import lap_file
from tmstudio.track.importers.detect import look_into, make_track
from tmstudio.track.library import TrackLibrary
from tmstudio.track.verdict import verdict

Floats = NDArray[np.float64]


def road(aside_m: float = 0.0) -> Floats:
    """A winding line of 400 m, (400, 3), or one beside it."""
    along = np.linspace(0.0, 400.0, 400)
    return np.stack([30 * np.sin(along / 60) + aside_m, np.full(400, 10.0), along], axis=1)


def borders() -> tuple[Floats, Floats]:
    return road(10.0), road(-10.0)


def saved(path: Path, array: Floats) -> Path:
    with path.open("wb") as file:  # NumPy adds a suffix to names that have another one
        np.save(file, array)
    return path


def lap(
    path: Path, positions: Floats, *, uid: str = UID, materials: int = 16, flying_ms: float = 0.0
) -> Path:
    frames = np.zeros((len(positions), lap_file.FRAME_FIELDS))
    frames[:, lap_file.RACE_TIME_MS] = np.arange(len(positions)) * 50
    frames[:, lap_file.POSITION] = positions
    frames[:, lap_file.MATERIALS] = materials
    frames[-5:, lap_file.FLYING_MS] = flying_ms
    with path.open("wb") as file:
        np.savez(
            file, frames=frames, controls=np.zeros((len(positions) - 1, 3)), finish_time_s=19.5, map_uid=uid
        )
    return path


def ghost(path: Path, **facts: object) -> Path:
    time_ms, position, steer = winding()
    rows = samples(position, steer, np.ones(len(steer)), np.zeros(len(steer)))
    path.write_bytes(ghost_file(record(int(facts.pop("version", 10)), [(time_ms, rows)]), **facts))  # type: ignore[call-overload]
    return path


def test_two_borders_are_found_whatever_their_names_and_order(tmp_path: Path) -> None:
    left, right = borders()
    one, other = saved(tmp_path / "a.dat", right), saved(tmp_path / "b.txt", left)
    for paths in ([one, other], [other, one]):
        found = look_into(paths)
        assert (found.kind, found.needs_width, found.files) == ("borders", False, ("b.txt", "a.dat"))
        track = make_track(found, "mine")
        assert track.width_m == pytest.approx(20.0, rel=0.15)
        assert (track.left_m[:, 0] > track.right_m[:, 0]).mean() > 0.9


def test_an_archive_with_both_borders_is_found(tmp_path: Path) -> None:
    left, right = borders()
    path = tmp_path / "both.npz"
    np.savez(path, left=left, right=right, center=road())
    found = look_into([path])
    assert (found.kind, found.suggested_name) == ("borders", "both")
    assert make_track(found, "mine").width_m == pytest.approx(20.0, rel=0.15)


def test_a_map_beside_borders_gives_its_name_identifier_and_medals(tmp_path: Path) -> None:
    left, right = borders()
    (tmp_path / "m.bin").write_bytes(map_file())
    paths = [saved(tmp_path / "l.npy", left), tmp_path / "m.bin", saved(tmp_path / "r.npy", right)]
    found = look_into(paths)
    assert found.suggested_name == "Red road"
    assert found.thumbnail_jpeg
    assert dict(found.facts)["checkpoints"] == "4"
    track = make_track(found, found.suggested_name)
    assert track.map_uid == UID
    assert track.medals_s["author"] == 60.5
    assert str(verdict(track)) == "unknown, because no lap has shown jumps and surfaces"


def test_a_map_alone_is_shown_and_makes_no_track(tmp_path: Path) -> None:
    (tmp_path / "m.bin").write_bytes(map_file())
    found = look_into([tmp_path / "m.bin"])
    assert found.road is None
    assert dict(found.facts)["author medal"] == "60.500 s"
    with pytest.raises(TMStudioError, match="no road"):
        make_track(found, "mine")


def test_laps_give_the_middle_between_them_and_a_width_that_is_said_to_be_assumed(tmp_path: Path) -> None:
    paths = [lap(tmp_path / f"{side}.npz", road(side)) for side in (-4.0, 4.0, 1.0)]
    found = look_into(paths)
    assert (found.kind, found.needs_width, found.map_uid) == ("laps", True, UID)
    assert found.width_m == pytest.approx(12.0, abs=1.0)
    track = make_track(found, "mine")
    middle = track.center_m[track.lap_points]
    assert middle[:, 0] == pytest.approx(30 * np.sin(middle[:, 2] / 60), abs=1.0)
    assert any("assumed, not measured" in note for note in track.origin["notes"])
    assert any("chosen, not measured" in note for note in make_track(found, "x", 18.0).origin["notes"])
    assert make_track(found, "mine", 18.0).width_m == pytest.approx(18.0, abs=0.1)
    assert verdict(track).kind == "simulator and game"


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"materials": 2}, "other surfaces than road (materials 2)"),
        ({"flying_ms": 700.0}, "cars fly for up to 0.7 s"),
    ],
)
def test_laps_over_jumps_and_other_surfaces_are_for_the_game_only(
    how: dict[str, float], reason: str, tmp_path: Path
) -> None:
    track = make_track(look_into([lap(tmp_path / "l.npz", road(), **how)]), "mine")  # type: ignore[arg-type]
    assert verdict(track).kind == "game only"
    assert reason in verdict(track).reason


def test_a_road_that_climbs_is_for_the_game_only(tmp_path: Path) -> None:
    climbing = road()
    climbing[:, 1] += np.linspace(0.0, 25.0, len(climbing))
    track = make_track(look_into([lap(tmp_path / "l.npz", climbing)]), "mine")
    assert str(verdict(track)) == "game only, because its height changes by 25 m"


def test_laps_beside_borders_tell_the_surface_and_the_borders_the_road(tmp_path: Path) -> None:
    left, right = borders()
    files = [
        saved(tmp_path / "l.npy", left),
        saved(tmp_path / "r.npy", right),
        lap(tmp_path / "lap.npz", road()),
    ]
    track = make_track(look_into(files), "mine")
    assert track.width_m == pytest.approx(20.0, rel=0.15)
    assert verdict(track).kind == "simulator and game"


def test_a_restart_in_a_recording_is_cut_out_and_said(tmp_path: Path) -> None:
    twice = np.concatenate([road()[:150], road()])
    found = look_into([lap(tmp_path / "lap.npz", twice)])
    (note,) = found.notes
    assert note.startswith("lap.npz jumps once, as after a restart: ")
    assert 140 < float(note.split(": ")[1].split(" ")[0]) < 200
    assert make_track(found, "mine").length_m == pytest.approx(
        make_track(look_into([lap(tmp_path / "whole.npz", road())]), "x").length_m, abs=1.0
    )


def test_ghosts_and_replays_give_a_line_with_driver_and_map(tmp_path: Path) -> None:
    found = look_into([ghost(tmp_path / "g.bin")])
    assert (found.kind, found.map_uid, found.needs_width) == ("ghost", UID, True)
    assert dict(found.facts)["driver"] == "Driver"
    assert make_track(found, "mine").length_m > 150
    time_ms, position, steer = winding()
    rows = samples(position, steer, np.ones(len(steer)), np.zeros(len(steer)))
    (tmp_path / "r.bin").write_bytes(replay_file([record(10, [(time_ms, rows)])]))
    assert look_into([tmp_path / "r.bin"]).kind == "replay"


def test_a_recording_of_a_version_not_yet_seen_says_so(tmp_path: Path) -> None:
    found = look_into([ghost(tmp_path / "g.bin", version=11)])
    assert any("not yet been seen" in note for note in found.notes)


def test_a_trajectory_and_an_exported_track_are_found(tmp_path: Path) -> None:
    (tmp_path / "t.bin").write_bytes(pickle.dumps(road()))
    found = look_into([tmp_path / "t.bin"])
    assert found.kind == "trajectory"
    path = TrackLibrary(tmp_path).save(make_track(found, "mine"))
    again = look_into([path])
    assert again.kind == "track"
    assert make_track(again, "other").sha256 == make_track(found, "mine").sha256


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    other_map = tmp_path / "other.bin"
    other_map.write_bytes(map_file(map_xml(uid="another")))
    (tmp_path / "m.bin").write_bytes(map_file())
    here = lap(tmp_path / "l.npz", road())
    away = lap(tmp_path / "away.npz", road(3000.0))
    elsewhere = lap(tmp_path / "else.npz", road(), uid="another")
    left, right = (
        saved(tmp_path / f"{side}.npy", border) for side, border in zip("lr", borders(), strict=True)
    )
    cases = [
        ([here, other_map], "different maps"),
        ([here, elsewhere], "different maps"),
        ([here, away], "not drives on the same road"),
        ([other_map, tmp_path / "m.bin"], "two maps"),
        ([left, ghost(tmp_path / "g.bin")], "several roads"),
        ([left, right, left], "too many"),
        ([ghost(tmp_path / "s.bin", car="CarSnow")], "another environment"),
        ([tmp_path / "none.npy"], "is not there"),
        ([tmp_path], "is a folder"),
        ([], "No file"),
    ]
    for paths, problem in cases:
        with pytest.raises(TMStudioError, match=problem) as caught:
            look_into(paths)
        assert caught.value.hint
    with pytest.raises(TMStudioError, match="different maps") as caught:
        look_into([here, other_map])
    assert UID in caught.value.cause
    assert "another" in caught.value.cause


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 no zip", b"GBX\x06\x00BUCR\x00\x00\x00\x01"])
def test_files_of_no_known_kind_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(TMStudioError, match=r"of no kind|neither a map") as caught:
        look_into([tmp_path / "x"])
    assert "reward.pkl" in caught.value.hint


def test_all_real_files_are_taken(data_dir: Path) -> None:
    folder = data_dir / "tmrl-test"
    real = [
        [folder / "left-recorded.npy", folder / "right-recorded.npy", folder / "tmrl-test.Map.Gbx"],
        [folder / "geometry.npz"],
        [folder / "reward.pkl"],
        sorted((folder / "laps").glob("human-*.npz")),
        *([path] for path in sorted((folder / "laps").glob("*.npz"))),
        [data_dir / "gbx" / "sample.Ghost.Gbx"],
    ]
    for paths in real:
        found = look_into(paths)
        assert found.facts
        assert make_track(found, "mine").length_m > 400
    whole = make_track(look_into(real[0]), "tmrl-test")
    assert whole.length_m == pytest.approx(2160, abs=2)
    assert whole.map_uid == "oqIJ5rQDRrNwLPTh9H2p_W4tLof"
    assert whole.medals_s["author"] == 42.232
