"""The server that every process of a run has: Control in all of them, Training in the learner."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NoReturn, Protocol

import grpc

from tmstudio.errors import TMStudioError
from tmstudio.transport import faults
from tmstudio.transport.channel import HEADER, LOOPBACK, POLICY_PART_BYTES, SERVER_OPTIONS, credentials
from tmstudio.transport.control import ControlBackend, ControlServicer
from tmstudio.transport.proto import tmstudio_pb2 as pb
from tmstudio.transport.proto import tmstudio_pb2_grpc as rpc

# Each waiting driver holds one thread.
_THREADS: Final = 32
_GRACE_S: Final = 0.5


class TrainingBackend(Protocol):
    """What answers drivers. Methods are called from many threads and raise the errors of ``transport.faults``."""

    def join(self, request: pb.JoinRequest) -> pb.JoinReply:
        """Take a driver in, or refuse it."""
        ...

    def push(self, request: pb.PushRequest) -> pb.PushReply:
        """Return when the driving is safe."""
        ...

    def pace(self, request: pb.PaceRequest, still_asked: Callable[[], bool]) -> pb.PaceReply:
        """Return when there is something new, or patience is over."""
        ...

    def policy(self, version: int) -> bytes:
        """A policy file."""
        ...

    def report_trials(self, report: pb.TrialsReport) -> None:
        """Take the outcome of ordered trials."""
        ...


class Server:
    """Serves on loopback from its making to :meth:`stop`.

    Args:
        token: the run's secret; calls without it get no further.
        control: answers commands.
        training: answers drivers; None in a driver.
        port: 0 for any free one.

    Attributes:
        port: the port that it listens on.
    """

    def __init__(
        self, token: str, control: ControlBackend, training: TrainingBackend | None = None, port: int = 0
    ) -> None:
        self._server = grpc.server(
            ThreadPoolExecutor(_THREADS, thread_name_prefix="grpc"),
            interceptors=[_TokenCheck(token)],
            options=SERVER_OPTIONS,
        )
        rpc.add_ControlServicer_to_server(ControlServicer(control), self._server)  # type: ignore[no-untyped-call]
        if training is not None:
            rpc.add_TrainingServicer_to_server(_TrainingServicer(training), self._server)  # type: ignore[no-untyped-call]
        try:
            self.port = int(self._server.add_insecure_port(f"{LOOPBACK}:{port}"))
        except RuntimeError as error:
            raise TMStudioError(
                f"Port {port} cannot be used",
                cause="another program uses it already, or the system forbids it",
                hint="choose another with --port, or leave it out for any free one",
            ) from error
        self._server.start()

    def stop(self) -> None:
        """Answer nothing more; calls in progress have half a second."""
        self._server.stop(_GRACE_S).wait()


class _TokenCheck(grpc.ServerInterceptor):  # type: ignore[type-arg]
    def __init__(self, token: str) -> None:
        self._expected = credentials(token)[0][1].encode()
        self._refusal = grpc.unary_unary_rpc_method_handler(_refuse)

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        metadata = dict(handler_call_details.invocation_metadata)
        given = metadata.get(HEADER, "")
        given_bytes = given if isinstance(given, bytes) else given.encode()
        if hmac.compare_digest(given_bytes, self._expected):
            return continuation(handler_call_details)
        return self._refusal


def _refuse(_request: object, context: grpc.ServicerContext) -> object:
    return faults.answered(context, _wrong_token)


def _wrong_token() -> NoReturn:
    raise faults.WrongTokenError(
        "The run's token is wrong",
        cause="the caller knows another secret than the process that it called",
        hint="use the same run folder on both sides, or copy its file 'token'",
    )


class _TrainingServicer(rpc.TrainingServicer):
    """Between gRPC and the backend: errors become statuses, policies are sent in parts."""

    def __init__(self, backend: TrainingBackend) -> None:
        self._backend = backend

    def Join(self, request: pb.JoinRequest, context: grpc.ServicerContext) -> pb.JoinReply:  # noqa: N802
        return faults.answered(context, lambda: self._backend.join(request))

    def Push(self, request: pb.PushRequest, context: grpc.ServicerContext) -> pb.PushReply:  # noqa: N802
        return faults.answered(context, lambda: self._backend.push(request))

    def Pace(self, request: pb.PaceRequest, context: grpc.ServicerContext) -> pb.PaceReply:  # noqa: N802
        return faults.answered(context, lambda: self._backend.pace(request, context.is_active))

    def FetchPolicy(  # noqa: N802
        self, request: pb.PolicyRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.PolicyPart]:
        content = faults.answered(context, lambda: self._backend.policy(request.version))
        for first in range(0, len(content), POLICY_PART_BYTES):
            yield pb.PolicyPart(total_bytes=len(content), content=content[first : first + POLICY_PART_BYTES])

    def ReportTrials(self, request: pb.TrialsReport, context: grpc.ServicerContext) -> pb.TrialsReply:  # noqa: N802
        faults.answered(context, lambda: self._backend.report_trials(request))
        return pb.TrialsReply()
