"""``tmstudio track``: the library of tracks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmstudio.cli.output import add_json_flag, print_json, table

if TYPE_CHECKING:
    from tmstudio.track.geometry import Track
    from tmstudio.track.importers.found import Found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.description = "List, show, import, generate and delete tracks. Without an action it lists them."
    commands = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = commands.add_parser(
        "list", help="all tracks", description="All tracks: those that ship with the program, then your own."
    )
    show = commands.add_parser(
        "show", help="everything about one track", description="Everything about one track."
    )
    show.add_argument("name", metavar="NAME", help="name of the track")
    show.add_argument(
        "--picture", type=Path, metavar="FILE.png", help="also write a picture of it from above"
    )
    importing = _add_import(commands)
    generating = _add_generate(commands)
    rename = commands.add_parser(
        "rename", help="give a track another name", description="Give one of your own tracks another name."
    )
    duplicate = commands.add_parser(
        "duplicate", help="save a track once more", description="Save a track once more, under another name."
    )
    for command in (rename, duplicate):
        command.add_argument("name", metavar="NAME", help="name of the track")
        command.add_argument("new_name", metavar="NEW", help="the other name")
    export = commands.add_parser(
        "export",
        help="write a track's file",
        description="Write a track's file, which 'tmstudio track import' takes in on another computer.",
    )
    export.add_argument("name", metavar="NAME", help="name of the track")
    export.add_argument("path", type=Path, metavar="FILE.npz", help="where to")
    delete = commands.add_parser(
        "delete",
        help="move one of your own tracks to the trash",
        description="Move one of your own tracks to the trash, a folder beside it.",
    )
    delete.add_argument("name", metavar="NAME", help="name of the track")
    for command in (importing, generating):
        command.add_argument(
            "--replace", action="store_true", help="overwrite another track of this name that you have"
        )
    for command in (listing, show, importing, generating, rename, duplicate, export, delete):
        add_json_flag(command)


def _add_import(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "import",
        help="make a track from recorded borders, laps, ghosts, replays or a TMRL trajectory",
        description=(
            "Make a track of files; what they are is found out from their content. Two recordings (.npy, positions "
            "x, y up, z in metres) of a car driven along the walls, from the spawn to the finish, give a road as "
            "wide as it is. Laps (.npz), ghosts, replays (.Gbx) and TMRL's reward.pkl give a line, and need a width. "
            "A map's file (.Map.Gbx) beside them adds its name and medal times, laps beside borders tell whether "
            "the simulator can have the track; alone, a map's file is shown."
        ),
    )
    command.add_argument("files", type=Path, nargs="*", metavar="FILE", help="what the track is made of")
    command.add_argument("--left", type=Path, metavar="L.npy", help="recording along the left wall")
    command.add_argument("--right", type=Path, metavar="R.npy", help="recording along the right wall")
    command.add_argument("--name", help="name of the new track (default: what the files suggest)")
    command.add_argument("--width", type=float, metavar="M", help="width of the road around a line")
    command.add_argument("--map-uid", metavar="UID", help="identifier of the map in TrackMania")
    command.add_argument(
        "--preview", type=Path, metavar="FILE.png", help="paint the track from above and save nothing else"
    )
    return command


def _add_generate(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "generate",
        help="make a track from a seed",
        description="Make a track for the simulator. The same seed and settings give the same track everywhere.",
    )
    command.add_argument("--name", required=True, help="name of the new track")
    command.add_argument(
        "--seed", type=int, required=True, help="any whole number from 0: another one, another track"
    )
    command.add_argument(
        "--difficulty",
        type=int,
        default=3,
        metavar="1-6",
        help="1 wide bends to 6 tight hairpins (default: 3)",
    )
    command.add_argument(
        "--length",
        type=float,
        default=1000.0,
        metavar="M",
        help="length of the lap, 200 to 5000 m (default: 1000)",
    )
    command.add_argument(
        "--width", type=float, default=22.0, metavar="M", help="width of the road, 12 to 40 m (default: 22)"
    )
    command.add_argument(
        "--laps", type=int, metavar="N", help="a circuit raced for N laps (default: a road from A to B)"
    )
    return command


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    actions = {
        "show": _show,
        "import": _import,
        "generate": _generate,
        "rename": _rename,
        "duplicate": _duplicate,
        "export": _export,
        "delete": _delete,
    }
    actions.get(args.action, _list)(args)
    return 0


def _list(args: argparse.Namespace) -> None:
    from tmstudio.track.library import TrackLibrary

    library = TrackLibrary()
    entries = library.entries()
    tracks = [(entry.track, entry.bundled) for entry in entries if entry.track is not None]
    broken = [
        {"name": entry.name, "problem": entry.fault.message, "cause": entry.fault.cause}
        for entry in entries
        if entry.fault is not None
    ]
    if args.json:
        print_json(
            {
                "folder": library.user_folder,
                "tracks": [{**_summary(track), "bundled": ships} for track, ships in tracks],
                "broken": broken,
            }
        )
        return
    headers = ("track", "length", "width", "checkpoints", "from")
    rows = [
        (
            track.name,
            f"{track.length_m:.0f} m",
            f"{track.width_m:.1f} m",
            str(len(track.checkpoints_m)),
            "TMStudio" if ships else "you",
        )
        for track, ships in tracks
    ]
    print(table(headers, rows))
    for item in broken:
        print(f"{item['name']}: {item['problem']} ({item['cause']})")


def _show(args: argparse.Namespace) -> None:
    from tmstudio.track.library import TrackLibrary

    track = TrackLibrary().load(args.name)
    if args.picture is not None:
        from tmstudio.track.picture import save_picture

        save_picture(track, args.picture)
    if args.json:
        picture = {} if args.picture is None else {"picture": args.picture}
        print_json({**_summary(track), **_details(track), **picture})
        return
    _print(track)
    if args.picture is not None:
        print(f"picture      {args.picture}")


def _import(args: argparse.Namespace) -> None:
    from tmstudio.cli.output import UsageError
    from tmstudio.track.importers.detect import look_into, make_track

    sides = [side for side in (args.left, args.right) if side is not None]
    if len(sides) == 1:
        raise UsageError("A border needs the other one.", hint="say both --left and --right")
    found = look_into([*sides, *args.files])
    facts = {"kind": found.kind, "title": found.title, "facts": dict(found.facts)}
    if not args.json:
        print(table(("", ""), [(found.title, ""), *found.facts]).lstrip())
        print()
    if found.road is None:
        _attach(found, facts, as_json=args.json)
        return
    track = make_track(found, args.name or found.suggested_name, args.width, args.map_uid)
    if args.preview is not None:
        _preview(track, facts, args)
        return
    _keep(track, args, facts)


def _attach(found: Found, facts: dict[str, Any], *, as_json: bool) -> None:
    """Give a map's medal times to the tracks that were made of it."""
    from dataclasses import replace

    from tmstudio.track.library import TrackLibrary

    library, told = TrackLibrary(), []
    for name in library.user_names():
        track = library.load(name)
        if track.map_uid == found.map_uid and dict(track.medals_s) != dict(found.medals_s):
            library.save(replace(track, medals_s=found.medals_s), replace=True)
            told.append(name)
    if as_json:
        print_json({**facts, "told": told})
        return
    for name in told:
        print(f"Track '{name}' now has the medal times of its map.")
    print("A map's file has no road. To make a track of it, give recorded borders, laps or a ghost with it.")


