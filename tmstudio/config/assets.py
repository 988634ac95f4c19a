"""Where the files that ship with the program are: the same look-up from a checkout, a wheel and a bundle."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def asset(*parts: str) -> Path:
    """Path of a shipped file or folder, such as ``asset("tracks", "valley.npz")``."""
    package = Path(str(files("tmstudio")))
    inside = package / "assets"
    root = inside if inside.is_dir() else package.parent / "assets"
    return root.joinpath(*parts)
