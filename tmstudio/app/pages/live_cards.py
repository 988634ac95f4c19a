"""The cards of the Live page. Each shows plain values that it is given; none knows where they come from."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout

from tmstudio.app import formatting
from tmstudio.app.run_data import RunData
from tmstudio.app.widgets.bars import Bar, Meter
from tmstudio.app.widgets.chart import Line, Reference
from tmstudio.app.widgets.curve import Curve
from tmstudio.app.widgets.episode_table import EpisodeTable
from tmstudio.app.widgets.panel import FactTable, Panel
from tmstudio.app.widgets.reward_bars import RewardBars
from tmstudio.app.widgets.text import label, muted, set_text, value
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.runs.records import EvaluationRow
from tmstudio.track.geometry import Track

_TOP_RPM = 11_000.0
_STEP_MS = 50.0
_WHEELS = 4


class GaugesCard(Panel):
    """Speed, gear, engine, inputs and the control clock of the car that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.speed = value(formatting.NOTHING, pixels=26)
        self.gear = value(formatting.NOTHING, pixels=26)
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addWidget(label("Speed"))
        left.addWidget(self.speed)
        left.addWidget(muted("km/h", pixels=12))
        left.addSpacing(8)
        left.addWidget(label("Gear"))
        left.addWidget(self.gear)
        left.addStretch(1)
        self.meters = {
            "engine": Meter("Engine", "blue"),
            "brake": Meter("Brake", "red"),
            "steering": Meter("Steering", "violet", signed=True),
            "slip": Meter("Slip", "amber"),
            "gas": Meter("Gas", "accent"),
            "step": Meter("Step", "accent"),
        }
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        for position, meter in enumerate(self.meters.values()):
            grid.addWidget(meter, position // 2, position % 2)
        for column in (0, 1):
            grid.setColumnStretch(column, 1)
        for line in range(3):
            grid.setRowStretch(line, 1)
        row = QHBoxLayout()
        row.setSpacing(18)
        row.addLayout(left, 2)
        row.addLayout(grid, 7)
        self.body.addLayout(row)

    def show_bars(self, record: Any) -> None:
        """Move the bars: may be called for every picture."""
        self.meters["engine"].bar.set_share(float(record["engine_rpm"]) / _TOP_RPM)
        self.meters["steering"].bar.set_share(float(record["steer"]))
        self.meters["gas"].bar.set_share(float(record["gas"]))
        self.meters["brake"].bar.set_share(float(record["brake"]))
        self.meters["slip"].bar.set_share(int(record["skidding_wheels"]) / _WHEELS)

    def show_numbers(self, record: Any, *, on_clock: bool) -> None:
        """Write the numbers: at most ten times a second, so that they can be read."""
        set_text(self.speed, formatting.count(float(record["speed_mps"]) * 3.6))
        gear = int(record["gear"])
        set_text(self.gear, "R" if gear == 0 else str(gear))
        self.meters["engine"].set_value(f"{formatting.count(float(record['engine_rpm']))} rpm")
        self.meters["steering"].set_value(formatting.decimal(float(record["steer"]), 2, signed=True))
        self.meters["gas"].set_value(formatting.decimal(float(record["gas"]), 2))
        self.meters["brake"].set_value(formatting.decimal(float(record["brake"]), 2))
        self.meters["slip"].set_value(f"{int(record['skidding_wheels'])} of {_WHEELS} wheels")
        step_ms = float(record["step_ms"])
        text = f"{formatting.decimal(step_ms, 1)} ms"
        if on_clock:
            text += f" of {_STEP_MS:.0f} · {int(record['deadline_misses'])} missed"
        self.meters["step"].set_value(text)
        late = on_clock and step_ms > _STEP_MS
        self.meters["step"].bar.set_share(step_ms / _STEP_MS, "red" if late else "accent")

    def clear(self) -> None:
        """Show that there is nothing to show."""
        for text in (self.speed, self.gear):
            set_text(text, formatting.NOTHING)
        for meter in self.meters.values():
            meter.set_value(formatting.NOTHING)
            meter.bar.set_share(0.0)


class RewardCard(Panel):
    """The terms of the reward in the attempt that is being driven."""

    def __init__(self) -> None:
        super().__init__("Reward · attempt")
        self.bars = RewardBars(REWARD_TERMS)
        self.body.addWidget(self.bars)

    def show_record(self, record: Any) -> None:
        """Show the sums so far."""
        self.bars.show_terms({name: float(record["terms"][index]) for index, name in enumerate(REWARD_TERMS)})
        set_text(self.aside, f"<b>{formatting.decimal(float(record['return_']), 1, signed=True)}</b>")

    def clear(self) -> None:
        """Show that there is nothing to show."""
        self.bars.show_terms({})
        set_text(self.aside, "")


class AttemptsCard(Panel):
    """The newest attempts of all cars, exploring."""

    def __init__(self) -> None:
        super().__init__("Attempts · exploring")
        self.table = EpisodeTable()
        self.body.setContentsMargins(6, 10, 6, 4)
        self.body.setSpacing(2)
        self.title.setContentsMargins(8, 0, 0, 0)
        self.aside.setContentsMargins(0, 0, 8, 0)
        self.body.addWidget(self.table, 1)

    def show_data(self, data: RunData) -> None:
        """Show what has been driven."""
        self.table.show_attempts(list(data.attempts))
        count = data.attempt_count
        set_text(self.aside, f"newest of <b>{formatting.count(count)}</b>" if count else "none yet")


class LapTimeCard(Panel):
    """Median lap time of each evaluation, beside what it is measured against."""

    def __init__(self) -> None:
        super().__init__("Lap time · evaluated, sim")
        self._data = RunData()
        self.curve = Curve([], formatting.lap, axis_unit="s")
        self.body.addWidget(self.curve, 1)

    def bind(self, data: RunData, track: Track) -> None:
        """Show another run."""
        self._data = data
        # Medals of a map come from the game: they are marked as such beside laps of the simulator.
        where = "sim" if track.map_uid is None else "game"
        self.curve.references = [
            Reference(
                time_s, f"{medal} {formatting.lap(time_s)} ({where})", "amber" if medal == "gold" else "muted"
            )
            for medal, time_s in track.medals_s.items()
        ]
        self.curve.lines = [
            Line(
                data.lap_time,
                "accent",
                smooth=False,
                dots=True,
                point_text=lambda index: evaluation_text(data.lap_trials[index]),
            ),
            Line(data.laps, "accent", smooth=False, faint=True),
        ]
        self.curve.empty_text = (
            "No lap finished in an evaluation yet. The first evaluation comes soon after the start."
        )
        self.refresh()

    def refresh(self) -> None:
        """Show what is new."""
        if self._data.trials:
            last = self._data.trials[-1]
            done = round(last.finish_rate * last.episodes)
            shown = (
                f"<b>{formatting.lap(last.median_lap_s)}</b> median of {done}" if done else "no lap finished"
            )
            set_text(
                self.aside,
                f"{shown} of {last.episodes} · step {formatting.short_count(last.policy_step)}",
            )
        else:
            set_text(self.aside, "no evaluation yet")
        self.curve.refresh()


class ReturnCard(Panel):
    """Return of every attempt while exploring, and the share of evaluated laps that finished."""

    def __init__(self) -> None:
        super().__init__("Return · exploring")
        self._data = RunData()
        self.returns = Curve([], lambda x: formatting.decimal(x, 1))
        self.finishes = Curve([], formatting.percent, y_range=(-0.04, 1.04), axis_unit="%")
        self.rate = value(formatting.NOTHING, pixels=12)
        second = QHBoxLayout()
        second.addWidget(label("Finish rate"))
        second.addStretch(1)
        second.addWidget(self.rate)
        self.body.addWidget(self.returns, 1)
        self.body.addLayout(second)
        self.body.addWidget(self.finishes, 1)

    def bind(self, data: RunData) -> None:
        """Show another run."""
        self._data = data
        self.returns.lines = [Line(data.curve("episode/return"), "blue")]
        self.finishes.lines = [
            Line(
                data.finish_rate,
                "accent",
                smooth=False,
                dots=True,
                name="evaluated",
                point_text=lambda index: evaluation_text(data.trials[index]),
            ),
            Line(data.curve("rolling/finish_rate"), "blue", smooth=False, name="exploring"),
        ]
        self.refresh()

    def refresh(self) -> None:
        """Show what is new."""
        newest = self._data.curve("episode/return")
        text = f"<b>{formatting.decimal(float(newest.mean[-1]), 1)}</b>" if len(newest) else ""
        set_text(self.aside, text)
        last = self._data.trials[-1:]
        set_text(self.rate, formatting.percent(last[0].finish_rate) if last else formatting.NOTHING)
        self.returns.refresh()
        self.finishes.refresh()


class LearnerCard(Panel):
    """How the learning goes: loss and randomness of the policy, the replay, and the pace of both sides."""

    FACTS = ("driver", "policy lag", "updates a step")

    def __init__(self) -> None:
        super().__init__("Learner")
        self._data = RunData()
        self._n_step = 1
        self.loss = Curve([], empty_text="after the first updates")
        self.entropy = Curve([], empty_text="after the first updates")
        curves = QHBoxLayout()
        curves.setSpacing(12)
        for name, curve in (("critic loss", self.loss), ("policy entropy", self.entropy)):
            column = QVBoxLayout()
            column.setSpacing(1)
            column.addWidget(curve, 1)
            column.addWidget(muted(name, pixels=11))
            curves.addLayout(column, 1)
        self.fill = value(formatting.NOTHING, pixels=12)
        head = QHBoxLayout()
        head.addWidget(label("Replay"))
        head.addStretch(1)
        head.addWidget(self.fill)
        self.fill_bar = Bar("blue")
        self.replay_text = muted("", pixels=11)
        self.facts = FactTable(list(self.FACTS), compact=True)
        self.body.addLayout(curves, 1)
        self.body.addLayout(head)
        self.body.addWidget(self.fill_bar)
        self.body.addWidget(self.replay_text)
        self.body.addWidget(self.facts)

    def bind(self, data: RunData, n_step: int) -> None:
        """Show another run."""
        self._data = data
        self._n_step = n_step
        self.loss.lines = [Line(data.curve("loss/critic"), "violet")]
        self.entropy.lines = [Line(data.curve("policy/entropy"), "amber")]
        self.refresh()

    def refresh(self) -> None:
        """Show what is new."""
        data = self._data
        per_s = data.value("learner/updates_per_s")
        set_text(self.aside, f"<b>{formatting.decimal(per_s, 0)}</b> updates/s" if per_s is not None else "")
        size, capacity = data.value("replay/size"), data.value("replay/capacity")
        known = size is not None and capacity
        set_text(
            self.fill,
            f"{formatting.count(size)} / {formatting.count(capacity)}" if known else formatting.NOTHING,
        )
        self.fill_bar.set_share(size / capacity if size is not None and capacity else 0.0)
        age_s = data.value("replay/age_s")
        parts = [f"oldest {formatting.age(age_s)}"] if age_s is not None else []
        set_text(
            self.replay_text,
            " · ".join([*parts, f"{self._n_step}-step returns"]) if known else "Empty until a car drives.",
        )
        steps = data.value("actor/steps_per_s")
        self.facts.set_value(
            "driver", f"{formatting.count(steps)} steps/s" if steps is not None else formatting.NOTHING
        )
        lag = data.value("actor/policy_lag_s")
        self.facts.set_value(
            "policy lag", f"{formatting.decimal(lag, 1)} s" if lag is not None else formatting.NOTHING
        )
        self.facts.set_value("updates a step", formatting.decimal(data.value("learner/update_ratio"), 2))
        self.loss.refresh()
        self.entropy.refresh()


def evaluation_text(row: EvaluationRow) -> str:
    """All that belongs to an evaluated lap time."""
    laps = f"{round(row.finish_rate * row.episodes)} of {row.episodes} laps finished"
    times = (
        f"median {formatting.lap(row.median_lap_s)}, best {formatting.lap(row.best_lap_s)}\n"
        if row.best_lap_s
        else ""
    )
    return (
        f"{formatting.clock(row.time_s)} · policy step {formatting.short_count(row.policy_step)}\n{times}"
        f"{laps}, {row.origin}, evaluated"
    )
