"""Steering a running process: both ends of the Control service."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final, Protocol, Self

import grpc

from tmstudio.transport import faults
from tmstudio.transport.channel import credentials, open_channel
from tmstudio.transport.proto import tmstudio_pb2 as pb
from tmstudio.transport.proto import tmstudio_pb2_grpc as rpc

COMMANDS: Final = ("stop", "pause", "resume", "checkpoint", "evaluate", "watch", "unwatch")
"""``checkpoint`` and ``evaluate`` are the learner's, ``watch`` and ``unwatch`` the driver's, the others both's."""

_PATIENCE_S: Final = 5.0


class ControlBackend(Protocol):
    """What a process does with commands. Methods are called from any thread and return at once."""

    def command(self, name: str) -> str:
        """Begin what the command says, and say so in one sentence. Raises ``RejectedError`` for a command it has not."""
        ...

    def status(self) -> Mapping[str, Any]:
        """How it stands, as plain data."""
        ...


class ControlServicer(rpc.ControlServicer):
    """Between gRPC and the backend."""

    def __init__(self, backend: ControlBackend) -> None:
        self._backend = backend

    def Command(self, request: pb.CommandRequest, context: grpc.ServicerContext) -> pb.CommandReply:  # noqa: N802
        """Carry out one command."""
        return faults.answered(context, lambda: pb.CommandReply(message=self._backend.command(request.name)))

    def Status(self, request: pb.StatusRequest, context: grpc.ServicerContext) -> pb.StatusReply:  # noqa: N802
        """Tell how the process stands."""
        return faults.answered(context, lambda: pb.StatusReply(json=json.dumps(self._backend.status())))


class ControlClient:
    """Steers the process at an address. Each call fails after five seconds.

    Args:
        host: where it runs, nearly always loopback.
        port: its port, from its job file.
        token: the run's secret.
    """

    def __init__(self, host: str, port: int, token: str) -> None:
        self._address = f"{host}:{port}"
        self._channel = open_channel(self._address)
        self._stub = rpc.ControlStub(self._channel)  # type: ignore[no-untyped-call]
        self._metadata = credentials(token)

    def command(self, name: str) -> str:
        """Give a command; returns what is going to happen.

        Raises:
            UnreachableError: nobody answers.
            RefusedError: the token is wrong.
            RejectedError: the process has no such command.
        """
        reply: pb.CommandReply = self._call(self._stub.Command, pb.CommandRequest(name=name))
        return reply.message

    def status(self) -> dict[str, Any]:
        """How the process stands. Raises as :meth:`command` does."""
        reply: pb.StatusReply = self._call(self._stub.Status, pb.StatusRequest())
        status: dict[str, Any] = json.loads(reply.json)
        return status

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, method: Callable[..., Any], request: object) -> Any:
        try:
            return method(request, timeout=_PATIENCE_S, metadata=self._metadata)
        except grpc.RpcError as error:
            raise faults.error_of(error, self._address) from error
