"""Trains the network that weighs the rims of doubtful spaces on tables that it draws; writes models/rims.npz.

    python training/rims/train.py --seed 1000 --tables 80 --lone 9000

Drawing takes about ten seconds a table, the rest a few minutes. The same arguments give the same drawings; the
weights then differ only by the rounding of the machine's BLAS.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lone
import tables

from companion.vision import rims

Float = npt.NDArray[np.float32]
MODEL = Path(rims.__file__).resolve().parent / "models" / "rims.npz"
LONE_SEED = 700_000
HIDDEN, NETS, EPOCHS, BATCH = 48, 3, 30, 256
RATE, DECAY, NOISE, SMOOTH = 3e-3, 3e-3, 0.15, 0.005


def fit(x: Float, white: Float, seed: int) -> tuple[Float, Float, Float, Float]:
    """Weights and biases of both layers, by Adam with decaying weights and noise on the inputs.

    Args:
        x: n x features, each of mean 0 and spread 1.
        white: n, 1 where a white topping lies, 0 where nothing does.
        seed: of the start and the order.
    """
    rng = np.random.default_rng(seed)
    wide = x.shape[1]
    part = [
        rng.uniform(-1, 1, (wide, HIDDEN)) / np.sqrt(wide),
        rng.uniform(-1, 1, HIDDEN) / np.sqrt(wide),
        rng.uniform(-1, 1, (HIDDEN, 1)) / np.sqrt(HIDDEN),
        np.zeros(1),
    ]
    part = [p.astype(np.float32) for p in part]
    first, second = [np.zeros_like(p) for p in part], [np.zeros_like(p) for p in part]
    wanted = white * (1 - 2 * SMOOTH) + SMOOTH
    steps, step = EPOCHS * -(-len(x) // BATCH), 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            some = order[start : start + BATCH]
            seen = x[some] + NOISE * rng.standard_normal((len(some), wide), np.float32)
            hidden = np.tanh(seen @ part[0] + part[1])
            odds = (hidden @ part[2] + part[3])[:, 0]
            g = ((1 / (1 + np.exp(-odds)) - wanted[some]) / len(some))[:, None]
            back = (g @ part[2].T) * (1 - hidden * hidden)
            grads = [seen.T @ back, back.sum(axis=0), hidden.T @ g, g.sum(axis=0)]
            step += 1
            rate = RATE * (1 + np.cos(np.pi * step / steps)) / 2
            for k, grad in enumerate(grads):
                first[k] += 0.1 * (grad - first[k])
                second[k] += 0.001 * (grad * grad - second[k])
                move = first[k] / (1 - 0.9**step) / (np.sqrt(second[k] / (1 - 0.999**step)) + 1e-8)
                part[k] -= np.float32(rate) * (move + DECAY * part[k]).astype(np.float32)
    return part[0], part[1], part[2], part[3]


def trained(x: Float, white: Float) -> dict[str, Float]:
    """The file's contents: the mean of several networks' odds, laid side by side as one."""
    mean, scale = x.mean(axis=0), x.std(axis=0) + np.float32(1e-3)
    z = np.clip((x - mean) / scale, -5, 5).astype(np.float32)
    nets = [fit(z, white, seed) for seed in range(NETS)]
    return {
        "mean": mean,
        "scale": scale,
        "w0": np.concatenate([n[0] for n in nets], axis=1),
        "b0": np.concatenate([n[1] for n in nets]),
        "w1": np.concatenate([n[2] for n in nets]) / np.float32(NETS),
        "b1": np.mean([n[3] for n in nets], axis=0, dtype=np.float32),
    }


def main() -> None:
    """Draw, train, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--tables", type=int, default=80)
    parser.add_argument("--lone", type=int, default=9000, help="single places, of a seed of their own")
    parser.add_argument("--out", type=Path, default=MODEL)
    args = parser.parse_args()
    drawn = []
    for seed in range(args.seed, args.seed + args.tables):
        drawn += tables.examples(seed)
        print(f"table {seed}: {sum(len(white) for _, white in drawn)} spaces", flush=True)
    drawn += lone.examples(LONE_SEED, args.lone)
    x, white = (np.concatenate([pair[k] for pair in drawn]).astype(np.float32) for k in (0, 1))
    np.savez_compressed(args.out, allow_pickle=False, **trained(x, white))


if __name__ == "__main__":
    main()
