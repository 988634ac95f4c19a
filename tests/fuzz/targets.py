"""What is fuzzed: a reader, a real file, and how that is damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.mutations import Mutate, mutated_ghost, mutated_map, mutated_pickle
from tmstudio.track.importers.gbx.ghost_file import read_runs
from tmstudio.track.importers.gbx.map_file import read_map
from tmstudio.track.importers.trajectory import read_trajectory


@dataclass(frozen=True)
class Target:
    """One reader and what it is given."""

    read: Callable[[Path], object]
    real: str
    """A file below the folder of recordings."""
    mutate: Mutate


TARGETS = {
    "map": Target(read_map, "tmrl-test/tmrl-test.Map.Gbx", mutated_map),
    "ghost": Target(read_runs, "gbx/sample.Ghost.Gbx", mutated_ghost),
    "pickle": Target(read_trajectory, "tmrl-test/reward.pkl", mutated_pickle),
}
