from __future__ import annotations

import errno
import json
import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_fault, read_json, remove_temporary, write_bytes, write_json


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_json(path, {"step": 1})
    write_json(path, {"step": 2, "name": "Zürich"})
    assert read_json(path, "The state") == {"step": 2, "name": "Zürich"}
    assert [item.name for item in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such mode")
def test_the_mode_holds_from_the_first_byte(tmp_path: Path) -> None:
    write_bytes(tmp_path / "token", b"secret", mode=0o600)
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_json_that_other_programs_cannot_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_json(path, {"step": 1})
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"loss": float("nan")})
    assert read_json(path, "The state") == {"step": 1}


WRITER = """
import sys
from pathlib import Path
from tmstudio.runs.atomic import write_json
print("ready", flush=True)
count = 0
while True:
    count += 1
    write_json(Path(sys.argv[1]), {"count": count, "filling": "x" * 20000, "again": count})
"""


def test_two_writers_and_a_kill_at_any_moment_leave_a_whole_file(tmp_path: Path, process) -> None:
    path = tmp_path / "state.json"
    first, second = process(WRITER, path), process(WRITER, path)
    seen = 0
    while seen < 50:
        if path.exists():
            data = json.loads(path.read_bytes())
            assert data["count"] == data["again"]
            seen += 1
    first.send_signal(signal.SIGKILL)
    second.send_signal(signal.SIGKILL)
    first.wait()
    second.wait()
    data = read_json(path, "The state")
    assert data["count"] == data["again"]
    remove_temporary(tmp_path)
    assert [item.name for item in tmp_path.iterdir() if item.is_file()] == ["state.json"]


def test_a_full_disk_is_told_and_leaves_the_old_file(small_disk: Path) -> None:
    path = small_disk / "state.json"
    write_json(path, {"step": 1})
    with pytest.raises(TMStudioError, match="Could not write") as caught:
        write_bytes(path, os.urandom(2_000_000))
    assert "the disk is full" in caught.value.cause
    assert "TMSTUDIO_HOME" in caught.value.hint
    assert read_json(path, "The state") == {"step": 1}
    assert [item.name for item in small_disk.iterdir()] == ["state.json"]


def test_a_refusal_by_the_system_is_told(tmp_path: Path) -> None:
    fault = disk_fault(PermissionError(errno.EACCES, "Permission denied"), tmp_path / "a", "read")
    assert fault.message == f"Could not read {tmp_path / 'a'}"
    assert "Permission denied" in fault.cause


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_damaged_file_is_told_by_what_it_should_be(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_bytes(content)
    with pytest.raises(TMStudioError, match="The manifest is damaged"):
        read_json(path, "The manifest")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TMStudioError, match="The manifest is missing"):
        read_json(tmp_path / "manifest.json", "The manifest")


@pytest.mark.skipif(
    sys.platform == "win32", reason="a folder cannot be opened as a file there in another way"
)
def test_a_folder_in_place_of_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TMStudioError, match="Could not read"):
        read_json(tmp_path, "The manifest")
