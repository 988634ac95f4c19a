"""Trials of the training's policies: ordered, awaited, judged."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

from tmstudio.runs.records import EvaluationRow
from tmstudio.runtime.orders import OrderBoard, Trials
from tmstudio.runtime.scoreboard import Scoreboard
from tmstudio.transport.proto import tmstudio_pb2 as pb

_PATIENCE_S: Final = 180.0


@dataclass(frozen=True)
class Candidate:
    """A policy on trial.

    Attributes:
        checkpoint: name of the checkpoint that holds it.
        version: under which it was published.
        policy_step: steps of driving that it had been trained on.
        updates: updates in it.
    """

    checkpoint: str
    version: int
    policy_step: int
    updates: int


@dataclass(frozen=True)
class Verdict:
    """How a candidate did; ``trials.best`` says whether it is the best so far."""

    candidate: Candidate
    trials: EvaluationRow


class Examiner:
    """Orders trials one at a time.

    Args:
        board: tells the drivers.
        scores: keeps the outcome.
        seeds: where the trials start.
    """

    def __init__(self, board: OrderBoard, scores: Scoreboard, seeds: tuple[int, ...]) -> None:
        self._board = board
        self._scores = scores
        self._seeds = seeds
        self._number = 0
        self._candidate: Candidate | None = None
        self._ordered_s = 0.0
        self._lock = threading.Lock()
        self._report: pb.TrialsReport | None = None

    @property
    def busy(self) -> bool:
        """Whether trials are under way."""
        return self._candidate is not None

    def order(self, candidate: Candidate) -> None:
        """Put a policy on trial, in place of any other that is."""
        with self._lock:
            self._number += 1
            self._candidate = candidate
            self._report = None
            self._ordered_s = time.monotonic()
        self._board.order_trials(Trials(self._number, candidate.version, self._seeds))

    def report(self, report: pb.TrialsReport) -> None:
        """Take an outcome, from any thread. One of other trials than those under way is dropped."""
        with self._lock:
            candidate = self._candidate
            if candidate is not None and (report.number, report.policy_version) == (
                self._number,
                candidate.version,
            ):
                self._report = report

    def verdict(self, *, step: int, time_s: float) -> Verdict | None:
        """The outcome of the trials under way, once it is there."""
        with self._lock:
            report, candidate = self._report, self._candidate
            if report is None or candidate is None:
                return None
            self._report = self._candidate = None
        self._board.order_trials(None)
        row = self._scores.trials(
            report,
            seeds=self._seeds,
            policy_step=candidate.policy_step,
            step=step,
            updates=candidate.updates,
            time_s=time_s,
        )
        return Verdict(candidate, row)

    def give_up_if_late(self) -> bool:
        """Drop trials that nobody reports; whether there were such."""
        with self._lock:
            late = self._candidate is not None and time.monotonic() - self._ordered_s > _PATIENCE_S
            if late:
                self._candidate = None
        if late:
            self._board.order_trials(None)
        return late
