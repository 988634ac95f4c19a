"""A replay that is drawn from evenly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tmstudio.errors import TMStudioError
from tmstudio.learning.replay.batch import Batch
from tmstudio.learning.replay.labels import n_step_labels
from tmstudio.learning.replay.storage import Shape, Storage
from tmstudio.runs.chunk import Chunk

_RELABEL_ROWS = 1 << 18


class ReplayStore:
    """A ring of rows in one mapped file.

    A chunk of T transitions takes T + 1 rows: the last one holds its final observation and is an end marker
    that is never drawn. Each observation is stored once, raw, beside the reward *terms*; the n-step labels are
    made from them at append, and anew when weights, discount or n change.

    A killed process loses nothing that was appended. What counts as stored is the window of ``size`` rows before
    ``head``: a checkpoint saves these two numbers, and :meth:`restore` goes back to them.
    """

    def __init__(self, storage: Storage, *, n_step: int, gamma: float, weights: ArrayLike, seed: int) -> None:
        self._storage = storage
        rows = storage.shape.rows
        self._steps = np.zeros(rows, np.uint8)  # to the observation that is bootstrapped from; 0: never drawn
        self._random = np.random.Generator(np.random.SFC64(seed))
        self._batches: dict[int, Batch] = {}
        self._last_drawn: NDArray[np.int64] = np.zeros(0, np.int64)
        self._head = 0
        self._size = 0
        self._transitions = 0
        self._largest_reward = 0.0
        self._set_labelling(n_step, gamma, weights)

    @classmethod
    def create(
        cls,
        path: Path | None,
        shape: Shape,
        *,
        n_step: int,
        gamma: float,
        weights: ArrayLike,
        seed: int,
    ) -> ReplayStore:
        """An empty store.

        Args:
            path: its file, fully allocated here; None keeps it in memory.
            shape: rows, end markers included, and sizes of a row.
            n_step: most steps of real reward in a label.
            gamma: discount of one step.
            weights: (K,) weights of the reward terms.
            seed: start of the random numbers of sampling.

        Raises:
            TMStudioError: the file exists, or the disk has no room for it.
        """
        storage = Storage.in_memory(shape) if path is None else Storage.create(path, shape)
        return cls(storage, n_step=n_step, gamma=gamma, weights=weights, seed=seed)

    @classmethod
    def open(cls, path: Path, *, n_step: int, gamma: float, weights: ArrayLike, seed: int) -> ReplayStore:
        """The store in ``path``, counting as empty until :meth:`restore` says what of it is valid.

        Raises:
            TMStudioError: the file is missing, foreign, cut short, or of a newer version.
        """
        return cls(Storage.open(path), n_step=n_step, gamma=gamma, weights=weights, seed=seed)

    @property
    def shape(self) -> Shape:
        """Rows, and sizes of a row."""
        return self._storage.shape

    @property
    def capacity(self) -> int:
        """Rows that fit, end markers included."""
        return self._storage.shape.rows

    @property
    def head(self) -> int:
        """Rows that were ever appended; the next one goes to ``head % capacity``."""
        return self._head

    @property
    def size(self) -> int:
        """Rows that are valid, end markers included."""
        return self._size

    def __len__(self) -> int:
        """Transitions that can be drawn."""
        return self._transitions

    @property
    def largest_reward(self) -> float:
        """Largest magnitude of one step's reward since the labels were last made."""
        return self._largest_reward

    @property
    def random_state(self) -> dict[str, Any]:
        """State of the random numbers of sampling, ready for JSON."""
        state: dict[str, Any] = _to_plain(self._random.bit_generator.state)
        return state

    @random_state.setter
    def random_state(self, state: Mapping[str, Any]) -> None:
        self._random.bit_generator.state = state

    def append(self, chunk: Chunk, time_s: float = 0.0) -> None:
        """Store a chunk, over the oldest rows once the ring is full.

        Args:
            chunk: at most ``capacity - 1`` transitions.
            time_s: seconds of training now.
        """
        store, steps = self._storage, len(chunk)
        self._check_fits(chunk)
        count = steps + 1
        rows = self._ring(self._head, count)
        overwritten = max(0, self._size + count - self.capacity)
        lost = self._ring(self._head - self._size, overwritten)
        self._transitions += steps - int(np.count_nonzero(store.steps_left[lost]))
        store.written = max(store.written, self._head + count)

        steps_left = np.arange(steps, -1, -1, dtype=np.int32)
        terminates = bool(chunk.terminated[-1])
        store.observations[rows] = chunk.observations
        store.actions[rows[:-1]] = chunk.actions
        store.reward_terms[rows[:-1]] = chunk.reward_terms
        store.steps_left[rows] = steps_left
        store.terminates[rows] = terminates
        store.time_s[rows] = time_s

        rewards = np.zeros(count + self._n_step - 1, np.float32)
        rewards[:steps] = chunk.reward_terms @ self._weights
        self._label(rows, rewards, steps_left, np.full(count, terminates))
        self._head += count
        self._size = min(self._size + count, self.capacity)

    def sample(self, batch_size: int) -> Batch:
        """Draw ``batch_size`` transitions evenly, with replacement. The returned arrays are reused."""
        batch = self._batches.get(batch_size)
        if batch is None:
            batch = Batch.empty(batch_size, self.shape.observation_size, self.shape.action_size)
            self._batches[batch_size] = batch
        self._draw(batch.indices)
        # "clip" takes the unchecked path into `out`; the rows are in range by construction.
        self._storage.records.take(batch.indices.ravel(), axis=0, out=batch.records, mode="clip")
        self._last_drawn = batch.rows
        return batch

    def age_s(self, now_s: float) -> float:
        """Mean age in seconds of training of the transitions in the last draw; NaN before the first one."""
        if not len(self._last_drawn):
            return float("nan")
        return now_s - float(self._storage.time_s[self._last_drawn].mean())

    def relabel(self, weights: ArrayLike, gamma: float, n_step: int) -> None:
        """Make all labels anew, for a change of the reward's weights, the discount or the number of steps."""
        self._set_labelling(n_step, gamma, weights)
        self._relabel_all()

    def restore(self, head: int, size: int) -> None:
        """Go back to a saved ``head`` and ``size``.

        Rows that were appended after the save have replaced the oldest ones of the saved window, or a killed
        process was just about to: those no longer count.

        Raises:
            TMStudioError: the file never held these rows.
        """
        written = self._storage.written
        if not 0 <= size <= min(head, self.capacity) or head > written:
            raise TMStudioError(
                "The replay does not fit the checkpoint",
                cause=f"the checkpoint speaks of {size} rows before row {head}; the file has {written} of "
                f"{self.capacity}",
                hint="restore the run folder as a whole from one copy",
            )
        self._head = head
        self._size = max(0, min(size, self.capacity - (written - head)))
        window = self._storage.steps_left[self._ring(head - self._size, self._size)]
        self._transitions = int(np.count_nonzero(window))
        self._relabel_all()

    def flush(self) -> None:
        """Bring the file to the disk, against a power cut. Slow; other threads go on meanwhile."""
        self._storage.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._storage.close()

    def _set_labelling(self, n_step: int, gamma: float, weights: ArrayLike) -> None:
        self._n_step = n_step
        self._gamma = gamma
        self._weights: NDArray[np.float32] = np.asarray(weights, np.float32)
        if self._weights.shape != (self.shape.reward_terms,):
            raise TMStudioError(
                "The replay does not fit the configuration",
                cause=f"it holds {self.shape.reward_terms} reward terms, the configuration has {self._weights.size}",
                hint="resume the run with the version of TMStudio that made it",
            )

    def _relabel_all(self) -> None:
        self._largest_reward = 0.0
        store, ahead = self._storage, self._n_step - 1
        oldest = self._head - self._size
        for start in range(0, self._size, _RELABEL_ROWS):
            count = min(_RELABEL_ROWS, self._size - start)
            rows = self._ring(oldest + start, count + ahead)
            rewards = store.reward_terms[rows] @ self._weights
            rows = rows[:count]
            self._label(rows, rewards, store.steps_left[rows], store.terminates[rows])

    def _label(
        self,
        rows: NDArray[np.int64],
        rewards: NDArray[np.float32],
        steps_left: NDArray[np.int32],
        terminates: NDArray[np.bool_],
    ) -> None:
        labels = n_step_labels(rewards, steps_left, terminates, n_step=self._n_step, gamma=self._gamma)
        self._storage.records[rows, -2] = labels.returns
        self._storage.records[rows, -1] = labels.discounts
        self._steps[rows] = labels.steps
        real = np.abs(rewards[: len(rows)][steps_left > 0])
        self._largest_reward = max(self._largest_reward, float(real.max(initial=0.0)))

    def _draw(self, indices: NDArray[np.int64]) -> None:
        """Fill (2, B) with random valid rows and the rows that they bootstrap from."""
        if not self._transitions:
            raise ValueError("an empty replay cannot be drawn from")
        rows, ends = indices
        filled, wanted = 0, len(rows)
        while filled < wanted:
            # Draw from the window and leave out the end markers; with a few more than are needed on average
            # once round is enough almost always.
            count = (wanted - filled) * self._size // self._transitions
            drawn = (self._random.random(count + count // 16 + 8) * self._size).astype(np.int64)
            if self._size < self.capacity:
                drawn += (self._head - self._size) % self.capacity
                drawn[drawn >= self.capacity] -= self.capacity
            steps = self._steps.take(drawn, mode="clip")
            kept = steps.nonzero()[0][: wanted - filled]
            fill = slice(filled, filled + len(kept))
            drawn.take(kept, out=rows[fill], mode="clip")
            np.add(rows[fill], steps.take(kept, mode="clip"), out=ends[fill])
            filled += len(kept)
        ends[ends >= self.capacity] -= self.capacity

    def _ring(self, start: int, count: int) -> NDArray[np.int64]:
        return np.arange(start, start + count) % self.capacity

    def _check_fits(self, chunk: Chunk) -> None:
        sizes = (chunk.observations.shape[1], chunk.actions.shape[1], chunk.reward_terms.shape[1])
        expected = (self.shape.observation_size, self.shape.action_size, self.shape.reward_terms)
        if sizes != expected or len(chunk) >= self.capacity:
            raise TMStudioError(
                "A stretch of driving does not fit the replay",
                cause=f"{len(chunk)} steps of (observation, action, reward terms) {sizes} came to a replay for "
                f"{self.capacity} rows of {expected}",
                hint="driver and learner must run the same configuration; restart both",
            )


def _to_plain(value: Any) -> Any:
    """NumPy's state with plain lists and numbers in place of arrays."""
    if isinstance(value, Mapping):
        return {key: _to_plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
