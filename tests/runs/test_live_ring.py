from __future__ import annotations

import signal
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runs import live_ring
from tmstudio.runs.live_ring import FRAME_SHAPE, LIVE_DTYPE, SLOTS, LiveReader, LiveWriter, new_record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "live" / "actor-1.ring"


def record(car: int = 0, **fields) -> np.ndarray:
    made = new_record()
    made["car"] = car
    for name, value in fields.items():
        made[name] = value
    return made


def slot_of(index: int) -> int:
    """Where in the file the slot of this record begins."""
    return live_ring._SLOTS_AT + index % SLOTS * live_ring._SLOT_DTYPE.itemsize


def overwrite(path: Path, offset: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(content)


def test_records_arrive_in_order_with_all_their_fields(path: Path) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    for car in range(3):
        assert writer.publish(record(car, speed_mps=car * 1.5, lidar_m=np.arange(19), terms=np.full(6, car)))
    found = reader.records_since(0)
    assert found["index"].tolist() == [1, 2, 3]
    assert found["car"].tolist() == [0, 1, 2]
    assert found["speed_mps"].tolist() == [0, 1.5, 3]
    assert found["lidar_m"][2].tolist() == list(range(19))
    assert found["terms"][1].tolist() == [1] * 6
    assert reader.records_since(3).size == 0
    assert reader.records_since(2)["car"].tolist() == [2]
    assert reader.newest_index() == 3


def test_nothing_is_written_while_nobody_reads(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    assert not writer.wanted()
    assert not writer.publish(record())
    assert reader.newest_index() == 0
    assert reader.beat()
    assert writer.wanted()
    later = time.monotonic() + live_ring.READER_TIMEOUT_S + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert not writer.publish(record())


def test_the_beat_of_before_a_restart_of_the_machine_does_not_count(path: Path, monkeypatch) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    monkeypatch.setattr(time, "monotonic", lambda: 5.0)
    assert not writer.wanted()


def test_a_ring_that_is_not_there_yet_reads_as_empty(path: Path) -> None:
    reader = LiveReader(path)
    assert not reader.beat()
    assert reader.records_since(0).size == 0
    assert reader.frame() is None
    writer = LiveWriter(path)
    assert reader.beat()
    assert writer.publish(record())
    assert reader.records_since(0).size == 1


def test_only_the_newest_records_are_held(path: Path) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    for _ in range(SLOTS + 100):
        writer.publish(record())
    found = reader.records_since(0)
    assert found["index"].tolist() == list(range(101, SLOTS + 101))


def test_a_frame_arrives_with_the_record_that_belongs_to_it(path: Path) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    assert reader.frame() is None
    picture = np.random.default_rng(1).integers(0, 255, FRAME_SHAPE).astype(np.uint8)
    writer.publish(record())
    writer.publish(record(time_s=12.5), picture)
    frame = reader.frame()
    assert frame is not None
    assert (frame.number, frame.index, frame.time_s) == (1, 2, 12.5)
    assert np.array_equal(frame.image, picture)
    assert reader.frame(after=1) is None
    writer.publish(record(), picture[::-1])
    newer = reader.frame(after=1)
    assert newer is not None
    assert np.array_equal(newer.image, picture[::-1])
    assert np.array_equal(frame.image, picture)  # what was read is the reader's own


def test_a_half_written_slot_is_never_taken(path: Path) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    for _ in range(3):
        writer.publish(record(speed_mps=30, position_m=(1, 2, 3)))
    half = np.zeros((), LIVE_DTYPE).tobytes()[: LIVE_DTYPE.itemsize // 2]
    overwrite(path, slot_of(2) + 16, half)
    assert reader.records_since(0)["index"].tolist() == [1, 3]
    assert reader.damaged == 1


def test_a_slot_that_is_being_written_is_left_out(path: Path) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    for _ in range(3):
        writer.publish(record())
    overwrite(path, slot_of(2), (2 * (2 + SLOTS) + 1).to_bytes(8, "little"))  # as the next round begins
    assert reader.records_since(0)["index"].tolist() == [1, 3]
    assert reader.damaged == 0


def test_a_half_written_frame_is_never_taken_and_the_one_before_is(path: Path) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    for value in (7, 8):
        writer.publish(record(), np.full(FRAME_SHAPE, value, np.uint8))
    newest = live_ring._FRAMES_AT + 2 % 2 * live_ring._FRAME_DTYPE.itemsize
    overwrite(path, newest + 32 + 700_000, bytes(1000))
    frame = reader.frame()
    assert frame is not None
    assert frame.number == 1
    assert (frame.image == 7).all()
    assert reader.damaged == 1


WRITER = """
import sys, time, zlib
from pathlib import Path
import numpy as np
from tmstudio.runs.live_ring import FRAME_SHAPE, LiveWriter, new_record
writer = LiveWriter(Path(sys.argv[1]))
print("ready", flush=True)
record, picture, number = new_record(), np.empty(FRAME_SHAPE, np.uint8), 0
while True:
    number += 1
    record["episode"] = number
    record["lidar_m"] = number % 1000
    record["terms"] = number % 1000
    picture[:] = number % 256
    if not writer.publish(record, picture if number % 10 == 0 else None):
        time.sleep(0.001)
"""


def test_across_processes_every_record_and_frame_is_whole(path: Path, process) -> None:
    writer = process(WRITER, path)
    reader = LiveReader(path)
    seen, last, frames, last_frame = 0, 0, 0, 0
    while seen < 3000 or frames < 10:
        assert writer.poll() is None
        reader.beat()
        found = reader.records_since(last)
        if found.size:
            assert (np.diff(found["index"].astype(np.int64)) > 0).all()
            assert (found["lidar_m"] == (found["episode"] % 1000)[:, None]).all()
            assert (found["terms"] == (found["episode"] % 1000)[:, None]).all()
            seen, last = seen + found.size, int(found["index"][-1])
        frame = reader.frame(last_frame)
        if frame is not None:
            assert (frame.image == frame.image[0, 0, 0]).all()
            frames, last_frame = frames + 1, frame.number


def test_a_killed_writer_leaves_a_ring_that_reads_and_its_successor_goes_on_counting(
    path: Path, process
) -> None:
    reader = LiveReader(path)
    last = 0
    for _ in range(3):
        writer = process(WRITER, path)
        before = last
        while last < before + 50:
            reader.beat()
            found = reader.records_since(last)
            if found.size:
                assert int(found["index"][0]) > last
                last = int(found["index"][-1])
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        found = reader.records_since(0)
        assert (found["lidar_m"] == (found["episode"] % 1000)[:, None]).all()
        last = reader.newest_index()


def test_a_file_that_is_no_ring_is_told_to_the_reader_and_made_anew_by_the_writer(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"", b"x" * 10_000, b"TMSRING\0" + bytes(9000)):
        path.write_bytes(content)
        with pytest.raises(TMStudioError, match=r"damaged|schema version"):
            LiveReader(path).beat()
    writer, reader = LiveWriter(path), LiveReader(path)
    assert reader.beat()
    assert writer.publish(record())
    assert sorted(item.name for item in path.parent.iterdir()) == [path.name]


def test_a_ring_of_a_newer_version_is_refused_by_name(path: Path) -> None:
    LiveWriter(path).close()
    overwrite(path, 8, (9).to_bytes(4, "little"))
    with pytest.raises(TMStudioError, match="written by a newer TMStudio"):
        LiveReader(path).beat()


def test_a_full_disk_is_told_when_the_ring_is_made(small_disk: Path) -> None:
    with pytest.raises(TMStudioError) as caught:
        LiveWriter(small_disk / "live" / "actor-1.ring")
    assert "the disk is full" in caught.value.cause
    assert list((small_disk / "live").iterdir()) == []


def test_the_checksum_is_of_the_record_itself(path: Path) -> None:
    writer, reader = LiveWriter(path), LiveReader(path)
    reader.beat()
    writer.publish(record(gear=4))
    content = path.read_bytes()[slot_of(1) :]
    assert int.from_bytes(content[8:16], "little") == zlib.crc32(content[16 : 16 + LIVE_DTYPE.itemsize])
    assert path.stat().st_size == live_ring._FILE_BYTES
