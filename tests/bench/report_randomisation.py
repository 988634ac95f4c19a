"""How runs drive cars and delays that differ from those identified: what randomised training costs and gains.

Run ``python tests/bench/report_randomisation.py RUN [RUN ...]`` with the names of runs in the studio's folder: the
best policy of each drives the same trials with the car as it is, and with cars and delays drawn for each trial.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from tmstudio.config.run_config import Randomisation
from tmstudio.env.build import load_track, simulated_game
from tmstudio.env.loop import drive_trials
from tmstudio.env.starts import TrialStarts
from tmstudio.env.task import DriveTask
from tmstudio.evaluation.report import EvaluationReport, report_of
from tmstudio.evaluation.seeds import REPORT_SEEDS, first_seeds
from tmstudio.evaluation.trials import deterministic, load_checkpoint_policy
from tmstudio.runs.folder import RunFolder

TRIALS = 50
CASES = {
    "as it is": Randomisation(),
    "delay ± 20 ms": Randomisation(delay_ms=20),
    "car ± 5 %": Randomisation(car=0.05),
    "car ± 5 %, delay": Randomisation(car=0.05, delay_ms=20),
    "car ± 10 %": Randomisation(car=0.1),
    "car ± 20 %": Randomisation(car=0.2),
}


def drive(run: RunFolder, case: Randomisation) -> EvaluationReport:
    """The trials of a run's best policy with cars and delays of a case."""
    config = run.config.model_copy(update={"randomisation": case})
    track = load_track(config)
    name, policy, version = load_checkpoint_policy(run, "best")

    def make_task(seeds: Sequence[int]) -> DriveTask:
        rng = np.random.default_rng(seeds[0])
        game = simulated_game(config, track, len(seeds), rng)
        return DriveTask(config, track, game, TrialStarts(track, seeds), rng)

    trials = drive_trials(make_task, deterministic(policy), first_seeds(REPORT_SEEDS, TRIALS))
    return report_of(
        trials, track=config.track, origin="simulator", checkpoint=name, policy_step=version.policy_step
    )


def main() -> None:
    """Print a row for each case, and in it each run's finished laps, median and best."""
    names = sys.argv[1:]
    if not names:
        sys.exit(__doc__)
    print(f"{'':18}" + "".join(f"{name:>30}" for name in names))
    for title, case in CASES.items():
        cells = []
        for name in names:
            report = drive(RunFolder.open(name), case)
            times = (
                f"median {report.median_lap_s:.2f} best {report.best_lap_s:.2f}" if report.lap_times_s else ""
            )
            cells.append(f"{len(report.lap_times_s):3}/{TRIALS} {times}")
        print(f"{title:18}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
