"""``tmstudio actor``: only the driving side of a run."""

from __future__ import annotations

import argparse

from tmstudio.cli.learner import port_number
from tmstudio.cli.output import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = (
        "Run only the driving side of a run. It may be started before the learner and survives its restarts: what "
        "is driven meanwhile is kept on disk and delivered later. Ctrl-C delivers and stops."
    )
    parser.add_argument("run", metavar="RUN", help="name or folder of the run ('tmstudio runs' lists them)")
    parser.add_argument(
        "--connect",
        metavar="HOST:PORT",
        type=_address,
        help="where the learner is (default: the one that works on the run on this machine)",
    )
    parser.add_argument(
        "--name", default="actor-1", help="the driver's own name, if there are several (default: %(default)s)"
    )
    parser.add_argument(
        "--port", type=port_number, default=0, help="where commands are taken (default: any free port)"
    )
    parser.add_argument(
        "--parent-bound",
        action="store_true",
        help="end when the program that started this one ends, or closes its end of standard input",
    )
    parser.add_argument("--events", action="store_true", help="print what happens, one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Drive until the run is finished or somebody stops it."""
    from tmstudio.runtime import process

    stop = process.begin_worker(parent_bound=args.parent_bound)

    from tmstudio.runs.folder import RunFolder

    folder = RunFolder.open(args.run)
    process.set_up_torch()

    from tmstudio.runtime.actor import run_actor

    if not args.json and not args.events:
        print(
            f"Driving for run '{folder.name}' as '{args.name}'. Ctrl-C delivers what was driven and stops.",
            flush=True,
        )
    code = run_actor(
        folder, actor_id=args.name, connect=args.connect, port=args.port, echo=args.events, stop=stop
    )
    if args.json:
        print_json({"run": folder.name, "actor_id": args.name, "ended": stop.reason or "the run is finished"})
    return code


def _address(text: str) -> str:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) <= 65_535:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form HOST:PORT, such as 127.0.0.1:5000")
    return text
