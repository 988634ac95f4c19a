"""Whether a window can be opened at all. Imports no Qt: Qt ends the process where it finds no display."""

from __future__ import annotations

import os
import sys

from tmstudio.errors import TMStudioError

_WITHOUT_DISPLAY = ("offscreen", "minimal", "vnc", "eglfs", "linuxfb")


def check_display() -> None:
    """Refuse a window where there is no display.

    Raises:
        TMStudioError: this is a system that needs a display server and has none.
    """
    if sys.platform in ("win32", "darwin"):
        return
    if os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0] in _WITHOUT_DISPLAY:
        return
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise TMStudioError(
            "There is no display to open a window on.",
            cause="neither DISPLAY nor WAYLAND_DISPLAY is set",
            hint="start it in a desktop session; to train without a screen: 'tmstudio train --preset quickstart'",
        )
