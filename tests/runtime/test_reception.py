"""What the learner does with drivers: takes them in or refuses them, keeps their driving, tells them what to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tmstudio.config.loading import parse_run_config
from tmstudio.runs.chunk import Chunk
from tmstudio.runs.folder import RunFolder
from tmstudio.runtime.drivers import Drivers
from tmstudio.runtime.ingest import Ingest, Widths
from tmstudio.runtime.journal import Journal
from tmstudio.runtime.orders import OrderBoard, Trials
from tmstudio.runtime.reception import PolicyShelf, Reception
from tmstudio.transport.channel import PROTOCOL
from tmstudio.transport.codec import Batch, LaneChunk, pack
from tmstudio.transport.faults import RefusedError, RejectedError, UnreachableError
from tmstudio.transport.proto import tmstudio_pb2 as pb

WIDTHS = Widths(observation_size=4, action_size=3, reward_terms=6)


@dataclass
class Learner:
    """The receiving half of a learner, in a run folder."""

    run: RunFolder
    journal: Journal
    ingest: Ingest
    board: OrderBoard
    shelf: PolicyShelf
    reception: Reception

    def join(self, actor_id: str = "actor-1", session: str = "s", **changes: object) -> pb.JoinReply:
        request = pb.JoinRequest(
            protocol=PROTOCOL,
            program_version="0",
            fingerprint=self.run.fingerprint,
            actor_id=actor_id,
            session=session,
            cars=2,
            observation_size=4,
            action_size=3,
            reward_terms=6,
        )
        for name, value in changes.items():
            setattr(request, name, value)
        return self.reception.join(request)

    def push(
        self, sequence: int, actor_id: str = "actor-1", session: str = "s", **changes: object
    ) -> pb.Orders:
        request = pb.PushRequest(
            actor_id=actor_id, session=session, sequence=sequence, steps=3, batch=_batch(sequence)
        )
        for name, value in changes.items():
            setattr(request, name, value)
        return self.reception.push(request).orders


def _batch(marker: float, width: int = 4) -> bytes:
    chunk = Chunk(
        np.full((4, width), marker, np.float32),
        np.zeros((3, 3), np.float32),
        np.zeros((3, 6), np.float32),
        np.zeros(3, bool),
        np.zeros(3, bool),
    )
    return pack(Batch([LaneChunk(0, chunk)], []))


def _open(run: RunFolder, drivers: dict | None = None, first_segment: int = 1) -> Learner:
    journal = Journal(run.journal_path, first_segment)
    ingest = Ingest(journal, Drivers(drivers or {}), WIDTHS)
    board = OrderBoard(ingest.drivers, ingest.lock)
    shelf = PolicyShelf()
    return Learner(
        run, journal, ingest, board, shelf, Reception(run, ingest, board, shelf, lambda report: None)
    )


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    config = parse_run_config({"track": "meadow"}, "test")
    return RunFolder.create(config, track_sha256="0" * 64, name="run", root=tmp_path)


@pytest.fixture
def learner(run: RunFolder) -> Iterator[Learner]:
    learner = _open(run)
    yield learner
    learner.journal.close()


def _markers(arrivals) -> list[float]:
    return [float(arrival.batch.rollouts[0].chunk.observations[0, 0]) for arrival in arrivals]


# The handshake.


def test_a_driver_of_another_run_is_refused(learner):
    with pytest.raises(RefusedError, match="same run"):
        learner.join(fingerprint="f" * 64)


@pytest.mark.parametrize(("protocol", "older"), [(PROTOCOL + 1, "learner"), (PROTOCOL - 1, "driver")])
def test_another_protocol_is_refused_and_the_older_side_named(learner, protocol, older):
    with pytest.raises(RefusedError) as caught:
        learner.join(protocol=protocol)
    assert caught.value.hint == f"update TMStudio where the {older} runs"


def test_a_driver_that_sees_something_else_is_refused(learner):
    with pytest.raises(RefusedError, match="do not see the same"):
        learner.join(observation_size=5)


def test_a_name_that_could_leave_the_folder_is_refused(learner):
    with pytest.raises(Exception, match="cannot name an actor"):
        learner.join(actor_id="../x")


def test_a_newer_process_of_the_same_name_takes_its_place(learner):
    learner.join(session="old")
    learner.push(1, session="old")
    assert learner.join(session="new").sequence == 1
    with pytest.raises(RefusedError, match="Another process drives as 'actor-1'"):
        learner.push(2, session="old")
    learner.push(2, session="new")


def test_a_driver_that_did_not_join_is_told_to(learner):
    with pytest.raises(UnreachableError, match="restarted"):
        learner.push(1)


# Deliveries.


def test_driving_is_handed_on_in_order_and_counted(learner):
    learner.join()
    for sequence in (1, 2, 3):
        learner.push(sequence)
    assert _markers(learner.ingest.take()) == [1, 2, 3]
    assert learner.ingest.take() == []
    assert learner.ingest.drivers.state() == {"actor-1": {"sequence": 3, "steps": 9}}


def test_what_comes_twice_counts_once(learner):
    learner.join()
    for sequence in (1, 2, 2, 1, 3):
        learner.push(sequence)
    assert _markers(learner.ingest.take()) == [1, 2, 3]
    assert learner.ingest.drivers.steps == 9


def test_a_killed_learner_has_everything_it_acknowledged(learner, run):
    learner.join("actor-1")
    learner.join("actor-2")
    learner.push(1)
    learner.push(1, "actor-2")
    learner.push(2)
    again = _open(run)  # nothing was closed, nothing saved
    assert _markers(again.ingest.recover()) == [1, 1, 2]
    reply = again.join("actor-1")
    assert (reply.sequence, reply.steps) == (2, 6)
    again.push(2)  # its acknowledgement was lost
    assert again.ingest.take() == []
    again.journal.close()


def test_what_a_checkpoint_holds_is_not_taken_in_again(learner, run):
    learner.join()
    learner.push(1)
    learner.push(2)
    again = _open(run, drivers={"actor-1": {"sequence": 1, "steps": 3}})
    assert _markers(again.ingest.recover()) == [2]
    assert again.ingest.drivers.steps == 6
    again.journal.close()


@pytest.mark.parametrize(
    "changes", [{"batch": b"noise"}, {"batch": _batch(1, width=5)}, {"steps": 4}, {"batch": b""}]
)
def test_driving_that_cannot_be_used_is_rejected_and_leaves_no_trace(learner, run, changes):
    learner.join()
    with pytest.raises(RejectedError):
        learner.push(1, **changes)
    assert learner.ingest.take() == []
    learner.push(1)
    again = _open(run)
    assert _markers(again.ingest.recover()) == [1]
    again.journal.close()


def test_nothing_arrives_while_a_checkpoint_is_made(learner):
    learner.join()
    learner.push(1)
    with learner.ingest.held() as arrivals:
        thread = threading.Thread(target=learner.push, args=(2,))
        thread.start()
        time.sleep(0.1)
        assert _markers(arrivals) == [1]
        assert learner.ingest.drivers.steps == 3
    thread.join()
    assert _markers(learner.ingest.take()) == [2]


def test_a_learner_that_stops_takes_nothing_more_but_gives_what_it_has(learner):
    learner.join()
    learner.push(1)
    learner.ingest.close()
    with pytest.raises(UnreachableError, match="stop"):
        learner.push(2)
    assert _markers(learner.ingest.take()) == [1]


# Orders.


def test_step_limits_are_counted_for_each_driver(learner):
    learner.join()
    learner.push(1)
    learner.board.allow_steps(100)
    assert learner.push(2).step_limit == 100
    learner.join("actor-2", "t")
    assert learner.push(1, "actor-2", "t").step_limit == 3 + (100 - 9) // 2
    assert learner.push(3).step_limit == 9 + (100 - 12) // 2


def _pace(learner: Learner, known: pb.Orders, wanted: int = 0, patience_s: float = 20.0) -> pb.Orders:
    request = pb.PaceRequest(
        actor_id="actor-1", session="s", known=known, wanted_steps=wanted, patience_s=patience_s
    )
    return learner.reception.pace(request, lambda: True).orders


@pytest.mark.parametrize(
    "change",
    [
        lambda board: board.publish(50),
        lambda board: board.pause(paused=True),
        lambda board: board.finish(),
        lambda board: board.order_trials(Trials(1, 50, (1, 2))),
        lambda board: board.allow_steps(1000),
        lambda board: board.close(),
    ],
)
def test_a_waiting_driver_hears_news_at_once(learner, change):
    known = learner.join().orders
    threading.Timer(0.05, change, (learner.board,)).start()
    before = time.monotonic()
    _pace(learner, known, wanted=500)
    assert time.monotonic() - before < 10


def test_without_news_the_patience_ends(learner):
    known = learner.join().orders
    assert _pace(learner, known, patience_s=0.05) == known


def test_trials_are_for_one_driver_and_for_another_when_that_one_is_gone(learner):
    learner.board.order_trials(Trials(4, 50, (7, 8)))
    assert learner.join("actor-1", "s").orders.trials.seeds == [7, 8]
    assert not learner.join("actor-2", "t").orders.HasField("trials")
    learner.ingest.drivers.of("actor-1").contact_s -= 60
    assert learner.push(1, "actor-2", "t").trials.number == 4


def test_policies_are_kept_while_they_may_be_asked_for(learner):
    shelf = learner.shelf
    shelf.publish(50, b"fifty")
    shelf.keep_for_trials()
    shelf.publish(100, b"hundred")
    shelf.publish(150, b"more")
    assert (shelf.get(50), shelf.get(150)) == (b"fifty", b"more")
    for gone in (100, 0):
        with pytest.raises(RejectedError):
            shelf.get(gone)
