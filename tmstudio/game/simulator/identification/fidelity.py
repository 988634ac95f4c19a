"""How well a simulated car goes where the recorded one went.

Laps are cut into windows; each begins in a recorded state, is driven by the recorded controls, and is compared with
the recording at its end. Nothing is corrected on the way, and nothing depends on where on a map a lap lies: laps
that are turned, moved or mirrored give the same errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from tmstudio.game.simulator.car import SUBSTEP_S, CarModel
from tmstudio.game.simulator.identification.laps import Laps, join
from tmstudio.game.simulator.identification.observer import jolted
from tmstudio.game.simulator.identification.predictors import (
    Predictor,
    constant_turn_rate_and_acceleration,
    constant_velocity,
    simulated_car,
)
from tmstudio.game.simulator.identification.sectors import SECTORS, divide, recorded_times_s, times_s
from tmstudio.game.simulator.parameters import CarParameters
from tmstudio.game.state import BoolArray, FloatArray, IntArray
from tmstudio.track.geometry import Track

HORIZONS_S: Final = (0.5, 1.0, 3.0, 10.0)
AGREEMENT_HORIZON_S: Final = 1.0
"""Gear and slide are compared at the end of windows of this length."""

NOT_IDENTIFIED: Final = (
    "grass, ice, dirt and every other surface than road",
    "steering between straight on and full lock",
    "gas or brake half pressed, and both at once",
    "slopes, jumps and banked road",
    "braking below 28 m/s, and bends below 27 m/s",
    "speeds above 91 m/s and the fifth gear",
)
"""What the recordings of the default car do not show; there it is guessed."""


@dataclass(frozen=True)
class Spread:
    """Of errors without sign."""

    median: float
    p90: float


@dataclass(frozen=True)
class HorizonErrors:
    """Errors at the end of all windows of one length."""

    windows: int
    hits: int
    """Windows in which the recorded car runs into something."""
    position_m: Spread
    speed_mps: Spread
    heading_rad: Spread
    gear_agreement: float
    slide_agreement: float | None
    """Balanced: the mean of the shares of skids and of grip that are told right. None where there is only one."""


@dataclass(frozen=True)
class SectorErrors:
    """Differences in time over one of ten equal parts of each lap, simulated less recorded."""

    windows: int
    missed: int
    """Cars that did not come to the end of the sector."""
    bias_s: float | None
    """Median with its sign."""
    median_s: float | None
    p90_s: float | None


@dataclass(frozen=True)
class Errors:
    """All errors of one way to predict."""

    horizons: Mapping[str, HorizonErrors]
    """By length in seconds, "1.0"."""
    gear_agreement: float | None
    slide_agreement: float | None
    sectors: tuple[SectorErrors, ...]


@dataclass(frozen=True)
class Judgement:
    """A car and the baselines on the same windows of the same laps."""

    car: Errors
    baselines: Mapping[str, Errors]


@dataclass(frozen=True)
class LapUse:
    """What one lap was used for."""

    file: str
    use: str
    """"fitted" where the car's constants were fitted to it, "judged" where they have not seen it."""
    windows: Mapping[str, int]


