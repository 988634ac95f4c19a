"""``tmstudio simulator``: drive the built-in game in a window."""

from __future__ import annotations

import argparse

from tmstudio.errors import TMStudioError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.description = "Drive the built-in simulator yourself. Arrow keys or WASD drive, Backspace or Delete goes back to the start."
    parser.add_argument(
        "--track",
        default="",
        help="name of the track ('tmstudio track list' shows them; default: the one last shown)",
    )


def run(args: argparse.Namespace) -> int:
    """Open the window."""
    check_display()

    from tmstudio.app.settings import load_settings
    from tmstudio.app.simulator_window import run_simulator

    return run_simulator(args.track or load_settings().track)


def check_display() -> None:
    """Refuse a window where there is no display: Qt would end the process without a word of help."""
    from tmstudio.app.display import missing_display

    if missing_display():
        raise TMStudioError(
            "There is no display to open a window on.",
            cause="neither DISPLAY nor WAYLAND_DISPLAY is set",
            hint="start it in a desktop session; to train without a screen: 'tmstudio train --preset quickstart'",
        )
