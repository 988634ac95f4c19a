"""The learner's process: brings the run back to where it was, serves drivers, learns, saves."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from tmstudio.config.run_config import RunConfig
from tmstudio.env.build import load_track, trial_task
from tmstudio.env.reward import REWARD_TERMS
from tmstudio.errors import TMStudioError
from tmstudio.evaluation.seeds import SELECTION_SEEDS, first_seeds
from tmstudio.learning.checkpoints import CheckpointStore
from tmstudio.runs import jobs
from tmstudio.runs.events import EventLog
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.locks import learner_lock
from tmstudio.runs.metrics import MetricsReader, MetricsWriter
from tmstudio.runtime.budget import check_budget
from tmstudio.runtime.clock import TrainingClock
from tmstudio.runtime.drivers import Drivers
from tmstudio.runtime.examiner import Examiner
from tmstudio.runtime.ingest import Ingest, Widths
from tmstudio.runtime.journal import Journal
from tmstudio.runtime.lanes import ACTION_SIZE
from tmstudio.runtime.learner_loop import LearnerLoop
from tmstudio.runtime.orders import OrderBoard
from tmstudio.runtime.reception import PolicyShelf, Reception
from tmstudio.runtime.saver import Saver, restore
from tmstudio.runtime.scoreboard import Scoreboard
from tmstudio.runtime.student import Student
from tmstudio.runtime.worker import CommandTable, StopRequest
from tmstudio.track.geometry import Track
from tmstudio.transport.service import Server


def run_learner(run: RunFolder, *, port: int, echo: bool, stop: StopRequest) -> int:
    """Learn for a run until its budget is used up or ``stop`` is set; the process's exit code.

    Args:
        run: the run.
        port: where drivers and commands are taken; 0 for any free port.
        echo: whether events are printed as well.
        stop: ends it; everything is saved.
    """
    with learner_lock(run.path):
        events = EventLog(run.path, "learner", echo=echo)
        try:
            finished = _learn(run.with_current_versions(), port, events, stop)
        except TMStudioError as error:
            events.emit("error", message=error.message, cause=error.cause, hint=error.hint)
            raise
        events.emit("finished" if finished else "stopped", reason=stop.reason or "the budget is used up")
    return 0


def observation_widths(config: RunConfig, track: Track) -> Widths:
    """What driving of this run looks like; asked of the environment itself, which alone knows."""
    return Widths(trial_task(config, track, [0]).observation_size, ACTION_SIZE, len(REWARD_TERMS))


@dataclass
class _Restored:
    """Where the run stands when this process takes over."""

    student: Student
    ingest: Ingest
    journal: Journal
    saver: Saver


def _learn(run: RunFolder, port: int, events: EventLog, stop: StopRequest) -> bool:
    check_budget(run)
    track = load_track(run.config)
    run.check_track(track.sha256)
    with MetricsReader(run.metrics_path) as history, MetricsWriter(run.metrics_path) as metrics:
        scores = Scoreboard(metrics, history)
        clock = TrainingClock(history.last_time_s())
        restored = _restore(run, track, clock.elapsed_s, events)
        student, ingest = restored.student, restored.ingest
        board = OrderBoard(ingest.drivers, ingest.lock)
        shelf = PolicyShelf()
        seeds = first_seeds(SELECTION_SEEDS, run.config.evaluation.episodes)
        examiner = Examiner(board, scores, seeds)
        loop = LearnerLoop(
            run.config,
            student=student,
            ingest=ingest,
            board=board,
            shelf=shelf,
            examiner=examiner,
            saver=restored.saver,
            scores=scores,
            clock=clock,
            events=events,
            stop=stop,
        )
        commands = CommandTable(
            "learner",
            {
                "stop": lambda: _stopping(stop),
                "pause": lambda: loop.pause(paused=True),
                "resume": lambda: loop.pause(paused=False),
                "checkpoint": lambda: loop.want("checkpoint"),
                "evaluate": lambda: loop.want("evaluate"),
            },
            loop.status,
        )
        reception = Reception(run, ingest, board, shelf, examiner.report)
        with ExitStack() as ending:  # from the last to the first
            ending.callback(student.replay.close)
            ending.callback(restored.journal.close)
            ending.callback(restored.saver.close)
            server = Server(run.token, commands, reception, port)
            ending.callback(server.stop)
            ending.callback(ingest.close)
            ending.callback(board.close)
            job = jobs.announce(run.path, "learner", port=server.port)
            ending.callback(jobs.withdraw, run.path, job)
            events.emit("started", port=server.port, steps=student.steps, updates=student.updates)
            return loop.run()


def _stopping(stop: StopRequest) -> str:
    stop("command")
    return "The learner saves and leaves"


def _restore(run: RunFolder, track: Track, time_s: float, events: EventLog) -> _Restored:
    """Bring everything back: the newest checkpoint, then what the journal holds beyond it."""
    widths = observation_widths(run.config, track)
    student = Student(run.config, widths, run.replay_path, run.fingerprint)
    store = CheckpointStore(run.checkpoints_path, run.config.checkpoints.keep)
    store.prepare()
    state = restore(store, student)
    journal = Journal(run.journal_path, int(state.get("journal_segment", 1)))
    for torn in journal.torn:
        events.emit("journal cut", file=str(torn.segment), bytes=torn.bytes_cut)
    drivers = Drivers(state.get("drivers", {}))
    ingest = Ingest(journal, drivers, widths)
    for arrival in ingest.recover():
        student.take_in(arrival, time_s)
    return _Restored(student, ingest, journal, Saver(store, journal, events))
