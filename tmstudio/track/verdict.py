"""Where a track can be driven: in the simulator and the game, in one of them, or nobody knows yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from tmstudio.track.geometry import Track

FLAT_M: Final = 2.0
"""The simulator's roads are flat; a road that rises and falls by less is as good as flat."""

FLIGHT_S: Final = 0.2
ROAD_MATERIALS: Final = frozenset({16, 80})
"""Road, and what the game reports in the middle of a slide on it."""

Kind = Literal["simulator and game", "simulator only", "game only", "unknown"]


@dataclass(frozen=True)
class Verdict:
    """The verdict and its reason, in words; nothing to say where it is plain."""

    kind: Kind
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.kind}, {self.reason}" if self.reason else self.kind


def verdict(track: Track) -> Verdict:
    """Judge a track by what was recorded of it."""
    if track.origin.get("by") == "generator":
        return Verdict("simulator only", "because it was generated and is no map in the game")
    surface = track.origin.get("surface")
    recorded: dict[str, Any] = surface if isinstance(surface, dict) else {}
    lap = track.center_m[track.lap_points]
    rises_m = max(float(np.ptp(lap[:, 1])), float(recorded.get("height_range_m", 0.0)))
    flight_s = float(recorded.get("longest_flight_s", 0.0))
    others = sorted(set(recorded.get("materials", ())) - ROAD_MATERIALS)
    reasons = []
    if rises_m > FLAT_M:
        reasons.append(f"its height changes by {rises_m:.0f} m")
    if flight_s > FLIGHT_S:
        reasons.append(f"cars fly for up to {flight_s:.1f} s")
    if others:
        reasons.append(f"it has other surfaces than road (materials {', '.join(map(str, others))})")
    if reasons:
        return Verdict("game only", f"because {' and '.join(reasons)}")
    if not recorded:
        return Verdict("unknown", "because no lap has shown jumps and surfaces")
    return Verdict("simulator and game")
