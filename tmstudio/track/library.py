"""The library of tracks: those that ship with the program, and the user's own.

A track is one ``.npz`` without pickles: both borders in millimetres and a JSON text with the rest.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tmstudio.config import folders
from tmstudio.config.assets import asset
from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_faults, move_into, write_bytes
from tmstudio.track.geometry import Pose, Track

SCHEMA_VERSION = 1
BUNDLED = ("meadow", "valley", "ridge", "coast", "canyon", "summit")
"""Names of the tracks that ship with the program, by rising difficulty."""

_SUFFIX = ".npz"
_TRASH = ".trash"
_MAX_BYTES = 64 * 2**20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}")
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
# Everything that zipfile, NumPy and json raise on damaged or hostile files.
_UNREADABLE = (
    OSError, EOFError, zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, SyntaxError, tokenize.TokenError,
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, MemoryError,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class TrackEntry:
    """A track of the library, or why it cannot be had."""

    name: str
    bundled: bool
    """Whether it ships with the program, and so cannot be renamed or deleted."""
    track: Track | None
    fault: TMStudioError | None = None
    """What is wrong with its file, where `track` is None."""


class TrackLibrary:
    """Finds, loads, saves and deletes tracks by name.

    Args:
        user_folder: where the user's own tracks are; the configured folder if None.
    """

    def __init__(self, user_folder: Path | None = None) -> None:
        self.user_folder = folders.tracks() if user_folder is None else Path(user_folder)

    def names(self) -> list[str]:
        """Names of all tracks: the bundled ones by rising difficulty, then the user's by name."""
        return [*self.bundled_names(), *self.user_names()]

    def bundled_names(self) -> list[str]:
        """Names of the tracks that ship with the program, by rising difficulty."""
        return [name for name in BUNDLED if asset("tracks", name + _SUFFIX).is_file()]

    def user_names(self) -> list[str]:
        """Names of the user's own tracks, sorted. A file with a name that no track can have is left out."""
        if not self.user_folder.is_dir():
            return []
        names = [
            entry.stem for entry in self.user_folder.iterdir() if entry.suffix == _SUFFIX and entry.is_file()
        ]
        return sorted((name for name in names if name_fault(name) == ""), key=str.lower)

    def entries(self) -> list[TrackEntry]:
        """All tracks, loaded, in the order of `names`."""
        bundled = set(self.bundled_names())
        return [self._entry(name, bundled=name in bundled) for name in self.names()]

    def _entry(self, name: str, *, bundled: bool) -> TrackEntry:
        try:
            return TrackEntry(name, bundled, self.load(name))
        except TMStudioError as error:
            return TrackEntry(name, bundled, None, error)

    def load(self, name: str) -> Track:
        """Load a track by name.

        Raises:
            TMStudioError: there is none of this name, or its file cannot be used.
        """
        check_name(name)
        path = self._path(name)
        if path is None:
            known = ", ".join(self.names())
            raise TMStudioError(
                f"There is no track '{name}'.",
                cause=f"the library has: {known}",
                hint=f"'tmstudio track import FILE --name {name}' makes it of a file that has it",
            )
        return read_track(path)

    def save(self, track: Track, *, replace: bool = False) -> Path:
        """Save a track among the user's own, whole or not at all.

        Args:
            track: the track; its name is the name in the library.
            replace: whether a track of this name with another geometry is overwritten.

        Raises:
            TMStudioError: the name is unusable or taken, or the disk refuses.
        """
        check_name(track.name)
        if track.name.lower() in BUNDLED:
            raise TMStudioError(
                f"'{track.name}' is a track that ships with the program.", hint="choose another name"
            )
        present = self._path(track.name)
        if present is not None and not replace and not _same_geometry(present, track):
            raise TMStudioError(
                f"There is another track '{present.stem}' already.",
                hint="choose another name, or say --replace to overwrite it",
            )
        path = self.user_folder / (track.name + _SUFFIX)
        try:
            self.user_folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, pack_track(track))
            if present is not None and present.name != path.name and not present.samefile(path):
                present.unlink()
        except OSError as error:
            raise TMStudioError(
                f"Track '{track.name}' could not be saved.",
                cause=str(error),
                hint=f"check space and rights of {self.user_folder}",
            ) from error
        return path

    def rename(self, name: str, new_name: str) -> None:
        """Give one of the user's own tracks another name.

        Raises:
            TMStudioError: there is no such track, it ships with the program, or the new name is unusable or taken.
        """
        path = self._own(name, "renamed", "duplicate it under the new name")
        self._check_free(new_name, but=path.stem)
        with disk_faults(path, "rename"):
            path.rename(path.with_name(new_name + _SUFFIX))

    def duplicate(self, name: str, new_name: str) -> None:
        """Save a track once more, under another name.

        Raises:
            TMStudioError: there is no such track, or the new name is unusable or taken.
        """
        track = self.load(name)
        self._check_free(new_name)
        self.save(replace_fields(track, name=new_name))

    def export(self, name: str, path: Path) -> None:
        """Write a track's file anywhere; `tmstudio track import` takes it in again.

        Raises:
            TMStudioError: there is no such track, or the disk refuses.
        """
        write_bytes(path, pack_track(self.load(name)))

    def delete(self, name: str) -> Path:
        """Move one of the user's own tracks to the trash, from where `restore` brings it back.

        Returns:
            Its place in the trash.

        Raises:
            TMStudioError: there is none of this name, or it ships with the program.
        """
        path = self._own(name, "deleted", "delete one of your own tracks")
        trash = self.user_folder / _TRASH
        with disk_faults(path, "delete"):
            trash.mkdir(exist_ok=True)
            return move_into(trash, path, _SUFFIX)

    def restore(self, trashed: Path, name: str) -> None:
        """Bring a deleted track back from the trash.

        Args:
            trashed: what `delete` returned.
            name: the name that it had.

        Raises:
            TMStudioError: there is a track of this name again, or the disk refuses.
        """
        self._check_free(name)
        with disk_faults(trashed, "restore"):
            trashed.rename(self.user_folder / (name + _SUFFIX))

    def free_name(self, name: str) -> str:
        """The name itself where no track has it, else the first free one of "name 2", "name 3"..."""
        taken = {known.lower() for known in self.names()}
        names = (name if n == 1 else f"{name[:76]} {n}" for n in count(1))
        return next(candidate for candidate in names if candidate.lower() not in taken)

    def _own(self, name: str, what: str, instead: str) -> Path:
        """File of one of the user's own tracks; refuse what else has this name."""
        check_name(name)
        path = self._path(name)
        if path is None:
            raise TMStudioError(f"There is no track '{name}'.", hint="see 'tmstudio track list'")
        if name.lower() in BUNDLED:
            raise TMStudioError(f"'{name}' ships with the program and cannot be {what}.", hint=instead)
        return path

    def _check_free(self, name: str, but: str = "") -> None:
        """Refuse a name that is unusable or taken, be it not by the track ``but``."""
        check_name(name)
        present = self._path(name)
        if present is not None and present.stem != but:
            raise TMStudioError(f"There is a track '{present.stem}' already.", hint="choose another name")

    def _path(self, name: str) -> Path | None:
        """File of a track, or None. Case does not matter, as on Windows."""
        wanted = name.lower()
        if wanted in BUNDLED:
            path = asset("tracks", wanted + _SUFFIX)
            return path if path.is_file() else None
        exact = self.user_folder / (name + _SUFFIX)
        if exact.is_file():
            return exact
        same = [other for other in self.user_names() if other.lower() == wanted]
        return self.user_folder / (same[0] + _SUFFIX) if same else None


