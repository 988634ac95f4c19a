"""What files hold, told by their content and never by their names, and the track that can be made of them."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tmstudio.errors import TMStudioError
from tmstudio.track.borders import track_from_borders
from tmstudio.track.geometry import Track
from tmstudio.track.importers.borders import read_border, read_border_archive
from tmstudio.track.importers.driven import Drive, middle_of, surface_of, whole_drive
from tmstudio.track.importers.found import Borders, Found, Line
from tmstudio.track.importers.gbx.ghost_file import STADIUM_CAR, RecordedRun, read_runs
from tmstudio.track.importers.gbx.kind import gbx_kind
from tmstudio.track.importers.gbx.map_file import MapFile, read_map
from tmstudio.track.importers.sides import left_first
from tmstudio.track.importers.trajectory import read_trajectory
from tmstudio.track.lap_file import POSITION, LapFile, is_lap_file, read_lap
from tmstudio.track.library import check_name, name_fault, read_track
from tmstudio.track.line import track_from_line

_FileKind = Literal["map", "ghost", "replay", "lap", "track", "archive", "positions", "trajectory"]

KNOWN = (
    "recorded borders or a line (.npy), laps and exported tracks (.npz), maps, ghosts and replays (.Gbx), "
    "TMRL's reward.pkl"
)


@dataclass
class _Files:
    """The given files by what they are."""

    maps: list[Path] = field(default_factory=list)
    runs: list[Path] = field(default_factory=list)
    laps: list[Path] = field(default_factory=list)
    tracks: list[Path] = field(default_factory=list)
    archives: list[Path] = field(default_factory=list)
    positions: list[Path] = field(default_factory=list)
    trajectories: list[Path] = field(default_factory=list)


def look_into(paths: Sequence[Path]) -> Found:
    """Look at files that belong together, such as two borders, or laps and their map.

    Raises:
        TMStudioError: a file is missing, damaged or of no known kind, or the files do not belong together.
    """
    files = _sorted(paths)
    laps = [read_lap(path) for path in files.laps]
    maps = [read_map(path) for path in files.maps]
    if len(maps) > 1:
        raise TMStudioError(
            "These are two maps.",
            cause=f"{maps[0].name} and {maps[1].name} cannot be one track",
            hint="give one of them",
        )
    found = _road(files, laps)
    if laps and found.kind != "laps":
        found = replace(found, surface=surface_of(laps), facts=(*found.facts, *_lap_facts(laps)))
        _check_same_map({found.map_uid, *(lap.map_uid for lap in laps)})
    return _with_map(found, maps[0]) if maps else found


def make_track(found: Found, name: str, width_m: float | None = None, map_uid: str | None = None) -> Track:
    """Make a track of what was found; it is not saved.

    Args:
        found: what `look_into` found.
        name: name of the track.
        width_m: width of the road, where it was not measured; the offered one if None.
        map_uid: identifier of the map in the game; the one that the files tell if None.

    Returns:
        The track. What was chosen, estimated or left out is in ``origin["notes"]``, one sentence each.

    Raises:
        TMStudioError: the name cannot be one, the files hold no road, or what they hold cannot be one.
    """
    check_name(name)
    uid = map_uid or found.map_uid
    notes = list(found.notes)
    origin: dict[str, Any] = {"by": found.kind, "files": list(found.files)}
    if found.surface:
        origin["surface"] = dict(found.surface)
    if isinstance(found.road, Track):
        return replace(found.road, name=name, map_uid=uid, medals_s=found.medals_s or found.road.medals_s)
    if isinstance(found.road, Borders):
        return track_from_borders(
            found.road.left_m,
            found.road.right_m,
            name,
            map_uid=uid,
            medals_s=found.medals_s,
            origin={**origin, "notes": notes},
        )
    if found.road is None:
        raise TMStudioError(
            "These files hold no road.",
            cause="a map's file has its facts, and no line to drive",
            hint="give recorded borders, laps or a ghost with it",
        )
    width = found.width_m if width_m is None else width_m
    assert width is not None
    notes.append(f"The width of {width:g} m was {'assumed' if width_m is None else 'chosen'}, not measured.")
    made = track_from_line(
        found.road.samples_m,
        name,
        width,
        map_uid=uid,
        medals_s=found.medals_s,
        origin={**origin, "width_m": width},
    )
    if "narrowest_m" in made.origin:
        notes.append(
            f"In tight bends and beside other parts of the road it is narrower, down to "
            f"{made.origin['narrowest_m']:g} m."
        )
    return replace(made, origin={**made.origin, "notes": notes})


def _sorted(paths: Sequence[Path]) -> _Files:
    if not paths:
        raise TMStudioError("No file was given.", hint=f"give {KNOWN}")
    files = _Files()
    places = {
        "map": files.maps,
        "ghost": files.runs,
        "replay": files.runs,
        "lap": files.laps,
        "track": files.tracks,
        "archive": files.archives,
        "positions": files.positions,
        "trajectory": files.trajectories,
    }
    for path in paths:
        places[_kind(path)].append(path)
    return files


def _kind(path: Path) -> _FileKind:
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise TMStudioError(f"{path} {what}.", hint=f"give {KNOWN}")
    gbx = gbx_kind(path)
    if gbx in ("map", "ghost", "replay"):
        return gbx
    if gbx == "other":
        raise TMStudioError(
            f"{path.name} is a file of the game, but neither a map nor a ghost nor a replay.",
            hint=f"give {KNOWN}",
        )
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError as error:
        raise TMStudioError(
            f"{path.name} cannot be read.", cause=str(error), hint="check its rights"
        ) from error
    if head.startswith(b"\x93NUMPY"):
        return "positions"
    if head.startswith(b"PK"):
        if is_lap_file(path):
            return "lap"
        names = _names(path)
        if {"left_mm.npy", "right_mm.npy", "metadata.npy"} <= names:
            return "track"
        if {"left.npy", "right.npy"} <= names:
            return "archive"
    elif head.startswith(b"\x80") and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "trajectory"
    raise TMStudioError(
        f"{path.name} is of no kind that a track can be made of.",
        cause="it is empty" if not head else "what is in it is not known",
        hint=f"give {KNOWN}",
    )


def _names(path: Path) -> set[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return set()


def _road(files: _Files, laps: list[LapFile]) -> Found:
    """The road that the files have; borders before lines, because they were measured."""
    sources = [files.tracks, files.archives, files.positions, files.trajectories, files.runs]
    given = [paths for paths in sources if paths]
    if len(given) > 1:
        names = ", ".join(paths[0].name for paths in given)
        raise TMStudioError(
            "These files are several roads.",
            cause=f"each of {names} would be a track of its own",
            hint="import them one after another",
        )
    if files.tracks:
        return _track(files.tracks)
    if files.archives:
        return _archive(files.archives)
    if files.positions:
        return _recorded(files.positions)
    if files.trajectories:
        return _trajectory(files.trajectories)
    if files.runs:
        return _driven_runs(files.runs)
    if laps:
        return _driven_laps(laps)
    return Found("map", "A map of TrackMania", suggested_name="my-track")


def _track(paths: list[Path]) -> Found:
    if len(paths) > 1:
        raise TMStudioError("These are several tracks.", hint="import them one after another")
    track = read_track(paths[0])
    facts = (("length", f"{track.length_m:.0f} m"), ("width", f"{track.width_m:.1f} m"))
    return Found(
        "track",
        "A track of TMStudio",
        facts=facts,
        suggested_name=paths[0].stem,
        map_uid=track.map_uid,
        medals_s=track.medals_s,
        files=(paths[0].name,),
        road=track,
    )


def _archive(paths: list[Path]) -> Found:
    if len(paths) > 1:
        raise TMStudioError("These are several roads.", hint="import them one after another")
    left, right = (
        whole_drive(f"{side} of {paths[0].name}", samples)
        for side, samples in zip(("left", "right"), read_border_archive(paths[0]), strict=True)
    )
    return Found(
        "borders",
        "Two borders in an archive",
        facts=(
            ("left border", f"{len(left.samples_m)} points"),
            ("right border", f"{len(right.samples_m)} points"),
        ),
        suggested_name=paths[0].stem,
        notes=(
            *_cuts([left, right]),
            "The archive does not tell where the finish is: the lap ends where the borders end.",
        ),
        files=(paths[0].name,),
        road=Borders(left.samples_m, right.samples_m),
    )


def _recorded(paths: list[Path]) -> Found:
    names = tuple(path.name for path in paths)
    if len(paths) == 1:
        drive = whole_drive(names[0], read_border(paths[0], "recorded"))
        return Found(
            "trajectory",
            "A recorded line",
            facts=(("samples", str(len(drive.samples_m))),),
            needs_width=True,
            width_m=middle_of([drive]).width_m,
            suggested_name=paths[0].stem,
            notes=_cuts([drive]),
            files=names,
            road=Line(drive.samples_m),
        )
    if len(paths) > 2:
        raise TMStudioError(
            f"{len(paths)} recordings of borders are too many.",
            hint="a track has one on its left and one on its right",
        )
    one, other = (
        whole_drive(path.name, read_border(path, side))
        for path, side in zip(paths, ("first", "second"), strict=True)
    )
    left, right = (one, other) if left_first(one.samples_m, other.samples_m) else (other, one)
    facts = (
        ("left border", f"{left.name}, {len(left.samples_m)} samples"),
        ("right border", f"{right.name}, {len(right.samples_m)} samples"),
    )
    return Found(
        "borders",
        "Two recorded borders",
        facts=facts,
        suggested_name="my-track",
        notes=_cuts([one, other]),
        files=(left.name, right.name),
        road=Borders(left.samples_m, right.samples_m),
    )


def _trajectory(paths: list[Path]) -> Found:
    if len(paths) > 1:
        raise TMStudioError("These are several trajectories.", hint="import them one after another")
    drive = whole_drive(paths[0].name, read_trajectory(paths[0]))
    return Found(
        "trajectory",
        "A TMRL trajectory",
        facts=(("samples", str(len(drive.samples_m))),),
        needs_width=True,
        width_m=middle_of([drive]).width_m,
        suggested_name=paths[0].stem,
        notes=(
            *_cuts([drive]),
            "A trajectory does not tell where the finish is: the lap ends where the line ends.",
        ),
        files=(paths[0].name,),
        road=Line(drive.samples_m),
    )


def _driven_runs(paths: list[Path]) -> Found:
    runs: list[RecordedRun] = []
    drives: list[Drive] = []
    for path in paths:
        for run in read_runs(path):
            if run.car is not None and run.car != STADIUM_CAR:
                raise TMStudioError(
                    f"The drive in {path.name} is from another environment.",
                    cause=f"its car is {run.car}",
                    hint=f"TMStudio knows the Stadium environment and its car, {STADIUM_CAR}",
                )
            runs.append(run)
            drives.append(whole_drive(path.name, run.position_m))
    uid = _check_same_map({run.map_uid for run in runs})
    replay = gbx_kind(paths[0]) == "replay"
    fastest = min(runs, key=lambda run: run.race_time_s or np.inf)
    facts = [("drives", str(len(runs)))]
    if fastest.nickname:
        facts.append(("driver", fastest.nickname))
    if fastest.race_time_s:
        facts.append(("time", f"{fastest.race_time_s:.3f} s"))
    middle = middle_of(drives)
    heights = np.concatenate([run.position_m[:, 1] for run in runs])
    facts += [("samples", str(len(fastest.time_s))), ("height changes by", f"{np.ptp(heights):.1f} m")]
    notes = list(_cuts(drives))
    if not all(run.confirmed for run in runs):
        notes.append(
            "This version of the recording has not yet been seen in a real file: look at the preview."
        )
    return Found(
        "replay" if replay else "ghost",
        "A replay" if replay else "A ghost",
        facts=(*facts, *_map_fact(uid)),
        needs_width=True,
        width_m=middle.width_m,
        suggested_name=_as_name(paths[0].name.split(".")[0]),
        map_uid=uid,
        notes=tuple(notes),
        files=tuple(path.name for path in paths),
        road=Line(middle.samples_m),
    )


def _driven_laps(laps: list[LapFile]) -> Found:
    drives = [whole_drive(lap.name, lap.frames[:, POSITION]) for lap in laps]
    uid = _check_same_map({lap.map_uid for lap in laps})
    middle = middle_of(drives)
    return Found(
        "laps",
        "Recorded laps",
        facts=(*_lap_facts(laps), *_map_fact(uid)),
        needs_width=True,
        width_m=middle.width_m,
        suggested_name="my-track",
        map_uid=uid,
        notes=_cuts(drives),
        files=tuple(lap.name for lap in laps),
        surface=surface_of(laps),
        road=Line(middle.samples_m),
    )


def _lap_facts(laps: list[LapFile]) -> tuple[tuple[str, str], ...]:
    times = sorted(lap.finish_time_s for lap in laps if lap.finish_time_s)
    fastest = (("fastest lap", f"{times[0]:.3f} s"),) if times else ()
    return (("laps", str(len(laps))), *fastest)


def _with_map(found: Found, facts: MapFile) -> Found:
    """What was found, and what its map tells."""
    _check_same_map({found.map_uid, facts.uid})
    if facts.environment not in ("", "Stadium"):
        raise TMStudioError(
            f"The map {facts.name} is from another environment.",
            cause=f"its environment is {facts.environment}",
            hint="TMStudio knows the Stadium environment",
        )
    told = [("map", facts.name), ("author", facts.author)]
    told += [(f"{medal} medal", f"{time_s:.3f} s") for medal, time_s in facts.medals_s.items()]
    told.append(("laps of a race", str(facts.laps)))
    if facts.checkpoints is not None:
        told.append(("checkpoints", str(facts.checkpoints)))
    told += [("validated", "yes" if facts.validated else "no"), ("saved by the game of", facts.exe_build)]
    return replace(
        found,
        facts=(*found.facts, *told, *(() if found.map_uid else _map_fact(facts.uid))),
        map_uid=facts.uid,
        medals_s=facts.medals_s,
        suggested_name=_as_name(facts.name) or found.suggested_name,
        thumbnail_jpeg=facts.thumbnail_jpeg,
    )


def _check_same_map(uids: set[str | None]) -> str | None:
    known = sorted(uid for uid in uids if uid)
    if len(known) > 1:
        raise TMStudioError(
            "These files are from different maps.",
            cause=f"one says {known[0]}, another {known[1]}",
            hint="give files of one map",
        )
    return known[0] if known else None


def _map_fact(uid: str | None) -> tuple[tuple[str, str], ...]:
    return (("map UID", uid),) if uid else ()


def _cuts(drives: Sequence[Drive]) -> tuple[str, ...]:
    return tuple(drive.cut for drive in drives if drive.cut)


def _as_name(text: str) -> str:
    """A text as the name of a track, or nothing where it cannot be one."""
    kept = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in " ._-") else "" for letter in text
    )
    name = kept.strip(" ._-")[:80].rstrip(" .")
    return "" if not name or name_fault(name) else name
