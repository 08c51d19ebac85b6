"""Trains the network that reads spaces, with plain numpy, on data that it draws; writes models/spaces.npz.

    python training/spaces/train.py --pairs 42000 --seed 100 --epochs 10
    python training/spaces/train.py --pairs 42000 --seed 100 --epochs 12 --rate 1.3e-3 --go-on MODEL.npz
    python training/spaces/train.py --pairs 24000 --seed 20000 --dazzled 3 --covered 0.4 --usual 30001 --epochs 10 \
        --rate 8e-4 --share 0.6 --go-on MODEL.npz

The second line, once or twice, goes on from what the first made (a restarted cosine rate). The third adds light that
burns out the print: it alone forgets some of the usual places, so the weights saved are the mean of both. Drawing takes
about 13 ms a place, an epoch about 20 s on one core. The same arguments give the same drawings; the weights then differ
only by the rounding of the machine's BLAS. The weights that ship were made so, but for 24,000 of the first 42,000
pairs, which an earlier state of patches.py drew (white toppings less like the print, with fainter art).
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent))
import patches

from companion.vision import spaces

Float = npt.NDArray[np.float32]
Pictures = npt.NDArray[np.uint8]
CHANNELS = (9, 16, 32, 48)
HIDDEN = 64
MODEL = Path(spaces.__file__).resolve().parent / "models" / "spaces.npz"


def start(rng: np.random.Generator) -> spaces.SpaceNet:
    """A network that has learned nothing yet."""
    last = CHANNELS[3] * (spaces.PATCH_PX // 8) ** 2
    shapes = [(9 * CHANNELS[k], CHANNELS[k + 1]) for k in range(3)] + [(last, HIDDEN), (HIDDEN, len(spaces.CLASSES))]
    return spaces.SpaceNet(
        tuple((rng.normal(0, math.sqrt(2 / a), (a, b))).astype(np.float32) for a, b in shapes),
        tuple(np.zeros(b, np.float32) for _, b in shapes),
    )


def spread(grad: Float, n: int, size: int, channels: int) -> Float:
    """The transpose of ``spaces.columns``: adds each neighbourhood's gradient back to its pixels."""
    half = (size + 1) // 2
    grad = grad.reshape(n, half, half, 9, channels)
    padded = np.zeros((n, size + 2, size + 2, channels), np.float32)
    for k in range(9):
        dy, dx = divmod(k, 3)
        padded[:, dy : dy + 2 * half - 1 : 2, dx : dx + 2 * half - 1 : 2] += grad[:, :, :, k]
    return padded[:, 1:-1, 1:-1]


def gradients(
    net: spaces.SpaceNet, x: Float, labels: npt.NDArray[np.int64], smooth: float, drop: Float
) -> tuple[float, list[Float], list[Float]]:
    """Loss and gradients of one batch (cross entropy with smoothed labels, dropout before the last layer)."""
    n, size = len(x), spaces.PATCH_PX
    cols, outs, sizes = [], [], []
    for w, b in zip(net.weights[:3], net.biases[:3], strict=True):
        sizes.append(size)
        cols.append(spaces.columns(x))
        size = (size + 1) // 2
        outs.append(np.maximum(cols[-1] @ w + b, 0))
        x = outs[-1].reshape(n, size, size, -1)
    flat = x.reshape(n, -1)
    hidden = np.maximum(flat @ net.weights[3] + net.biases[3], 0) * drop
    z = hidden @ net.weights[4] + net.biases[4]
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    want = np.full_like(p, smooth / p.shape[1])
    want[np.arange(n), labels] += 1 - smooth
    loss = float(-(want * np.log(p + 1e-12)).sum(1).mean())
    dw: list[Float] = [None] * 5  # type: ignore[list-item]
    db: list[Float] = [None] * 5  # type: ignore[list-item]
    g = (p - want) / n
    dw[4], db[4] = hidden.T @ g, g.sum(0)
    g = (g @ net.weights[4].T) * drop * (hidden > 0)
    dw[3], db[3] = flat.T @ g, g.sum(0)
    g = g @ net.weights[3].T
    for k in (2, 1, 0):
        g = g.reshape(outs[k].shape) * (outs[k] > 0)
        dw[k], db[k] = cols[k].T @ g, g.sum(0)
        if k:
            g = spread(g @ net.weights[k].T, n, sizes[k], CHANNELS[k])
    return loss, dw, db


