"""Checkpoints: whole or not at all, the right ones kept, damage told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from tmstudio.config.run_config import SimbaNetwork
from tmstudio.errors import TMStudioError
from tmstudio.learning.algorithms.base import AlgorithmState
from tmstudio.learning.checkpoints import CheckpointStore
from tmstudio.learning.policy import PolicyVersion, build_policy, decode_policy, encode_policy

POLICY = build_policy(SimbaNetwork(actor_width=16), 3, 2)


def _policy_file(step):
    tensors = {name: value.numpy() for name, value in POLICY._modules.state_dict().items()}
    return encode_policy(POLICY.spec, tensors, PolicyVersion(step, step // 10, "ff"))


def _save(store, step, value=1.0, **options):
    state = AlgorithmState(
        {"critics": np.full(4, value, np.float32), "steps": np.zeros(())}, {"updates": step // 10}
    )
    return store.save(step, _policy_file(step), state, {"time_s": step / 20}, **options)


@pytest.fixture
def store(tmp_path):
    store = CheckpointStore(tmp_path / "checkpoints", keep=3)
    store.prepare()
    return store


def test_what_was_saved_is_what_is_loaded(store):
    name = _save(store, 200_000, value=2.5)
    assert name == "step-000200000"
    checkpoint = store.load("last")
    assert checkpoint.step == 200_000
    assert checkpoint.policy == store.read_policy(name)
    assert decode_policy(checkpoint.policy)[1].policy_step == 200_000
    assert checkpoint.learner.tensors["critics"].tolist() == [2.5] * 4
    assert checkpoint.learner.tensors["steps"].shape == ()
    assert checkpoint.learner.counters == {"updates": 20_000}
    assert checkpoint.state == {"time_s": 10_000.0}


def test_the_latest_and_the_best_and_the_pinned_are_kept(store):
    first = _save(store, 100)
    store.promote(first)
    pinned = _save(store, 200)
    for step in (300, 400, 500, 600):
        _save(store, step, pinned=[pinned])
    assert store.names() == [f"step-{step:09d}" for step in (100, 200, 400, 500, 600)]
    assert store.resolve("best") == first
    assert store.resolve("last") == "step-000000600"
    store.promote("step-000000600")
    _save(store, 700)
    assert store.names() == [f"step-{step:09d}" for step in (500, 600, 700)]


def test_the_newest_is_kept_even_where_its_step_is_lower(store):
    for step in (500, 600, 700):
        _save(store, step)
    _save(store, 100)
    assert store.resolve("last") == "step-000000100"
    assert store.names() == [f"step-{step:09d}" for step in (600, 700, 100)]


def test_a_second_save_at_the_same_step_takes_the_place_of_the_first(store):
    _save(store, 100, value=1.0)
    _save(store, 100, value=2.0)
    assert store.names() == ["step-000000100"]
    assert store.load("last").learner.tensors["critics"][0] == 2.0
    assert sorted(path.name for path in store.folder.iterdir()) == ["last.json", "step-000000100"]


def test_what_a_killed_process_left_is_tidied_up(store):
    _save(store, 100)
    (store.folder / ".tmp-0123").mkdir()
    (store.folder / "step-000000100").rename(store.folder / ".old-step-000000100")
    store.prepare()
    assert store.load("last").step == 100
    assert sorted(path.name for path in store.folder.iterdir()) == ["last.json", "step-000000100"]


def test_a_kill_at_any_moment_leaves_whole_checkpoints(store):
    script = textwrap.dedent(
        f"""
        import os, signal, time
        from itertools import count
        from pathlib import Path
        from tests.learning.test_checkpoints import CheckpointStore, _save
        store = CheckpointStore(Path({str(store.folder)!r}), keep=2)
        store.prepare()
        _save(store, 0)
        for delay_s in (0.03, 0.05, 0.07, 0.11, 0.13, 0.17):
            child = os.fork()
            if child == 0:
                for step in count(2):
                    _save(store, step // 2)
            time.sleep(delay_s)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            store.prepare()
            for name in store.names():
                store.load(name)
            assert store.names()[-1] == store.resolve("last")
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_failed_save_leaves_the_earlier_ones(store, monkeypatch):
    _save(store, 100)

    def full_disk(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(TMStudioError) as raised:
        _save(store, 200)
    assert "disk is full" in raised.value.cause
    assert store.names() == ["step-000000100"]
    assert store.load("last").step == 100
    assert not list(store.folder.glob(".tmp-*"))


def test_before_the_first_there_is_none(store):
    assert store.resolve("best") is None
    assert store.names() == []
    with pytest.raises(TMStudioError, match="no best checkpoint yet"):
        store.load("best")


def test_an_unknown_name_lists_what_there_is(store):
    _save(store, 100)
    with pytest.raises(TMStudioError) as raised:
        store.load("step-000000999")
    assert "step-000000100" in raised.value.hint
    with pytest.raises(TMStudioError):
        store.load("../checkpoints/step-000000100")
    with pytest.raises(TMStudioError):
        store.promote("step-000000999")


def _truncate(path):
    path.write_bytes(path.read_bytes()[:-1])


def _newer(path):
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema_version": 2}))


@pytest.mark.parametrize(
    ("file", "damage", "message"),
    [
        ("policy.safetensors", _truncate, "checksum of policy"),
        ("learner.safetensors", _truncate, "checksum of learner"),
        ("learner.safetensors", lambda path: path.unlink(), "Could not read"),
        ("state.json", lambda path: path.write_text("{"), "is damaged"),
        ("state.json", lambda path: path.unlink(), "is missing"),
        ("state.json", _newer, "schema version 2"),
        ("state.json", lambda path: path.write_text('{"schema_version": 1}'), "checksum"),
    ],
)
def test_a_damaged_checkpoint_is_refused(store, file, damage, message):
    _save(store, 100)
    damage(store.folder / "step-000000100" / file)
    with pytest.raises(TMStudioError, match=message):
        store.load("last")


def test_a_folder_of_the_users_is_left_alone(store):
    _save(store, 100)
    shutil.copytree(store.folder / "step-000000100", store.folder / "step-000000100 copy")
    for step in (200, 300, 400, 500):
        _save(store, step)
    assert (store.folder / "step-000000100 copy").is_dir()
    assert "step-000000100 copy" not in store.names()