def _preview(track: Track, facts: dict[str, Any], args: argparse.Namespace) -> None:
    from tmstudio.track.picture import save_picture

    save_picture(track, args.preview)
    if args.json:
        print_json({**facts, **_summary(track), **_details(track), "picture": args.preview})
        return
    _print(track)
    print(f"picture      {args.preview}; nothing was saved")


def _generate(args: argparse.Namespace) -> None:
    from tmstudio.track.circuit import generate_circuit
    from tmstudio.track.generator import generate

    settings = (args.seed, args.difficulty, args.length, args.width)
    if args.laps is None:
        _keep(generate(*settings, args.name), args)
    else:
        _keep(generate_circuit(*settings, args.laps, args.name), args)


def _keep(track: Track, args: argparse.Namespace, facts: dict[str, Any] | None = None) -> None:
    from tmstudio.track.library import TrackLibrary

    path = TrackLibrary().save(track, replace=args.replace)
    if args.json:
        print_json({**(facts or {}), **_summary(track), **_details(track), "path": path})
        return
    _print(track)
    print(f"saved as     {path}")


def _rename(args: argparse.Namespace) -> None:
    from tmstudio.track.library import TrackLibrary

    TrackLibrary().rename(args.name, args.new_name)
    _say(
        args, {"renamed": args.name, "name": args.new_name}, f"Track '{args.name}' is '{args.new_name}' now."
    )


