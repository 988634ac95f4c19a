"""What a run was made with: identity, versions, hardware. Never a secret, never a user's name."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from tmstudio import __version__
from tmstudio.config.fingerprint import IdentityValue, fingerprint, identity_of
from tmstudio.config.run_config import RunConfig
from tmstudio.config.schema import check_schema_version
from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import read_json, write_json

_SCHEMA_VERSION = 1
_PACKAGES = ("numpy", "torch", "gymnasium", "grpcio", "pydantic", "PySide6-Essentials")


@dataclass(frozen=True)
class Change:
    """Something about the run that was changed after it was made."""

    at: str
    what: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Manifest:
    """The facts of a run that are fixed once it exists, and the list of what changed all the same.

    Attributes:
        name: name of the run.
        created_at: UTC, ISO 8601.
        fingerprint: SHA-256 of the identity, as 64 hexadecimal digits.
        identity: the fields that it was made from.
        track_sha256: content hash of the track.
        seed: start of all random numbers.
        versions: of the program, Python and the packages that matter.
        hardware: processor, cores, memory.
        git_revision: of the program, where it runs from a checkout.
        changes: newest last.
    """

    name: str
    created_at: str
    fingerprint: str
    identity: dict[str, IdentityValue]
    track_sha256: str
    seed: int
    versions: dict[str, str]
    hardware: dict[str, Any]
    git_revision: str | None = None
    changes: tuple[Change, ...] = field(default=())

    @classmethod
    def of(cls, config: RunConfig, track_sha256: str) -> Manifest:
        """The manifest of a run that is made now, on this machine."""
        return cls(
            name=config.name,
            created_at=now(),
            fingerprint=fingerprint(config, track_sha256),
            identity=identity_of(config, track_sha256),
            track_sha256=track_sha256,
            seed=config.seed,
            versions=current_versions(),
            hardware=current_hardware(),
            git_revision=git_revision(),
        )

    @classmethod
    def read(cls, path: Path, what: str) -> Manifest:
        """The manifest in ``path``; ``what`` names it in errors."""
        data = read_json(path, what)
        check_schema_version(data.pop("schema_version", None), _SCHEMA_VERSION, what)
        try:
            changes = tuple(Change(**change) for change in data.pop("changes"))
            manifest = cls(**data, changes=changes)
        except (TypeError, KeyError) as error:
            raise TMStudioError(
                f"{what} is damaged", cause=f"{path}: {error}", hint="restore the file from a copy"
            ) from error
        return manifest

    def write(self, path: Path) -> None:
        """Replace the manifest in ``path``."""
        write_json(path, {"schema_version": _SCHEMA_VERSION, **asdict(self)})

    def with_changes(self, changes: list[Change]) -> Manifest:
        """This manifest with ``changes`` added."""
        return replace(self, changes=(*self.changes, *changes))


def now() -> str:
    """The wall clock in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def current_versions() -> dict[str, str]:
    """Versions of the program, Python, and the packages that matter; without importing them."""
    found = {"tmstudio": __version__, "python": platform.python_version(), "system": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def current_hardware() -> dict[str, Any]:
    """Processor, cores and memory of this machine."""
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count() or 0,
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
    }


def git_revision() -> str | None:
    """The commit that the program runs from, or None if it does not run from a checkout."""
    checkout = Path(__file__).parents[2]
    if not (checkout / ".git").exists():
        return None
    try:
        answer = subprocess.run(
            ["git", "-C", str(checkout), "rev-parse", "HEAD"],
            capture_output=True, text=True, timeout=5, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()