def varied(rng: np.random.Generator, before: Pictures, now: Pictures) -> tuple[Pictures, Pictures]:
    """The same pairs seen anew: turned, mirrored, shifted by a pixel, both alike."""
    k, flip = int(rng.integers(0, 4)), bool(rng.integers(0, 2))
    dy, dx = rng.integers(0, 3, 2)
    out = []
    for pictures in (before, now):
        moved = np.rot90(pictures, k, axes=(1, 2))
        moved = moved[:, :, ::-1] if flip else moved
        edged = np.pad(moved, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
        out.append(np.ascontiguousarray(edged[:, dy : dy + moved.shape[1], dx : dx + moved.shape[2]]))
    return out[0], out[1]


def fit(
    before: Pictures,
    now: Pictures,
    labels: npt.NDArray[np.int64],
    seed: int,
    epochs: int,
    batch: int = 64,
    rate: float = 2e-3,
    first: spaces.SpaceNet | None = None,
) -> spaces.SpaceNet:
    """Adam with a cosine rate; prints the loss and the share right on a held-out twentieth."""
    rng = np.random.default_rng(seed)
    begun = first or start(rng)
    net = spaces.SpaceNet(tuple(w.copy() for w in begun.weights), tuple(b.copy() for b in begun.biases))
    params = [*net.weights, *net.biases]
    m, v = [np.zeros_like(a) for a in params], [np.zeros_like(a) for a in params]
    held = len(labels) // 20
    order = np.arange(held, len(labels))
    steps, step = epochs * (len(order) // batch), 0
    for epoch in range(epochs):
        rng.shuffle(order)
        total = 0.0
        for i in range(0, len(order) - batch + 1, batch):
            pick = order[i : i + batch]
            then, later = varied(rng, before[pick], now[pick])
            x = spaces.features(spaces.Empty.of(then), later)
            drop = ((rng.random((batch, HIDDEN)) > 0.2) / 0.8).astype(np.float32)
            loss, dw, db = gradients(net, x, labels[pick], 0.01, drop)
            total += loss
            step += 1
            lr = rate * 0.5 * (1 + math.cos(math.pi * step / steps)) * min(1, step / 200)
            for k, g in enumerate([*dw, *db]):
                m[k] += 0.1 * (g - m[k])
                v[k] += 0.001 * (g * g - v[k])
                params[k] -= lr * (
                    (m[k] / (1 - 0.9**step)) / (np.sqrt(v[k] / (1 - 0.999**step)) + 1e-8)
                    + (1e-3 * params[k] if k < 5 else 0)
                )
        guess = [
            net.logits(spaces.features(spaces.Empty.of(before[i : i + 256]), now[i : i + 256])).argmax(1)[: held - i]
            for i in range(0, held, 256)
        ]
        right = float((np.concatenate(guess) == labels[:held]).mean()) if held else 0.0
        print(f"epoch {epoch + 1}: loss {total / max(1, len(order) // batch):.4f}, right {right:.4f}", flush=True)
    return net


def main() -> None:
    """Draw, train, save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=40000)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument(
        "--dazzled", type=int, default=0, help="photographs of each place in dazzling light, beside one"
    )
    parser.add_argument(
        "--covered", type=float, default=patches.COVERED, help="share of the places with hands and such"
    )
    parser.add_argument("--usual", type=int, metavar="SEED", help="seed of 2000 pairs more, without dazzling light")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the new weights in the mean with those gone on from"
    )
    parser.add_argument("--go-on", type=Path, metavar="MODEL.npz", help="start from these weights")
    parser.add_argument("--out", type=Path, default=MODEL)
    args = parser.parse_args()
    chunks = range(args.seed, args.seed + math.ceil(args.pairs / 2000))
    parts = [patches.draw_many(seed, 2000, args.dazzled, args.covered) for seed in chunks]
    if args.usual is not None:
        parts.append(patches.draw_many(args.usual, 2000))
    before, now, labels = (np.concatenate(x) for x in zip(*parts, strict=True))
    first = spaces.load_net(args.go_on) if args.go_on else None
    net = fit(before, now, labels, args.seed, args.epochs, rate=args.rate, first=first)
    save(net if first is None else mean(first, net, args.share), args.out)


def mean(first: spaces.SpaceNet, second: spaces.SpaceNet, share: float) -> spaces.SpaceNet:
    """The mean of two networks' weights, ``share`` of it the second's."""
    weights, biases = (
        tuple(np.asarray((1 - share) * a + share * b, np.float32) for a, b in zip(*both, strict=True))
        for both in ((first.weights, second.weights), (first.biases, second.biases))
    )
    return spaces.SpaceNet(weights, biases)


def save(net: spaces.SpaceNet, path: Path) -> None:
    """Write the weights in half precision."""
    arrays = {f"w{k}": w.astype(np.float16) for k, w in enumerate(net.weights)}
    arrays |= {f"b{k}": b.astype(np.float16) for k, b in enumerate(net.biases)}
    np.savez_compressed(path, **arrays)


if __name__ == "__main__":
    main()
