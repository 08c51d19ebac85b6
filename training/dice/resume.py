"""Weights from a published network, to train on: ``python resume.py finder|reader FILE.onnx POOL WEIGHTS``.

An exported network has no batch norms any more: they are folded into its convolutions (export.py). Here they come back:
what each convolution gives on training samples is measured, and a norm that undoes just that is put behind it. The
network then answers as the published one did, and trains as one that was never folded.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from nets import Finder, Reader
from onnx import TensorProto, numpy_helper
from torch import Tensor, nn
from train import BATCH, batches

MEASURED = 12  # batches that the norms are measured on


def constants(file: Path) -> list[Tensor]:
    """The trained tensors of a published network, each layer's weight and then its bias, in the order of the layers."""
    kept = onnx.load(str(file)).graph.initializer
    halves = [numpy_helper.to_array(c) for c in kept if c.data_type == TensorProto.FLOAT16]
    return [torch.from_numpy(c.astype(np.float32)) for c in halves]


def _pairs(net: nn.Module) -> list[tuple[nn.Conv2d | nn.Linear, nn.BatchNorm2d | None]]:
    """The layers with weights, each with the norm behind it."""
    layers = [m for m in net.modules() if isinstance(m, nn.Conv2d | nn.Linear | nn.BatchNorm2d)]
    return [
        (m, after if isinstance(after, nn.BatchNorm2d) else None)
        for m, after in zip(layers, [*layers[1:], None], strict=True)
        if not isinstance(m, nn.BatchNorm2d)
    ]


def resume(net: nn.Module, tensors: list[Tensor], samples: list[Tensor]) -> None:
    """Gives a network, in place, the weights of a published one and norms that undo what is measured on samples.

    Raises:
        ValueError: the tensors are another network's.
    """
    pairs = _pairs(net)
    if len(tensors) != 2 * len(pairs):
        raise ValueError(f"{len(tensors)} tensors for {len(pairs)} layers")
    norms, hooks = [], []
    with torch.no_grad():
        for (layer, norm), weight, bias in zip(pairs, tensors[::2], tensors[1::2], strict=True):
            if layer.weight.shape != weight.shape:
                raise ValueError(f"{tuple(weight.shape)} for a layer of {tuple(layer.weight.shape)}")
            layer.weight.copy_(weight)
            if norm is None:
                layer.bias.copy_(bias)
                continue
            norm.reset_running_stats()
            norm.momentum = None  # running means of all samples alike
            norms.append((norm, bias))
            hooks.append(norm.register_forward_hook(lambda _, given, __, b=bias: given[0] + b[:, None, None]))
        net.train()
        for x in samples:
            net(x)
        for hook in hooks:
            hook.remove()
        for norm, bias in norms:
            norm.weight.copy_((norm.running_var + norm.eps).sqrt())
            norm.bias.copy_(norm.running_mean + bias)
            norm.momentum = 0.1


def main(kind: str, file: Path, pool: Path, weights: Path) -> None:
    """Writes the weights, and says how well they answer as the published network does."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(1)
    net = Finder() if kind == "finder" else Reader()
    drawn = batches(kind, pool, np.random.default_rng(1))
    samples = [next(drawn)[0] for _ in range(MEASURED)]
    resume(net, constants(file), samples)
    torch.save(net.state_dict(), weights)
    net.eval()
    published = cv2.dnn.readNetFromONNX(str(file))
    worst = 0.0
    for x in samples[0][: min(16, BATCH[kind])]:
        published.setInput(x[None].numpy())
        with torch.no_grad():
            worst = max(worst, float(np.abs(published.forward() - net(x[None]).numpy()).max()))
    print(f"{weights}: off the published network by {worst:.5f} at most")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
