"""The live tensors of an algorithm by name: copied out for a checkpoint, checked and written back from one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tmstudio.errors import TMStudioError
from tmstudio.learning.algorithms.base import AlgorithmState
from tmstudio.learning.networks.parameters import FlatParameters


class StateTensors:
    """Named references to live tensors and random generators."""

    def __init__(self) -> None:
        self._tensors: dict[str, Tensor] = {}
        self._generators: dict[str, torch.Generator] = {}

    def add(self, name: str, tensor: Tensor) -> None:
        """A tensor that is written in place."""
        self._tensors[name] = tensor

    def add_parameters(self, name: str, parameters: FlatParameters) -> None:
        """Parameters with the state of their optimiser."""
        self.add(name, parameters.values)
        self.add(f"{name}.mean", parameters.mean)
        self.add(f"{name}.square", parameters.square)
        self.add(f"{name}.steps", parameters.steps)

    def add_generator(self, name: str, generator: torch.Generator) -> None:
        """A generator of random numbers."""
        self._generators[name] = generator

    def copies(self) -> dict[str, NDArray[Any]]:
        """Name -> a copy of the tensor."""
        copies: dict[str, NDArray[Any]] = {
            name: value.cpu().numpy().copy() for name, value in self._tensors.items()
        }
        return copies | {name: value.get_state().numpy().copy() for name, value in self._generators.items()}

    def check(self, state: AlgorithmState, counters: Collection[str]) -> None:
        """Raise a TMStudioError unless ``state`` has these counters and exactly these tensors, all of them finite."""
        arrays = state.tensors
        faults = [f"{name} is missing" for name in counters if name not in state.counters]
        for name, expected in self._described().items():
            if name not in arrays:
                faults.append(f"{name} is missing")
            elif (found := (arrays[name].dtype, arrays[name].shape)) != expected:
                faults.append(f"{name} is {found[0]}{found[1]} instead of {expected[0]}{expected[1]}")
            elif not np.isfinite(arrays[name]).all():
                faults.append(f"{name} has numbers that are not finite")
        faults += [f"{name} is unknown" for name in arrays.keys() - self._described().keys()]
        if faults:
            raise TMStudioError(
                "The checkpoint does not fit this run's algorithm",
                cause="; ".join(sorted(faults)),
                hint="resume from another checkpoint of the run, with the algorithm and network it was made with",
            )

    def write(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write checked arrays into the live tensors."""
        for name, tensor in self._tensors.items():
            tensor.copy_(torch.from_numpy(np.array(arrays[name])))
        for name, generator in self._generators.items():
            generator.set_state(torch.from_numpy(np.array(arrays[name])))

    def _described(self) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
        return {name: (array.dtype, array.shape) for name, array in self.copies().items()}
