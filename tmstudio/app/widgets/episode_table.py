"""The newest attempts. Only an attempt from the start line has a lap time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tmstudio.app import formatting
from tmstudio.app.widgets.table import Column, RowTable
from tmstudio.runs.records import EpisodeRow


def attempt_lap(row: EpisodeRow) -> str:
    """The lap time, or why there is none."""
    if not row.from_start:
        return "random"
    return formatting.lap(row.lap_time_s) if row.finished else formatting.NOTHING


def attempt_end(row: EpisodeRow) -> str:
    """How it ended, and how far it came where that was not the finish."""
    if row.finished:
        return row.end
    # Rounded down: what did not finish never stands at 100 %.
    return f"{row.end} {formatting.percent(math.floor(row.progress_fraction * 100) / 100)}"


def attempt_details(row: EpisodeRow) -> str:
    """Under which circumstances an attempt was driven."""
    start = "from the start line" if row.from_start else "from a random place on the track: no lap time"
    driving = "exploring" if row.exploring else "without exploring"
    speed = f"{row.speed_factor:.0f}× real time" if row.speed_factor >= 1.5 else "real time"
    return (
        f"Attempt {formatting.count(row.rowid)}: {row.end}, {start}\n"
        f"{row.origin}, car {row.car + 1}, {driving}, {speed}\n"
        f"policy step {formatting.count(row.policy_step)}, {formatting.count(row.steps)} steps, "
        f"{formatting.metres(row.progress_m)}"
    )


class EpisodeTable(RowTable):
    """As many of the newest attempts as there is room for, newest first."""

    def __init__(self) -> None:
        super().__init__(
            [
                Column(
                    "#",
                    lambda row: formatting.count(row.rowid),
                    46,
                    color=lambda _: "muted",
                    tip=attempt_details,
                ),
                Column(
                    "lap",
                    attempt_lap,
                    0,
                    color=lambda row: "text" if row.from_start else "muted",
                    tip=attempt_details,
                ),
                Column(
                    "return",
                    lambda row: formatting.decimal(row.return_, 1),
                    54,
                    right=True,
                    strong=True,
                    tip=attempt_details,
                ),
                Column(
                    "end",
                    attempt_end,
                    114,
                    color=lambda row: "accent" if row.finished else "muted",
                    tip=attempt_details,
                ),
            ],
            row_height=24,
            whole_rows=True,
        )
        self.setAccessibleName("Attempts")

    def show_attempts(self, newest_last: Sequence[EpisodeRow]) -> None:
        """Show attempts that are in the order in which they ended."""
        self.show_rows(list(reversed(newest_last)))