def name_fault(name: str) -> str:
    """Why a name cannot be the name of a track on every system, or nothing where it can."""
    if not _NAME.fullmatch(name):
        return (
            "a name has 1 to 80 letters, digits, spaces, dots, dashes or underscores, a letter or digit first"
        )
    if name[-1] in " .":
        return "a name must not end with a dot or a space"
    if name.split(".", maxsplit=1)[0].strip().lower() in _DEVICES:
        return "Windows keeps this name for a device"
    return ""


def check_name(name: str) -> None:
    """Raise a `TMStudioError` where a name cannot be the name of a track."""
    fault = name_fault(name)
    if fault:
        raise TMStudioError(
            f"{name!r} cannot be the name of a track.", cause=fault, hint="choose another name"
        )


def read_track(path: Path) -> Track:
    """Read a track file. The track is called as the file is.

    Raises:
        TMStudioError: it is missing, damaged, from a newer version, or no track at all.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > _MAX_BYTES:
                raise ValueError(f"it unpacks to {size / 2**20:.0f} MiB")
        with np.load(path, allow_pickle=False) as archive:
            metadata = json.loads(str(archive["metadata"][()]))
            version = metadata["schema_version"]
            if version == SCHEMA_VERSION:
                return _unpack(path.stem, metadata, archive["left_mm"], archive["right_mm"])
    except FileNotFoundError as error:
        raise TMStudioError(f"There is no file {path}.", hint="check the path") from error
    except _UNREADABLE as error:
        raise TMStudioError(
            f"{path.name} is not a usable track file.",
            cause=f"{type(error).__name__}: {error}",
            hint="import or generate the track again",
        ) from error
    raise TMStudioError(
        f"{path.name} was written by another version of TMStudio.",
        cause=f"its format is {version!r}; this version reads {SCHEMA_VERSION}",
        hint="update TMStudio, or import the track again",
    )


def pack_track(track: Track) -> bytes:
    """The bytes of a track file. Equal tracks give equal bytes."""
    metadata = {
        "schema_version": SCHEMA_VERSION,
        "map_uid": track.map_uid,
        "start_arc_m": track.start_arc_m,
        "finish_arc_m": track.finish_arc_m,
        "spawn": {"position_m": list(track.spawn.position_m), "heading_rad": track.spawn.heading_rad},
        "checkpoints_m": list(track.checkpoints_m),
        "medals_s": dict(track.medals_s),
        "origin": dict(track.origin),
    }
    packed = io.BytesIO()
    np.savez_compressed(
        packed,
        metadata=np.array(json.dumps(metadata, sort_keys=True, allow_nan=False)),
        left_mm=_millimetres(track.left_m),
        right_mm=_millimetres(track.right_m),
    )
    return packed.getvalue()


def _unpack(name: str, metadata: Mapping[str, Any], left_mm: NDArray[Any], right_mm: NDArray[Any]) -> Track:
    spawn = metadata["spawn"]
    x, y, z = (_finite(value) for value in spawn["position_m"])
    uid = metadata["map_uid"]
    if left_mm.dtype != np.int32 or right_mm.dtype != np.int32:
        raise ValueError("the borders are not in whole millimetres")
    return Track(
        name=name,
        map_uid=None if uid is None else str(uid),
        left_m=left_mm / 1000,
        right_m=right_mm / 1000,
        start_arc_m=_finite(metadata["start_arc_m"]),
        finish_arc_m=_finite(metadata["finish_arc_m"]),
        spawn=Pose((x, y, z), _finite(spawn["heading_rad"])),
        checkpoints_m=tuple(_finite(place) for place in metadata["checkpoints_m"]),
        medals_s={str(medal): _finite(time) for medal, time in metadata["medals_s"].items()},
        origin=dict(metadata["origin"]),
    )


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not a finite number")
    return number


def _millimetres(border_m: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.round(border_m * 1000).astype(np.int32)


def _same_geometry(path: Path, track: Track) -> bool:
    try:
        return read_track(path).sha256 == track.sha256
    except TMStudioError:
        return False
