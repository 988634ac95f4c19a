"""``tmstudio learner``: only the learning side of a run."""

from __future__ import annotations

import argparse

from tmstudio.cli.output import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = (
        "Run only the learning side of a run: it waits for drivers on this machine, or at the end of a tunnel, and "
        "learns until the run's budget is used up. Ctrl-C saves and stops; started again, it goes on."
    )
    parser.add_argument("run", metavar="RUN", help="name or folder of the run ('tmstudio runs' lists them)")
    parser.add_argument(
        "--port",
        type=port_number,
        default=0,
        help="where drivers and commands are taken (default: any free port)",
    )
    parser.add_argument(
        "--parent-bound",
        action="store_true",
        help="end when the program that started this one ends, or closes its end of standard input",
    )
    parser.add_argument("--events", action="store_true", help="print what happens, one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Learn until the budget is used up or somebody stops it."""
    from tmstudio.runtime import process

    threads = process.learner_threads()
    stop = process.begin_worker(threads=threads, parent_bound=args.parent_bound)

    from tmstudio.runs.folder import RunFolder

    folder = RunFolder.open(args.run)
    process.lower_priority()
    process.set_up_torch(threads)

    from tmstudio.runtime.learner import run_learner
    from tmstudio.runtime.outcome import outcome

    if not args.json and not args.events:
        print(
            f"Learning for run '{folder.name}' until its budget is used up. Ctrl-C saves and stops.",
            flush=True,
        )
    code = run_learner(folder, port=args.port, echo=args.events, stop=stop)
    if args.json:
        print_json(outcome(folder))
    return code


def port_number(text: str) -> int:
    """The port that ``text`` names; 0 stands for any free one."""
    if not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"'{text}' is no port: these are numbers up to 65535")
    return int(text)
