"""The driver's end of the connection to the learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import grpc

from tmstudio.transport import faults
from tmstudio.transport.channel import MAX_POLICY_BYTES, credentials, open_channel
from tmstudio.transport.proto import tmstudio_pb2 as pb
from tmstudio.transport.proto import tmstudio_pb2_grpc as rpc

_PATIENCE_S: Final = 10.0


class TrainingClient:
    """Calls the learner at ``address``. Every method raises the errors of ``transport.faults``.

    Args:
        address: ``host:port``.
        token: the run's secret.
    """

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self._channel = open_channel(address)
        self._stub = rpc.TrainingStub(self._channel)  # type: ignore[no-untyped-call]
        self._metadata = credentials(token)

    def join(self, request: pb.JoinRequest) -> pb.JoinReply:
        """The handshake."""
        reply: pb.JoinReply = self._call(self._stub.Join, request)
        return reply

    def push(self, request: pb.PushRequest) -> pb.Orders:
        """Deliver driving; when it returns, the driving is safe with the learner."""
        reply: pb.PushReply = self._call(self._stub.Push, request)
        return reply.orders

    def pace(self, request: pb.PaceRequest) -> pb.Orders:
        """Wait for new orders, up to the request's patience."""
        reply: pb.PaceReply = self._call(self._stub.Pace, request, _PATIENCE_S + request.patience_s)
        return reply.orders

    def fetch_policy(self, version: int) -> bytes:
        """A policy file."""
        parts: list[bytes] = []
        received = 0
        try:
            stream = self._stub.FetchPolicy(
                pb.PolicyRequest(version=version), timeout=6 * _PATIENCE_S, metadata=self._metadata
            )
            for part in stream:
                received += len(part.content)
                if max(received, part.total_bytes) > MAX_POLICY_BYTES:
                    stream.cancel()
                    raise faults.RejectedError(
                        "The policy is too large", cause=f"over {MAX_POLICY_BYTES >> 20} MB"
                    )
                parts.append(part.content)
        except grpc.RpcError as error:
            raise faults.error_of(error, self.address) from error
        return b"".join(parts)

    def report_trials(self, report: pb.TrialsReport) -> None:
        """Tell how ordered trials went."""
        self._call(self._stub.ReportTrials, report)

    def close(self) -> None:
        """Close the connection; calls in progress end as unreachable."""
        self._channel.close()

    def _call(self, method: Callable[..., Any], request: object, timeout_s: float = _PATIENCE_S) -> Any:
        try:
            return method(request, timeout=timeout_s, metadata=self._metadata)
        except grpc.RpcError as error:
            raise faults.error_of(error, self.address) from error
        except ValueError as error:  # the channel was closed by another thread
            raise faults.UnreachableError(f"No answer from {self.address}", cause=str(error)) from error
