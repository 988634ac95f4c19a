"""``tmstudio simulator``: drive the built-in game in a window, and compare its car with recorded laps."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tmstudio.cli.output import add_json_flag, print_json, table

if TYPE_CHECKING:
    from tmstudio.game.simulator.identification.fidelity import Errors, Fidelity
    from tmstudio.game.simulator.identification.laps import Laps
    from tmstudio.game.simulator.parameters import CarParameters
    from tmstudio.track.geometry import Track


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.description = (
        "Drive the built-in simulator yourself. Arrow keys or WASD drive, Backspace or Delete goes back to the "
        "start. With an action: compare the simulated car with recorded laps, or fit it to them."
    )
    parser.add_argument(
        "--track",
        default="",
        help="name of the track ('tmstudio track list' shows them; default: the one that the studio showed last)",
    )
    commands = parser.add_subparsers(dest="action", metavar="ACTION")
    for command in (_add_fidelity(commands), _add_fit(commands)):
        command.add_argument(
            "--laps", type=Path, required=True, metavar="DIR", help="folder with recorded laps (.npz)"
        )
        command.add_argument(
            "--track",
            # Without this the flag given before the action would be undone.
            default=argparse.SUPPRESS,
            metavar="NAME",
            help="track on which they were driven: walls stand there (default: nothing is in the way)",
        )
        add_json_flag(command)


def _add_fidelity(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "fidelity",
        help="how well the simulated car goes where the recorded one went",
        description=(
            "Drive recorded controls in the simulator from recorded states and compare where the car comes to, "
            "in windows that begin every 0.2 s, beside two simple ways to predict."
        ),
    )
    command.add_argument(
        "--car", default="stadium", metavar="CAR", help="name of a car, or a car's file (default: stadium)"
    )
    return command


def _add_fit(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "fit",
        help="find the constants of the recorded car",
        description=(
            "Find the constants with which the simulated car goes where the recorded one went; takes some "
            "minutes. Walls are fitted where --track says where they stand."
        ),
    )
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="the car's file to write")
    command.add_argument(
        "--hold-out",
        nargs="+",
        default=[],
        metavar="LAP",
        help="laps that the fit must not see, by file name, so that fidelity can judge on them",
    )
    command.add_argument(
        "--car", default="stadium", metavar="CAR", help="car to begin with (default: stadium)"
    )
    return command


def run(args: argparse.Namespace) -> int:
    """Run the action, or open the window."""
    if args.action is None:
        return _drive(args.track)
    {"fidelity": _fidelity, "fit": _fit}[args.action](args)
    return 0


def _drive(track: str) -> int:
    from tmstudio.app.display import check_display

    check_display()

    from tmstudio.app.settings import load_settings
    from tmstudio.app.simulator_window import run_simulator

    return run_simulator(track or load_settings().track)


def _fidelity(args: argparse.Namespace) -> None:
    from tmstudio.game.simulator.identification.fidelity import measure

    fidelity = measure(_car(args.car), _laps(args.laps), _track(args.track))
    if args.json:
        print_json(fidelity.as_dict())
    else:
        print(_text(fidelity))


def _fit(args: argparse.Namespace) -> None:
    from tmstudio.errors import TMStudioError
    from tmstudio.game.simulator.identification.fit import fit
    from tmstudio.game.simulator.parameters import write_car

    laps, first, track = _laps(args.laps), _car(args.car), _track(args.track)
    held = {Path(name).stem for name in args.hold_out}
    unknown = held - {Path(name).stem for name in laps.names}
    seen = [name for name in laps.names if Path(name).stem not in held]
    if unknown:
        raise TMStudioError(
            f"There is no lap {', '.join(sorted(unknown))} in {args.laps}.",
            hint=f"the laps are {', '.join(laps.names)}",
        )
    if not seen:
        raise TMStudioError("There is no lap left to fit to.", hint="hold out fewer laps")
    if not args.out.parent.is_dir():
        raise TMStudioError(f"There is no folder {args.out.parent}.", hint="create it first")

    def report(stage: str, sweep: int, badness: float) -> None:
        if not args.json:
            print(f"{stage}, round {sweep}: {badness:.3f}", flush=True)

    found = fit(laps.only(seen), first, args.out.stem, track, report=report)
    write_car(found, args.out)
    if args.json:
        print_json({"path": args.out, "fitted_to": found.fitted_to, "changes": _changes(first, found)})
        return
    rows = [(name, _numbers(old), _numbers(new)) for name, (old, new) in _changes(first, found).items()]
    print(table(("constant", "before", "now"), rows))
    print(f"\nfitted to {', '.join(seen)}")
    print(f"saved as  {args.out}")
    print(f"compare:  tmstudio simulator fidelity --laps {args.laps} --car {args.out}")


def _changes(first: CarParameters, found: CarParameters) -> dict[str, tuple[Any, Any]]:
    from dataclasses import asdict

    old, new = asdict(first), asdict(found)
    bookkeeping = {"name", "fitted_to"}
    return {
        name: (old[name], new[name]) for name in old if old[name] != new[name] and name not in bookkeeping
    }


def _numbers(value: Any) -> str:
    return " ".join(f"{number:g}" for number in (value if isinstance(value, tuple) else (value,)))


def _car(name: str) -> CarParameters:
    from tmstudio.game.simulator.parameters import load_car, read_car

    return read_car(Path(name)) if name.endswith(".json") else load_car(name)


def _laps(folder: Path) -> Laps:
    from tmstudio.game.simulator.identification.laps import load_laps

    return load_laps(folder)


def _track(name: str) -> Track | None:
    from tmstudio.track.library import TrackLibrary

    return TrackLibrary().load(name) if name else None


def _text(fidelity: Fidelity) -> str:
    from tmstudio.game.simulator.identification.fidelity import NOT_IDENTIFIED

    walls = f"walls of {fidelity.track}" if fidelity.track else "no walls"
    parts = [f"car {fidelity.car}, {walls}"]
    for title, judgement in (
        ("Laps that the fit has not seen", fidelity.judged),
        ("Laps that the car was fitted to", fidelity.fitted),
    ):
        if judgement is None:
            continue
        files = ", ".join(
            lap.file for lap in fidelity.laps if (lap.use == "judged") is (judgement is fidelity.judged)
        )
        ways = {
            "this car": judgement.car,
            **{name.replace("_", " "): errors for name, errors in judgement.baselines.items()},
        }
        parts += [f"\n{title}: {files}\n", _horizons(ways), "", _sectors(judgement.car)]
    parts.append("\nNot identified, because no recorded lap shows it: " + "; ".join(NOT_IDENTIFIED) + ".")
    return "\n".join(parts)


def _horizons(ways: dict[str, Errors]) -> str:
    rows = []
    for way, errors in ways.items():
        for horizon, at in errors.horizons.items():
            slide = "-" if at.slide_agreement is None else f"{at.slide_agreement:.1%}"
            spreads = ((at.position_m, 2), (at.speed_mps, 2), (at.heading_rad, 3))
            cells = (
                f"{value:.{digits}f}" for spread, digits in spreads for value in (spread.median, spread.p90)
            )
            rows.append((way, horizon, str(at.windows), *cells, f"{at.gear_agreement:.1%}", slide))
    headers = ("median error", "s", "windows", "m", "90 %", "m/s", "90 %", "rad", "90 %", "gear", "slide")
    return table(headers, rows)


def _sectors(errors: Errors) -> str:
    rows = [
        (
            str(number),
            str(sector.windows),
            *("-" if value is None else f"{value:+.3f}" for value in (sector.bias_s,)),
            *("-" if value is None else f"{value:.3f}" for value in (sector.median_s, sector.p90_s)),
            str(sector.missed),
        )
        for number, sector in enumerate(errors.sectors, start=1)
    ]
    return table(("sector", "windows", "s slower", "s off", "90 %", "missed"), rows)
