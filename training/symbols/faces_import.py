"""Makes weights to go on from out of the network in use: ``python faces_import.py FILE POOL WEIGHTS``.

Its batch norms were folded away when it was written. They are put back so that the network answers as before: each
takes as its scale and shift what a batch of the pool's patches shows there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from faces_net import Embedder
from faces_train import Pool, batch
from onnx import numpy_helper
from torch import Tensor, nn


def convolutions(net: nn.Module) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """All convolutions with their norms, in the order in which they are exported."""
    return [
        (m[0], m[1])
        for m in net.modules()
        if isinstance(m, nn.Sequential)
        and len(m) > 1
        and isinstance(m[0], nn.Conv2d)
        and isinstance(m[1], nn.BatchNorm2d)
    ]


def read(file: Path) -> list[Tensor]:
    """The network's tensors in their order: weights and biases by turns.

    Raises:
        OSError: no such file.
    """
    constants = onnx.load(str(file)).graph.initializer
    return [torch.from_numpy(numpy_helper.to_array(c).astype(np.float32)) for c in constants]


def unfolded(folded: Tensor) -> Callable[[nn.Module, tuple[Tensor]], None]:
    """A hook that sets a norm, when it sees its first batch, so that it only adds the folded shift."""

    def hook(norm: nn.Module, seen: tuple[Tensor]) -> None:
        assert isinstance(norm, nn.BatchNorm2d)
        mean, spread = seen[0].mean((0, 2, 3)), seen[0].var((0, 2, 3), unbiased=False)
        norm.running_mean, norm.running_var = mean, spread
        norm.weight.data, norm.bias.data = torch.sqrt(spread + norm.eps), folded + mean

    return hook


def main(file: Path, pool: Path, weights: Path) -> None:
    """Writes the weights."""
    net, tensors = Embedder(), read(file)
    pairs = convolutions(net)
    if len(tensors) != 2 * len(pairs) + 2:
        raise SystemExit(f"{file}: {len(tensors)} tensors, {2 * len(pairs) + 2} are expected")
    hooks = []
    for (conv, norm), weight, bias in zip(pairs, tensors[:-2:2], tensors[1:-2:2], strict=True):
        conv.weight.data = weight
        hooks.append(norm.register_forward_pre_hook(unfolded(bias)))
    net.head.weight.data, net.head.bias.data = tensors[-2], tensors[-1]
    x = torch.from_numpy(batch(np.random.default_rng(0), Pool(pool))[0])
    with torch.no_grad():
        net.eval()(x)
    for hook in hooks:
        hook.remove()
    torch.save(net.state_dict(), weights)


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
