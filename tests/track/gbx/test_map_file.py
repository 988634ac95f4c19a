"""Facts out of map files: real ones, made up ones, and none out of damaged ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.track.gbx.writing import GHOST, MAP, UID, gbx, map_file, map_xml, text, uint
from tmstudio.errors import TMStudioError
from tmstudio.track.importers.gbx.kind import gbx_kind
from tmstudio.track.importers.gbx.map_file import plain_text, read_map


def written(folder: Path, content: bytes, name: str = "some.bin") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_the_real_map_tells_its_facts(data_dir: Path) -> None:
    path = data_dir / "tmrl-test" / "tmrl-test.Map.Gbx"
    found = read_map(path)
    assert gbx_kind(path) == "map"
    assert (found.uid, found.name) == ("oqIJ5rQDRrNwLPTh9H2p_W4tLof", "tmrl-test")
    assert found.author == "tokapi01"
    assert found.environment == "Stadium"
    assert found.medals_s == {"bronze": 64.0, "silver": 51.0, "gold": 45.0, "author": 42.232}
    assert (found.laps, found.checkpoints, found.validated) == (1, 0, True)
    assert (found.map_type, found.exe_build) == ("TrackMania\\TM_Race", "2021-07-08_19_39")
    assert found.thumbnail_jpeg is not None
    assert found.thumbnail_jpeg.startswith(b"\xff\xd8\xff")
    assert found.thumbnail_jpeg.endswith(b"\xff\xd9")


def test_a_circuit_tells_laps_checkpoints_and_names_without_colours(tmp_path: Path) -> None:
    found = read_map(written(tmp_path, map_file()))
    assert (found.uid, found.name, found.author) == (UID, "Red road", "Some one")
    assert (found.laps, found.checkpoints) == (3, 4)
    assert found.medals_s["author"] == 60.5
    assert found.thumbnail_jpeg == b"\xff\xd8\xffpicture"


@pytest.mark.parametrize(
    ("styled", "plain"),
    [
        ("plain", "plain"),
        ("$f00red$z end", "red end"),
        ("$$5 $l[http://x]link", "$5 link"),
        ("a$", "a$"),
        ("$o$i$sx", "x"),
    ],
)
def test_styles_are_taken_out_of_names(styled: str, plain: str) -> None:
    assert plain_text(styled) == plain


def test_a_map_without_times_and_picture_is_still_one(tmp_path: Path) -> None:
    xml = '<header type="map"><ident uid="x" name="n" author="a"/><desc envir="Stadium"/></header>'
    found = read_map(written(tmp_path, gbx(MAP, {0x03043005: text(xml)})))
    assert (found.medals_s, found.laps, found.checkpoints, found.thumbnail_jpeg) == ({}, 1, None, None)


@cache
def bad_maps() -> dict[str, tuple[bytes, str]]:
    good = map_file()
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + map_xml()
    huge = bytearray(good)
    huge[13:17] = uint(0xFFFFFFFF)
    counted = bytearray(good)
    counted[17:21] = uint(0xFFFFFFFF)
    return {
        "no magic": (b"PNG" + good[3:], "no Gbx file"),
        "empty": (b"", "no Gbx file"),
        "text form": (good.replace(b"BUCR", b"TUCR", 1), "another kind"),
        "other version": (good.replace(b"GBX\x06", b"GBX\x03", 1), "another kind"),
        "a ghost": (gbx(GHOST, {}), "no map"),
        "header of 4 GB": (bytes(huge), "damaged"),
        "4 billion chunks": (bytes(counted), "damaged"),
        "no description": (gbx(MAP, {0x03043002: uint(0)}), "damaged"),
        "no header": (gbx(MAP, {}), "damaged"),
        "entities": (map_file(bomb), "damaged"),
        "broken xml": (map_file("<header"), "damaged"),
        "no identifier": (map_file('<header><ident name="x"/></header>'), "damaged"),
    }


@pytest.mark.parametrize("kind", bad_maps())
def test_what_is_no_map_is_refused_with_the_reason(kind: str, tmp_path: Path) -> None:
    content, problem = bad_maps()[kind]
    with pytest.raises(TMStudioError, match=problem) as caught:
        read_map(written(tmp_path, content))
    assert caught.value.hint


def test_a_map_cut_off_anywhere_is_refused_or_whole(tmp_path: Path) -> None:
    content = map_file()
    whole = read_map(written(tmp_path, content))
    refused = 0
    for size in range(0, len(content), 7):
        try:
            assert read_map(written(tmp_path, content[:size])) == whole
        except TMStudioError:
            refused += 1
    assert refused > 50


def test_the_real_map_cut_off_in_its_header_is_refused(data_dir: Path, tmp_path: Path) -> None:
    content = (data_dir / "tmrl-test" / "tmrl-test.Map.Gbx").read_bytes()
    header_size = 17 + int.from_bytes(content[13:17], "little")
    for size in range(0, header_size, 97):
        with pytest.raises(TMStudioError):
            read_map(written(tmp_path, content[:size]))


def test_a_file_of_an_unlikely_size_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.Map.Gbx"
    with path.open("wb") as file:
        file.truncate(5 * 2**30)
    with pytest.raises(TMStudioError, match="damaged"):
        read_map(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TMStudioError, match="cannot be read"):
        read_map(tmp_path / "none.Map.Gbx")


def test_the_kind_comes_from_the_content(tmp_path: Path) -> None:
    assert gbx_kind(written(tmp_path, map_file(), "x.Ghost.Gbx")) == "map"
    assert gbx_kind(written(tmp_path, gbx(0x12345000, {}), "x.Map.Gbx")) == "other"
    assert gbx_kind(written(tmp_path, b"hello", "x.Map.Gbx")) is None
    assert gbx_kind(tmp_path / "none") is None
