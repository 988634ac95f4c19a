"""Server and clients, over real connections."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tmstudio.errors import TMStudioError
from tmstudio.transport.channel import POLICY_PART_BYTES
from tmstudio.transport.client import TrainingClient
from tmstudio.transport.control import ControlClient
from tmstudio.transport.faults import RefusedError, RejectedError, UnreachableError, WrongTokenError
from tmstudio.transport.proto import tmstudio_pb2 as pb
from tmstudio.transport.service import Server

TOKEN = "a-token-of-more-than-thirty-two-characters"


class Backend:
    """A learner that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.failing: Exception | None = None

    def command(self, name: str) -> str:
        if name != "pause":
            raise RejectedError(f"no command '{name}'", hint="pause")
        self.asked.append(name)
        return "It waits"

    def status(self) -> dict[str, Any]:
        return {"state": "learning", "laps": [1.5, None]}

    def join(self, request: pb.JoinRequest) -> pb.JoinReply:
        self.asked.append(request)
        return pb.JoinReply(sequence=4, steps=99)

    def push(self, request: pb.PushRequest) -> pb.PushReply:
        if self.failing is not None:
            raise self.failing
        self.asked.append(request)
        return pb.PushReply(orders=pb.Orders(step_limit=5))

    def pace(self, request: pb.PaceRequest, still_asked: Callable[[], bool]) -> pb.PaceReply:
        assert still_asked()
        return pb.PaceReply(orders=pb.Orders(policy_version=3))

    def policy(self, version: int) -> bytes:
        if version != 3:
            raise RejectedError("replaced")
        return bytes(range(256)) * (3 * POLICY_PART_BYTES // 256 + 1)

    def report_trials(self, report: pb.TrialsReport) -> None:
        self.asked.append(report)


@pytest.fixture
def backend() -> Backend:
    return Backend()


@pytest.fixture
def server(backend: Backend) -> Iterator[Server]:
    server = Server(TOKEN, backend, backend)
    yield server
    server.stop()


@pytest.fixture
def client(server: Server) -> Iterator[TrainingClient]:
    client = TrainingClient(f"127.0.0.1:{server.port}", TOKEN)
    yield client
    client.close()


def test_a_driver_joins_delivers_waits_and_reports(client, backend):
    assert client.join(pb.JoinRequest(actor_id="actor-1")).steps == 99
    assert client.push(pb.PushRequest(sequence=5)).step_limit == 5
    assert client.pace(pb.PaceRequest(patience_s=0.1)).policy_version == 3
    client.report_trials(pb.TrialsReport(number=1))
    assert [type(asked).__name__ for asked in backend.asked] == ["JoinRequest", "PushRequest", "TrialsReport"]


def test_a_policy_of_several_parts_arrives_whole(client, backend):
    assert client.fetch_policy(3) == backend.policy(3)
    with pytest.raises(RejectedError, match="replaced"):
        client.fetch_policy(2)


def test_a_large_batch_passes(client):
    assert client.push(pb.PushRequest(batch=bytes(20 * 2**20))).step_limit == 5


@pytest.mark.parametrize("kind", [UnreachableError, RejectedError, RefusedError])
def test_errors_keep_their_kind_and_words(client, backend, kind):
    backend.failing = kind("It happened", cause="because", hint="do this – now")
    with pytest.raises(kind) as caught:
        client.push(pb.PushRequest())
    assert (caught.value.message, caught.value.cause, caught.value.hint) == (
        "It happened",
        "because",
        "do this – now",
    )


@pytest.mark.filterwarnings("ignore")
def test_a_fault_of_the_program_is_no_reason_to_try_again(client, backend, caplog):
    backend.failing = KeyError("oops")
    with pytest.raises(RefusedError, match="KeyError"):
        client.push(pb.PushRequest())
    assert "oops" in caplog.text


@pytest.mark.parametrize("token", ["wrong", "", TOKEN + "x", TOKEN[:-1]])
def test_nothing_is_answered_without_the_token(server, backend, token):
    with ControlClient("127.0.0.1", server.port, token) as control:
        for call in (control.status, lambda: control.command("pause")):
            with pytest.raises(WrongTokenError, match="token is wrong") as caught:
                call()
            assert TOKEN not in str(caught.value)
    client = TrainingClient(f"127.0.0.1:{server.port}", token)
    with pytest.raises(WrongTokenError):
        client.join(pb.JoinRequest())
    with pytest.raises(WrongTokenError):
        client.fetch_policy(3)
    client.close()
    assert backend.asked == []


def test_control(server, backend):
    with ControlClient("127.0.0.1", server.port, TOKEN) as control:
        assert control.command("pause") == "It waits"
        assert control.status() == {"state": "learning", "laps": [1.5, None]}
        with pytest.raises(RejectedError, match="no command 'fly'"):
            control.command("fly")


def test_a_process_without_the_service_is_said_to_be_the_wrong_one(backend):
    driver = Server(TOKEN, backend)
    client = TrainingClient(f"127.0.0.1:{driver.port}", TOKEN)
    with pytest.raises(RefusedError, match="not the other half"):
        client.join(pb.JoinRequest())
    client.close()
    driver.stop()


def test_a_port_in_use_is_a_clear_error(server, backend):
    with pytest.raises(TMStudioError, match=f"Port {server.port} cannot be used") as caught:
        Server(TOKEN, backend, port=server.port)
    assert "--port" in caught.value.hint


def test_only_this_machine_is_served(server):
    addresses = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        if address.startswith("127."):
            continue
        with pytest.raises(OSError):
            socket.create_connection((address, server.port), timeout=0.5)


def test_nobody_there_is_worth_another_try():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    client = TrainingClient(f"127.0.0.1:{port}", TOKEN)
    with pytest.raises(UnreachableError):
        client.join(pb.JoinRequest())
    client.close()


def test_a_call_in_progress_ends_when_the_server_stops_or_the_client_closes(backend):
    begun = threading.Event()

    def pace(request: pb.PaceRequest, still_asked: Callable[[], bool]) -> pb.PaceReply:
        begun.set()
        while still_asked():
            threading.Event().wait(0.01)
        return pb.PaceReply()

    backend.pace = pace
    for end in ("server", "client"):
        begun.clear()
        server = Server(TOKEN, backend, backend)
        client = TrainingClient(f"127.0.0.1:{server.port}", TOKEN)
        outcome: list[BaseException] = []

        def wait(client: TrainingClient = client, outcome: list[BaseException] = outcome) -> None:
            try:
                client.pace(pb.PaceRequest(patience_s=20))
            except TMStudioError as error:
                outcome.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        assert begun.wait(5)
        if end == "server":
            server.stop()
        client.close()
        thread.join(5)
        assert not thread.is_alive()
        assert isinstance(outcome[0], UnreachableError)
        server.stop()
