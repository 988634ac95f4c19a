"""The metrics of a run: curves, attempts and trials in one SQLite file.

One process writes, any number read. The file is in WAL mode: readers never wait for the writer, and a killed
writer loses at most what it has not committed yet, a quarter of a second.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, SupportsFloat, SupportsInt

import numpy as np

from tmstudio.runs.metrics_store import connect_for_reading, connect_for_writing, store_faults, transaction
from tmstudio.runs.records import EpisodeRow, EvaluationRow, ScalarRows

_COMMIT_EVERY_S = 0.25
_EPISODE_FIELDS = tuple(name for name in EpisodeRow.__dataclass_fields__ if name != "rowid")
_EVALUATION_FIELDS = tuple(name for name in EvaluationRow.__dataclass_fields__ if name != "rowid")
_INSERT_SCALAR = "INSERT INTO scalars (name_id, step, updates, time_s, value) VALUES (?, ?, ?, ?, ?)"


def _insert(table: str, fields: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(fields)}) VALUES ({', '.join('?' * len(fields))})"  # noqa: S608


_INSERT_EPISODE = _insert("episodes", _EPISODE_FIELDS)
_INSERT_EVALUATION = _insert("evaluations", _EVALUATION_FIELDS)


class MetricsWriter:
    """Adds rows. All methods may be called from any thread and return at once; a thread commits in batches.

    A failure to write (a full disk) is raised by the next call; the rows are kept and written once it works again.
    """

    def __init__(self, path: Path) -> None:
        """Open the store at ``path``, made if missing."""
        self._path = path
        self._connection = connect_for_writing(path)
        with store_faults(path, "open"):
            self._name_ids = {
                str(name): int(row) for row, name in self._connection.execute("SELECT id, name FROM names")
            }
        self._pending: list[tuple[str, tuple[Any, ...]]] = []
        self._new_names: list[tuple[int, str]] = []
        self._rows = threading.Lock()
        self._writing = threading.Lock()
        self._fault: Exception | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._commit_in_batches, name="metrics-writer", daemon=True)
        self._thread.start()

    def scalar(
        self,
        name: str,
        value: SupportsFloat,
        *,
        step: SupportsInt,
        updates: SupportsInt,
        time_s: SupportsFloat,
    ) -> None:
        """Add a point to the curve ``name``."""
        self.scalars({name: value}, step=step, updates=updates, time_s=time_s)

    def scalars(
        self,
        values: Mapping[str, SupportsFloat],
        *,
        step: SupportsInt,
        updates: SupportsInt,
        time_s: SupportsFloat,
    ) -> None:
        """Add a point to several curves at once. A value that is not a number is kept as such."""
        where = (int(step), int(updates), float(time_s))
        with self._rows:
            self._pending += [
                (_INSERT_SCALAR, (self._name_id(name), *where, float(value)))
                for name, value in values.items()
            ]
        self._raise_fault()

    def episode(self, row: EpisodeRow) -> None:
        """Add an attempt."""
        values = [_stored(getattr(row, name)) for name in _EPISODE_FIELDS]
        with self._rows:
            self._pending.append((_INSERT_EPISODE, tuple(values)))
        self._raise_fault()

    def evaluation(self, row: EvaluationRow) -> None:
        """Add a trial."""
        values = [_stored(getattr(row, name)) for name in _EVALUATION_FIELDS]
        with self._rows:
            self._pending.append((_INSERT_EVALUATION, tuple(values)))
        self._raise_fault()

    def flush(self) -> None:
        """Return when all rows added so far are committed."""
        self._commit()
        self._raise_fault()

    def close(self) -> None:
        """Commit what is left and close the store; more than once does no harm."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._thread.join()
        self._commit()
        with self._writing:
            self._connection.close()
        self._raise_fault()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _name_id(self, name: str) -> int:
        known = self._name_ids.get(name)
        if known is None:
            known = self._name_ids[name] = len(self._name_ids) + 1
            self._new_names.append((known, name))
        return known

    def _raise_fault(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _commit_in_batches(self) -> None:
        while not self._closing.wait(_COMMIT_EVERY_S):
            self._commit()

    def _commit(self) -> None:
        with self._writing:
            with self._rows:
                rows, names = list(self._pending), list(self._new_names)
            if not rows:
                return
            try:
                with store_faults(self._path, "write"), transaction(self._connection):
                    self._connection.executemany("INSERT INTO names (id, name) VALUES (?, ?)", names)
                    for statement in (_INSERT_SCALAR, _INSERT_EPISODE, _INSERT_EVALUATION):
                        self._connection.executemany(
                            statement, [row for kind, row in rows if kind is statement]
                        )
            except Exception as fault:  # noqa: BLE001 whatever it is: this thread must not die of it unheard
                self._fault = fault
                return
            self._fault = None
            with self._rows:
                del self._pending[: len(rows)]
                del self._new_names[: len(names)]


class MetricsReader:
    """Reads while another process writes. One short transaction a call; usable from any thread.

    A store that does not exist yet reads as empty.
    """

    def __init__(self, path: Path) -> None:
        """Read the store at ``path``."""
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The curves that have points."""
        return [str(row[0]) for row in self._rows("SELECT name FROM names ORDER BY id")]

    def scalars_since(self, name: str, rowid: int = 0, limit: int = 1_000_000) -> ScalarRows:
        """The points of the curve ``name`` that came after ``rowid``, at most ``limit``, oldest first."""
        rows = self._rows(
            "SELECT id, step, updates, time_s, value FROM scalars "
            "WHERE name_id = (SELECT id FROM names WHERE name = ?) AND id > ? ORDER BY id LIMIT ?",
            (name, rowid, limit),
        )
        table = np.array(rows, dtype=np.float64).reshape(
            -1, 5
        )  # a missing value, which SQLite has for NaN, is NaN
        whole = table[:, :3].astype(np.int64)  # exact to 2**53
        return ScalarRows(whole[:, 0], whole[:, 1], whole[:, 2], table[:, 3].copy(), table[:, 4].copy())

    def latest(self) -> dict[str, float]:
        """The newest value of every curve."""
        rows = self._rows(
            "SELECT names.name, scalars.value FROM names JOIN scalars ON scalars.id = "
            "(SELECT max(id) FROM scalars WHERE name_id = names.id) ORDER BY names.id"
        )
        return {str(name): _number(value) for name, value in rows}

    def episodes_since(self, rowid: int = 0, limit: int = 100_000) -> list[EpisodeRow]:
        """The attempts that came after ``rowid``, oldest first."""
        return [_episode(row) for row in self._table("episodes", _EPISODE_FIELDS, rowid, limit)]

    def evaluations_since(self, rowid: int = 0, limit: int = 100_000) -> list[EvaluationRow]:
        """The trials that came after ``rowid``, oldest first."""
        return [_evaluation(row) for row in self._table("evaluations", _EVALUATION_FIELDS, rowid, limit)]

    def last_time_s(self) -> float:
        """Seconds of training so far: where a resumed run goes on counting."""
        return float(self._greatest("time_s"))

    def last_step(self) -> int:
        """Steps so far, as far as anything was recorded."""
        return int(self._greatest("step"))

    def last_updates(self) -> int:
        """Updates so far, as far as anything was recorded."""
        rows = self._rows("SELECT max(updates) FROM (SELECT updates FROM scalars ORDER BY id DESC LIMIT 64)")
        return int(rows[0][0] or 0) if rows else 0

    def count_episodes(self) -> int:
        """Number of attempts while exploring."""
        rows = self._rows("SELECT count(*) FROM episodes WHERE exploring")
        return int(rows[0][0]) if rows else 0

    def best_exploring_lap_s(self) -> float | None:
        """The best lap from the start line while exploring, or None."""
        rows = self._rows("SELECT min(lap_time_s) FROM episodes WHERE exploring AND from_start AND finished")
        return None if not rows or rows[0][0] is None else float(rows[0][0])

    def first_finish_s(self) -> float | None:
        """Seconds of training at the first finished lap from the start line, while exploring or not, or None."""
        rows = self._rows(
            "SELECT min(time_s) FROM (SELECT time_s FROM episodes WHERE from_start AND finished "
            "UNION ALL SELECT time_s FROM evaluations WHERE finish_rate > 0)"
        )
        return None if not rows or rows[0][0] is None else float(rows[0][0])

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _greatest(self, column: str) -> float:
        # Time and steps only grow, so the newest rows of each table hold the greatest.
        tables = ("scalars", "episodes", "evaluations")
        newest = " UNION ALL ".join(
            f"SELECT max({column}) AS v FROM (SELECT {column} FROM {table} ORDER BY id DESC LIMIT 64)"  # noqa: S608
            for table in tables
        )
        rows = self._rows(f"SELECT max(v) FROM ({newest})")  # noqa: S608
        return float(rows[0][0] or 0.0) if rows else 0.0

    def _table(self, table: str, fields: tuple[str, ...], rowid: int, limit: int) -> list[dict[str, Any]]:
        rows = self._rows(
            f"SELECT {', '.join(fields)}, id FROM {table} WHERE id > ? ORDER BY id LIMIT ?",  # noqa: S608
            (rowid, limit),
        )
        return [dict(zip((*fields, "rowid"), row, strict=True)) for row in rows]

    def _rows(self, query: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock, store_faults(self._path, "read"):
            if self._connection is None:
                if not self._path.exists():
                    return []
                self._connection = connect_for_reading(self._path)
            return self._connection.execute(query, parameters).fetchall()


def _stored(value: Any) -> Any:
    """``value`` as SQLite keeps it. Raises here, where the caller sees it, what would fail later in the thread."""
    if isinstance(value, (dict, tuple)):
        return json.dumps(value, default=lambda item: item.item())  # NumPy's numbers
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError(f"{value} does not fit into 64 bits")
    return value


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _episode(row: dict[str, Any]) -> EpisodeRow:
    for name in ("speed_factor", "progress_m", "progress_fraction", "return_"):
        row[name] = _number(row[name])
    for name in ("exploring", "from_start", "finished", "mixed_policies"):
        row[name] = bool(row[name])
    return EpisodeRow(
        **{**row, "terms": json.loads(row["terms"]), "sectors_s": tuple(json.loads(row["sectors_s"]))}
    )


def _evaluation(row: dict[str, Any]) -> EvaluationRow:
    for name in ("mean_return", "speed"):
        row[name] = _number(row[name])
    laps, seeds = json.loads(row["lap_times_s"]), json.loads(row["seeds"])
    return EvaluationRow(
        **{**row, "best": bool(row["best"]), "lap_times_s": tuple(laps), "seeds": tuple(seeds)}
    )
