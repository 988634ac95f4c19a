"""``tmstudio runs``: the runs on this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tmstudio.cli.output import add_json_flag, print_json, table

if TYPE_CHECKING:
    from tmstudio.runs.folder import BrokenRun
    from tmstudio.runs.summary import RunSummary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.description = (
        "List the runs, newest first. Finish rate and best lap are from evaluations: laps without exploration, "
        "with how many there were, and whether in the simulator (sim) or in the game."
    )
    commands = parser.add_subparsers(dest="action", metavar="ACTION")
    show = commands.add_parser(
        "show", help="everything about one run", description="Everything about one run."
    )
    show.add_argument("run", metavar="RUN", help="name of the run, or its folder")
    add_json_flag(show)
    delete = commands.add_parser(
        "delete",
        help="move a run to the trash",
        description="Move a run to the trash, which is beside the runs.",
    )
    delete.add_argument("run", metavar="RUN", help="name of the run, or its folder")
    add_json_flag(delete)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.action == "show":
        _show(args.run, as_json=args.json)
    elif args.action == "delete":
        _delete(args.run, as_json=args.json)
    else:
        _list(as_json=args.json)
    return 0


def _list(*, as_json: bool) -> None:
    from tmstudio.config import folders
    from tmstudio.runs.folder import scan_runs
    from tmstudio.runs.summary import summary

    runs, broken = scan_runs()
    summaries = [summary(run) for run in runs]
    if as_json:
        print_json(
            {
                "folder": folders.runs(),
                "runs": [vars(item) for item in summaries],
                "broken": [{"path": item.path, "problem": item.error.message} for item in broken],
            }
        )
        return
    if summaries:
        headers = ("run", "track", "algorithm", "state", "steps", "finish rate", "best lap")
        print(table(headers, [_row(item) for item in summaries]))
    else:
        print(f"There are no runs in {folders.runs()} yet. 'tmstudio train --preset quickstart' makes one.")
    _print_broken(broken)


def _show(name: str, *, as_json: bool) -> None:
    from tmstudio.config.loading import dump_run_config
    from tmstudio.runs.folder import RunFolder
    from tmstudio.runs.jobs import live_jobs
    from tmstudio.runs.summary import summary

    found = RunFolder.open(name)
    figures = summary(found)
    jobs = live_jobs(found.path)
    if as_json:
        print_json(
            {
                **vars(figures),
                "path": found.path,
                "fingerprint": found.fingerprint,
                "jobs": [vars(job) for job in jobs],
                "versions": found.manifest.versions,
                "changes": [vars(change) for change in found.manifest.changes],
                "config": found.config.model_dump(mode="json"),
            }
        )
        return
    lines = [
        ("run", figures.name),
        ("folder", str(found.path)),
        ("made", figures.created_at),
        ("state", figures.state),
        ("problem", figures.problem),
        (
            "processes",
            ", ".join(f"{job.role} {job.actor_id}".strip() + f" (process {job.pid})" for job in jobs),
        ),
        ("trained", f"{figures.time_s / 60:.1f} min, {figures.steps:,} steps, {figures.updates:,} updates"),
        ("evaluated", _evaluated(figures)),
        ("best lap", _best_lap(figures)),
        ("exploring", f"{figures.episodes:,} attempts" + _exploring_lap(figures)),
        ("fingerprint", found.fingerprint[:16]),
    ]
    width = max(len(label) for label, _ in lines)
    print("\n".join(f"{label:<{width}}  {text}" for label, text in lines if text))
    print()
    print(dump_run_config(found.config), end="")


def _delete(name: str, *, as_json: bool) -> None:
    from tmstudio.runs.folder import RunFolder

    found = RunFolder.open(name)
    trashed = found.delete()
    if as_json:
        print_json({"deleted": found.name, "trash": trashed})
    else:
        print(f"Moved run '{found.name}' to the trash: {trashed}\nMove the folder back to undo it.")


def _row(item: RunSummary) -> tuple[str, ...]:
    return (
        item.name,
        item.track,
        item.algorithm,
        item.state,
        f"{item.steps:,}",
        _evaluated(item),
        _best_lap(item),
    )


def _evaluated(item: RunSummary) -> str:
    if item.finish_rate is None:
        return "not evaluated"
    return f"{item.finish_rate:.0%} of {item.evaluated_laps} ({_origin(item)})"


def _best_lap(item: RunSummary) -> str:
    return f"{item.best_lap_s:.3f} s ({_origin(item)})" if item.best_lap_s is not None else ""


def _exploring_lap(item: RunSummary) -> str:
    lap = item.best_exploring_lap_s
    return f", best lap {lap:.3f} s" if lap is not None else ""


def _origin(item: RunSummary) -> str:
    return {"simulator": "sim"}.get(item.origin or "", item.origin or "")


def _print_broken(broken: list[BrokenRun]) -> None:
    for item in broken:
        print(f"cannot be opened: {item.path}: {item.error.message} ({item.error.cause})")
