"""The driver's process: announced, locked, taking commands, and ended in order."""

from __future__ import annotations

from tmstudio.env.build import load_track
from tmstudio.errors import TMStudioError
from tmstudio.runs import jobs
from tmstudio.runs.events import EventLog
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.locks import FileLock
from tmstudio.runtime.actor_loop import ActorLoop
from tmstudio.runtime.worker import StopRequest
from tmstudio.transport.service import Server


def run_actor(
    run: RunFolder, *, actor_id: str, connect: str | None, port: int, echo: bool, stop: StopRequest
) -> int:
    """Drive for a run until it is finished or ``stop`` is set; the process's exit code.

    Args:
        run: the run.
        actor_id: the driver's name, one of its own for each driver of the run.
        connect: the learner's ``host:port``; None to read it from the run folder.
        port: where commands are taken; 0 for any free port.
        echo: whether events are printed as well.
        stop: ends it.
    """
    lock_path = jobs.job_file(run.path, "actor", actor_id).with_suffix(".lock")
    with FileLock(lock_path, role=actor_id, owned=f"the driver '{actor_id}' of run '{run.name}'"):
        events = EventLog(run.path, actor_id, echo=echo)
        track = load_track(run.config)
        run.check_track(track.sha256)
        actor = ActorLoop(run, track, actor_id, connect, events, stop)
        server = Server(run.token, actor.commands, port=port)
        job = jobs.announce(run.path, "actor", port=server.port, actor_id=actor_id)
        events.emit("started", port=server.port)
        try:
            actor.run()
        except TMStudioError as error:
            events.emit("error", message=error.message, cause=error.cause, hint=error.hint)
            raise
        finally:
            server.stop()
            jobs.withdraw(run.path, job)
        events.emit("ended", reason=stop.reason or "the run is finished")
    return 0
