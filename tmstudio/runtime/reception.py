"""Where drivers arrive at the learner: handshake, deliveries, orders, policies, outcomes of trials."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tmstudio import __version__
from tmstudio.runs.folder import RunFolder
from tmstudio.runs.jobs import job_file
from tmstudio.runtime.ingest import Ingest
from tmstudio.runtime.orders import OrderBoard
from tmstudio.transport.channel import PROTOCOL
from tmstudio.transport.faults import RefusedError, RejectedError
from tmstudio.transport.proto import tmstudio_pb2 as pb


class PolicyShelf:
    """Policy files that drivers may ask for: the newest, and the one that drives trials."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: tuple[int, bytes] = (0, b"")
        self._on_trial: tuple[int, bytes] = (0, b"")

    def publish(self, version: int, content: bytes) -> None:
        """Put a newer policy in the place of the newest."""
        with self._lock:
            self._newest = (version, content)

    def keep_for_trials(self) -> None:
        """Keep the newest until this is called again."""
        with self._lock:
            self._on_trial = self._newest

    def get(self, version: int) -> bytes:
        """The policy of this version, or ``RejectedError`` if it is not here any more."""
        with self._lock:
            for known, content in (self._newest, self._on_trial):
                if known == version and content:
                    return content
        raise RejectedError(
            "The policy has been replaced by a newer one", cause=f"version {version} is not kept"
        )


class Reception:
    """Answers drivers. Called from many threads.

    Args:
        run: the run.
        ingest: takes the driving.
        board: what drivers are told.
        shelf: the policies.
        report: takes the outcome of trials.
    """

    def __init__(
        self,
        run: RunFolder,
        ingest: Ingest,
        board: OrderBoard,
        shelf: PolicyShelf,
        report: Callable[[pb.TrialsReport], None],
    ) -> None:
        self._run = run
        self._ingest = ingest
        self._board = board
        self._shelf = shelf
        self._report = report

    def join(self, request: pb.JoinRequest) -> pb.JoinReply:
        """Take a driver in that fits the run."""
        self._check(request)
        with self._ingest.lock:
            driver = self._ingest.drivers.joined(request.actor_id, request.session, request.cars)
            return pb.JoinReply(
                protocol=PROTOCOL,
                program_version=__version__,
                sequence=driver.sequence,
                steps=driver.steps,
                orders=self._board.for_driver(driver),
            )

    def push(self, request: pb.PushRequest) -> pb.PushReply:
        """Take driving; return when it is safe."""
        self._ingest.push(request)
        with self._ingest.lock:
            driver = self._ingest.drivers.calling(request.actor_id, request.session)
            return pb.PushReply(orders=self._board.for_driver(driver))

    def pace(self, request: pb.PaceRequest, still_asked: Callable[[], bool]) -> pb.PaceReply:
        """Wait for news."""
        with self._ingest.lock:
            driver = self._ingest.drivers.calling(request.actor_id, request.session)
            driver.health = request.health
        return pb.PaceReply(orders=self._board.news_for(driver, request, still_asked))

    def policy(self, version: int) -> bytes:
        """A policy file."""
        return self._shelf.get(version)

    def report_trials(self, report: pb.TrialsReport) -> None:
        """Take the outcome of trials."""
        with self._ingest.lock:
            self._ingest.drivers.calling(report.actor_id, report.session)
        self._report(report)

    def _check(self, request: pb.JoinRequest) -> None:
        if request.protocol != PROTOCOL:
            newer = "driver" if request.protocol > PROTOCOL else "learner"
            older = "learner" if newer == "driver" else "driver"
            raise RefusedError(
                f"The {newer} is of a newer version than the {older}",
                cause=f"the driver's protocol is {request.protocol} (TMStudio {request.program_version}), "
                f"the learner's is {PROTOCOL} (TMStudio {__version__})",
                hint=f"update TMStudio where the {older} runs",
            )
        if request.fingerprint != self._run.fingerprint:
            raise RefusedError(
                "Driver and learner do not work on the same run",
                cause=f"the driver's run begins with {request.fingerprint[:12]}, "
                f"the learner's with {self._run.fingerprint[:12]}: track, observation, action, delay or network differ",
                hint=f"start the driver with a copy of the run folder '{self._run.name}'",
            )
        widths = self._ingest.widths
        given = (request.observation_size, request.action_size, request.reward_terms)
        expected = (widths.observation_size, widths.action_size, widths.reward_terms)
        if given != expected:
            raise RefusedError(
                "Driver and learner do not see the same",
                cause=f"the driver's observation, action and reward terms have {given} numbers, the learner's {expected}",
                hint="use the same version of TMStudio on both sides",
            )
        job_file(self._run.path, "actor", request.actor_id)  # refuses a name that cannot be one
