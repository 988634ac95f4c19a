"""The tracks of the library as the Tracks page lists them. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from tmstudio.errors import TMStudioError
from tmstudio.track.geometry import Track
from tmstudio.track.library import TrackLibrary


@dataclass(frozen=True, eq=False)
class TrackLine:
    """One track of the library."""

    name: str
    ships: bool
    """Whether it ships with the program, and so cannot be renamed or deleted."""
    track: Track | None
    problem: str = ""
    """Why its file cannot be used, where `track` is None."""


def read_tracks(library: TrackLibrary) -> list[TrackLine]:
    """Load all tracks: the user's own first, then those that ship with the program."""
    bundled = library.bundled_names()
    return [_line(library, name, ships=name in bundled) for name in [*library.user_names(), *bundled]]


def _line(library: TrackLibrary, name: str, *, ships: bool) -> TrackLine:
    try:
        return TrackLine(name, ships, library.load(name))
    except TMStudioError as error:
        return TrackLine(name, ships, None, f"{error.message} {error.cause}".strip())


def origin_text(track: Track) -> str:
    """Where a track comes from, in a few words."""
    made = {
        "generator": "generated",
        "borders": "recorded borders",
        "laps": "recorded laps",
        "ghost": "a ghost",
        "replay": "a replay",
        "trajectory": "a recorded line",
    }
    return made.get(str(track.origin.get("by", "")), "an imported file")


def race_laps(track: Track) -> int:
    """Laps of a race: 1 for a road from a start to a finish."""
    laps = track.origin.get("laps", 1)
    return laps if isinstance(laps, int) else 1
