"""The list of runs for the Home page, read again only where something has changed. Plain Python, no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tmstudio.config import folders
from tmstudio.errors import TMStudioError
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.metrics import MetricsReader
from tmstudio.runs.summary import RunSummary, summary

_TELLING = ("manifest.json", "run.yaml", "metrics.sqlite", "metrics.sqlite-wal", "jobs")
"""What in a run folder changes when the run does."""


@dataclass(frozen=True)
class RunLine:
    """A run as the table of runs shows it.

    Attributes:
        summary: its figures.
        laps: (time of training, median lap) of each evaluation that finished one, in seconds, oldest first.
        abandoned: whether a worker was killed: it left its announcement behind.
        run: the run itself; None where it cannot be opened.
    """

    summary: RunSummary
    laps: list[tuple[float, float]] = field(default_factory=list)
    abandoned: bool = False
    run: RunFolder | None = None


class RunList:
    """Knows all runs. For one thread at a time.

    Args:
        root: the folder of runs; the user's own if None.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root
        self._known: dict[Path, tuple[tuple[int, ...], RunLine]] = {}

    def read(self) -> list[RunLine]:
        """All runs, newest first, with what is damaged at the end."""
        root = folders.runs() if self._root is None else self._root
        found: dict[Path, tuple[tuple[int, ...], RunLine]] = {}
        for manifest in sorted(root.glob("[!.]*/manifest.json")):
            path = manifest.parent
            known, signature = self._known.get(path), _signature(path)
            # A running one is read anew: its figures change, and its end may leave no trace.
            if known is not None and known[0] == signature and known[1].summary.state != "running":
                found[path] = known
                continue
            # Reading the configuration is what takes time: only where it was written anew.
            run = known[1].run if known is not None and known[0][:2] == signature[:2] else None
            found[path] = (signature, _line(path, run))
        self._known = found
        lines = [line for _signature, line in found.values()]
        return sorted(lines, key=lambda line: line.summary.created_at, reverse=True)


def _signature(path: Path) -> tuple[int, ...]:
    times = []
    for name in _TELLING:
        try:
            times.append((path / name).stat().st_mtime_ns)
        except OSError:
            times.append(0)
    return tuple(times)


def _line(path: Path, run: RunFolder | None) -> RunLine:
    try:
        run = run or RunFolder.open(path, root=path.parent)
        figures = summary(run)
        with MetricsReader(run.metrics_path) as metrics:
            laps = [
                (row.time_s, row.median_lap_s)
                for row in (metrics.evaluations_since() if figures.state != "damaged" else [])
                if row.median_lap_s is not None
            ]
    except TMStudioError as error:
        return RunLine(RunSummary(path.name, "–", "–", "", "damaged", problem=str(error)))
    abandoned = figures.state != "running" and any((path / "jobs").glob("*.json"))
    return RunLine(figures, laps, abandoned, run)
