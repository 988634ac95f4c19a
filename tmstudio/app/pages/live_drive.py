"""The upper half of the Live page: the car that is shown, from the driver's telemetry."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from tmstudio.app import formatting
from tmstudio.app.live_data import WATCH, CarMotion, LiveBatch
from tmstudio.app.pages.live_cards import GaugesCard, RewardCard
from tmstudio.app.widgets.hood_view import HoodView
from tmstudio.app.widgets.panel import Panel
from tmstudio.app.widgets.text import set_text
from tmstudio.app.widgets.track_view import TrackView
from tmstudio.track.geometry import Track

_STALE_S = 1.5
"""Telemetry older than this is not what happens now."""


class DriveCards:
    """Hood view, track, gauges and reward: they show one car, and freeze visibly when nothing comes any more."""

    def __init__(self) -> None:
        self.hood = HoodView()
        self.track_panel = Panel("Track · attempt coloured by speed")
        self.track_view = TrackView(legend=True)
        self.track_panel.body.addWidget(self.track_view, 1)
        self.gauges, self.reward = GaugesCard(), RewardCard()
        self.record: Any | None = None
        """The newest telemetry, None before any."""
        self._written: Any | None = None
        self._attempt: tuple[int, int] | None = None
        self._frame_time_s: float | None = None
        self._motion = CarMotion()

    def begin(self, track: Track | None) -> None:
        """Show another run, of which nothing is known yet."""
        self.record = self._written = self._attempt = self._frame_time_s = None
        self._motion.clear()
        self.hood.clear()
        self.gauges.clear()
        self.reward.clear()
        self.track_view.show_track(track)

    def age_s(self) -> float:
        """How long ago the newest telemetry was; infinite before any."""
        return float("inf") if self.record is None else time.monotonic() - float(self.record["time_s"])

    def is_stale(self) -> bool:
        """Whether what is shown is not what happens now."""
        return self.age_s() > _STALE_S

    def show_pictures(self, batches: Iterable[LiveBatch]) -> None:
        """Thirty times a second: frame, car, trace and bars."""
        for batch in batches:
            if len(batch.records):
                self._take(batch.records)
            if batch.picture is not None:
                self.hood.show_frame(batch.picture.pixels, batch.picture.beam_ends_px)
                self._frame_time_s = batch.picture.time_s
        if self.record is not None:
            self.gauges.show_bars(self.record)
            place = self._motion.position_xz()
            if place is not None and not self.is_stale():
                self.track_view.set_car(*place)

    def show_numbers(self, best_lap_s: float | None) -> None:
        """Ten times a second: everything that is read."""
        record, stale = self.record, self.is_stale()
        self.hood.set_faded(stale and self.hood.has_frame())
        self.track_view.set_faded(stale and record is not None)
        for card in (self.gauges, self.reward):
            card.setEnabled(not stale)
        best = f"best evaluated <b>{formatting.lap(best_lap_s)}</b>"
        if record is None:
            set_text(self.track_panel.aside, best)
            return
        if record is not self._written:
            self._written = record
            self.gauges.show_numbers(record, on_clock=int(record["source"]) == WATCH)
            self.reward.show_record(record)
        frozen = [f"frozen <b>{formatting.age(self.age_s())}</b> ago"] if stale else []
        set_text(self.track_panel.aside, " &nbsp; ".join([*frozen, *_place_texts(record), best]))
        if self._frame_time_s is not None:
            age = formatting.age(time.monotonic() - self._frame_time_s)
            text = f"frozen {age} ago" if stale else f"frame {age} old"
            self.hood.show_label(f"Hood view · LIDAR 19 beams · {text}")

    def _take(self, records: Any) -> None:
        for first, stop in _attempt_spans(records):
            part = records[first:stop]
            attempt = (int(part["source"][0]), int(part["episode"][0]))
            if attempt != self._attempt:
                self.track_view.begin_attempt()
                self._attempt = attempt
            self.track_view.extend_trace(
                np.column_stack([part["position_m"][:, 0], part["position_m"][:, 2], part["speed_mps"]])
            )
        self.record = records[-1]
        self._motion.take(self.record)


def drive_text(cars: int, record: Any | None) -> str:
    """What is driving: where, how many cars, how fast, and which of them is shown.

    Args:
        cars: how many cars the run has.
        record: the newest telemetry, or None.
    """
    parts = ["simulator", formatting.plural(cars, "car")]
    if record is None:
        return " · ".join(parts)
    step = int(record["policy_step"])
    if int(record["source"]) == WATCH:
        return f"simulator · watching policy step {formatting.short_count(step)} at play speed"
    factor = float(record["speed_factor"])
    speed = f"{factor:.0f}" if factor >= 1.5 else formatting.decimal(factor, 1)
    return " · ".join([*parts, f"{speed}× real time", f"showing car {int(record['car']) + 1}"])


def _place_texts(record: Any) -> list[str]:
    """Progress and the race clock; an attempt from elsewhere than the start line has no lap time."""
    progress = f"progress <b>{formatting.percent(float(record['progress_fraction']))}</b>"
    if not record["from_start"]:
        return ["from a random start", progress]
    return [progress, f"lap <b>{formatting.lap(float(record['race_time_s']))}</b>"]


def _attempt_spans(records: Any) -> list[tuple[int, int]]:
    """Spans of ``records`` that belong to one attempt each, as (first, stop)."""
    keys = records["source"].astype(np.int64) << 33 | records["episode"].astype(np.int64)
    cuts = (np.flatnonzero(np.diff(keys)) + 1).tolist()
    return list(zip([0, *cuts], [*cuts, len(records)], strict=True))
