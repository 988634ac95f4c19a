"""Whether a window can be opened at all. Imports no Qt: Qt ends the process where it finds no display."""

from __future__ import annotations

import os
import sys


def missing_display() -> bool:
    """Whether this is a system that needs a display server and has none."""
    if sys.platform in ("win32", "darwin"):
        return False
    if os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0] in (
        "offscreen",
        "minimal",
        "vnc",
        "eglfs",
        "linuxfb",
    ):
        return False
    return not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
