"""``tmstudio evaluate``: let a trained policy drive laps and report them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tmstudio.cli.output import print_json, table

if TYPE_CHECKING:
    from tmstudio.evaluation.report import EvaluationReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.description = (
        "Let a trained policy drive laps without exploration and report how many it finishes, and how fast. "
        "Each lap has a start of its own, drawn from a published list of seeds: up to 1 m and 3 degrees from "
        "the spawn, rolling or not, at any moment of the control clock. These starts are never the ones that "
        "chose the best checkpoint. In the simulator it drives as fast as it goes; the speed is reported."
    )
    parser.add_argument("run", metavar="RUN", help="name of the run, or its folder")
    parser.add_argument("--episodes", metavar="N", type=int, default=10, help="laps to drive (default 10)")
    parser.add_argument(
        "--checkpoint",
        metavar="WHICH",
        default="best",
        help="best (default), last, or the step of a checkpoint such as 200000",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from tmstudio.runtime.process import prepare_environment

    prepare_environment()
    from tmstudio.evaluation.trials import evaluate
    from tmstudio.runs.folder import RunFolder
    from tmstudio.runtime.process import set_up_torch

    folder = RunFolder.open(args.run)
    set_up_torch()
    report = evaluate(folder, args.checkpoint, args.episodes)
    if args.json:
        print_json(report.as_dict())
    else:
        print(_text(report, folder.name))
    return 0


def _text(report: EvaluationReport, run: str) -> str:
    origin = "sim" if report.origin == "simulator" else report.origin
    ends = ", ".join(
        f"{count} {end}" for end, count in sorted(report.ends.items(), key=lambda item: -item[1])
    )
    rows = [
        ("run", run),
        ("track", f"{report.track} ({origin})"),
        ("policy", f"{report.checkpoint}, trained on {report.policy_step:,} steps"),
        ("driven", f"{report.episodes} laps without exploration at {report.speed:.1f} times real time"),
        ("finished", f"{report.finish_rate:.0%} ({ends})"),
        ("distinct laps", str(report.distinct_laps)),
        ("best lap", _seconds(report.best_lap_s)),
        ("median lap", _seconds(report.median_lap_s)),
        ("mean lap", _seconds(report.mean_lap_s)),
        ("mean distance", f"{report.mean_progress:.1%} of the lap"),
        ("mean return", f"{report.mean_return:.2f}"),
        ("laps", " ".join(f"{lap:.3f}" for lap in report.lap_times_s) or "-"),
        ("start seeds", f"{report.seeds[0]} to {report.seeds[-1]}"),
    ]
    return table(("", ""), rows).lstrip("\n")


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f} s"
