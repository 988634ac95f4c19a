"""What files hold, told by their content and never by their names, and the track that can be made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tmstudio.errors import TMStudioError
from tmstudio.track.borders import track_from_borders
from tmstudio.track.geometry import Track
from tmstudio.track.importers.borders import read_border
from tmstudio.track.importers.found import Borders, Found, Line
from tmstudio.track.importers.trajectory import read_trajectory
from tmstudio.track.library import check_name
from tmstudio.track.line import track_from_line


def look_into(paths: Sequence[Path]) -> Found:
    """Look at files that belong together, such as two borders, or laps and their map.

    Raises:
        TMStudioError: a file is missing, damaged or of no known kind, or the files do not belong together.
    """
    if len(paths) == 2:
        left, right = (read_border(path, side) for path, side in zip(paths, ("left", "right"), strict=True))
        road: Borders | Line = Borders(left, right)
        return Found("borders", "Two recorded borders", (), False, None, "my-track", None, (), road)
    if len(paths) != 1:
        raise TMStudioError("These files make no track together.", hint="give two borders, or one line")
    road = Line(read_trajectory(paths[0]), ends_at_finish=False)
    return Found("trajectory", "A TMRL trajectory", (), True, 24.0, paths[0].stem, None, (), road)


def make_track(found: Found, name: str, width_m: float | None = None, map_uid: str | None = None) -> Track:
    """Make a track of what was found; it is not saved.

    Args:
        found: what `look_into` found.
        name: name of the track.
        width_m: width of the road, where it was not measured; the offered one if None.
        map_uid: identifier of the map in the game; the one that the files tell if None.

    Returns:
        The track. What was chosen, estimated or left out is in ``origin["notes"]``, one sentence each.

    Raises:
        TMStudioError: the name cannot be one, the files hold no road, or what they hold cannot be one.
    """
    check_name(name)
    if isinstance(found.road, Borders):
        return track_from_borders(found.road.left_m, found.road.right_m, name, map_uid=map_uid)
    if isinstance(found.road, Line) and (width_m or found.width_m):
        return track_from_line(found.road.samples_m, name, width_m or found.width_m or 0, map_uid=map_uid)
    raise TMStudioError("These files hold no road.", hint="give recorded borders, laps or a ghost")
