"""Checkpoints of a learner: each a folder that appears whole or not at all.

    step-000200000/policy.safetensors    the policy, which says all about itself
    step-000200000/learner.safetensors   parameters, optimisers, statistics, random numbers
    step-000200000/state.json            counters, the learner's own numbers, checksums of the other two
    last.json, best.json                 which folder is meant by these words

The latest few and the best are kept. A checkpoint is read and checked in full before anything is made of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeGuard

import safetensors
import safetensors.numpy

from tmstudio.errors import TMStudioError
from tmstudio.learning.algorithms.base import AlgorithmState
from tmstudio.learning.policy import decode_header
from tmstudio.runs.atomic import disk_faults, read_json, sync_folder, write_json

SCHEMA_VERSION = 1

_POLICY, _LEARNER, _STATE = "policy.safetensors", "learner.safetensors", "state.json"
_NAME = re.compile(r"step-\d{9,}")
_TEMPORARY = ".tmp-"  # short: paths have little room on Windows
_ASIDE = ".old-"
_HINT = "move the damaged checkpoint's folder away: the run then goes on from the one before it"


@dataclass(frozen=True)
class Checkpoint:
    """Everything that a learner goes on from.

    Attributes:
        step: transitions received when it was made.
        policy: the policy's file, as :func:`~tmstudio.learning.policy.encode_policy` makes it.
        learner: the algorithm's state.
        state: the process's own numbers (time, counters, head and random state of the replay), ready for JSON.
    """

    step: int
    policy: bytes
    learner: AlgorithmState
    state: Mapping[str, Any]


class CheckpointStore:
    """The checkpoints of one run. Any process may read; one writes, from any of its threads."""

    def __init__(self, folder: Path, keep: int) -> None:
        self.folder = folder
        self.keep = keep
        self._writing = threading.Lock()

    def prepare(self) -> None:
        """Make the folder and tidy up after a killed process; for the one that writes."""
        with disk_faults(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            for aside in self.folder.glob(f"{_ASIDE}*"):
                path = self.folder / aside.name.removeprefix(_ASIDE)
                if not path.exists():
                    aside.rename(path)
        for leftover in (*self.folder.glob(f"{_TEMPORARY}*"), *self.folder.glob(f"{_ASIDE}*")):
            shutil.rmtree(leftover, ignore_errors=True)
        names = self.names()
        # It may have been killed between the folder and the word for it.
        if names and self.resolve("last") != names[-1]:
            write_json(self.folder / "last.json", {"name": names[-1]})

    def names(self) -> list[str]:
        """The checkpoints there are, oldest first."""
        found: list[tuple[int, str]] = []
        for path in self.folder.glob("step-*"):
            if _NAME.fullmatch(path.name):
                try:
                    found.append(
                        (int(read_json(path / _STATE, "The checkpoint's state")["sequence"]), path.name)
                    )
                except (TMStudioError, KeyError, ValueError, TypeError):
                    continue  # damaged: it is neither offered nor removed
        return [name for _, name in sorted(found)]

    def save(
        self,
        step: int,
        policy: bytes,
        learner: AlgorithmState,
        state: Mapping[str, Any],
        pinned: Collection[str] = (),
    ) -> str:
        """Publish a checkpoint, make it the last one, and remove those that are no longer kept.

        Args:
            step: transitions received; names the checkpoint, in place of an earlier one at the same step.
            policy: the policy's file.
            learner: the algorithm's state.
            state: the process's own numbers, ready for JSON.
            pinned: names of checkpoints that must stay beside the latest and the best.

        Returns:
            Its name, :func:`name_of` the step.

        Raises:
            TMStudioError: the disk is full or refuses; the earlier checkpoints are intact.
        """
        with self._writing:
            name = name_of(step)
            sequence = self._next_sequence()
            temporary = self.folder / f"{_TEMPORARY}{secrets.token_hex(4)}"
            try:
                with disk_faults(self.folder, "save a checkpoint in"):
                    temporary.mkdir()
                    _write_files(temporary, Checkpoint(step, policy, learner, state), sequence)
                    sync_folder(temporary)
                    self._publish(temporary, name)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
            write_json(self.folder / "last.json", {"name": name})
            self._remove_old(pinned)
            return name

    def promote(self, name: str) -> None:
        """Make a checkpoint the best one, which is not removed while it is that.

        Raises:
            TMStudioError: there is no such checkpoint.
        """
        with self._writing:
            self._path(name)
            write_json(self.folder / "best.json", {"name": name})

    def resolve(self, which: Literal["best", "last"]) -> str | None:
        """The name of the best or the last checkpoint; None while there is none yet."""
        pointer = self.folder / f"{which}.json"
        if not pointer.exists():
            return None
        return str(read_json(pointer, f"The record of the {which} checkpoint").get("name"))

    def read_policy(self, which: str) -> bytes:
        """Only the policy's file of a checkpoint, checked. Arguments and errors as for :meth:`load`."""
        path = self._path(which)
        return _checked_file(path, _POLICY, _read_state(path))

    def load(self, which: str) -> Checkpoint:
        """Read and check a checkpoint in full.

        Args:
            which: ``best``, ``last`` or a name.

        Raises:
            TMStudioError: there is none, or any part of it is damaged.
        """
        path = self._path(which)
        state = _read_state(path)
        policy = _checked_file(path, _POLICY, state)
        decode_header(policy)
        try:
            tensors = safetensors.numpy.load(_checked_file(path, _LEARNER, state))
            counters = {name: int(value) for name, value in state["counters"].items()}
            return Checkpoint(
                int(state["step"]), policy, AlgorithmState(tensors, counters), dict(state["state"])
            )
        except (safetensors.SafetensorError, KeyError, ValueError, TypeError, AttributeError) as error:
            raise _damaged(path, f"its contents cannot be read: {error}") from error

    def _path(self, which: str) -> Path:
        name = self.resolve(which) if _is_word(which) else which
        if name is None:
            raise TMStudioError(
                f"There is no {which} checkpoint yet", cause=str(self.folder), hint=self._offer()
            )
        path = self.folder / name
        if not _NAME.fullmatch(name) or not path.is_dir():
            raise TMStudioError(
                f"There is no checkpoint {name!r}", cause=f"{path} is not one", hint=self._offer()
            )
        return path

    def _next_sequence(self) -> int:
        names = self.names()
        return 1 + (int(_read_state(self.folder / names[-1])["sequence"]) if names else 0)

    def _publish(self, temporary: Path, name: str) -> None:
        """Give a finished folder its name; one of the same name goes aside first, from where it can come back."""
        path, aside = self.folder / name, self.folder / f"{_ASIDE}{name}"
        if path.exists():
            path.rename(aside)
        temporary.rename(path)
        sync_folder(self.folder)
        shutil.rmtree(aside, ignore_errors=True)

    def _remove_old(self, pinned: Collection[str]) -> None:
        kept = {self.resolve("best"), self.resolve("last"), *pinned}
        for name in self.names()[: -self.keep]:
            if name not in kept:
                # Out of sight first: a folder that is being removed must not look like a damaged checkpoint.
                hidden = self.folder / f"{_TEMPORARY}{secrets.token_hex(4)}"
                with disk_faults(self.folder, "remove an old checkpoint in"):
                    (self.folder / name).rename(hidden)
                shutil.rmtree(hidden, ignore_errors=True)

    def _offer(self) -> str:
        names = self.names()
        return (
            f"there are: {', '.join(names)}"
            if names
            else "let the run train until it has saved its first one"
        )


