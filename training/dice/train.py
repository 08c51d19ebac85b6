"""Trains a network: ``python train.py finder|reader POOL WEIGHTS MINUTES [--rate R]``; goes on from WEIGHTS."""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from nets import Finder, Reader
from patches import Pieces
from pool import load
from samples import finder_sample
from torch import Tensor, nn

from companion.vision.dice_net import standardise

BATCH = {"finder": 16, "reader": 96}


Batch = tuple[Tensor, tuple[Tensor, ...]]  # what a network is given, and the truth


def batches(kind: str, pool: Path, rng: np.random.Generator) -> Iterator[Batch]:
    """Training batches without end; what is drawn into the pool meanwhile is taken in every 500."""
    scenes = load(pool) if kind == "finder" else []
    pieces = Pieces(pool, rng) if kind == "reader" else None
    for step in itertools.count(1):
        if pieces is None:
            pictures, maps = zip(*(finder_sample(rng, scenes) for _ in range(BATCH[kind])), strict=True)
            x = (np.stack(pictures).transpose(0, 3, 1, 2).astype(np.float32) - 127.5) / 127.5
            yield torch.from_numpy(x), (torch.from_numpy(np.stack(maps)),)
        else:
            patches, values, off, dice = zip(*(pieces.sample() for _ in range(BATCH[kind])), strict=True)
            truth = torch.tensor(values), torch.from_numpy(np.stack(off)), torch.tensor(dice)
            yield torch.from_numpy(standardise(np.stack(patches))), truth
        if step % 500 == 0:
            if pieces is None:
                scenes = load(pool)
            else:
                pieces.refresh()


def reader_loss(out: Tensor, values: Tensor, off: Tensor, dice: Tensor) -> Tensor:
    """Cross entropy of the class, and how wrong the reader is about where the die lies, where there is one."""
    error = nn.functional.smooth_l1_loss(out[:, 7:], off, beta=0.1, reduction="none")
    loss = nn.functional.cross_entropy(out[:, :7], values, label_smoothing=0.01)
    return loss + (error.sum(1) * dice).mean()


def finder_loss(out: Tensor, maps: Tensor) -> Tensor:
    """Focal loss on the heat (Zhou et al., Objects as Points, 2019) and absolute error of the boxes."""
    p = torch.sigmoid(out[:, 0]).clamp(1e-4, 1 - 1e-4)
    heat, weight, inside = maps[:, 0], maps[:, 1], maps[:, 2]
    peak = (heat >= 0.999).float()
    gain = peak * (1 - p) ** 2 * p.log() + (1 - peak) * (1 - heat) ** 4 * p**2 * (1 - p).log()
    count = peak.sum().clamp(min=4)
    boxes = (out[:, 1:] - maps[:, 3:]).abs() * inside[:, None] * torch.tensor([0.5, 0.5, 1, 1])[None, :, None, None]
    return -(gain * weight).sum() / count + 0.8 * boxes.sum() / inside.sum().clamp(min=4)


def apply(net: nn.Module, x: Tensor) -> Tensor:
    """A network's answer, worked out in bfloat16 (on a core that has it, the reader trains 1.8 times as fast)."""
    with torch.autocast("cpu", torch.bfloat16):
        return net(x.to(memory_format=torch.channels_last)).float()


def learn(
    net: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor, average: dict[str, Tensor], step: int
) -> None:
    """One step down the loss; the average of the weights (changed in place) follows ever more slowly."""
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    optimiser.step()
    keep = min(0.998, step / (step + 20))
    with torch.no_grad():
        for k, v in net.state_dict().items():
            average[k].mul_(keep).add_(v, alpha=1 - keep) if v.is_floating_point() else average[k].copy_(v)


def main() -> None:
    """Trains for the minutes asked with a rate that rises and then falls to nothing."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("net", choices=["finder", "reader"])
    ap.add_argument("pool", type=Path)
    ap.add_argument("weights", type=Path)
    ap.add_argument("minutes", type=float)
    ap.add_argument("--rate", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    net: nn.Module = Finder() if a.net == "finder" else Reader()
    if a.weights.exists():
        net.load_state_dict(torch.load(a.weights))
    net = net.to(memory_format=torch.channels_last).train()
    optimiser = torch.optim.AdamW(net.parameters(), a.rate, weight_decay=1e-3)
    average = {k: v.clone() for k, v in net.state_dict().items()}
    drawn = batches(a.net, a.pool, rng)
    start, step, mean, right = time.monotonic(), 0, 0.0, 0.0
    while (done := (time.monotonic() - start) / 60 / a.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = a.rate * min(1, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * done))
        x, truth = next(drawn)
        out = apply(net, x)
        if a.net == "finder":
            loss = finder_loss(out, *truth)
        else:
            loss = reader_loss(out, *truth)
            right += 0.01 * (float((out[:, :7].argmax(1) == truth[0]).float().mean()) - right)
        learn(net, optimiser, loss, average, step)
        step += 1
        mean += (float(loss.detach()) - mean) / min(step, 100)
        if step % 100 == 0:
            minutes = (time.monotonic() - start) / 60
            print(f"{step} {minutes:.1f} min loss {mean:.4f} right {right:.4f}", flush=True)
            torch.save(average, a.weights)
    torch.save(average, a.weights)


if __name__ == "__main__":
    main()
