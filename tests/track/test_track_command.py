"""``tmstudio track``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tmstudio.cli.main import main
from tmstudio.track.geometry import Track
from tmstudio.track.library import BUNDLED, TrackLibrary
from tmstudio.track.picture import draw_track


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return parsed


def test_import_then_show_gives_the_same_figures(
    recordings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    borders = [
        "--left",
        str(recordings / "left-recorded.npy"),
        "--right",
        str(recordings / "right-recorded.npy"),
    ]
    assert main(["track", "import", *borders, "--name", "tmrl-test", "--map-uid", "uid", "--json"]) == 0
    imported = answer(capsys)
    assert imported["name"] == "tmrl-test"
    assert imported["length_m"] == pytest.approx(2160, abs=2)
    assert imported["width_m"] == pytest.approx(23.5, abs=0.3)
    assert imported["map_uid"] == "uid"
    assert imported["checkpoints"] == []
    picture = tmp_path / "track.png"
    assert main(["track", "show", "tmrl-test", "--json", "--picture", str(picture)]) == 0
    shown = answer(capsys)
    for field in ("name", "length_m", "width_m", "map_uid", "checkpoints", "sha256"):
        assert shown[field] == imported[field]
    image = cv2.imread(str(picture))
    assert image is not None
    assert image.shape[1] == 1000


def test_files_are_imported_by_what_they_hold(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data_dir / "tmrl-test"
    recorded = [str(folder / "right-recorded.npy"), str(folder / "left-recorded.npy")]
    picture = tmp_path / "preview.png"
    uid = "oqIJ5rQDRrNwLPTh9H2p_W4tLof"
    assert main(["track", "import", *recorded, "--name", "seen", "--preview", str(picture), "--json"]) == 0
    assert answer(capsys)["kind"] == "borders"
    assert picture.is_file()
    assert "seen" not in TrackLibrary().names()
    assert main(["track", "import", *recorded, "--name", "mine", "--map-uid", uid, "--json"]) == 0
    assert answer(capsys)["verdict"]["kind"] == "unknown"
    # A map's file alone is shown, and told to the tracks that are made of its map.
    assert main(["track", "import", str(folder / "tmrl-test.Map.Gbx"), "--json"]) == 0
    shown = answer(capsys)
    assert shown["facts"]["author medal"] == "42.232 s"
    assert shown["told"] == ["mine"]
    assert TrackLibrary().load("mine").medals_s["gold"] == 45.0
    assert main(["track", "import", str(data_dir / "gbx" / "sample.Ghost.Gbx"), "--width", "20"]) == 0
    text = capsys.readouterr().out
    assert "WinterlyTM" in text
    assert "The width of 20 m was chosen, not measured." in text
    assert "game only, because its height changes by 3" in text


def test_one_border_alone_is_half_a_road(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["track", "import", "--left", "l.npy", "--name", "x"]) == 2
    assert "both --left and --right" in capsys.readouterr().err


def test_list_has_bundled_and_own_tracks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["track", "generate", "--seed", "4", "--name", "mine", "--length", "400"]) == 0
    capsys.readouterr()
    assert main(["track", "list", "--json"]) == 0
    tracks = answer(capsys)["tracks"]
    assert [track["name"] for track in tracks] == [*BUNDLED, "mine"]
    assert [track["bundled"] for track in tracks] == [True] * 6 + [False]
    assert main(["track"]) == 0
    text = capsys.readouterr().out
    assert "mine" in text
    assert "400 m" in text


def test_a_broken_track_is_listed_as_such(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "tracks").mkdir(parents=True)
    (home / "tracks" / "broken.npz").write_bytes(b"no track")
    assert main(["track", "list", "--json"]) == 0
    result = answer(capsys)
    assert len(result["tracks"]) == 6
    assert result["broken"][0]["name"] == "broken"
    assert main(["track", "list"]) == 0
    assert "broken: " in capsys.readouterr().out


def test_generate_gives_what_was_asked(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["track", "generate", "--seed", "9", "--difficulty", "5", "--length", "650", "--width", "18"]
    assert main([*command, "--name", "nine", "--json"]) == 0
    made = answer(capsys)
    assert made["length_m"] == 650
    assert made["width_m"] == pytest.approx(18, rel=0.15)
    assert len(made["checkpoints"]) == 2
    assert made["sha256"] == TrackLibrary().load("nine").sha256


def test_a_taken_name_needs_replace(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["track", "generate", "--seed", "1", "--name", "one"]) == 0
    assert main(["track", "generate", "--seed", "2", "--name", "one"]) == 1
    assert "--replace" in capsys.readouterr().err
    assert main(["track", "generate", "--seed", "2", "--name", "one", "--replace"]) == 0


def test_delete_removes_only_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    main(["track", "generate", "--seed", "1", "--name", "one"])
    assert main(["track", "delete", "one"]) == 0
    assert main(["track", "delete", "one"]) == 1
    assert main(["track", "delete", "valley"]) == 1
    assert "ships" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "nowhere"],
        ["show", "../etc"],
        ["import", "--left", "none.npy", "--right", "none.npy", "--name", "x"],
        ["generate", "--seed", "-4", "--name", "x"],
        ["generate", "--seed", "4", "--name", "con"],
        ["generate", "--seed", "4", "--name", "x", "--width", "nan"],
        ["show", "valley", "--picture", "no/such/folder/track.png"],
    ],
)
def test_mistakes_give_one_message_with_a_hint_and_leave_nothing(
    arguments: list[str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["track", *arguments]) == 1
    text = capsys.readouterr().err
    assert text.startswith("error: ")
    assert "Traceback" not in text
    assert not list(home.rglob("*.npz"))


def test_the_picture_shows_the_track_from_above_and_not_mirrored(straight: Track) -> None:
    """The start, green, is at the bottom and the finish, red, at the top; a left bend goes to the left."""
    image = draw_track(straight, 400).astype(int)
    blue, green, red = image[..., 0], image[..., 1], image[..., 2]
    start_rows = np.flatnonzero(((green > 180) & (red < 90)).any(axis=1))
    finish_rows = np.flatnonzero(((red > 220) & (green < 130) & (blue < 130)).any(axis=1))
    assert start_rows.max() > finish_rows.max()


def test_a_bend_to_the_left_is_painted_to_the_left(hairpin: Track) -> None:
    image = draw_track(hairpin, 400).astype(int)
    green = (image[..., 1] > 180) & (image[..., 2] < 90)
    red = (image[..., 2] > 220) & (image[..., 1] < 130)
    # Up, round to the left, and down again: the finish is to the left of the start.
    assert np.nonzero(red)[1].mean() < np.nonzero(green)[1].mean()
