from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from tmstudio.config.loading import apply_overrides
from tmstudio.config.run_config import RunConfig
from tmstudio.errors import ConfigError, TMStudioError
from tmstudio.runs import folder as folder_module
from tmstudio.runs.folder import RunFolder, list_runs, restore_run, scan_runs
from tmstudio.runs.jobs import announce, withdraw

TRACK_SHA256 = "ab" * 32


def create(name: str | None = None, **fields) -> RunFolder:
    return RunFolder.create(RunConfig(**fields), track_sha256=TRACK_SHA256, name=name)


def test_a_new_run_is_named_by_date_track_and_algorithm_and_never_twice() -> None:
    today = f"{datetime.now().astimezone():%Y-%m-%d}"
    names = [create(track="tmrl-test").name for _ in range(3)]
    assert names == [f"{today}-tmrl-test-tqc", f"{today}-tmrl-test-tqc-2", f"{today}-tmrl-test-tqc-3"]


def test_a_track_of_any_name_gives_a_name_that_every_system_takes() -> None:
    assert create(track="Zürich: A/B? <1>  " + "x" * 50).name.isascii()
    assert create(track="??").name.endswith("-track-tqc")


def test_what_was_made_is_what_is_opened(run: RunFolder, home: Path) -> None:
    for where in (run.name, run.path, str(run.path)):
        assert RunFolder.open(where) == run
    assert run.path.parent == home / "runs"
    assert run.config.name == run.name
    assert run.fingerprint == run.manifest.fingerprint
    assert len(run.fingerprint) == 64


def test_every_folder_of_a_run_is_there(run: RunFolder) -> None:
    for path in (run.checkpoints_path, run.replay_path, run.journal_path, run.episodes_path, run.logs_path):
        assert path.is_dir()
    assert run.spool_path("a").parent.is_dir()
    assert run.live_path("a").parent.is_dir()


def test_the_token_is_long_private_and_nowhere_else(run: RunFolder) -> None:
    assert len(run.token) >= 40
    if os.name != "nt":
        assert stat.S_IMODE((run.path / "token").stat().st_mode) == 0o600
    for path in run.path.rglob("*"):
        if path.is_file() and path.name != "token":
            assert run.token not in path.read_text(encoding="utf-8")
    assert create().token != run.token


def test_a_short_token_is_refused(run: RunFolder) -> None:
    (run.path / "token").write_text("1234")
    with pytest.raises(TMStudioError, match=r"token of run .* is damaged"):
        _ = run.token


def test_the_manifest_says_what_the_run_was_made_with(run: RunFolder) -> None:
    manifest = run.manifest
    assert manifest.track_sha256 == TRACK_SHA256
    assert manifest.identity["algorithm.kind"] == "tqc"
    assert {"tmstudio", "python", "numpy", "pydantic"} <= set(manifest.versions)
    assert manifest.hardware["cores"] >= 1


def test_a_chosen_name_is_used_and_a_taken_one_refused() -> None:
    assert create("my first run").path.name == "my first run"
    assert create(name="other").name == "other"
    with pytest.raises(TMStudioError, match="There already is a run 'other'") as caught:
        create("other")
    assert "tmstudio train other" in caught.value.hint


@pytest.mark.parametrize(
    "name", ["con", "NUL.txt", "com1", "a/b", "a\\b", "..", ".hidden", "ends.", "ends ", "x" * 61, "a:b"]
)
def test_names_that_some_system_cannot_keep_are_refused(name: str, home: Path) -> None:
    with pytest.raises(TMStudioError, match="cannot name a run"):
        create(name)
    assert list((home / "runs").iterdir()) == []


def test_a_run_that_is_not_there_is_told_with_the_nearest(run: RunFolder) -> None:
    with pytest.raises(TMStudioError) as caught:
        RunFolder.open(run.name[:-1] + "x")
    assert caught.value.hint == f"did you mean '{run.name}'?"
    with pytest.raises(TMStudioError, match="There is no run 'zzz'"):
        RunFolder.open("zzz")
    with pytest.raises(TMStudioError, match="There is no run ''"):
        RunFolder.open("")


