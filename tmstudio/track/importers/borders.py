"""Import of recorded borders: two NumPy files with the positions of a car driven along each wall."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.track.borders import track_from_borders
from tmstudio.track.geometry import Track
from tmstudio.track.library import check_name

Floats = NDArray[np.float64]

_MAX_FILE_BYTES = 256 * 2**20


def import_borders(
    left_path: Path | str, right_path: Path | str, name: str, map_uid: str | None = None
) -> Track:
    """Make a track from two recordings.

    Args:
        left_path, right_path: ``.npy`` files, each an array (N, 3) of positions x, y (up), z in metres in the
            order of driving, from the spawn to the finish. Standing samples, noise and different lengths are fine.
        name: name of the track.
        map_uid: identifier of the map in the game.

    Returns:
        The track, not yet saved.

    Raises:
        TMStudioError: a file or what it holds is unusable.
    """
    check_name(name)
    left = read_border(Path(left_path), "left")
    right = read_border(Path(right_path), "right")
    return track_from_borders(
        left,
        right,
        name,
        map_uid=map_uid,
        origin={"by": "borders", "left": Path(left_path).name, "right": Path(right_path).name},
    )


def read_border(path: Path, side: str) -> Floats:
    """Read one recording as (N, 3) float64.

    Raises:
        TMStudioError: the file is missing, empty, damaged, a pickle, or holds no finite (N, 3) numbers.
    """
    return _positions(_read(path, side), path, side)


def _positions(array: NDArray[np.generic], path: Path, side: str) -> Floats:
    if array.ndim != 2 or array.shape[1] != 3:
        raise _unusable(path, side, f"its shape is {array.shape}, not (samples, 3)")
    if array.dtype.kind not in "fiu":
        raise _unusable(path, side, f"its values are {array.dtype}, not numbers")
    positions = array.astype(np.float64)
    if len(positions) < 3:
        raise _unusable(
            path, side, f"it has {len(positions)} points; a border needs at least 3, usually thousands"
        )
    finite = np.isfinite(positions).all(axis=1)
    if not finite.all():
        bad = int((~finite).sum())
        raise _unusable(
            path, side, f"{bad} of {len(positions)} samples are not finite numbers (NaN or infinite)"
        )
    if np.abs(positions).max() > 1e6:
        raise _unusable(path, side, "some positions are more than 1000 km away: no metres, or damaged")
    return positions


def read_border_archive(path: Path) -> tuple[Floats, Floats]:
    """Read an archive (.npz) with the arrays ``left`` and ``right``, (N, 3) and (M, 3) positions.

    Raises:
        TMStudioError: it is damaged, too large, or its arrays are no positions.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > _MAX_FILE_BYTES:
            raise _unusable(path, "in", f"it unpacks to {size / 2**20:.0f} MiB")
        with np.load(path, allow_pickle=False) as archive:
            left, right = archive["left"], archive["right"]
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, ValueError) as error:
        raise _unusable(path, "in", str(error)) from error
    return _positions(left, path, "left"), _positions(right, path, "right")


def _read(path: Path, side: str) -> NDArray[np.generic]:
    if not path.exists():
        raise TMStudioError(f"The {side} border is missing: there is no {path}.", hint="check the path")
    if not path.is_file():
        raise _unusable(path, side, "it is a folder" if path.is_dir() else "it is no ordinary file")
    try:
        size = path.stat().st_size
        if size == 0:
            raise _unusable(path, side, "the file is empty")
        if size > _MAX_FILE_BYTES:
            raise _unusable(path, side, f"it has {size / 2**20:.0f} MiB; a recording has a few")
        loaded = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        reason = (
            "it holds Python objects (a pickle), which are never loaded"
            if "ickle" in str(error)
            else str(error)
        )
        raise _unusable(path, side, reason) from error
    if not isinstance(loaded, np.ndarray):
        loaded.close()
        raise _unusable(path, side, "it is an archive of several arrays (.npz)")
    return loaded


def _unusable(path: Path, side: str, cause: str) -> TMStudioError:
    return TMStudioError(
        f"The {side} border {path.name} cannot be used.",
        cause=cause,
        hint="a border is a .npy file with an array (samples, 3) of positions x, y, z in metres",
    )
