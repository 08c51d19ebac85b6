"""Means of weights: ``python average.py OUT WEIGHTS WEIGHTS ...``: goes of one training, steadier than each."""

from __future__ import annotations

import sys

import torch

if __name__ == "__main__":
    goes = [torch.load(file) for file in sys.argv[2:]]
    mean = {k: sum(g[k] for g in goes) / len(goes) if v.is_floating_point() else v for k, v in goes[0].items()}
    torch.save(mean, sys.argv[1])
