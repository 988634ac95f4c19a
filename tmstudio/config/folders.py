"""Where things are kept: the platform's own folders, or all below ``TMSTUDIO_HOME`` where that is set.

The functions only name places; whoever writes there creates them.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

HOME_VARIABLE = "TMSTUDIO_HOME"
_APPLICATION = "TMStudio"


def data() -> Path:
    """What the user made and would miss."""
    home = _home()
    return home if home is not None else Path(platformdirs.user_data_dir(_APPLICATION, appauthor=False))


def runs() -> Path:
    """One folder a run."""
    return data() / "runs"


def tracks() -> Path:
    """The user's own tracks."""
    return data() / "tracks"


def logs() -> Path:
    """Logs of the studio itself; those of a run are in its folder."""
    home = _home()
    return (
        home / "logs" if home is not None else Path(platformdirs.user_log_dir(_APPLICATION, appauthor=False))
    )


def cache() -> Path:
    """What can be made again."""
    home = _home()
    return (
        home / "cache"
        if home is not None
        else Path(platformdirs.user_cache_dir(_APPLICATION, appauthor=False))
    )


def settings_file() -> Path:
    """The studio's settings."""
    home = _home()
    folder = home if home is not None else Path(platformdirs.user_config_dir(_APPLICATION, appauthor=False))
    return folder / "settings.json"


def _home() -> Path | None:
    value = os.environ.get(HOME_VARIABLE, "").strip()
    return Path(value).expanduser().absolute() if value else None
