"""The library: names, files, and what happens to bad ones."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import Track
from tmstudio.track.library import BUNDLED, SCHEMA_VERSION, TrackLibrary, name_fault, pack_track, read_track


@pytest.fixture
def library(tmp_path: Path) -> TrackLibrary:
    return TrackLibrary(tmp_path / "tracks")


def named(track: Track, name: str) -> Track:
    return dataclasses.replace(track, name=name)


def test_bundled_tracks_come_first_and_by_difficulty(library: TrackLibrary, straight: Track) -> None:
    assert library.names() == list(BUNDLED)
    for name in ("zebra", "Ant", "mole"):
        library.save(named(straight, name))
    assert library.names() == [*BUNDLED, "Ant", "mole", "zebra"]
    assert library.user_names() == ["Ant", "mole", "zebra"]


def test_the_users_tracks_are_in_the_configured_folder(home: Path, straight: Track) -> None:
    path = TrackLibrary().save(named(straight, "mine"))
    assert path == home / "tracks" / "mine.npz"


def test_a_saved_track_comes_back_the_same(library: TrackLibrary, bends: Track) -> None:
    full = dataclasses.replace(
        bends, name="Kurven 1.2", map_uid="uid", medals_s={"author": 42.232}, origin={"by": "test"}
    )
    library.save(full)
    loaded = library.load("Kurven 1.2")
    assert loaded.sha256 == full.sha256
    for field in (
        "name",
        "map_uid",
        "checkpoints_m",
        "medals_s",
        "origin",
        "spawn",
        "start_arc_m",
        "finish_arc_m",
    ):
        assert getattr(loaded, field) == getattr(full, field)
    for field in ("left_m", "right_m", "center_m", "half_width_m", "tangent"):
        assert (getattr(loaded, field) == getattr(full, field)).all()
    assert pack_track(loaded) == pack_track(full)


def test_saving_leaves_no_other_files(library: TrackLibrary, straight: Track) -> None:
    library.save(straight)
    library.save(straight)
    assert [path.name for path in library.user_folder.iterdir()] == ["straight.npz"]


def test_another_track_of_the_same_name_is_kept_unless_told(
    library: TrackLibrary, straight: Track, bends: Track
) -> None:
    library.save(named(straight, "one"))
    library.save(dataclasses.replace(straight, name="one", map_uid="now known"))
    assert library.load("one").map_uid == "now known"
    with pytest.raises(TMStudioError, match="another track") as caught:
        library.save(named(bends, "one"))
    assert "--replace" in caught.value.hint
    assert library.load("one").sha256 == straight.sha256
    library.save(named(bends, "one"), replace=True)
    assert library.load("one").sha256 == bends.sha256


def test_names_differ_by_more_than_case(library: TrackLibrary, straight: Track, bends: Track) -> None:
    library.save(named(straight, "One"))
    assert library.load("oNE").sha256 == straight.sha256
    with pytest.raises(TMStudioError, match="another track"):
        library.save(named(bends, "one"))
    library.save(named(bends, "one"), replace=True)
    assert library.user_names() == ["one"]


def test_shipped_tracks_are_neither_replaced_nor_deleted(library: TrackLibrary, straight: Track) -> None:
    for name in ("valley", "Valley"):
        with pytest.raises(TMStudioError, match="ships"):
            library.save(named(straight, name), replace=True)
        with pytest.raises(TMStudioError, match="ships"):
            library.delete(name)
    assert library.load("VALLEY").name == "valley"


def test_a_deleted_track_is_gone(library: TrackLibrary, straight: Track) -> None:
    library.save(named(straight, "mine"))
    library.delete("mine")
    assert library.user_names() == []
    with pytest.raises(TMStudioError, match="no track 'mine'"):
        library.delete("mine")


def test_an_unknown_name_lists_the_known_ones(library: TrackLibrary) -> None:
    with pytest.raises(TMStudioError, match="no track 'moon'") as caught:
        library.load("moon")
    assert "valley" in caught.value.cause
    assert caught.value.hint


@pytest.mark.parametrize(
    "name",
    [
        "", " ", ".", "..", "../up", "a/b", "a\\b", "/etc/passwd", "C:evil", "a\0b", "x" * 81, "dot.", "space ",
        "con", "CON", "nul.txt", "Com1", "lpt9.npz", "aux", "-flag", ".hidden", "wild*", "tab\tname", "a:b", "über",
    ],
)  # fmt: skip
def test_names_that_cannot_be_files_everywhere_are_refused(
    library: TrackLibrary, straight: Track, name: str
) -> None:
    assert name_fault(name)
    for attempt in (library.load, library.delete, lambda name: library.save(named(straight, name))):
        with pytest.raises(TMStudioError, match="cannot be the name"):
            attempt(name)


@pytest.mark.parametrize("name", ["a", "tmrl-test", "Track 01", "v1.2_final", "console", "com10", "x" * 80])
def test_plain_names_are_fine(name: str) -> None:
    assert name_fault(name) == ""


def packed(track: Track, **changes: Any) -> bytes:
    """A track file whose parts are changed; a part that becomes None is left out."""
    with np.load(io.BytesIO(pack_track(track))) as archive:
        parts: dict[str, Any] = {name: archive[name] for name in archive.files}
    metadata = json.loads(str(parts["metadata"]))
    for name, value in changes.items():
        if name in parts:
            parts[name] = value
        elif value is None:
            del metadata[name]
        else:
            metadata[name] = value
    if "metadata" not in changes:
        parts["metadata"] = np.array(json.dumps(metadata))
    file = io.BytesIO()
    np.savez(file, **{name: part for name, part in parts.items() if part is not None})
    return file.getvalue()


@pytest.mark.parametrize(
    "changes",
    [
        {"left_mm": None},
        {"metadata": None},
        {"metadata": np.array("not JSON")},
        {"metadata": np.array("[1, 2]")},
        {"metadata": np.array("[" * 100_000)},
        {"metadata": np.array([{"a": 1}], dtype=object)},
        {"left_mm": np.zeros((50, 3))},
        {"left_mm": np.zeros((50, 3), dtype=np.int32)},
        {"left_mm": np.zeros(3, dtype=np.int32)},
        {"left_mm": np.array("text")},
        {"spawn": None},
        {"spawn": {"position_m": [1, 2], "heading_rad": 0}},
        {"spawn": {"position_m": [1, 2, 1e999], "heading_rad": 0}},
        {"start_arc_m": "soon"},
        {"start_arc_m": -5},
        {"finish_arc_m": 10**400},
        {"checkpoints_m": [50, 20]},
        {"checkpoints_m": 7},
        {"medals_s": {"gold": None}},
        {"medals_s": [1]},
        {"origin": 3},
    ],
)
def test_damaged_files_are_refused(library: TrackLibrary, straight: Track, changes: dict[str, Any]) -> None:
    library.user_folder.mkdir()
    (library.user_folder / "bad.npz").write_bytes(packed(straight, **changes))
    with pytest.raises(TMStudioError) as caught:
        library.load("bad")
    assert caught.value.hint


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, 0, "2", None, [1]])
def test_files_of_other_versions_are_refused_by_version(
    library: TrackLibrary, straight: Track, version: object
) -> None:
    library.user_folder.mkdir()
    (library.user_folder / "new.npz").write_bytes(packed(straight, schema_version=version))
    with pytest.raises(TMStudioError) as caught:
        library.load("new")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        assert "another version" in caught.value.message
        assert f"format is {version}" in caught.value.cause


def test_damage_anywhere_never_escapes_as_another_error(tmp_path: Path, straight: Track) -> None:
    whole = pack_track(straight)
    rng = np.random.default_rng(0)
    path = tmp_path / "bad.npz"
    refused = 0
    for trial in range(300):
        damaged = bytearray(whole)
        if trial % 3 == 0:
            damaged = damaged[: rng.integers(0, len(whole))]
        else:
            for place in rng.integers(0, len(whole), 1 + trial % 5):
                damaged[place] = rng.integers(0, 256)
        path.write_bytes(damaged)
        try:
            read_track(path)
        except TMStudioError:
            refused += 1
    assert refused > 200


def test_a_file_that_unpacks_to_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("left_mm.npy", bytes(80 * 2**20))
    with pytest.raises(TMStudioError, match="not a usable track file") as caught:
        read_track(path)
    assert "80 MiB" in caught.value.cause


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(TMStudioError, match="no file"):
        read_track(tmp_path / "none.npz")


def test_files_that_are_no_tracks_do_not_disturb_the_list(library: TrackLibrary, straight: Track) -> None:
    library.save(named(straight, "mine"))
    (library.user_folder / "notes.txt").write_text("hello")
    (library.user_folder / "con.npz").write_bytes(b"")
    (library.user_folder / "folder.npz").mkdir()
    assert library.user_names() == ["mine"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that refuses to be written")
def test_a_folder_that_refuses_is_said(tmp_path: Path, straight: Track) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(TMStudioError):
        TrackLibrary(folder).save(straight)


def test_a_file_where_the_folder_should_be_is_said(tmp_path: Path, straight: Track) -> None:
    (tmp_path / "tracks").write_text("in the way")
    with pytest.raises(TMStudioError, match="could not be saved"):
        TrackLibrary(tmp_path / "tracks").save(straight)


def test_a_deleted_track_comes_back_from_the_trash(tmp_path: Path, bends: Track) -> None:
    library = TrackLibrary(tmp_path)
    library.save(bends)
    trashed = library.delete("bends")
    assert library.user_names() == []
    library.save(bends)
    again = library.delete("Bends")
    assert trashed != again
    library.restore(trashed, "bends")
    assert library.load("bends").sha256 == bends.sha256
    with pytest.raises(TMStudioError, match="already"):
        library.restore(again, "bends")
    assert again.is_file()


def test_a_track_is_renamed_duplicated_and_exported(tmp_path: Path, bends: Track) -> None:
    library = TrackLibrary(tmp_path / "tracks")
    library.save(bends)
    library.rename("bends", "Bends")
    assert library.user_names() == ["Bends"]
    library.duplicate("bends", "more bends")
    library.duplicate("summit", "my summit")
    assert library.user_names() == ["Bends", "more bends", "my summit"]
    assert library.load("my summit").sha256 == library.load("summit").sha256
    library.export("Bends", tmp_path / "out.npz")
    assert read_track(tmp_path / "out.npz").sha256 == bends.sha256
    assert [library.free_name(name) for name in ("bends", "valley", "new")] == ["bends 2", "valley 2", "new"]


def test_names_that_are_taken_and_tracks_that_ship_are_refused(tmp_path: Path, bends: Track) -> None:
    library = TrackLibrary(tmp_path)
    library.save(bends)
    library.duplicate("bends", "other")
    for change in (
        lambda: library.rename("bends", "OTHER"),
        lambda: library.rename("bends", "valley"),
        lambda: library.rename("bends", "no/name"),
        lambda: library.rename("valley", "mine"),
        lambda: library.rename("nowhere", "mine"),
        lambda: library.duplicate("valley", "bends"),
        lambda: library.delete("valley"),
        lambda: library.export("bends", tmp_path / "no folder" / "out.npz"),
    ):
        with pytest.raises(TMStudioError):
            change()
    assert library.user_names() == ["bends", "other"]
