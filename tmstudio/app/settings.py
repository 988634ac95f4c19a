"""The studio's own settings: what it remembers between two starts. Plain Python, no Qt.

A damaged or foreign file is no reason not to start: what cannot be used is ignored and written anew.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tmstudio.config import folders
from tmstudio.runs.atomic import write_json

_SCHEMA_VERSION = 1


@dataclass
class Settings:
    """What the studio remembers.

    Attributes:
        theme: "system", "dark" or "light".
        track: the track that Home shows.
        window: width and height of the window.
        log_open: whether the log pane of the Live page is open.
    """

    theme: str = "system"
    track: str = "valley"
    window: tuple[int, int] = (1440, 900)
    log_open: bool = False

    def save(self, path: Path | None = None) -> None:
        """Write the settings.

        Raises:
            TMStudioError: the disk refuses.
        """
        path = path or folders.settings_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"schema_version": _SCHEMA_VERSION, **asdict(self)})


def load_settings(path: Path | None = None) -> Settings:
    """The saved settings; the defaults for whatever is missing or unusable."""
    try:
        data = json.loads((path or folders.settings_file()).read_bytes())
    except (OSError, ValueError):
        return Settings()
    if not isinstance(data, dict) or data.get("schema_version") != _SCHEMA_VERSION:
        return Settings()
    settings = Settings()
    for field in fields(Settings):
        value = _usable(field.name, data.get(field.name))
        if value is not None:
            setattr(settings, field.name, value)
    return settings


def _usable(name: str, value: Any) -> Any:
    """``value`` as the setting ``name`` wants it, or None where it is of no use."""
    if name == "theme":
        return value if value in ("system", "dark", "light") else None
    if name == "window":
        if (
            isinstance(value, list)
            and len(value) == 2
            and all(type(part) is int and 0 < part < 20_000 for part in value)
        ):
            return tuple(value)
        return None
    wanted = bool if name == "log_open" else str
    return value if isinstance(value, wanted) and value != "" else None
