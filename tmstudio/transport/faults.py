"""Errors that cross the wire, and which of them may pass by themselves.

A server sends message, cause and hint of its errors as JSON in the status' details, so that both ends show the
same words. What has no such details comes from the connection itself.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

import grpc

from tmstudio.errors import TMStudioError


class UnreachableError(TMStudioError):
    """The other side cannot answer now; trying again later makes sense."""


class RejectedError(TMStudioError):
    """This one message cannot be used and never will be; the next may."""


class RefusedError(TMStudioError):
    """The other side will not work with this one, however often it is asked."""


class WrongTokenError(RefusedError):
    """The caller does not know the run's secret."""


_CODES: Final[dict[type[TMStudioError], grpc.StatusCode]] = {
    UnreachableError: grpc.StatusCode.UNAVAILABLE,
    RejectedError: grpc.StatusCode.INVALID_ARGUMENT,
    WrongTokenError: grpc.StatusCode.UNAUTHENTICATED,
    RefusedError: grpc.StatusCode.FAILED_PRECONDITION,
}
_KINDS: Final = {code: kind for kind, code in _CODES.items()}
_BUG: Final = grpc.StatusCode.INTERNAL
_log = logging.getLogger(__name__)
Reply = TypeVar("Reply")


def answered(context: grpc.ServicerContext, answer: Callable[[], Reply]) -> Reply:
    """The result of ``answer``, or its error as the call's status."""
    try:
        return answer()
    except TMStudioError as error:
        _abort(context, error)
    except Exception as error:  # noqa: BLE001 - a bug must reach the caller as a status, not as a hung call
        _log.exception("a call failed")
        _abort_for_bug(context, error)


def _abort(context: grpc.ServicerContext, error: TMStudioError) -> NoReturn:
    """End a call with ``error``; what is none of this module's kinds counts as rejected."""
    code = next(
        (code for kind, code in _CODES.items() if isinstance(error, kind)), grpc.StatusCode.INVALID_ARGUMENT
    )
    details = {"message": error.message, "cause": error.cause, "hint": error.hint}
    context.abort(code, json.dumps(details))
    raise AssertionError("unreachable: abort raises")


def _abort_for_bug(context: grpc.ServicerContext, error: Exception) -> NoReturn:
    """End a call that failed by a fault of the program."""
    details = {
        "message": "The other side failed",
        "cause": f"{type(error).__name__}: {error}",
        "hint": "this is a fault of TMStudio; its log has the details",
    }
    context.abort(_BUG, json.dumps(details))
    raise AssertionError("unreachable: abort raises")


def error_of(error: grpc.RpcError, address: str) -> TMStudioError:
    """The error that a failed call to ``address`` means."""
    assert isinstance(error, grpc.Call)
    code, text = error.code(), error.details() or ""
    try:
        details = json.loads(text)
        message, cause, hint = details["message"], details["cause"], details["hint"]
    except (ValueError, KeyError, TypeError):
        return _connection_error(code, text, address)
    kind = RefusedError if code == _BUG else _KINDS.get(code, RejectedError)
    return kind(message, cause=cause, hint=hint)


def _connection_error(code: grpc.StatusCode, text: str, address: str) -> TMStudioError:
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return RefusedError(
            f"What answers at {address} is not the other half of this run",
            cause=text,
            hint="check host and port; both sides must be the same version of TMStudio",
        )
    if code == grpc.StatusCode.RESOURCE_EXHAUSTED:
        return RejectedError(f"{address} cannot take so much at once", cause=text)
    return UnreachableError(
        f"No answer from {address}", cause=text or code.name.lower(), hint="check that it runs"
    )
