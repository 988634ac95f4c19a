"""Network file systems, on which neither SQLite's WAL mode nor a shared mapped file can be trusted."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from tmstudio.errors import TMStudioError

_NETWORK = {
    "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "drvfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs",
    "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs", "v9fs", "vboxsf", "vmhgfs",
}  # fmt: skip
_NETWORK_FUSE = {
    "fuse.ceph", "fuse.davfs2", "fuse.gcsfuse", "fuse.glusterfs", "fuse.gvfsd-fuse", "fuse.juicefs", "fuse.rclone",
    "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse",
}  # fmt: skip


def refuse_network_file_system(path: Path, what: str) -> None:
    """Raise if ``path`` (or the folder in which it would be made) is on a network file system.

    Args:
        path: where something is to be kept.
        what: the thing, as the sentence's subject ("The run folder").
    """
    name = network_file_system(path)
    if name is None:
        return
    raise TMStudioError(
        f"{what} cannot be on a network file system",
        cause=f"{path} is on {name}, where the metrics store and the replay can be damaged",
        hint="keep it on a local disk: set TMSTUDIO_HOME to a folder there",
    )


def network_file_system(path: Path) -> str | None:
    """Name of the network file system that ``path`` is on, or None if it is on a local disk."""
    place = path.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    place = Path(os.path.realpath(place))
    if os.name == "nt" and str(place).startswith("\\\\"):
        return "a network share"
    holding = ("", "", "")
    for mount in psutil.disk_partitions(all=True):
        inside = place == Path(mount.mountpoint) or Path(mount.mountpoint) in place.parents
        if inside and len(mount.mountpoint) >= len(
            holding[0]
        ):  # of several at one place, the last covers the others
            holding = (mount.mountpoint, mount.fstype, mount.opts)
    mountpoint, kind, options = holding
    if os.name == "nt":
        return "a network drive" if "remote" in options else None
    # A root on 9p is a sandbox's own disk.
    is_network = (kind in _NETWORK and not (kind == "9p" and mountpoint == "/")) or kind in _NETWORK_FUSE
    return kind if is_network else None
