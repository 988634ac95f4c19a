"""Named starting points: what each changes over the defaults, as plain data."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tmstudio.config.loading import parse_run_config
from tmstudio.config.run_config import RunConfig
from tmstudio.config.structure import values
from tmstudio.errors import ConfigError, Fault

PRESETS: dict[str, Mapping[str, Any]] = {
    "quickstart": {"track": "valley", "budget": {"minutes": 2.0}, "evaluation": {"every_s": 15.0}},
    "default": {},
    # Pre-training for the recorded map. Keys, as its drivers had them: what the car does between the locks of the
    # steering is not known.
    "tmrl-test-sim": {
        "track": "tmrl-test",
        "action": {"kind": "keyboard"},
        "algorithm": {"kind": "tqc", "actor_learning_rate": 5e-4},
        "budget": {"minutes": 30.0},
    },
    # Plain soft actor-critic with the network and the step sizes that TMRL published.
    "sac": {
        "algorithm": {"kind": "sac", "network": {"kind": "mlp", "width": 256, "layers": 2}, "n_step": 1},
    },
}

SUMMARIES: dict[str, str] = {
    "quickstart": "A car that drives within minutes, on the track Valley.",
    "default": "The recommended settings, for an hour.",
    "tmrl-test-sim": "Pre-training for the recorded map tmrl-test, with keys, half an hour.",
    "sac": "Soft actor-critic as TMRL had it, to compare with.",
}

# Which run it is, not how it is set.
_BOOKKEEPING = {"name", "preset"}


@dataclass(frozen=True)
class Difference:
    """A field that has another value than the preset gives it."""

    path: str
    preset_value: Any
    value: Any


def preset(name: str) -> RunConfig:
    """The configuration of the preset ``name``.

    Raises:
        ConfigError: there is no such preset; the nearest is named.
    """
    if name not in PRESETS:
        near = difflib.get_close_matches(name, PRESETS, n=1)
        guess = f", did you mean '{near[0]}'?" if near else ""
        problem = f"there is no preset '{name}'{guess}"
        raise ConfigError(
            [Fault("preset", problem)],
            source="the choice of a preset",
            hint=f"the presets are {', '.join(PRESETS)}",
        )
    return parse_run_config({"preset": name, **PRESETS[name]}, f"preset '{name}'")


def difference(config: RunConfig, base: RunConfig) -> list[Difference]:
    """The fields in which ``config`` differs from the preset ``base``, in field order; for a review.

    Where a component has another kind, its own fields are compared with their defaults.
    """
    theirs = {path: value for path, value, _ in values(base)}
    found = []
    for path, value, field in values(config):
        expected = theirs.get(path, field.default)
        if value != expected and path not in _BOOKKEEPING:
            found.append(Difference(path, expected, value))
    return found
