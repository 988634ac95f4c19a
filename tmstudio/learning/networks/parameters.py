"""All parameters of a network in one buffer, so that a step of an optimiser or a target is one operation."""

from __future__ import annotations

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.optim.adam import adam

Network = TypeVar("Network", bound=nn.Module)


class FlatParameters:
    """A module's parameters, their gradients and Adam's moments (arXiv 1412.6980), each in one flat buffer.

    The module's own parameters look into the buffer of values.

    Attributes:
        values: (P,) the parameters.
        gradients: (P,) the slope of the last loss.
        mean: (P,) Adam's first moment.
        square: (P,) Adam's second moment.
        steps: number of steps so far, without axes.
    """

    def __init__(self, module: nn.Module, learning_rate: float) -> None:
        self.learning_rate = learning_rate
        self._parameters = list(module.parameters())
        self.values = torch.cat([parameter.detach().flatten() for parameter in self._parameters])
        self.gradients = torch.zeros_like(self.values)
        self.mean = torch.zeros_like(self.values)
        self.square = torch.zeros_like(self.values)
        self.steps = torch.zeros((), device=self.values.device)
        look_into(module, self.values)

    def minimise(self, loss: Tensor) -> None:
        """One step down the slope of ``loss``."""
        gradients = torch.autograd.grad(loss, self._parameters)
        torch.cat([gradient.flatten() for gradient in gradients], out=self.gradients)
        self.step()

    def step(self) -> None:
        """One step down the slope that :attr:`gradients` holds."""
        adam(
            [self.values], [self.gradients], [self.mean], [self.square], [], [self.steps],
            fused=True, amsgrad=False, maximize=False, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0,
            lr=self.learning_rate,
        )  # fmt: skip


def frozen_twin(module: Network, values: Tensor) -> Network:
    """The same network with ``values`` (P,) as its parameters, which are shared, not copied, and get no gradient.

    With the network's own buffer, autograd passes through it to its inputs and does no work for its weights;
    with a copy of the buffer it is a target network.
    """
    twin = copy.deepcopy(module).requires_grad_(False)
    look_into(twin, values)
    return twin


def look_into(module: nn.Module, flat: Tensor) -> None:
    """Make the parameters of ``module`` views into ``flat``, one after another."""
    start = 0
    for parameter in module.parameters():
        end = start + parameter.numel()
        parameter.data = flat[start:end].view_as(parameter)
        start = end