def test_a_folder_that_is_no_run_is_told(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(TMStudioError, match="is not a run folder") as caught:
        RunFolder.open(tmp_path / "photos")
    assert "no manifest.json and no run.yaml" in caught.value.cause
    (tmp_path / "file").write_text("")
    with pytest.raises(TMStudioError, match="is not a run folder"):
        RunFolder.open(tmp_path / "file")


def test_a_run_with_another_identity_is_refused_and_the_fields_are_named(run: RunFolder) -> None:
    text = (run.path / "run.yaml").read_text()
    text = text.replace("actor_width: 64", "actor_width: 96").replace("lidar_history: 4", "lidar_history: 2")
    (run.path / "run.yaml").write_text(text)
    with pytest.raises(TMStudioError, match="not that of run") as caught:
        RunFolder.open(run.name)
    assert caught.value.cause == (
        "observation.lidar_history: 4, now 2; algorithm.network.actor_width: 64, now 96"
    )


def test_a_larger_budget_is_the_same_run(run: RunFolder) -> None:
    text = (run.path / "run.yaml").read_text().replace("minutes: 60.0", "minutes: 600")
    (run.path / "run.yaml").write_text(text)
    assert RunFolder.open(run.name).config.budget.minutes == 600
    assert RunFolder.open(run.name).fingerprint == run.fingerprint


def test_a_bad_value_in_run_yaml_is_told_as_a_configuration_fault(run: RunFolder) -> None:
    (run.path / "run.yaml").write_text("algorithm: {gamma: 7}")
    with pytest.raises(ConfigError, match=r"algorithm.gamma: must be at most 0.9999"):
        RunFolder.open(run.name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "no usable schema version"),
        ('{"schema_version": 9}', "written by a newer TMStudio"),
        ('{"schema_version": 1, "changes": []}', "is damaged"),
        ("{", "is damaged"),
    ],
)
def test_a_damaged_or_newer_manifest_is_told(content: str, message: str, run: RunFolder) -> None:
    (run.path / "manifest.json").write_text(content)
    with pytest.raises(TMStudioError, match=message):
        RunFolder.open(run.name)


def test_the_run_is_tied_to_its_track(run: RunFolder) -> None:
    run.check_track(TRACK_SHA256)
    with pytest.raises(TMStudioError, match="no longer the one") as caught:
        run.check_track("cd" * 32)
    assert "cdcdcdcdcdcd" in caught.value.cause


def test_a_change_is_saved_and_recorded(run: RunFolder) -> None:
    changed = run.with_config(apply_overrides(run.config, ["budget.minutes=90", "reward.time=-2", "name=x"]))
    again = RunFolder.open(run.name)
    assert again == changed
    assert again.name == run.name
    assert again.fingerprint == run.fingerprint
    assert [(change.what, change.before, change.after) for change in again.manifest.changes] == [
        ("reward.time", -0.5, -2.0),
        ("budget.minutes", 60.0, 90.0),
    ]


def test_a_change_of_identity_is_refused_and_nothing_is_saved(run: RunFolder) -> None:
    with pytest.raises(TMStudioError, match="not that of run"):
        run.with_config(apply_overrides(run.config, ["track=summit", "budget.minutes=90"]))
    assert RunFolder.open(run.name) == run


def test_other_versions_are_recorded_once(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.with_current_versions() == run
    monkeypatch.setattr(folder_module, "current_versions", lambda: {**run.manifest.versions, "numpy": "99.0"})
    changed = run.with_current_versions()
    assert [(change.what, change.after) for change in changed.manifest.changes] == [("numpy", "99.0")]
    assert RunFolder.open(run.name).with_current_versions() == changed


def test_runs_are_listed_newest_first_with_the_broken_ones_apart(home: Path) -> None:
    assert list_runs() == []
    runs = [create(name) for name in ("b", "c", "a")]
    (home / "runs" / "c" / "run.yaml").write_text("[")
    (home / "runs" / "unrelated").mkdir()
    found, broken = scan_runs()
    assert {item.name for item in found} == {"a", "b"}
    assert found == sorted(found, key=lambda item: item.manifest.created_at, reverse=True)
    assert [item.path.name for item in broken] == ["c"]
    assert runs[0] in list_runs()


def test_a_deleted_run_is_in_the_trash_and_comes_back(run: RunFolder) -> None:
    trashed = run.delete()
    assert not run.path.exists()
    assert list_runs() == []
    assert restore_run(trashed) == run
    assert list_runs() == [run]


def test_deleting_the_same_name_twice_keeps_both() -> None:
    first, second = create("same").delete(), create("same").delete()
    assert first != second
    assert first.is_dir()
    assert second.is_dir()


def test_a_running_run_is_not_deleted(run: RunFolder) -> None:
    job = announce(run.path, "learner", port=1)
    with pytest.raises(TMStudioError, match="cannot be deleted while it runs"):
        run.delete()
    withdraw(run.path, job)
    run.delete()


def test_on_a_full_disk_no_half_run_is_left(small_disk: Path, fill) -> None:
    fill(small_disk)
    with pytest.raises(TMStudioError) as caught:
        RunFolder.create(RunConfig(), track_sha256=TRACK_SHA256, root=small_disk / "runs")
    assert "the disk is full" in caught.value.cause
    assert list((small_disk / "runs").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs a disk that is mounted read-only")
def test_a_folder_that_cannot_be_written_is_told(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(TMStudioError, match="Could not create") as caught:
        RunFolder.create(RunConfig(), track_sha256=TRACK_SHA256, root=small_disk / "runs")
    assert "refused" in caught.value.cause


def test_an_interrupted_making_is_no_run(run: RunFolder, home: Path) -> None:
    (run.path / "manifest.json").unlink()
    assert scan_runs() == ([], [])
    with pytest.raises(TMStudioError, match="is not a run folder"):
        RunFolder.open(run.name)


def test_the_manifest_is_plain_json(run: RunFolder) -> None:
    data = json.loads((run.path / "manifest.json").read_text())
    assert data["schema_version"] == 1
