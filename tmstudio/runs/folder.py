"""The run folder: making one, opening one, finding all, and deleting one to the trash."""

from __future__ import annotations

import difflib
import re
import secrets
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tmstudio.config import folders
from tmstudio.config.fingerprint import differences, identity_of
from tmstudio.config.loading import dump_run_config, load_run_config
from tmstudio.config.run_config import RunConfig
from tmstudio.config.structure import values
from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_fault, disk_faults, move_into, write_bytes, write_text
from tmstudio.runs.file_systems import refuse_network_file_system
from tmstudio.runs.jobs import live_jobs
from tmstudio.runs.manifest import Change, Manifest, current_versions, now

_TRASH = ".trash"
_SUBFOLDERS = ("checkpoints", "replay", "journal", "spool", "episodes", "logs", "live", "jobs")
_MIN_TOKEN_CHARACTERS = 32
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


@dataclass(frozen=True)
class BrokenRun:
    """Something in the folder of runs that should be a run and cannot be opened."""

    path: Path
    error: TMStudioError


@dataclass(frozen=True)
class RunFolder:
    """A run on disk.

    Attributes:
        path: the folder.
        config: its configuration.
        manifest: its fixed facts.
    """

    path: Path
    config: RunConfig
    manifest: Manifest

    @classmethod
    def create(
        cls, config: RunConfig, *, track_sha256: str, name: str | None = None, root: Path | None = None
    ) -> RunFolder:
        """Make the folder of a new run.

        Args:
            config: its configuration.
            track_sha256: content hash of its track, which the run is tied to.
            name: its name; a dated one is made up where neither this nor ``config.name`` says any.
            root: the folder of runs; the user's own by default.

        Raises:
            TMStudioError: the name is taken or unusable, or the disk cannot take it. Nothing is left behind.
        """
        root = folders.runs() if root is None else root
        refuse_network_file_system(root, "The folder of runs")
        with disk_faults(root, "create"):
            root.mkdir(parents=True, exist_ok=True)
        wanted = name or (config.name if config.name != RunConfig.model_fields["name"].default else None)
        path = _claim_dated(root, config) if wanted is None else _claim(root, wanted)
        try:
            named = config.model_copy(update={"name": path.name})
            for subfolder in _SUBFOLDERS:
                (path / subfolder).mkdir()
            write_bytes(path / "token", secrets.token_urlsafe(32).encode(), mode=0o600)
            write_text(path / "run.yaml", dump_run_config(named))
            manifest = Manifest.of(named, track_sha256)
            manifest.write(path / "manifest.json")  # last: what has a manifest is complete
        except BaseException as error:
            shutil.rmtree(path, ignore_errors=True)
            if isinstance(error, OSError):
                raise disk_fault(error, path, "create") from error
            raise
        return cls(path, named, manifest)

    @classmethod
    def open(cls, path_or_name: Path | str, *, root: Path | None = None) -> RunFolder:
        """Open a run by its name or its folder.

        Raises:
            TMStudioError: there is none, it is damaged, or its configuration is no longer that of the run.
        """
        path = _find(path_or_name, folders.runs() if root is None else root)
        missing = [name for name in ("manifest.json", "run.yaml") if not (path / name).is_file()]
        if missing:
            raise TMStudioError(
                f"{path} is not a run folder",
                cause=f"it has no {' and no '.join(missing)}",
                hint="'tmstudio runs' lists the runs",
            )
        refuse_network_file_system(path, "A run folder")
        manifest = Manifest.read(path / "manifest.json", f"The manifest of run '{path.name}'")
        config = load_run_config(path / "run.yaml")
        run = cls(path, config, manifest)
        run._check_identity(config)
        return run

    @property
    def name(self) -> str:
        """Name of the run, which is that of its folder."""
        return self.path.name

    @property
    def fingerprint(self) -> str:
        """SHA-256 of what the run is, as 64 hexadecimal digits."""
        return self.manifest.fingerprint

    @property
    def metrics_path(self) -> Path:
        """The metrics store."""
        return self.path / "metrics.sqlite"

    @property
    def checkpoints_path(self) -> Path:
        """Saved policies and learners."""
        return self.path / "checkpoints"

    @property
    def replay_path(self) -> Path:
        """Stored transitions."""
        return self.path / "replay"

    @property
    def journal_path(self) -> Path:
        """Driving received since the last checkpoint."""
        return self.path / "journal"

    @property
    def episodes_path(self) -> Path:
        """Recorded attempts."""
        return self.path / "episodes"

    @property
    def logs_path(self) -> Path:
        """Events and the workers' own output."""
        return self.path / "logs"

    def spool_path(self, actor_id: str) -> Path:
        """Driving of an actor that the learner has not acknowledged yet."""
        return self.path / "spool" / actor_id

    def live_path(self, actor_id: str) -> Path:
        """The live ring of an actor."""
        return self.path / "live" / f"{actor_id}.ring"

    @property
    def token(self) -> str:
        """The secret with which the processes of this run know each other."""
        path = self.path / "token"
        try:
            token = path.read_text("ascii").strip()
        except OSError as error:
            raise disk_fault(error, path, "read") from error
        except UnicodeDecodeError:
            token = ""
        if len(token) < _MIN_TOKEN_CHARACTERS:
            raise TMStudioError(
                f"The token of run '{self.name}' is damaged",
                cause=f"{path} does not hold at least {_MIN_TOKEN_CHARACTERS} characters",
                hint="restore the file from a copy",
            )
        return token

    def check_track(self, track_sha256: str) -> None:
        """Raise if the track with this content hash is not the one that the run was made with."""
        if track_sha256 != self.manifest.track_sha256:
            raise TMStudioError(
                f"The track '{self.config.track}' is no longer the one that run '{self.name}' was made with",
                cause=f"its content hash begins with {track_sha256[:12]}, "
                f"that of the run's track with {self.manifest.track_sha256[:12]}",
                hint="bring the old track back, or make a new run",
            )

    def with_config(self, config: RunConfig) -> RunFolder:
        """Save a changed configuration, such as a larger budget, and record what changed.

        Raises:
            TMStudioError: the change would make another run of it; the fields are named.
        """
        config = config.model_copy(update={"name": self.config.name})
        self._check_identity(config)
        before = {path: value for path, value, _ in values(self.config)}
        at = now()
        changes = [
            Change(at, path, before.get(path), value)
            for path, value, _ in values(config)
            if before.get(path) != value
        ]
        manifest = self.manifest.with_changes(changes)
        manifest.write(self.path / "manifest.json")
        write_text(self.path / "run.yaml", dump_run_config(config))
        return RunFolder(self.path, config, manifest)

    def with_current_versions(self) -> RunFolder:
        """Record which versions differ from those that last worked on the run; for whoever resumes it."""
        known = dict(self.manifest.versions)
        known |= {change.what: change.after for change in self.manifest.changes if change.what in known}
        at = now()
        changes = [
            Change(at, name, known.get(name), version)
            for name, version in current_versions().items()
            if known.get(name) != version
        ]
        if not changes:
            return self
        manifest = self.manifest.with_changes(changes)
        manifest.write(self.path / "manifest.json")
        return RunFolder(self.path, self.config, manifest)

    def delete(self) -> Path:
        """Move the run to the trash, from where :func:`restore_run` brings it back; returns its place there."""
        jobs = live_jobs(self.path)
        if jobs:
            working = ", ".join(f"{job.role} (process {job.pid})" for job in jobs)
            raise TMStudioError(
                f"Run '{self.name}' cannot be deleted while it runs", cause=working, hint="stop it first"
            )
        trash = self.path.parent / _TRASH
        with disk_faults(self.path, "delete"):
            trash.mkdir(exist_ok=True)
            return move_into(trash, self.path)

    def _check_identity(self, config: RunConfig) -> None:
        found = differences(self.manifest.identity, identity_of(config, self.manifest.track_sha256))
        if found:
            raise TMStudioError(
                f"The configuration is not that of run '{self.name}' any more",
                cause="; ".join(found),
                hint="set the named fields back in its run.yaml, or make a new run: they decide what its policy is",
            )


