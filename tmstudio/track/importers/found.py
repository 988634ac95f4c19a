"""What was found in the files of an import: facts for people, and what a track can be made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tmstudio.track.geometry import Track

Floats = NDArray[np.float64]

Kind = Literal["borders", "laps", "ghost", "replay", "trajectory", "track", "map"]


@dataclass(frozen=True, eq=False)
class Borders:
    """Two recordings of a car driven along the walls, (N, 3) and (M, 3) positions in metres."""

    left_m: Floats
    right_m: Floats


@dataclass(frozen=True, eq=False)
class Line:
    """A line down the road, (N, 3) positions in metres."""

    samples_m: Floats


@dataclass(frozen=True, eq=False)
class Found:
    """What the given files hold, before anything is made of it.

    Attributes:
        kind: what the road comes from; "map" where there are only facts about a map, and no road.
        title: the kind in words, for people.
        facts: label and value, in the order to show them.
        needs_width: whether a person has to choose the width of the road.
        width_m: the width to offer: an estimate, or what is usual; None where it was measured.
        suggested_name: a name for the track.
        map_uid: the identifier of the map in the game, where the files tell it.
        medals_s: lap times by medal, where the files tell them.
        notes: what was cut out, estimated, or not seen in a real file yet, one sentence each.
        files: names of the files that the road comes from.
        surface: what laps tell about the ground, as `tmstudio.track.importers.driven.surface_of` gives it.
        thumbnail_jpeg: the map's picture, where there is one.
        road: what the track is made of; None where the files hold no road.
    """

    kind: Kind
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    needs_width: bool = False
    width_m: float | None = None
    suggested_name: str = ""
    map_uid: str | None = None
    medals_s: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    surface: Mapping[str, Any] = field(default_factory=dict)
    thumbnail_jpeg: bytes | None = None
    road: Borders | Line | Track | None = None
