"""Files that are replaced whole or not at all, and the messages for a disk that cannot take them."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tmstudio.errors import TMStudioError

_TEMPORARY = ".tmp-"
_FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}


def write_bytes(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Replace ``path`` by ``content``; a reader, or a crash at any moment, sees the old or the new one whole.

    The content reaches the disk before the name does. Several processes may write the same path at once.
    """
    temporary = path.with_name(f".{path.name}{_TEMPORARY}{os.getpid()}-{secrets.token_hex(4)}")
    with disk_faults(path):
        try:
            descriptor = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode
            )
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            _replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def write_text(path: Path, text: str) -> None:
    """Replace ``path`` by UTF-8 ``text``, as :func:`write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Replace ``path`` by ``data`` as readable, strict JSON, as :func:`write_bytes` does."""
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: Path, what: str) -> dict[str, Any]:
    """The JSON object in ``path``.

    Raises:
        TMStudioError: it is missing, unreadable or no JSON object; ``what`` names it ("The manifest").
    """
    hint = "restore the file from a copy"
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise TMStudioError(f"{what} is missing", cause=f"there is no {path}", hint=hint) from error
    except OSError as error:
        raise disk_fault(error, path, "read") from error
    except ValueError as error:
        raise TMStudioError(f"{what} is damaged", cause=f"{path} is not JSON: {error}", hint=hint) from error
    if not isinstance(data, dict):
        raise TMStudioError(f"{what} is damaged", cause=f"{path} holds no JSON object", hint=hint)
    return data


def sync_folder(folder: Path) -> None:
    """Make new names in ``folder`` survive a power cut. Windows does this by itself."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def move_into(folder: Path, path: Path, suffix: str = "") -> Path:
    """Move ``path`` into ``folder`` under its name, numbered where that is taken; returns its new place.

    Args:
        folder: where to; it is there.
        path: a file or a folder.
        suffix: the end of its name that stays at the end, such as ".npz".
    """
    target, number = folder / path.name, 1
    while target.exists():
        number += 1
        target = folder / f"{path.name.removesuffix(suffix)}-{number}{suffix}"
    path.rename(target)
    return target


def remove_temporary(folder: Path) -> int:
    """Remove what interrupted writes left in ``folder`` and return how many; for the folder's owner only."""
    leftovers = list(folder.glob(f".*{_TEMPORARY}*"))
    for path in leftovers:
        path.unlink(missing_ok=True)
    return len(leftovers)


@contextmanager
def disk_faults(path: Path, doing: str = "write") -> Iterator[None]:
    """Turn the operating system's complaints about ``path`` into errors that a person understands."""
    try:
        yield
    except OSError as error:
        raise disk_fault(error, path, doing) from error


def disk_fault(error: OSError, path: Path, doing: str = "write") -> TMStudioError:
    """The error for a failed attempt to ``doing`` (a verb) ``path``."""
    message = f"Could not {doing} {path}"
    if error.errno in _FULL:
        return TMStudioError(
            message,
            cause=f"the disk is full ({_free_space(path)})",
            hint="free some space and start again: what was saved before is intact; "
            "or set TMSTUDIO_HOME to a folder on another disk",
        )
    if error.errno in _REFUSED:
        return TMStudioError(
            message,
            cause=f"the system refused it: {error.strerror}",
            hint="check the permissions of the folder, or set TMSTUDIO_HOME to a folder of your own",
        )
    return TMStudioError(
        message, cause=error.strerror or str(error), hint="check that the disk is there and healthy"
    )


def _replace(source: Path, target: Path) -> None:
    """``os.replace``; on Windows it fails for the moment in which another process reads the target."""
    for _ in range(20 if os.name == "nt" else 0):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(0.05)
    os.replace(source, target)


def _free_space(path: Path) -> str:
    folder = path if path.is_dir() else path.parent
    try:
        return f"{shutil.disk_usage(folder).free / 1e6:.0f} MB free"
    except OSError:
        return "free space unknown"
