from __future__ import annotations

import math
import signal
import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from tmstudio.errors import TMStudioError
from tmstudio.runs.metrics import MetricsReader, MetricsWriter
from tmstudio.runs.records import EpisodeRow, EvaluationRow


def episode(**fields) -> EpisodeRow:
    values = {
        "time_s": 12.5, "step": 300, "actor_id": "actor-1", "car": 3, "policy_step": 250, "origin": "simulator",
        "exploring": True, "speed_factor": 31.5, "from_start": True, "finished": True, "lap_time_s": 41.234,
        "progress_m": 700.0, "progress_fraction": 1.0, "return_": 52.5, "steps": 825, "end": "finished",
        "terms": {"progress": 70.0, "time": -41.2}, "sectors_s": (10.1, 20.2), "start_seed": 7,
    }  # fmt: skip
    return EpisodeRow(**{**values, **fields})


def evaluation(**fields) -> EvaluationRow:
    values = {
        "time_s": 60.0, "step": 1000, "policy_step": 900, "updates": 500, "episodes": 3, "finish_rate": 2 / 3,
        "median_lap_s": 41.0, "best_lap_s": 40.5, "mean_return": 12.0, "lap_times_s": (40.5, None, 41.5),
        "seeds": (1, 2, 3), "speed": 80.0, "origin": "simulator", "best": True,
    }  # fmt: skip
    return EvaluationRow(**{**values, **fields})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.sqlite"


