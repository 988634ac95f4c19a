"""All parameters of a network in one buffer, so that a step of an optimiser or a target is one operation."""

from __future__ import annotations

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn

Network = TypeVar("Network", bound=nn.Module)


class FlatParameters:
    """Puts a module's parameters and their gradients into two flat buffers that the module's tensors look into.

    Attributes:
        values: (P,) a leaf whose ``grad`` is the buffer of gradients.
    """

    def __init__(self, module: nn.Module) -> None:
        parameters = list(module.parameters())
        flat = torch.cat([parameter.detach().reshape(-1) for parameter in parameters])
        self.values = nn.Parameter(flat)
        self.gradients = torch.zeros_like(flat)
        self.values.grad = self.gradients
        _look_into(module, self.values.detach())
        start = 0
        for parameter in parameters:
            end = start + parameter.numel()
            parameter.grad = self.gradients[start:end].view_as(parameter)
            start = end

    def minimise(self, loss: Tensor, optimiser: torch.optim.Optimizer) -> None:
        """One step of ``optimiser``, which holds :attr:`values`, down the slope of ``loss``."""
        self.gradients.zero_()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def frozen_twin(module: Network, values: Tensor) -> Network:
    """The same network with ``values`` (P,) as its parameters, which are shared, not copied, and get no gradient.

    With the network's own buffer, autograd passes through it to its inputs and does no work for its weights;
    with a copy of the buffer it is a target network.
    """
    twin = copy.deepcopy(module).requires_grad_(False)
    for parameter in twin.parameters():
        parameter.grad = None
    _look_into(twin, values)
    return twin


def _look_into(module: nn.Module, flat: Tensor) -> None:
    start = 0
    for parameter in module.parameters():
        end = start + parameter.numel()
        parameter.data = flat[start:end].view_as(parameter)
        start = end
