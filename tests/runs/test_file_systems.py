from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from tmstudio.config.run_config import RunConfig
from tmstudio.errors import TMStudioError
from tmstudio.runs.file_systems import network_file_system, refuse_network_file_system
from tmstudio.runs.folder import RunFolder


class Mount(NamedTuple):
    mountpoint: str
    fstype: str
    opts: str = "rw"


def mount(monkeypatch: pytest.MonkeyPatch, *mounts: tuple[Path, str]) -> None:
    """Let the system name these mounts, as it would on a machine that has them."""
    table = [Mount(str(point), kind) for point, kind in mounts]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: table)


def test_this_machines_own_disk_is_local(tmp_path: Path) -> None:
    assert network_file_system(tmp_path) is None
    refuse_network_file_system(tmp_path / "not" / "there", "A folder")


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "lustre", "9p"])
def test_a_network_file_system_is_refused_by_name(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount(monkeypatch, (Path("/"), "ext4"), (tmp_path, kind))
    with pytest.raises(TMStudioError, match="cannot be on a network file system") as caught:
        refuse_network_file_system(tmp_path / "runs", "The folder of runs")
    assert f"is on {kind}" in caught.value.cause
    assert "TMSTUDIO_HOME" in caught.value.hint


def test_the_innermost_mount_decides_and_the_last_of_several_at_one_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    mount(
        monkeypatch,
        (tmp_path, "nfs4"),
        (tmp_path / "inner", "nfs4"),
        (tmp_path / "inner", "ext4"),
        (Path("/"), "ext4"),
    )
    assert network_file_system(tmp_path / "inner" / "x") is None
    assert network_file_system(tmp_path / "inners") == "nfs4"


def test_a_link_is_followed_to_where_it_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "share")
    mount(monkeypatch, (Path("/"), "ext4"), (tmp_path / "share", "nfs"))
    assert network_file_system(tmp_path / "link" / "runs") == "nfs"


def test_no_run_is_made_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mount(monkeypatch, (Path("/"), "ext4"), (tmp_path, "nfs4"))
    with pytest.raises(TMStudioError, match="network file system"):
        RunFolder.create(RunConfig(), track_sha256="ab" * 32)
    assert not (tmp_path / "home").exists()


def test_a_sandboxs_own_root_is_local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mount(monkeypatch, (Path("/"), "9p"))
    assert network_file_system(tmp_path) is None