def _duplicate(args: argparse.Namespace) -> None:
    from tmstudio.track.library import TrackLibrary

    TrackLibrary().duplicate(args.name, args.new_name)
    _say(args, {"duplicated": args.name, "name": args.new_name}, f"There is a track '{args.new_name}' now.")


def _export(args: argparse.Namespace) -> None:
    from tmstudio.track.library import TrackLibrary

    TrackLibrary().export(args.name, args.path)
    _say(args, {"exported": args.name, "path": args.path}, f"Track '{args.name}' is in {args.path}.")


def _delete(args: argparse.Namespace) -> None:
    from tmstudio.track.library import TrackLibrary

    trashed = TrackLibrary().delete(args.name)
    _say(args, {"deleted": args.name, "trash": trashed}, f"Track '{args.name}' is in the trash: {trashed}")


def _say(args: argparse.Namespace, facts: dict[str, Any], sentence: str) -> None:
    if args.json:
        print_json(facts)
    else:
        print(sentence)


def _summary(track: Track) -> dict[str, Any]:
    return {
        "name": track.name,
        "length_m": round(track.length_m, 3),
        "width_m": round(track.width_m, 3),
        "map_uid": track.map_uid,
        "checkpoints": list(track.checkpoints_m),
    }


def _details(track: Track) -> dict[str, Any]:
    from tmstudio.track.verdict import verdict

    judged = verdict(track)
    lap = track.half_width_m[track.lap_points]
    return {
        "narrowest_m": round(float(2 * lap.min()), 3),
        "widest_m": round(float(2 * lap.max()), 3),
        "spawn": {"position_m": track.spawn.position_m, "heading_rad": track.spawn.heading_rad},
        "medals_s": track.medals_s,
        "origin": track.origin,
        "verdict": {"kind": judged.kind, "reason": judged.reason},
        "sha256": track.sha256,
    }


def _print(track: Track) -> None:
    from tmstudio.track.verdict import verdict

    lap = track.half_width_m[track.lap_points]
    x, y, z = track.spawn.position_m
    checkpoints = ", ".join(f"{place:.0f} m" for place in track.checkpoints_m)
    print(f"track        {track.name}")
    print(f"length       {track.length_m:.1f} m")
    print(f"width        {track.width_m:.1f} m ({2 * lap.min():.1f} to {2 * lap.max():.1f} m)")
    print(f"checkpoints  {checkpoints or 'none'}")
    print(f"spawn        x {x:.1f}, y {y:.1f}, z {z:.1f} m")
    print(f"map UID      {track.map_uid or 'none'}")
    if track.medals_s:
        print(
            f"medals       {', '.join(f'{medal} {time_s:.3f} s' for medal, time_s in track.medals_s.items())}"
        )
    print(f"for          {verdict(track)}")
    for note in track.origin.get("notes", ()):
        print(f"note         {note}")
