"""Let a run's policy drive laps, without exploration, from starts that chose nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tmstudio.env.build import load_track, trial_task
from tmstudio.env.loop import PolicyFn, Watch, drive_trials
from tmstudio.env.task import DriveTask
from tmstudio.errors import TMStudioError
from tmstudio.evaluation.report import EvaluationReport, report_of
from tmstudio.evaluation.seeds import REPORT_SEEDS, first_seeds
from tmstudio.learning.checkpoints import CheckpointStore, name_of
from tmstudio.learning.policy import Policy, PolicyVersion, decode_policy
from tmstudio.runs.folder import RunFolder

_WORDS: Final[dict[str, Literal["best", "last"]]] = {"best": "best", "last": "last"}


def evaluate(
    run: RunFolder,
    checkpoint: str = "best",
    episodes: int = 10,
    seeds: Sequence[int] | None = None,
    watch: Watch | None = None,
) -> EvaluationReport:
    """Drive trials in the simulator, as fast as it goes, and sum them up.

    The outcome depends on the policy and the seeds alone, the reported speed excepted.

    Args:
        run: whose policy drives.
        checkpoint: ``best``, ``last``, or the step of a checkpoint.
        episodes: how many trials.
        seeds: what their starts are drawn from; the first of `REPORT_SEEDS` by default.
        watch: sees each step of the trials.

    Raises:
        TMStudioError: the run has no such checkpoint, or its track is not the one it was made with.
    """
    chosen = tuple(seeds) if seeds is not None else first_seeds(REPORT_SEEDS, episodes)
    track = load_track(run.config)
    run.check_track(track.sha256)
    name, policy, version = load_checkpoint_policy(run, checkpoint)

    def make_task(batch: Sequence[int]) -> DriveTask:
        task = trial_task(run.config, track, batch)
        check_fits(policy, task)
        return task

    trials = drive_trials(make_task, deterministic(policy), chosen, watch)
    return report_of(
        trials,
        track=run.config.track,
        origin="simulator",
        checkpoint=name,
        policy_step=version.policy_step,
    )


def load_checkpoint_policy(run: RunFolder, checkpoint: str) -> tuple[str, Policy, PolicyVersion]:
    """The name of a run's checkpoint, its policy, and where that comes from.

    Args:
        run: the run.
        checkpoint: ``best``, ``last``, or the step of a checkpoint.
    """
    store = CheckpointStore(run.checkpoints_path, run.config.checkpoints.keep)
    name = name_of(int(checkpoint)) if checkpoint.isdecimal() else checkpoint
    if name in _WORDS:
        # By its own name, so that a run that goes on cannot put another one in its place in between.
        name = store.resolve(_WORDS[name]) or name
    policy, version = decode_policy(store.read_policy(name))
    return name, policy, version


def deterministic(policy: Policy) -> PolicyFn:
    """The policy without exploration, as the drive loop takes it."""

    def act(observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return policy.act(observations, deterministic=True)

    return act


def check_fits(policy: Policy, task: DriveTask) -> None:
    """Refuse a policy that was trained on other observations than the task gives."""
    if policy.spec.observation_size != task.observation_size:
        raise TMStudioError(
            "The policy does not fit the run's observation.",
            cause=f"it was trained on {policy.spec.observation_size} numbers, the run's observation has "
            f"{task.observation_size}",
            hint="set the observation in run.yaml back to what it was, or choose another checkpoint",
        )
