"""What a Gbx file is, by what stands in it and never by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tmstudio.track.importers.gbx.reader import MAGIC

MAP_CLASS = 0x03043000
GHOST_CLASS = 0x03092000
REPLAY_CLASS = 0x03093000

GbxKind = Literal["map", "ghost", "replay", "other"]

_KINDS: dict[int, GbxKind] = {MAP_CLASS: "map", GHOST_CLASS: "ghost", REPLAY_CLASS: "replay"}
_CLASS_AT = 9


def gbx_kind(path: Path) -> GbxKind | None:
    """What kind of Gbx file this is; None where it is none."""
    try:
        with path.open("rb") as file:
            head = file.read(_CLASS_AT + 4)
    except OSError:
        return None
    if not head.startswith(MAGIC):
        return None
    return _KINDS.get(int.from_bytes(head[_CLASS_AT:], "little"), "other")
