"""``tmstudio simulator``: drive the built-in game in a window."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.description = "Drive the built-in simulator yourself. Arrow keys or WASD drive, Backspace or Delete goes back to the start."
    parser.add_argument(
        "--track",
        default="",
        help="name of the track ('tmstudio track list' shows them; default: the one that the studio showed last)",
    )


def run(args: argparse.Namespace) -> int:
    """Open the window."""
    from tmstudio.app.display import check_display

    check_display()

    from tmstudio.app.settings import load_settings
    from tmstudio.app.simulator_window import run_simulator

    return run_simulator(args.track or load_settings().track)
