"""The replay: what is drawn, what survives, and what is refused."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections import Counter

import numpy as np
import pytest

from tests.learning.driving import chunk_of, random_chunk
from tmstudio.errors import TMStudioError
from tmstudio.learning.replay import storage
from tmstudio.learning.replay.storage import Shape
from tmstudio.learning.replay.uniform import ReplayStore


def _replay(path=None, rows=50, *, n_step=3, gamma=0.9, weights=(1.0,), observation_size=2, action_size=1):
    shape = Shape(rows, observation_size, action_size, len(weights))
    return ReplayStore.create(path, shape, n_step=n_step, gamma=gamma, weights=weights, seed=1)


def _starts(replay):
    """The first observations of many draws, by what :func:`chunk_of` counted."""
    return set(replay.sample(500).observation_pair[0, :, 0].tolist())


def test_a_draw_joins_what_belongs_together():
    replay = _replay()
    replay.append(chunk_of([1, 2, 3, 4, 5], first=10))
    batch = replay.sample(64)
    start = batch.observation_pair[0, :, 0]
    end = batch.observation_pair[1, :, 0]
    assert set(start) == {10, 11, 12, 13, 14}
    assert (end == np.minimum(start + 3, 15)).all()
    assert batch.actions[:, 0] == pytest.approx(start / 1000)
    reward = start - 9
    returns = (
        reward + np.where(start < 14, 0.9 * (reward + 1), 0) + np.where(start < 13, 0.81 * (reward + 2), 0)
    )
    assert batch.returns == pytest.approx(returns, rel=1e-5)
    assert batch.discounts == pytest.approx(0.9 ** (end - start), rel=1e-5)


def test_the_last_observation_is_never_a_start():
    replay = _replay(rows=30)
    for first in range(0, 1000, 100):
        replay.append(chunk_of([0] * 4, first=first, truncated=True))
    starts = set(replay.sample(2000).observation_pair[0, :, 0].tolist())
    assert not starts & {float(first + 4) for first in range(0, 1000, 100)}
    assert len(starts) == len(replay)


def test_drawing_is_even_over_all_that_is_stored():
    replay = _replay(rows=40)
    replay.append(chunk_of([0] * 30, first=0))
    replay.append(chunk_of([0], first=100))
    counts = Counter(np.concatenate([replay.sample(500).rows.copy() for _ in range(60)]).tolist())
    assert len(counts) == len(replay) == 31
    expected = 30_000 / 31
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_squared < 62  # p = 0.0005 with 30 degrees of freedom


def test_the_ring_forgets_the_oldest():
    replay = _replay(rows=11)
    for first in (100, 200, 300, 400):
        replay.append(chunk_of([0] * 3, first=first))
    assert (replay.head, replay.size, len(replay)) == (16, 11, 8)
    assert _starts(replay) == {201, 202, 300, 301, 302, 400, 401, 402}


def test_a_stored_chunk_does_not_change_with_its_source():
    replay = _replay()
    chunk = chunk_of([1, 1], first=5)
    replay.append(chunk)
    chunk.observations[...] = -1
    chunk.actions[...] = -1
    batch = replay.sample(20)
    assert batch.observation_pair.min() >= 5
    assert batch.actions.min() > 0


def test_new_weights_relabel_all_that_is_stored():
    random = np.random.default_rng(0)
    old = _replay(rows=37, weights=(1.0, 0.0), observation_size=4, action_size=2)
    new = _replay(rows=37, weights=(0.5, -2.0), n_step=5, gamma=0.7, observation_size=4, action_size=2)
    for index in range(9):
        chunk = random_chunk(random, 1 + index, 4, 2, 2, terminated=index % 3 == 0)
        old.append(chunk)
        new.append(chunk)
    old.relabel((0.5, -2.0), gamma=0.7, n_step=5)
    first, second = old.sample(200), new.sample(200)
    assert first.rows.tolist() == second.rows.tolist()
    assert first.returns == pytest.approx(second.returns, abs=1e-5)
    assert first.discounts == pytest.approx(second.discounts)
    assert (first.observation_pair == second.observation_pair).all()
    assert old.largest_reward == pytest.approx(new.largest_reward, rel=0.5)


def test_driving_survives_a_killed_process(tmp_path):
    path = tmp_path / "replay.bin"
    script = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from tests.learning.test_replay import _replay, chunk_of
        replay = _replay(Path({str(path)!r}))
        replay.append(chunk_of([1, 2, 3], first=20, terminated=True), time_s=5.0)
        replay.append(chunk_of([1, 2, 3], first=30))
        print(replay.head, replay.size, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    head, size = map(int, done.stdout.split())
    replay = ReplayStore.open(path, n_step=3, gamma=0.9, weights=[1.0], seed=1)
    assert len(replay) == 0
    replay.restore(head, size)
    assert len(replay) == 6
    batch = replay.sample(100)
    starts = batch.observation_pair[0, :, 0]
    assert set(starts) == {20, 21, 22, 30, 31, 32}
    assert (batch.discounts[starts < 25] == 0).all()
    assert replay.age_s(11.0) == pytest.approx(np.where(starts < 25, 6.0, 11.0).mean())


def test_restoring_counts_only_rows_that_were_not_replaced_since(tmp_path):
    path = tmp_path / "replay.bin"
    replay = _replay(path, rows=12)
    for first in (100, 200, 300):
        replay.append(chunk_of([0] * 3, first=first))
    saved = replay.head, replay.size
    replay.append(chunk_of([0] * 3, first=400))
    replay.close()

    again = ReplayStore.open(path, n_step=3, gamma=0.9, weights=[1.0], seed=1)
    again.restore(*saved)
    assert _starts(again) == {200, 201, 202, 300, 301, 302}
    again.append(chunk_of([0] * 3, first=400))  # the journal brings it again, to the same rows
    assert _starts(again) == {200, 201, 202, 300, 301, 302, 400, 401, 402}
    assert (again.head, again.size) == (16, 12)


def test_a_checkpoint_of_more_than_was_written_is_refused(tmp_path):
    path = tmp_path / "replay.bin"
    _replay(path).append(chunk_of([0] * 3))
    again = ReplayStore.open(path, n_step=3, gamma=0.9, weights=[1.0], seed=1)
    with pytest.raises(TMStudioError, match="does not fit the checkpoint"):
        again.restore(400, 40)


def test_random_numbers_go_on_where_they_were():
    replay = _replay()
    replay.append(chunk_of([0] * 20))
    state = replay.random_state
    first = replay.sample(32).rows.tolist()
    assert replay.sample(32).rows.tolist() != first
    replay.random_state = state
    assert replay.sample(32).rows.tolist() == first


def test_the_file_is_allocated_in_full(tmp_path):
    path = tmp_path / "replay.bin"
    _replay(path, rows=10_000, observation_size=30)
    assert path.stat().st_blocks * 512 >= 10_000 * 30 * 4


def test_a_full_disk_is_an_error_at_creation(tmp_path):
    path = tmp_path / "replay.bin"
    with pytest.raises(TMStudioError) as raised:
        _replay(path, rows=20_000_000, observation_size=1_000_000)
    assert "reserve" in raised.value.message
    assert raised.value.cause
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_not_overwritten(tmp_path):
    _replay(tmp_path / "replay.bin")
    with pytest.raises(TMStudioError, match="cannot be created"):
        _replay(tmp_path / "replay.bin")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: b"", "not a replay"),
        (lambda content: b"PK\3\4" + content[4:], "not a replay"),
        (lambda content: content[:-4096], "bytes instead of"),
        (lambda content: content[:64] + b"\0" * 64 + content[128:], "header cannot be read"),
        (lambda content: content[:8] + b"\7" + content[9:], "schema version 7"),
    ],
)
def test_a_file_that_is_no_replay_is_refused(tmp_path, damage, message):
    path = tmp_path / "replay.bin"
    _replay(path).append(chunk_of([0] * 3))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(TMStudioError, match=message):
        ReplayStore.open(path, n_step=3, gamma=0.9, weights=[1.0], seed=1)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(TMStudioError, match="open the replay"):
        ReplayStore.open(tmp_path / "none.bin", n_step=3, gamma=0.9, weights=[1.0], seed=1)


def test_driving_of_another_shape_is_refused():
    replay = _replay()
    with pytest.raises(TMStudioError, match="does not fit"):
        replay.append(chunk_of([0], observation_size=3))
    with pytest.raises(TMStudioError, match="does not fit"):
        replay.append(chunk_of([0] * 50))
    with pytest.raises(TMStudioError, match="1 reward terms, the configuration has 2"):
        replay.relabel([1.0, 2.0], 0.9, 3)


def test_columns_of_the_file_do_not_overlap():
    shape = Shape(rows=1001, observation_size=7, action_size=3, reward_terms=6)
    offsets, length = shape.offsets()
    ends = [
        offsets[name] + dtype.itemsize * int(np.prod(size)) for name, (dtype, size) in shape.columns().items()
    ]
    starts = [*list(offsets.values())[1:], length]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    assert min(offsets.values()) >= storage._HEADER_BYTES
