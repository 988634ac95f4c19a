"""Facts about a map from the header of its file (.Map.Gbx). The road itself is not read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tmstudio.errors import TMStudioError
from tmstudio.track.importers.gbx.kind import MAP_CLASS
from tmstudio.track.importers.gbx.reader import MAX_NAME_BYTES, Reader, damaged, header_xml, read_gbx

_TIMES: Final = 0x03043002
_DESCRIPTION: Final = 0x03043005
_THUMBNAIL: Final = 0x03043007
_AUTHOR: Final = 0x03043008

_MEDALS: Final = {"bronze": "bronze", "silver": "silver", "gold": "gold", "author": "authortime"}
_JPEG: Final = b"\xff\xd8\xff"
_STYLE: Final = re.compile(r"\$(?:[0-9a-fA-F]{3}|[lhpLHP](?:\[[^\]]*\])?|.)", re.DOTALL)


@dataclass(frozen=True)
class MapFile:
    """What a map's file tells.

    Attributes:
        uid: the map's identifier.
        name: as people read it, without colours and styles.
        author: the author's name or login.
        environment: "Stadium" in TrackMania 2020.
        medals_s: lap times by medal ("bronze", "silver", "gold", "author"), those that are set.
        laps: 1, or more on a circuit.
        checkpoints: without the finish; None where the file does not tell.
        validated: whether its author has driven it.
        map_type: the script of its rules, such as TM_Race.
        exe_build: the game that saved it.
        thumbnail_jpeg: its picture, where it has one.
    """

    uid: str
    name: str
    author: str
    environment: str
    medals_s: Mapping[str, float]
    laps: int
    checkpoints: int | None
    validated: bool
    map_type: str
    exe_build: str
    thumbnail_jpeg: bytes | None


def read_map(path: Path) -> MapFile:
    """Read the header of a map.

    Raises:
        TMStudioError: the file is missing, damaged, or no map of TrackMania 2020.
    """
    gbx = read_gbx(path)
    if gbx.class_id != MAP_CLASS:
        raise TMStudioError(
            f"{path.name} is no map.",
            cause=f"it is a Gbx file of the class {gbx.class_id:08X}",
            hint="maps are saved as .Map.Gbx",
        )
    if _DESCRIPTION not in gbx.chunks:
        raise damaged(path.name, "it has no description")
    root = header_xml(gbx.chunks[_DESCRIPTION], path.name)
    ident, desc, times = (
        {} if found is None else found.attrib for found in map(root.find, ("ident", "desc", "times"))
    )
    if not ident.get("uid"):
        raise damaged(path.name, "its description has no identifier")
    times_s = {medal: _milliseconds(times.get(key, "")) for medal, key in _MEDALS.items()}
    return MapFile(
        uid=ident["uid"],
        name=plain_text(ident.get("name", "")),
        author=_nickname(gbx.chunks.get(_AUTHOR), path.name) or ident.get("author", ""),
        environment=desc.get("envir", ""),
        medals_s={medal: time_ms / 1000 for medal, time_ms in times_s.items() if time_ms > 0},
        laps=max(_milliseconds(desc.get("nblaps", "")), 1),
        checkpoints=_checkpoints(gbx.chunks.get(_TIMES), path.name),
        validated=desc.get("validated") == "1",
        map_type=desc.get("maptype", ""),
        exe_build=root.attrib.get("exebuild", ""),
        thumbnail_jpeg=_thumbnail(gbx.chunks.get(_THUMBNAIL), path.name),
    )


def plain_text(styled: str) -> str:
    """A name without the codes for colours, styles and links that begin with ``$``."""
    # Cut, because the pattern takes time that grows with the square of the length.
    return _STYLE.sub(lambda code: "$" if code.group() == "$$" else "", styled[:MAX_NAME_BYTES]).strip()


def _milliseconds(text: str) -> int:
    """A whole number of a description, -1 where there is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1


def _nickname(chunk: bytes | None, name: str) -> str:
    """How the author is called; the description has only the account's number."""
    if chunk is None:
        return ""
    reader = Reader(chunk, name)
    reader.take(8)  # versions
    reader.text()  # account
    return plain_text(reader.text())


def _checkpoints(chunk: bytes | None, name: str) -> int | None:
    """The chunk counts the finish as well."""
    if chunk is None:
        return None
    reader = Reader(chunk, name)
    reader.take(1 + 4)  # version, whether it must be unlocked
    reader.take(4 * 5)  # medal times and cost
    reader.take(4 * 6)  # kind of race, and what the editor says
    count = reader.uint()
    return count - 1 if 0 < count < 1000 else None


def _thumbnail(chunk: bytes | None, name: str) -> bytes | None:
    if chunk is None:
        return None
    reader = Reader(chunk, name)
    if reader.uint() == 0:
        return None
    size = reader.uint()
    reader.take(len(b"<Thumbnail.jpg>"))
    picture = reader.take(size)
    return picture if picture.startswith(_JPEG) else None
