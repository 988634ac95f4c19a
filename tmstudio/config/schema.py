"""Schema versions: every stored format carries one, and a newer one is refused by name."""

from __future__ import annotations

from tmstudio import __version__
from tmstudio.errors import TMStudioError


def check_schema_version(found: object, supported: int, what: str) -> None:
    """Refuse a format that this version of the program does not know.

    Args:
        found: the version that was read from the stored thing.
        supported: the newest version that this program reads; all older ones down to 1 are read too.
        what: the stored thing, as the sentence's subject ("The manifest of run 'x'").
    """
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise TMStudioError(
            f"{what} has no usable schema version",
            cause=f"found {found!r}, expected a number from 1 to {supported}",
            hint="the file is damaged or was not written by TMStudio; restore it from a copy",
        )
    if found > supported:
        raise TMStudioError(
            f"{what} was written by a newer TMStudio",
            cause=f"its schema version is {found}; TMStudio {__version__} reads up to {supported}",
            hint="update TMStudio and try again",
        )
