"""``tmstudio evaluate``: let a trained policy drive laps and report them."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tmstudio.cli.output import UsageError, print_json, table

if TYPE_CHECKING:
    from tmstudio.evaluation.envelope import EnvelopeReport
    from tmstudio.evaluation.report import EvaluationReport
    from tmstudio.runs.folder import RunFolder


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
    parser.add_argument(
        "--envelope",
        metavar="LAPS",
        type=Path,
        help="folder with recorded laps: say how much of the driving is such as was recorded",
    )
    parser.add_argument(
        "--picture",
        metavar="FILE.png",
        type=Path,
        help="with --envelope: paint the driving over the recordings",
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
    if args.envelope is None:
        if args.picture is not None:
            raise UsageError("There is nothing to paint", hint="say with --envelope where recorded laps are")
        report, compared = evaluate(folder, args.checkpoint, args.episodes), None
    else:
        report, compared = _compare(args, folder)
    if args.json:
        print_json({**report.as_dict(), **({} if compared is None else {"envelope": asdict(compared)})})
    else:
        print(_text(report, folder.name, compared))
    return 0


def _compare(args: argparse.Namespace, folder: RunFolder) -> tuple[EvaluationReport, EnvelopeReport]:
    """Evaluate, and look at how the car moved."""
    from tmstudio.evaluation.envelope import MotionRecorder, compare
    from tmstudio.evaluation.envelope_picture import save_picture
    from tmstudio.evaluation.trials import evaluate
    from tmstudio.game.simulator.identification.laps import load_laps

    laps, recorder = load_laps(args.envelope), MotionRecorder()
    report = evaluate(folder, args.checkpoint, args.episodes, watch=recorder)
    if args.picture is not None:
        save_picture(recorder.points(), laps, args.picture)
    return report, compare(recorder.points(), laps)


def _text(report: EvaluationReport, run: str, compared: EnvelopeReport | None) -> str:
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
    if compared is not None:
        told = (
            f"{compared.inside:.1%} of {compared.points:,} moments are such as were recorded "
            f"(recorded laps among themselves: {compared.recorded_inside:.1%})"
        )
        rows.append(("envelope", told))
    return table(("", ""), rows).lstrip("\n")


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f} s"
