"""What a run has come to, as a picture: a lap of its best policy from above, and its curves."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from tmstudio.env.build import load_track, trial_task
from tmstudio.errors import TMStudioError
from tmstudio.evaluation.seeds import SELECTION_SEEDS
from tmstudio.evaluation.trials import load_checkpoint_policy
from tmstudio.game.simulator.top_view import lap_picture
from tmstudio.runs.atomic import write_bytes
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.metrics import MetricsReader
from tmstudio.runs.records import EvaluationRow

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]

_WIDTH_PX: Final = 1280
_LAP_HEIGHT_PX: Final = 760
_CHART_HEIGHT_PX: Final = 260
_MARGIN_PX: Final = 56
# Blue, green, red.
_GROUND: Final[Colour] = (23, 19, 16)
_LINE: Final[Colour] = (59, 49, 42)
_MUTED: Final[Colour] = (166, 151, 141)
_TEXT: Final[Colour] = (242, 236, 232)
_ACCENT: Final[Colour] = (164, 214, 53)
_AMBER: Final[Colour] = (84, 180, 255)


def save_picture(run: RunFolder, path: Path) -> None:
    """Draw the run into a PNG file."""
    picture = np.concatenate([_lap(run), _charts(run)])
    encoded, content = cv2.imencode(".png", picture)
    if not encoded:
        raise TMStudioError(f"The picture {path} could not be made")
    write_bytes(path.absolute(), content.tobytes())


def _lap(run: RunFolder) -> Image:
    """One attempt of the best policy without exploration; the bare track where there is none yet."""
    track = load_track(run.config)
    places, speeds = [], []
    try:
        _, policy, _ = load_checkpoint_policy(run, "best")
    except TMStudioError:
        caption = f"{track.name}: no policy yet"
    else:
        task = trial_task(run.config, track, [SELECTION_SEEDS[0]])
        observation = task.reset()
        while True:
            places.append(task.state.position_m[0, ::2])
            speeds.append(float(task.state.speed_mps[0]))
            transition = task.step(policy.act(observation, deterministic=True))
            if transition.episodes:
                break
            observation = transition.observation
        lap = transition.episodes[0]
        how = (
            f"lap {lap.lap_time_s:.2f} s"
            if lap.lap_time_s is not None
            else f"{lap.end} at {lap.progress_fraction:.0%}"
        )
        caption = f"{track.name}: {how}, simulator, best policy without exploration"
    return lap_picture(
        track,
        np.array(places).reshape(-1, 2),
        np.array(speeds),
        caption=caption,
        width_px=_WIDTH_PX,
        height_px=_LAP_HEIGHT_PX,
    )


def _charts(run: RunFolder) -> Image:
    """Finish rate and median lap of the trials over the time of training."""
    with MetricsReader(run.metrics_path) as metrics:
        rows = metrics.evaluations_since()
        end_s = max(metrics.last_time_s(), 1.0)
    strip = np.empty((_CHART_HEIGHT_PX, _WIDTH_PX, 3), np.uint8)
    strip[:] = _GROUND
    half = _WIDTH_PX // 2
    rates = [(row.time_s, 100.0 * row.finish_rate) for row in rows]
    laps = [(row.time_s, row.median_lap_s) for row in rows if row.median_lap_s is not None]
    _chart(strip[:, :half], f"finished trials, % of {_episodes(rows)}", rates, (0.0, 100.0), end_s, _ACCENT)
    slowest = max((lap for _, lap in laps), default=1.0)
    fastest = min((lap for _, lap in laps), default=0.0)
    margin = max(1.0, 0.1 * (slowest - fastest))
    _chart(
        strip[:, half:],
        "median lap of the trials, s",
        laps,
        (fastest - margin, slowest + margin),
        end_s,
        _AMBER,
    )
    return strip


def _episodes(rows: list[EvaluationRow]) -> int:
    return rows[-1].episodes if rows else 0


def _chart(
    area: Image,
    title: str,
    points: list[tuple[float, float]],
    limits: tuple[float, float],
    end_s: float,
    colour: Colour,
) -> None:
    height, width = area.shape[:2]
    left, right, top, bottom = _MARGIN_PX, width - 24, 48, height - 36
    low, high = limits
    _write(area, title, (left, 28), _TEXT)
    for share in (0.0, 0.5, 1.0):
        y = round(bottom + share * (top - bottom))
        cv2.line(area, (left, y), (right, y), _LINE, 1, cv2.LINE_AA)
        if points:
            _write(area, f"{low + share * (high - low):.0f}", (12, y + 5), _MUTED)
    _write(area, f"{end_s / 60:.1f} min", (right - 60, height - 12), _MUTED)
    pixels = [
        (
            round(left + (right - left) * at / end_s),
            round(bottom + (top - bottom) * (value - low) / (high - low)),
        )
        for at, value in points
    ]
    if pixels:
        cv2.polylines(area, [np.array(pixels, np.int32)], False, colour, 2, cv2.LINE_AA)
    for pixel in pixels:
        cv2.circle(area, pixel, 3, colour, -1, cv2.LINE_AA)


def _write(area: Image, text: str, place: tuple[int, int], colour: Colour) -> None:
    cv2.putText(area, text, place, cv2.FONT_HERSHEY_DUPLEX, 0.48, colour, 1, cv2.LINE_AA)