@dataclass(frozen=True)
class Fidelity:
    """The whole table.

    Attributes:
        car: name of the car.
        track: name of the track whose walls were up; None where nothing was in the way.
        laps: what each lap was used for.
        judged: on the laps that the fit has not seen; None where there are none.
        fitted: on the laps that the constants were fitted to; None where there are none.
    """

    car: str
    track: str | None
    laps: tuple[LapUse, ...]
    judged: Judgement | None
    fitted: Judgement | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON. The first level holds the judged laps where there are any, else the fitted ones."""
        main = self.judged or self.fitted
        assert main is not None
        return {
            "car": self.car,
            "track": self.track,
            "on": "judged laps" if self.judged else "fitted laps",
            **asdict(main.car),
            "baselines": {name: asdict(errors) for name, errors in main.baselines.items()},
            "fitted": None if self.fitted is None else asdict(self.fitted.car),
            "laps": [asdict(lap) for lap in self.laps],
            "not_identified": list(NOT_IDENTIFIED),
        }


def measure(parameters: CarParameters, laps: Laps, track: Track | None = None) -> Fidelity:
    """Compare a car with recorded laps.

    Args:
        parameters: the car, which knows the laps that it was fitted to.
        laps: recorded laps.
        track: where they were driven, if walls are to be hit and sectors to be those of its centre line. Without
            it nothing is in the way, and sectors are parts of the way that was driven.
    """
    seen = set(parameters.fitted_to.values())
    single = laps.single()
    fitted, judged = ([lap for lap in single if (lap.sha256[0] in seen) is known] for known in (True, False))
    return Fidelity(
        car=parameters.name,
        track=None if track is None else track.name,
        laps=tuple(
            LapUse(
                lap.names[0],
                "fitted" if lap.sha256[0] in seen else "judged",
                {_key(horizon): len(lap.windows(horizon)) for horizon in HORIZONS_S},
            )
            for lap in single
        ),
        judged=_judge(parameters, join(judged), track) if judged else None,
        fitted=_judge(parameters, join(fitted), track) if fitted else None,
    )


def _judge(parameters: CarParameters, laps: Laps, track: Track | None) -> Judgement:
    return Judgement(
        car=_errors(simulated_car(CarModel(parameters), laps, track), laps, track),
        baselines={
            "constant_velocity": _errors(constant_velocity(laps), laps, track),
            "constant_turn_rate_and_acceleration": _errors(
                constant_turn_rate_and_acceleration(laps), laps, track
            ),
        },
    )


def _errors(predictor: Predictor, laps: Laps, track: Track | None) -> Errors:
    horizons = {}
    for horizon in HORIZONS_S:
        starts = laps.windows(horizon)
        if len(starts):
            horizons[_key(horizon)] = _at_the_end(predictor, laps, starts, round(horizon / SUBSTEP_S))
    agreed = horizons.get(_key(AGREEMENT_HORIZON_S))
    return Errors(
        horizons=horizons,
        gear_agreement=None if agreed is None else agreed.gear_agreement,
        slide_agreement=None if agreed is None else agreed.slide_agreement,
        sectors=_sectors(predictor, laps, track),
    )


def _key(horizon_s: float) -> str:
    return f"{horizon_s:.1f}"


def _at_the_end(predictor: Predictor, laps: Laps, starts: IntArray, ticks: int) -> HorizonErrors:
    for predicted in predictor(starts, ticks):
        last = predicted
    at = starts + ticks
    return HorizonErrors(
        windows=len(starts),
        hits=int(np.count_nonzero(jolted(laps, starts, ticks))),
        position_m=_spread(np.hypot(last.x_m - laps.x_m[at], last.z_m - laps.z_m[at])),
        speed_mps=_spread(np.abs(last.speed_mps - laps.speed_mps[at])),
        heading_rad=_spread(np.abs(np.angle(np.exp(1j * (last.heading_rad - laps.heading_rad[at]))))),
        gear_agreement=float(np.mean(last.gear == laps.gear[at])),
        slide_agreement=_balanced(last.skids, laps.skidding[at] > 0),
    )


def _spread(errors: FloatArray) -> Spread:
    return Spread(float(np.median(errors)), float(np.percentile(errors, 90)))


def _balanced(predicted: BoolArray, true: BoolArray) -> float | None:
    if true.all() or not true.any():
        return None
    return float((np.mean(predicted[true]) + np.mean(~predicted[~true])) / 2)


def _sectors(predictor: Predictor, laps: Laps, track: Track | None) -> tuple[SectorErrors, ...]:
    sectors = divide(laps, track)
    late_s = times_s(predictor, sectors) - recorded_times_s(laps, sectors)
    found = []
    for number in range(SECTORS):
        here = late_s[sectors.number == number]
        reached = here[np.isfinite(here)]
        spread = _spread(np.abs(reached)) if len(reached) else None
        found.append(
            SectorErrors(
                windows=len(here),
                missed=len(here) - len(reached),
                bias_s=float(np.median(reached)) if len(reached) else None,
                median_s=None if spread is None else spread.median,
                p90_s=None if spread is None else spread.p90,
            )
        )
    return tuple(found)