def test_rows_read_back_as_they_were_written(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:
        writer.scalars({"loss/critic": 0.5, "q_mean": 2.0}, step=10, updates=20, time_s=1.5)
        writer.scalar("loss/critic", 0.25, step=11, updates=22, time_s=2.5)
        writer.episode(episode())
        writer.episode(episode(lap_time_s=None, finished=False, end="stuck"))
        writer.evaluation(evaluation())
        writer.flush()
        assert reader.names() == ["loss/critic", "q_mean"]
        curve = reader.scalars_since("loss/critic")
        assert (curve.step.tolist(), curve.updates.tolist()) == ([10, 11], [20, 22])
        assert (curve.time_s.tolist(), curve.value.tolist()) == ([1.5, 2.5], [0.5, 0.25])
        assert reader.episodes_since() == [
            episode(rowid=1),
            episode(lap_time_s=None, finished=False, end="stuck", rowid=2),
        ]
        assert reader.evaluations_since() == [evaluation(rowid=1)]
        assert reader.latest() == {"loss/critic": 0.25, "q_mean": 2.0}


def test_readers_ask_only_for_what_is_new(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:
        seen, rowid = [], 0
        for number in range(5):
            writer.scalars({"a": number, "b": -number}, step=number, updates=0, time_s=number)
            writer.flush()
            rows = reader.scalars_since("a", rowid)
            seen += rows.value.tolist()
            rowid = int(rows.rowid[-1])
        assert seen == [0, 1, 2, 3, 4]
        assert len(reader.scalars_since("a", rowid)) == 0
        assert reader.scalars_since("a", limit=2).value.tolist() == [0, 1]
        assert len(reader.scalars_since("never")) == 0


def test_values_that_are_no_numbers_are_kept_as_such(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:
        writer.scalar("loss", float("nan"), step=0, updates=0, time_s=0)
        writer.scalar("loss", float("inf"), step=1, updates=0, time_s=0)
        writer.episode(episode(speed_factor=float("nan")))
        writer.flush()
        values = reader.scalars_since("loss").value
        assert math.isnan(values[0])
        assert math.isinf(values[1])
        assert math.isnan(reader.episodes_since()[0].speed_factor)


def test_numbers_of_numpy_are_numbers(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:
        writer.scalar("loss", np.float32(0.5), step=np.int64(3), updates=np.int64(4), time_s=np.float64(1))
        writer.episode(
            episode(car=np.int64(1), finished=np.bool_(True), return_=np.float32(2.5), step=np.uint32(9))
        )
        writer.flush()
        assert reader.scalars_since("loss").value.tolist() == [0.5]
        row = reader.episodes_since()[0]
        assert (row.car, row.finished, row.return_, row.step) == (1, True, 2.5, 9)


def test_a_number_that_does_not_fit_is_refused_at_once_and_stops_nothing_else(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:
        with pytest.raises(OverflowError, match="64 bits"):
            writer.episode(episode(start_seed=2**64))
        writer.episode(episode(sectors_s=(np.float32(1.5),), terms={"time": np.float64(-1)}))
        writer.flush()
        row = reader.episodes_since()[0]
        assert (row.sectors_s, row.terms) == ((1.5,), {"time": -1.0})


def test_a_store_that_is_not_there_yet_reads_as_empty_until_it_is(path: Path) -> None:
    with MetricsReader(path) as reader:
        assert reader.names() == []
        assert len(reader.scalars_since("loss")) == 0
        assert reader.episodes_since() == []
        assert (reader.last_time_s(), reader.last_step(), reader.last_updates(), reader.count_episodes()) == (
            0,
            0,
            0,
            0,
        )
        assert not path.exists()
        with MetricsWriter(path) as writer:
            writer.scalar("loss", 1, step=1, updates=1, time_s=1)
        assert reader.names() == ["loss"]


def test_a_resumed_run_goes_on_counting(path: Path) -> None:
    with MetricsWriter(path) as writer:
        writer.scalars({"a": 1, "b": 2}, step=100, updates=50, time_s=61.5)
        writer.episode(episode(time_s=62.5, step=120))
    with MetricsReader(path) as reader:
        assert (reader.last_time_s(), reader.last_step(), reader.last_updates()) == (62.5, 120, 50)
    with MetricsWriter(path) as writer:
        writer.scalars({"b": 3, "c": 4}, step=130, updates=60, time_s=70.0)
    with MetricsReader(path) as reader:
        assert reader.scalars_since("b").value.tolist() == [2, 3]
        assert reader.scalars_since("b").time_s.tolist() == [61.5, 70.0]
        assert reader.names() == ["a", "b", "c"]


def test_rows_are_committed_by_themselves(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:
        writer.scalar("loss", 1, step=1, updates=1, time_s=1)
        waiting = threading.Event()
        while not reader.names():
            waiting.wait(0.02)


def test_several_threads_may_write(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:

        def write(name: str) -> None:
            for number in range(500):
                writer.scalar(name, number, step=number, updates=0, time_s=0)
                if number % 100 == 0:
                    writer.flush()

        threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        writer.flush()
        for name in "abcd":
            assert reader.scalars_since(name).value.tolist() == list(range(500))


WRITER = """
import sys
from pathlib import Path
from tmstudio.runs.metrics import MetricsWriter
writer = MetricsWriter(Path(sys.argv[1]))
number = 0
while True:
    for _ in range(200):
        writer.scalars({"a": number, "b": number}, step=number, updates=0, time_s=number / 10)
        number += 1
    writer.flush()
    print(number, flush=True)
"""


def test_a_killed_writer_loses_nothing_that_was_committed_and_the_next_goes_on(path: Path, process) -> None:
    for _ in range(3):
        with MetricsReader(path) as reader:
            before = len(reader.scalars_since("a"))
        writer = process(WRITER, path)
        for _ in range(3):
            committed = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        with MetricsReader(path) as reader:
            curve, other = reader.scalars_since("a"), reader.scalars_since("b")
        assert len(curve) >= before + committed
        assert curve.value.tolist() == other.value.tolist()  # a batch is there whole or not at all
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_readers_never_wait_for_the_writer(path: Path, process) -> None:
    process(WRITER, path)
    with MetricsReader(path) as reader:
        seen = 0
        for _ in range(100):
            rows = reader.scalars_since("a", seen)
            if len(rows):
                assert rows.value.tolist() == [float(rows.value[0]) + n for n in range(len(rows))]
                seen = int(rows.rowid[-1])
    assert seen > 0


def test_a_full_disk_is_told_and_the_rows_are_written_once_there_is_room(small_disk: Path, fill) -> None:
    writer, reader = (
        MetricsWriter(small_disk / "metrics.sqlite"),
        MetricsReader(small_disk / "metrics.sqlite"),
    )
    writer.scalar("loss", 0, step=0, updates=0, time_s=0)
    writer.flush()
    fill(small_disk)
    written = 0

    def write_until_refused() -> None:
        nonlocal written
        while written < 100_000:
            written += 1
            writer.scalar("loss", written, step=written, updates=0, time_s=0)
            if written % 1000 == 0:
                writer.flush()

    with pytest.raises(TMStudioError, match="Could not write") as caught:
        write_until_refused()
    assert "the disk is full" in caught.value.cause
    (small_disk / "filling").unlink()
    writer.flush()
    values = reader.scalars_since("loss").value.tolist()
    assert values == list(range(written + 1))
    reader.close()
    writer.close()
    writer.close()


@pytest.mark.parametrize("open_store", [MetricsWriter, lambda path: MetricsReader(path).names()])
def test_a_store_of_a_newer_version_or_none_at_all_is_refused(open_store, path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(TMStudioError, match="written by a newer TMStudio"):
        open_store(path)
    path.write_bytes(b"no database at all, " * 100)
    with pytest.raises(TMStudioError, match="is damaged"):
        open_store(path)


def test_a_place_that_cannot_hold_a_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(TMStudioError, match="Could not open"):
        MetricsWriter(tmp_path / "none" / "metrics.sqlite")


def test_the_best_exploring_lap_is_from_the_start_line(path: Path) -> None:
    with MetricsWriter(path) as writer, MetricsReader(path) as reader:
        writer.episode(episode(lap_time_s=40.0))
        writer.episode(episode(lap_time_s=20.0, from_start=False))
        writer.episode(episode(lap_time_s=30.0, exploring=False))
        writer.flush()
        assert reader.best_exploring_lap_s() == 40.0
        assert reader.count_episodes() == 2
