"""Driving on the driver's disk until the learner has it."""

from __future__ import annotations

import threading

import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runtime.spool import Spool

MB = 2**20


def test_batches_come_out_in_order_and_go_when_acknowledged(tmp_path):
    spool = Spool(tmp_path / "spool", MB)
    for number in range(1, 4):
        assert spool.add(bytes([number]) * 100, steps=10) == number
    assert spool.steps == 30
    batch = spool.oldest(0)
    assert batch is not None
    assert (batch.sequence, spool.read(batch)) == (1, b"\1" * 100)
    assert spool.oldest(0) == batch  # until it is acknowledged
    spool.acknowledge(2)
    left = spool.oldest(0)
    assert left is not None
    assert left.sequence == 3
    assert len(list((tmp_path / "spool").iterdir())) == 1


def test_a_restart_finds_what_waits_and_goes_on_counting(tmp_path):
    spool = Spool(tmp_path / "spool", MB)
    spool.add(b"one", 1)
    spool.add(b"two", 2)
    again = Spool(tmp_path / "spool", MB)
    assert again.steps == 3
    assert again.add(b"three", 3) == 3


def test_the_learner_says_what_it_has_already(tmp_path):
    spool = Spool(tmp_path / "spool", MB)
    for number in range(1, 4):
        spool.add(b"x", number)
    spool.continue_after(2)  # acknowledged, but the answer was lost
    assert spool.steps == 3
    spool.continue_after(9)  # an emptied spool does not begin anew
    assert spool.steps == 0
    assert spool.add(b"x", 1) == 10


def test_a_full_spool_takes_nothing_more_but_one_batch_always_fits(tmp_path):
    spool = Spool(tmp_path / "spool", cap_bytes=50)
    assert spool.has_room
    spool.add(bytes(1000), 1)
    assert not spool.has_room
    spool.acknowledge(1)
    assert spool.has_room


def test_half_written_files_of_a_killed_process_are_cleared_away(tmp_path):
    folder = tmp_path / "spool"
    Spool(folder, MB).add(b"whole", 1)
    (folder / ".000000000002.batch.tmp-1-ab").write_bytes(b"ha")
    spool = Spool(folder, MB)
    assert spool.steps == 1
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_file_is_said_and_set_aside(tmp_path, damage):
    folder = tmp_path / "spool"
    Spool(folder, MB).add(bytes(100), 7)
    (path,) = folder.iterdir()
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[-1] ^= 1
    path.write_bytes({"cut": content[:-3], "flip": content, "empty": b""}[damage])
    spool = Spool(folder, MB)
    batch = spool.oldest(0)
    assert batch is not None
    with pytest.raises(TMStudioError, match="damaged"):
        spool.read(batch)
    aside = spool.set_aside(batch)
    assert aside.exists()
    assert spool.oldest(0) is None
    assert spool.add(b"next", 1) == 2


def test_the_sender_is_woken_by_a_new_batch(tmp_path):
    spool = Spool(tmp_path / "spool", MB)
    threading.Timer(0.05, spool.add, (b"x", 1)).start()
    assert spool.oldest(10) is not None
