"""Driving that arrived survives everything that can happen to a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runtime.journal import Journal
from tmstudio.transport.proto import tmstudio_pb2 as pb


def _push(sequence: int, size: int = 20) -> pb.PushRequest:
    return pb.PushRequest(
        actor_id="actor-1", sequence=sequence, steps=2, batch=bytes([sequence % 256]) * size
    )


def _filled(folder: Path, sequences: range) -> Journal:
    journal = Journal(folder, 1)
    for sequence in sequences:
        journal.append(_push(sequence))
    return journal


def _sequences(journal: Journal) -> list[int]:
    return [push.sequence for push in journal.replay()]


def test_what_was_appended_is_there_after_opening_again(tmp_path):
    _filled(tmp_path / "journal", range(1, 6)).close()
    again = Journal(tmp_path / "journal", 1)
    assert list(again.replay()) == [_push(sequence) for sequence in range(1, 6)]
    assert again.torn == []
    again.append(_push(6))
    assert _sequences(again) == [1, 2, 3, 4, 5, 6]
    again.close()


def test_a_tail_torn_at_any_byte_is_cut_and_the_rest_kept(tmp_path):
    whole = tmp_path / "whole"
    _filled(whole, range(1, 4)).close()
    content = (whole / "00000001.journal").read_bytes()
    record = (len(content) - 8) // 3
    for length in range(len(content)):
        folder = tmp_path / f"cut-{length}"
        shutil.copytree(whole, folder)
        (folder / "00000001.journal").write_bytes(content[:length])
        journal = Journal(folder, 1)
        kept = max(0, length - 8) // record
        assert _sequences(journal) == list(range(1, kept + 1))
        assert bool(journal.torn) == (length > 8 and (length - 8) % record != 0)
        journal.append(_push(9))
        assert _sequences(journal) == [*range(1, kept + 1), 9]
        journal.close()


def test_a_flipped_bit_is_found(tmp_path):
    _filled(tmp_path / "journal", range(1, 4)).close()
    path = tmp_path / "journal" / "00000001.journal"
    content = bytearray(path.read_bytes())
    content[-10] ^= 0x40
    path.write_bytes(content)
    journal = Journal(tmp_path / "journal", 1)
    assert _sequences(journal) == [1, 2]
    assert len(journal.torn) == 1
    journal.close()


def test_a_checkpoint_begins_a_segment_and_drops_the_older_ones_when_it_is_safe(tmp_path):
    journal = _filled(tmp_path / "journal", range(1, 4))
    segment = journal.begin_segment()
    journal.append(_push(4))
    assert _sequences(journal) == [1, 2, 3, 4]  # the checkpoint may still fail
    journal.drop_before(segment)
    assert _sequences(journal) == [4]
    journal.close()


def test_segments_that_the_checkpoint_holds_are_removed_at_opening(tmp_path):
    journal = _filled(tmp_path / "journal", range(1, 4))
    segment = journal.begin_segment()
    journal.append(_push(4))
    journal.close()  # killed after the checkpoint was saved, before the old segment was dropped
    again = Journal(tmp_path / "journal", segment)
    assert _sequences(again) == [4]
    again.close()


def test_a_file_of_another_version_is_refused_by_name(tmp_path):
    folder = tmp_path / "journal"
    folder.mkdir()
    (folder / "00000001.journal").write_bytes(b"TMSJRNL9" + bytes(100))
    with pytest.raises(TMStudioError, match=r"00000001\.journal"):
        Journal(folder, 1)


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from tmstudio.errors import TMStudioError
from tmstudio.runtime.journal import Journal
from tmstudio.transport.proto import tmstudio_pb2 as pb

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = Journal(Path(sys.argv[1]), 1)
journal.append(pb.PushRequest(sequence=1, batch=bytes(1000)))
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, -1))
try:
    journal.append(pb.PushRequest(sequence=2, batch=bytes(5000)))
except TMStudioError as error:
    print(error.message)
resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
journal.append(pb.PushRequest(sequence=3, batch=bytes(5000)))
print([push.sequence for push in journal.replay()])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_is_an_error_and_leaves_no_half_record(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path / "journal")],
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=True,
    )
    message, sequences = done.stdout.splitlines()
    assert message.startswith("Could not write")
    assert sequences == "[1, 3]"
