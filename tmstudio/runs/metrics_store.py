"""The SQLite file behind a run's metrics: its tables, its two kinds of connection, its faults in plain words."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tmstudio.config.schema import check_schema_version
from tmstudio.errors import TMStudioError
from tmstudio.runs.atomic import disk_fault

_SCHEMA_VERSION = 1
_BUSY_MS = 5000

_TABLES = """
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE scalars (
    id INTEGER PRIMARY KEY, name_id INTEGER NOT NULL, step INTEGER NOT NULL, updates INTEGER NOT NULL,
    time_s REAL NOT NULL, value REAL
);
CREATE INDEX scalars_by_name ON scalars (name_id);
CREATE TABLE episodes (
    id INTEGER PRIMARY KEY, time_s REAL NOT NULL, step INTEGER NOT NULL, actor_id TEXT NOT NULL, car INTEGER NOT NULL,
    policy_step INTEGER NOT NULL, origin TEXT NOT NULL, exploring INTEGER NOT NULL, speed_factor REAL,
    from_start INTEGER NOT NULL, finished INTEGER NOT NULL, lap_time_s REAL, progress_m REAL, progress_fraction REAL,
    return_ REAL, steps INTEGER NOT NULL, end TEXT NOT NULL, terms TEXT NOT NULL, sectors_s TEXT NOT NULL,
    start_seed INTEGER NOT NULL, mixed_policies INTEGER NOT NULL
);
CREATE TABLE evaluations (
    id INTEGER PRIMARY KEY, time_s REAL NOT NULL, step INTEGER NOT NULL, policy_step INTEGER NOT NULL,
    updates INTEGER NOT NULL, episodes INTEGER NOT NULL, finish_rate REAL NOT NULL, median_lap_s REAL, best_lap_s REAL,
    mean_return REAL, lap_times_s TEXT NOT NULL, seeds TEXT NOT NULL, speed REAL, origin TEXT NOT NULL,
    best INTEGER NOT NULL
);
"""


def connect_for_writing(path: Path) -> sqlite3.Connection:
    """A connection for the one writer; the file and its tables are made if missing."""
    with store_faults(path, "open"):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "PRAGMA synchronous = NORMAL"
            )  # whole after a power cut, complete after a kill
            connection.execute("PRAGMA journal_size_limit = 16777216")
            if _schema_version(connection) == 0:
                with transaction(connection):
                    for statement in filter(str.strip, _TABLES.split(";")):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
            check_schema_version(_schema_version(connection), _SCHEMA_VERSION, f"The metrics store {path}")
        except BaseException:
            connection.close()
            raise
        return connection


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, to a file that is there."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        check_schema_version(_schema_version(connection), _SCHEMA_VERSION, f"The metrics store {path}")
    except BaseException:
        connection.close()
        raise
    return connection


def _schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written inside is there whole, or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")  # a full disk may show only here
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def store_faults(path: Path, doing: str) -> Iterator[None]:
    """Turn SQLite's complaints about the store at ``path`` into errors that a person understands."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_fault(error, path, doing) from error


def _store_fault(error: sqlite3.Error, path: Path, doing: str) -> TMStudioError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return disk_fault(OSError(errno.ENOSPC, "No space left on device"), path, doing)
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return TMStudioError(
            f"The metrics store {path} is damaged",
            cause=str(error),
            hint="move the file away: the run goes on with new curves, its checkpoints are not touched",
        )
    if code == sqlite3.SQLITE_BUSY:
        return TMStudioError(
            f"Could not {doing} {path}",
            cause="another process keeps it locked",
            hint="close other programs that use it",
        )
    return TMStudioError(
        f"Could not {doing} {path}", cause=str(error), hint="check the folder's permissions and the disk"
    )
