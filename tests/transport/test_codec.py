"""Batches of driving on the wire."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tmstudio.runs.chunk import Chunk
from tmstudio.transport.channel import MAX_BATCH_BYTES
from tmstudio.transport.codec import Batch, LaneChunk, check_widths, pack, unpack
from tmstudio.transport.faults import RejectedError
from tmstudio.transport.proto import tmstudio_pb2 as pb


def _packed(message: pb.Batch) -> bytes:
    return zstandard.compress(message.SerializeToString())


def test_a_batch_arrives_as_it_was_sent(chunk):
    episode = pb.Episode(car=2, end="time limit", lap_time_s=41.5, terms={"progress": 3.5}, sectors_s=[10.0])
    arrived = unpack(pack(Batch([LaneChunk(7, chunk)], [episode])))
    assert arrived.steps == 3
    assert arrived.episodes == [episode]
    (rollout,) = arrived.rollouts
    assert rollout.lane == 7
    for name in vars(chunk):
        sent, received = getattr(chunk, name), getattr(rollout.chunk, name)
        assert received.dtype == sent.dtype
        np.testing.assert_array_equal(received, sent)


def test_an_attempt_without_a_lap_time_has_none():
    (episode,) = unpack(pack(Batch([], [pb.Episode(end="stuck")]))).episodes
    assert not episode.HasField("lap_time_s")


def test_what_would_unpack_to_too_much_is_refused_before_it_is_unpacked():
    bomb = zstandard.compress(bytes(MAX_BATCH_BYTES + 1))
    assert len(bomb) < 10_000
    with pytest.raises(RejectedError, match="64 MB"):
        unpack(bomb)


def test_a_frame_that_hides_its_size_is_refused():
    compressor = zstandard.ZstdCompressor(write_content_size=False)
    with pytest.raises(RejectedError, match="does not say its size"):
        unpack(compressor.compress(bytes(1000)))


def test_a_frame_that_lies_about_its_size_is_refused(chunk):
    content = bytearray(pack(Batch([LaneChunk(0, chunk)], [])))
    parameters = zstandard.get_frame_parameters(bytes(content))
    at = bytes(content).index(bytes([parameters.content_size & 0xFF]), 4)
    content[at] ^= 0x01
    with pytest.raises(RejectedError):
        unpack(bytes(content))


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_noise_is_refused(noise):
    for content in (noise, zstandard.compress(noise)):
        try:
            unpack(content)
        except RejectedError:
            continue
        assert pb.Batch().FromString(noise) is not None  # noise that happens to be an (empty) message


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda rollout: rollout.ClearField("actions"), "bytes"),
        (lambda rollout: setattr(rollout, "transitions", 2), "ends"),
        (lambda rollout: setattr(rollout, "observation_size", 4), "bytes"),
        (lambda rollout: setattr(rollout, "ends", b"\1\0\0"), "before the last"),
        (lambda rollout: setattr(rollout, "observation_size", 2**31), "too wide"),
        (lambda rollout: setattr(rollout, "transitions", 0), ""),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(chunk, change, cause):
    message = pb.Batch().FromString(zstandard.decompress(pack(Batch([LaneChunk(0, chunk)], []))))
    change(message.rollouts[0])
    with pytest.raises(RejectedError) as caught:
        unpack(_packed(message))
    assert cause in caught.value.cause


def test_numbers_that_are_not_finite_are_refused(chunk):
    broken = chunk.reward_terms.copy()
    broken[1, 1] = np.nan
    with pytest.raises(RejectedError, match="not finite"):
        unpack(pack(Batch([LaneChunk(0, replace(chunk, reward_terms=broken))], [])))


def test_driving_of_another_width_is_refused(chunk: Chunk):
    batch = Batch([LaneChunk(0, chunk)], [])
    check_widths(batch.rollouts, 5, 3, 2)
    with pytest.raises(RejectedError, match=r"\(5, 3, 2\)"):
        check_widths(batch.rollouts, 6, 3, 2)
