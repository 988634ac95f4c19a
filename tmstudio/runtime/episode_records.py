"""Attempts on the wire and in the metrics."""

from __future__ import annotations

from tmstudio.env.episodes import EpisodeSummary
from tmstudio.runs.records import EpisodeRow
from tmstudio.transport.proto import tmstudio_pb2 as pb


def to_message(
    summary: EpisodeSummary, *, policy_step: int, mixed_policies: bool, exploring: bool, speed_factor: float
) -> pb.Episode:
    """An attempt and the circumstances it was driven under, as the learner is told of it."""
    return pb.Episode(
        car=summary.car,
        policy_step=policy_step,
        mixed_policies=mixed_policies,
        exploring=exploring,
        speed_factor=speed_factor,
        from_start=summary.from_start,
        finished=summary.finished,
        lap_time_s=summary.lap_time_s,
        progress_m=summary.progress_m,
        progress_fraction=summary.progress_fraction,
        return_sum=summary.return_,
        steps=summary.steps,
        end=summary.end,
        terms=summary.terms,
        sectors_s=summary.sectors_s,
        start_seed=summary.start_seed,
    )


def to_row(episode: pb.Episode, *, actor_id: str, origin: str, time_s: float, step: int) -> EpisodeRow:
    """The attempt as the metrics keep it."""
    return EpisodeRow(
        time_s=time_s,
        step=step,
        actor_id=actor_id,
        car=episode.car,
        policy_step=episode.policy_step,
        origin=origin,
        exploring=episode.exploring,
        speed_factor=episode.speed_factor,
        from_start=episode.from_start,
        finished=episode.finished,
        lap_time_s=lap_time_s(episode),
        progress_m=episode.progress_m,
        progress_fraction=episode.progress_fraction,
        return_=episode.return_sum,
        steps=episode.steps,
        end=episode.end,
        terms=dict(episode.terms),
        sectors_s=tuple(episode.sectors_s),
        start_seed=episode.start_seed,
        mixed_policies=episode.mixed_policies,
    )


def lap_time_s(episode: pb.Episode) -> float | None:
    """The lap time, if the attempt was a finished lap from the start line."""
    return episode.lap_time_s if episode.HasField("lap_time_s") else None
