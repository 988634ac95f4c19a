"""Which of two policies is the better one: the one that finishes more often, then the one that is faster."""

from __future__ import annotations

from tmstudio.runs.records import EvaluationRow


def is_better(new: EvaluationRow, best: EvaluationRow | None) -> bool:
    """Whether the trials ``new`` show a better policy than ``best``, the best trials so far.

    Where neither finishes, the higher mean return wins: it says which of them comes further.
    """
    return best is None or _rank(new) > _rank(best)


def _rank(row: EvaluationRow) -> tuple[float, float, float]:
    median_s = row.median_lap_s if row.median_lap_s is not None else float("inf")
    return row.finish_rate, -median_s, row.mean_return
