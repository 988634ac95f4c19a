from __future__ import annotations

import json
from pathlib import Path

import pytest

from tmstudio.runs import events as events_module
from tmstudio.runs.events import EventLog, EventReader, events_file, last_lines, log_file
from tmstudio.runs.folder import RunFolder

MANY = """
import sys
from pathlib import Path
from tmstudio.runs.events import EventLog
log = EventLog(Path(sys.argv[1]), sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
for number in range(300):
    log.emit("step", number=number, filling="x" * 1000)
"""


def test_events_are_read_as_they_come(run: RunFolder) -> None:
    log, reader = EventLog(run.path, "learner"), EventReader(run.path)
    assert reader.read() == []
    log.emit("started", port=4711)
    log.emit("checkpoint", step=10)
    first = reader.read()
    assert [(event["role"], event["kind"]) for event in first] == [
        ("learner", "started"),
        ("learner", "checkpoint"),
    ]
    assert first[0]["port"] == 4711
    assert reader.read() == []
    log.emit("stopped")
    assert [event["kind"] for event in reader.read()] == ["stopped"]


def test_events_of_several_processes_never_mix(run: RunFolder, process) -> None:
    workers = [process(MANY, run.path, role) for role in ("learner", "actor-1")]
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        assert worker.wait() == 0
    found = EventReader(run.path).read()
    for role in ("learner", "actor-1"):
        assert [event["number"] for event in found if event["role"] == role] == list(range(300))


def test_an_event_is_also_printed_where_asked(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    EventLog(run.path, "learner", echo=True).emit("started", where=Path("x"))
    assert json.loads(capsys.readouterr().out)["where"] == "x"
    EventLog(run.path, "learner").emit("started")
    assert capsys.readouterr().out == ""


def test_a_line_that_is_not_whole_yet_comes_later_and_a_torn_one_is_left_out(run: RunFolder) -> None:
    log, reader = EventLog(run.path, "learner"), EventReader(run.path)
    log.emit("one")
    with events_file(run.path).open("ab") as file:
        file.write(b'{"v": 1, "kind": "ha')
    assert [event["kind"] for event in reader.read()] == ["one"]
    with events_file(run.path).open("ab") as file:
        file.write(b'lf"}\n{"v": 1, "ki\n')
    log.emit("two")
    assert [event["kind"] for event in reader.read()] == ["half", "two"]


def test_a_reader_can_begin_with_what_is_new(run: RunFolder) -> None:
    log, reader = EventLog(run.path, "learner"), EventReader(run.path)
    log.emit("old")
    reader.skip()
    log.emit("new")
    assert [event["kind"] for event in reader.read()] == ["new"]


def test_the_log_stays_bounded_and_readers_follow(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "_MAX_BYTES", 20_000)
    log, reader = EventLog(run.path, "learner"), EventReader(run.path)
    numbers = []
    for number in range(200):
        log.emit("step", number=number, filling="x" * 1000)
        numbers += [event["number"] for event in reader.read()]
    assert numbers == list(range(200))
    assert sum(path.stat().st_size for path in run.logs_path.iterdir()) < 60_000


def test_a_full_disk_does_not_stop_the_work(
    small_disk: Path, fill, capsys: pytest.CaptureFixture[str]
) -> None:
    log, reader = EventLog(small_disk, "learner"), EventReader(small_disk)
    log.emit("started")
    fill(small_disk)
    for _ in range(3):
        log.emit("error", message="the disk is full " + "x" * 4000)
    assert capsys.readouterr().err.count("event not written") == 3
    (small_disk / "filling").unlink()
    log.emit("recovered")
    assert [event["kind"] for event in reader.read()] == ["started", "recovered"]


def test_the_last_lines_of_a_log(run: RunFolder) -> None:
    path = log_file(run.path, "learner")
    assert last_lines(path) == []
    path.write_bytes(b"\xff\n" + b"\n".join(b"line %d" % number for number in range(50_000)))
    assert list(last_lines(path, 2)) == ["line 49998", "line 49999"]
    assert len(last_lines(path)) == 20
