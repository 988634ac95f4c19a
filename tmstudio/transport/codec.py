"""Batches of driving as bytes: packed by the driver, checked and unpacked by the learner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import zstandard
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from tmstudio.errors import TMStudioError
from tmstudio.runs.chunk import Chunk
from tmstudio.transport.channel import MAX_BATCH_BYTES
from tmstudio.transport.faults import RejectedError
from tmstudio.transport.proto import tmstudio_pb2 as pb

_LEVEL: Final = 1
_TERMINATED: Final = 1
_TRUNCATED: Final = 2
_MAX_WIDTH: Final = 65_536


@dataclass(frozen=True)
class LaneChunk:
    """A stretch of driving and the car that drove it."""

    lane: int
    chunk: Chunk


@dataclass(frozen=True)
class Batch:
    """What a driver delivers at once."""

    rollouts: list[LaneChunk]
    episodes: list[pb.Episode]

    @property
    def steps(self) -> int:
        """Transitions in it."""
        return sum(len(rollout.chunk) for rollout in self.rollouts)


def pack(batch: Batch) -> bytes:
    """The batch, serialised and compressed."""
    message = pb.Batch(rollouts=[_rollout(item) for item in batch.rollouts], episodes=batch.episodes)
    return zstandard.ZstdCompressor(level=_LEVEL).compress(message.SerializeToString())


def unpack(content: bytes) -> Batch:
    """The batch in ``content``, every part of it checked.

    Raises:
        RejectedError: it is no batch, or larger than any batch may be.
    """
    message = pb.Batch()
    try:
        message.ParseFromString(_decompressed(content))
        return Batch([_lane_chunk(rollout) for rollout in message.rollouts], list(message.episodes))
    except DecodeError as error:
        raise _unusable("it is not in the agreed format") from error
    except RejectedError:
        raise
    except TMStudioError as error:
        raise _unusable(error.cause) from error


def check_widths(
    rollouts: Iterable[LaneChunk], observation_size: int, action_size: int, reward_terms: int
) -> None:
    """Raise ``RejectedError`` unless all driving has these widths."""
    expected = (observation_size, action_size, reward_terms)
    for rollout in rollouts:
        chunk = rollout.chunk
        widths = (chunk.observations.shape[1], chunk.actions.shape[1], chunk.reward_terms.shape[1])
        if widths != expected:
            raise _unusable(f"its widths are {widths}, the run's are {expected}")


def _decompressed(content: bytes) -> bytes:
    try:
        size = zstandard.get_frame_parameters(content).content_size
        # The size is checked before a byte is unpacked: a small message could grow to any size.
        if not 0 <= size <= MAX_BATCH_BYTES:
            raise _unusable(
                f"it would unpack to more than {MAX_BATCH_BYTES >> 20} MB, or does not say its size"
            )
        return zstandard.ZstdDecompressor().decompress(content, max_output_size=MAX_BATCH_BYTES)
    except zstandard.ZstdError as error:
        raise _unusable(f"it cannot be decompressed: {error}") from error


def _rollout(item: LaneChunk) -> pb.Rollout:
    chunk = item.chunk
    ends = chunk.terminated * np.uint8(_TERMINATED) + chunk.truncated * np.uint8(_TRUNCATED)
    return pb.Rollout(
        lane=item.lane,
        transitions=len(chunk),
        observation_size=chunk.observations.shape[1],
        action_size=chunk.actions.shape[1],
        reward_terms=chunk.reward_terms.shape[1],
        observations=_bytes(chunk.observations),
        actions=_bytes(chunk.actions),
        terms=_bytes(chunk.reward_terms),
        ends=ends.astype(np.uint8).tobytes(),
    )


def _lane_chunk(rollout: pb.Rollout) -> LaneChunk:
    steps = rollout.transitions
    if max(rollout.observation_size, rollout.action_size, rollout.reward_terms) > _MAX_WIDTH:
        raise _unusable("its arrays are too wide")
    if len(rollout.ends) != steps:
        raise _unusable("its ends are not one a transition")
    ends = np.frombuffer(rollout.ends, np.uint8)
    chunk = Chunk(
        observations=_array(rollout.observations, steps + 1, rollout.observation_size),
        actions=_array(rollout.actions, steps, rollout.action_size),
        reward_terms=_array(rollout.terms, steps, rollout.reward_terms),
        terminated=(ends & _TERMINATED).astype(np.bool_),
        truncated=(ends & _TRUNCATED).astype(np.bool_),
    )
    return LaneChunk(rollout.lane, chunk.check())


def _bytes(array: NDArray[np.float32]) -> bytes:
    return np.ascontiguousarray(array, "<f4").tobytes()


def _array(content: bytes, rows: int, columns: int) -> NDArray[np.float32]:
    if len(content) != rows * columns * 4:
        raise _unusable(f"an array has {len(content)} bytes, {rows} x {columns} numbers are announced")
    array: NDArray[np.float32] = (
        np.frombuffer(content, "<f4").reshape(rows, columns).astype(np.float32, copy=False)
    )
    return array


def _unusable(cause: str) -> RejectedError:
    return RejectedError(
        "A batch of driving cannot be used",
        cause=cause,
        hint="driver and learner must be the same version of TMStudio; restart both",
    )