def scan_runs(root: Path | None = None) -> tuple[list[RunFolder], list[BrokenRun]]:
    """All runs, newest first, and what should be one and cannot be opened."""
    root = folders.runs() if root is None else root
    runs, broken = [], []
    # A folder without a manifest is no run, or one whose making was interrupted.
    for manifest in sorted(root.glob("[!.]*/manifest.json")):
        try:
            runs.append(RunFolder.open(manifest.parent, root=root))
        except TMStudioError as error:
            broken.append(BrokenRun(manifest.parent, error))
    return sorted(runs, key=lambda run: run.manifest.created_at, reverse=True), broken


def list_runs(root: Path | None = None) -> list[RunFolder]:
    """All runs that can be opened, newest first."""
    return scan_runs(root)[0]


def restore_run(trashed: Path) -> RunFolder:
    """Bring a run back from the trash."""
    root = trashed.parent.parent
    with disk_faults(trashed, "restore"):
        return RunFolder.open(move_into(root, trashed), root=root)


def _find(path_or_name: Path | str, root: Path) -> Path:
    text = str(path_or_name)
    is_name = isinstance(path_or_name, str) and not re.search(r"[/\\]", text) and text not in ("", ".", "..")
    if is_name and (root / text).is_dir():
        return root / text
    path = Path(path_or_name).expanduser().absolute()
    if text and path.is_dir():
        return path
    if path.is_file():
        raise TMStudioError(
            f"{path} is not a run folder", cause="it is a file", hint="'tmstudio runs' lists the runs"
        )
    names = [run.name for run in root.iterdir() if run.is_dir()] if root.is_dir() else []
    near = difflib.get_close_matches(text, names, n=1)
    raise TMStudioError(
        f"There is no run '{text}'",
        cause=f"looked in {root}" if is_name else f"there is no folder {path}",
        hint=f"did you mean '{near[0]}'?" if near else "'tmstudio runs' lists the runs",
    )


def _claim(root: Path, name: str) -> Path:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}", name) or name[-1] in ". ":
        raise TMStudioError(
            f"'{name}' cannot name a run",
            hint="use up to 60 letters, digits, hyphens, dots and blanks, with a letter or digit first and last",
        )
    if name.partition(".")[0].rstrip().lower() in _RESERVED:
        raise TMStudioError(
            f"'{name}' cannot name a run", cause="Windows keeps that name for a device", hint="use another"
        )
    try:
        (root / name).mkdir()
    except FileExistsError as error:
        raise TMStudioError(
            f"There already is a run '{name}'",
            cause=f"in {root}",
            hint=f"choose another name, or go on with it: 'tmstudio train {name}'",
        ) from error
    except OSError as error:
        raise disk_fault(error, root / name, "create") from error
    return root / name


def _claim_dated(root: Path, config: RunConfig) -> Path:
    track = re.sub(r"[^a-z0-9]+", "-", config.track.lower()).strip("-")[:36].strip("-") or "track"
    base = f"{datetime.now().astimezone():%Y-%m-%d}-{track}-{config.algorithm.kind}"
    number = 1
    while True:
        path = root / (base if number == 1 else f"{base}-{number}")
        try:
            path.mkdir()  # fails if it is there: two processes never get the same one
        except FileExistsError:
            number += 1
        except OSError as error:
            raise disk_fault(error, path, "create") from error
        else:
            return path
