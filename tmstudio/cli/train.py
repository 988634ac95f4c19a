"""``tmstudio train``: teach a car to drive, without a window."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tmstudio.cli.output import UsageError, print_json

if TYPE_CHECKING:
    from tmstudio.config.run_config import RunConfig
    from tmstudio.runs.folder import RunFolder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = (
        "Teach a car to drive: learner and driver together, without a window. Ends by itself when the time is up. "
        "Ctrl-C stops in order: everything is saved, the exit code is 0, and 'tmstudio train RUN' goes on later; "
        "a second Ctrl-C kills."
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("run", metavar="RUN", nargs="?", help="go on with this run")
    source.add_argument("--run", metavar="RUN", dest="run_option", help="the same")
    source.add_argument("--preset", help="begin a new run from a preset (default: default)")
    source.add_argument("--config", metavar="FILE", type=Path, help="begin a new run from a run.yaml")
    parser.add_argument("--name", help="name of the new run (default: date, track and algorithm)")
    parser.add_argument("--track", help="the track to drive on")
    parser.add_argument("--seed", type=int, help="start of all random numbers")
    parser.add_argument("--minutes", type=float, help="time to train, in all")
    parser.add_argument(
        "--set",
        metavar="FIELD=VALUE",
        action="append",
        default=[],
        dest="overrides",
        help="set any field of the configuration, such as algorithm.gamma=0.99; may be given more than once",
    )
    parser.add_argument(
        "--picture", metavar="FILE", type=Path, help="at the end, draw a lap and the curves as a PNG"
    )


def run(args: argparse.Namespace) -> int:
    """Train, and say what came of it."""
    from tmstudio.runtime import process

    process.prepare_environment()

    from tmstudio.runtime.outcome import outcome
    from tmstudio.runtime.progress import ProgressDisplay, summary_text
    from tmstudio.runtime.train import train

    if args.picture is not None and args.picture.suffix.lower() != ".png":
        raise UsageError(f"'{args.picture}' is no PNG file", hint="give --picture a name that ends in .png")
    if args.picture is not None and not args.picture.absolute().parent.is_dir():
        raise UsageError(
            f"There is no folder '{args.picture.parent}' for the picture",
            hint="make it, or name another file",
        )
    name = args.run or args.run_option
    folder = _go_on(name, _overrides(args)) if name else _begin(args)
    display = ProgressDisplay(sys.stderr if args.json else sys.stdout)
    display.say(f"Run '{folder.name}' in {folder.path}")
    train(folder, display)
    result = outcome(folder)
    display.say(summary_text(result, finished=result["state"] == "finished"))
    if args.picture is not None:
        from tmstudio.runtime.picture import save_picture

        save_picture(folder, args.picture)
        result["picture"] = args.picture
        display.say(f"Picture: {args.picture}")
    if args.json:
        print_json(result)
    return 0


def _begin(args: argparse.Namespace) -> RunFolder:
    from tmstudio.env.build import load_track
    from tmstudio.runs.folder import RunFolder

    config = _new_config(args)
    track = load_track(config)
    return RunFolder.create(config, track_sha256=track.sha256, name=args.name)


def _new_config(args: argparse.Namespace) -> RunConfig:
    from tmstudio.config.loading import apply_overrides, load_run_config
    from tmstudio.config.presets import preset

    base = load_run_config(args.config) if args.config is not None else preset(args.preset or "default")
    return apply_overrides(base, _overrides(args))


def _go_on(name: str, overrides: list[str]) -> RunFolder:
    from tmstudio.config.loading import apply_overrides
    from tmstudio.errors import TMStudioError
    from tmstudio.runs.folder import RunFolder
    from tmstudio.runs.jobs import live_jobs
    from tmstudio.runtime.budget import check_budget

    folder = RunFolder.open(name)
    working = ", ".join(f"{job.role} (process {job.pid})" for job in live_jobs(folder.path))
    if working:
        raise TMStudioError(
            f"Run '{folder.name}' is being trained already", cause=working, hint="stop it first"
        )
    config = apply_overrides(folder.config, overrides) if overrides else folder.config
    check_budget(folder, config)  # before anything is saved: a refused command changes nothing
    return folder.with_config(config) if overrides else folder


def _overrides(args: argparse.Namespace) -> list[str]:
    named = {"track": args.track, "seed": args.seed, "budget.minutes": args.minutes}
    return [*(f"{field}={value}" for field, value in named.items() if value is not None), *args.overrides]