def name_of(step: int) -> str:
    """The name of the checkpoint that was made after ``step`` transitions."""
    return f"step-{step:09d}"


def _write_files(folder: Path, checkpoint: Checkpoint, sequence: int) -> None:
    contents = {
        _POLICY: checkpoint.policy,
        _LEARNER: safetensors.numpy.save(checkpoint.learner.tensors),
    }
    state = {
        "schema_version": SCHEMA_VERSION,
        "sequence": sequence,
        "step": checkpoint.step,
        "counters": checkpoint.learner.counters,
        "state": dict(checkpoint.state),
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    }
    contents[_STATE] = json.dumps(state, indent=2, allow_nan=False).encode()
    for name, content in contents.items():
        with (folder / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def _read_state(path: Path) -> dict[str, Any]:
    state = read_json(path / _STATE, "The checkpoint's state")
    version = state.get("schema_version")
    if version != SCHEMA_VERSION:
        raise TMStudioError(
            "The checkpoint cannot be read",
            cause=f"{path} has schema version {version}, this program knows {SCHEMA_VERSION}",
            hint="use the version of TMStudio that made it, or " + _HINT,
        )
    return state


def _checked_file(path: Path, name: str, state: Mapping[str, Any]) -> bytes:
    with disk_faults(path / name, "read"):
        content = (path / name).read_bytes()
    sums = state.get("sha256")
    if not isinstance(sums, Mapping) or hashlib.sha256(content).hexdigest() != sums.get(name):
        raise _damaged(path, f"the checksum of {name} is wrong")
    return content


def _damaged(path: Path, cause: str) -> TMStudioError:
    return TMStudioError("The checkpoint is damaged", cause=f"{path}: {cause}", hint=_HINT)


def _is_word(which: str) -> TypeGuard[Literal["best", "last"]]:
    return which in {"best", "last"}
