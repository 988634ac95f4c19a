"""What both ends of a connection agree on: limits, options and how the secret travels."""

from __future__ import annotations

from typing import Final

import grpc

LOOPBACK: Final = "127.0.0.1"
"""Servers listen here only: what comes from another machine comes through a tunnel."""

PROTOCOL: Final = 1
"""Version of what driver and learner say to each other. Both must have the same."""

HEADER: Final = "authorization"
MAX_MESSAGE_BYTES: Final = 32 * 2**20
MAX_BATCH_BYTES: Final = 64 * 2**20
"""A batch of driving is no larger than this when decompressed."""

POLICY_PART_BYTES: Final = 2**20
MAX_POLICY_BYTES: Final = 512 * 2**20

Options = list[tuple[str, int]]

_COMMON: Final[Options] = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
]

SERVER_OPTIONS: Final[Options] = [
    *_COMMON,
    (
        "grpc.so_reuseport",
        0,
    ),  # else a second server on the same port gets half of the calls instead of an error
]

CLIENT_OPTIONS: Final[Options] = [
    *_COMMON,
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),  # a new channel does not inherit the back-off of an old one
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]


def open_channel(address: str) -> grpc.Channel:
    """A channel to ``host:port``; connects when it is first used."""
    return grpc.insecure_channel(address, options=CLIENT_OPTIONS)


def credentials(token: str) -> tuple[tuple[str, str], ...]:
    """Metadata that proves knowledge of the run's secret."""
    return ((HEADER, f"Bearer {token}"),)
