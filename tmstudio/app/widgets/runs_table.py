"""The table of runs on Home."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from tmstudio.app import formatting
from tmstudio.app.pages.home_steps import evaluated
from tmstudio.app.run_list import RunLine
from tmstudio.app.widgets.sparkline import paint_sparkline
from tmstudio.app.widgets.table import Column, RowTable

_STATE_COLORS = {"running": "blue", "finished": "accent", "damaged": "red"}
ACTION_COLUMN = 7


def state_text(line: RunLine) -> str:
    """Where the run stands, in a few words."""
    state = line.summary.state
    if state == "running":
        return f"training {formatting.clock(line.summary.time_s)}"
    if line.abandoned:
        return "interrupted"
    return {"new": "not started"}.get(state, state)


def state_color(line: RunLine) -> str:
    """Token of the colour of that text."""
    return "amber" if line.abandoned else _STATE_COLORS.get(line.summary.state, "muted")


def action_text(line: RunLine) -> str:
    """What a click on the last cell does."""
    if line.run is None:
        return ""
    if line.summary.state in ("running", "finished"):
        return "Open"
    return "Start" if line.summary.state == "new" and not line.abandoned else "Resume"


def resumes(line: RunLine) -> bool:
    """Whether the last cell starts the run."""
    return action_text(line) in ("Start", "Resume")


def _details(line: RunLine) -> str:
    figures = line.summary
    if figures.problem:
        return figures.problem
    text = f"{figures.name}\n{formatting.count(figures.steps)} steps, {formatting.count(figures.episodes)} attempts, {formatting.clock(figures.time_s)} of training"
    if figures.finish_rate is not None:
        text += f"\nevaluated without exploring in the {figures.origin}, policy step {formatting.count(figures.policy_step)}"
    return text


class RunsTable(RowTable):
    """Runs, newest first."""

    def __init__(self) -> None:
        super().__init__(
            [
                Column("run", lambda line: line.summary.name, 0, strong=True, tip=_details),
                Column("track", lambda line: line.summary.track, 84, least=64),
                Column("algorithm", lambda line: line.summary.algorithm.upper(), 86, least=76, optional=True),
                Column("state", state_text, 118, least=112, color=state_color, tip=_details),
                Column("evaluated", lambda line: evaluated(line.summary), 88, strong=True, tip=_details),
                Column(
                    "best",
                    lambda line: formatting.lap(line.summary.best_lap_s),
                    74,
                    strong=True,
                    tip=_details,
                ),
                Column(
                    "lap time",
                    lambda _line: "",
                    140,
                    least=64,
                    optional=True,
                    tip=_details,
                    paint=_paint_laps,
                ),
                Column("", action_text, 72, color=lambda _line: "blue"),
            ],
            row_height=38,
        )
        self.setAccessibleName("Runs")


def _paint_laps(painter: QPainter, area: QRectF, line: RunLine) -> None:
    if line.run is not None:
        paint_sparkline(painter, area, [lap for _time, lap in line.laps], state_color(line))
