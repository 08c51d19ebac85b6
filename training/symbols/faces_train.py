"""Trains the network: ``python faces_train.py POOL WEIGHTS MINUTES [--rate R]``; goes on from WEIGHTS."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from faces_net import WIDTH, Embedder
from faces_pool import BOX as POOL_BOX
from faces_pool import PATCH as POOL_PATCH
from sets import F32, U8, Rng
from torch import Tensor, nn

from companion.vision.symbols_net import BOX, PATCH, prepare

SETS, DICE, BLANKS = 7, 4, 4
"""In a batch: sessions, dice of each face of a session, patches of a session without a readable top."""
ASTRAY = 2
WARM = 0.07  # closeness is divided by it: what two prints differ by must be large beside it
_OFF = 1.3  # px, how far off the middle patches are cut, as places found are once they have been put right
_FAR, _ASTRAY = 7.0, 0.25  # px, and how many are cut so far off, as places found may be before
_GROWN = 0.4  # log of size by which these are taken for larger or smaller than they are, at most
_READABLE, _UNREADABLE = 3.0, 5.0  # px off the middle up to which a top is readable, and from which it is not
_SIZED, _MISSIZED = 0.15, 0.25  # the same for the log of size


def view(rng: Rng, patch: U8, turn: float, *, astray: bool = False) -> tuple[U8, F32]:
    """A patch turned (radians, anticlockwise), moved and lit a little otherwise; with how far off its middle is."""
    spread = rng.uniform(-_GROWN, _GROWN) if astray else rng.normal(0, 0.06)
    scale = BOX / POOL_BOX * float(np.exp(spread))
    dx, dy = rng.uniform(-_FAR, _FAR, 2) if astray else np.clip(rng.normal(0, _OFF, 2), -3.5, 3.5)
    middle = POOL_PATCH / 2 - 0.5
    m = cv2.getRotationMatrix2D((middle, middle), np.degrees(turn), scale)
    m[:, 2] += PATCH / 2 - 0.5 - middle + np.array([dx, dy])
    seen = cv2.warpAffine(patch, m, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    seen *= np.exp(rng.normal(0, 0.05) + rng.normal(0, 0.02, 3))
    if rng.random() < 0.25:
        seen = cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.4, 0.9))
    if rng.random() < 0.4:
        seen += rng.normal(0, rng.uniform(0, 5), seen.shape)
    off = np.array([dx / BOX, dy / BOX, np.log(scale * POOL_BOX / BOX)], np.float32)
    return np.clip(seen, 0, 255).astype(np.uint8), off


class Pool:
    """The sessions drawn so far, in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sessions: list[dict[str, F32]] = []
        self.known: set[Path] = set()
        self.refresh()

    def refresh(self) -> None:
        """Load what has been drawn meanwhile."""
        for path in sorted(set(self.folder.glob("*[0-9].npz")) - self.known):
            with np.load(path) as file:
                data = {name: file[name] for name in file.files}
            self.known.add(path)
            if len(set(data["face"].tolist()) - {-1}) >= 4:
                self.sessions.append(data)


def batch(rng: Rng, pool: Pool) -> tuple[F32, F32, Tensor, Tensor, Tensor]:
    """Patches, how far off they are, and for each its session, its face (-1: none) and its group of equal turns.

    What is cut far off its middle is in the group ASTRAY: where its middle is is learned from it, and that it can't be
    read so: one pip of two must not pass for the only one.
    Half of a session's dice are turned to one side, half to another; mostly by right angles, so that the dice's
    outlines agree where the prints don't.
    """
    patches, offs, who = [], [], []
    for k, index in enumerate(rng.choice(len(pool.sessions), SETS, replace=False)):
        data = pool.sessions[int(index)]
        first = rng.uniform(0, 2 * np.pi)
        second = first + (np.pi / 2 * rng.integers(1, 4) if rng.random() < 0.6 else rng.uniform(0.5, 5.8))
        for face in range(6):
            there = np.flatnonzero(data["face"] == face)
            for n, which in enumerate(rng.permutation(there)[:DICE]):
                to, astray = (first, second)[n % 2] + rng.uniform(-0.15, 0.15), rng.random() < _ASTRAY
                seen, off = view(rng, data["patches"][which], float(data["turn"][which]) + to, astray=astray)
                patches.append(seen)
                offs.append(off)
                who.append((k, face, ASTRAY if astray else n % 2))
        for which in rng.permutation(np.flatnonzero(data["face"] < 0))[:BLANKS]:
            patches.append(view(rng, data["patches"][which], rng.uniform(0, 6.3))[0])
            offs.append(np.zeros(3, np.float32))
            who.append((k, -1, 0))
    session, face, group = (torch.tensor(v) for v in zip(*who, strict=True))
    return prepare(np.stack(patches)), np.stack(offs), session, face, group


def losses(out: Tensor, offs: Tensor, session: Tensor, face: Tensor, group: Tensor) -> tuple[Tensor, float]:
    """The loss, and the share of dice whose closest other die, all turned alike, bears the same print."""
    there, near = face >= 0, group != ASTRAY
    far, grown = BOX * offs[:, :2].norm(dim=1), offs[:, 2].abs()
    fits, misses = (far < _READABLE) & (grown < _SIZED), (far > _UNREADABLE) | (grown > _MISSIZED)
    clear, target = ~there | fits | misses, (there & fits).float()
    good = nn.functional.binary_cross_entropy_with_logits(out[clear, WIDTH], target[clear])
    off = nn.functional.smooth_l1_loss(out[there, WIDTH + 1 :], offs[there], beta=0.05)
    readable = there & near
    to = nn.functional.normalize(out[readable, :WIDTH], dim=1)
    close = to @ to.T / WARM
    session, face, group = session[readable], face[readable], group[readable]
    same_print = (session[:, None] == session) & (face[:, None] == face)
    same = same_print & (group[:, None] == group) & ~torch.eye(len(to), dtype=torch.bool)
    others = close.masked_fill(same_print, -torch.inf)  # the print itself, turned otherwise, is no other
    against = torch.logsumexp(others, 1)[:, None]
    pull = nn.functional.softplus(against - close)
    told = (close.masked_fill(~same, -torch.inf).amax(1) > others.amax(1))[same.any(1)]
    return pull[same].mean() + 0.5 * good + 20 * off, float(told.float().mean())


def main() -> None:
    """Trains for the minutes asked with a rate that rises and then falls to nothing."""
    ap = argparse.ArgumentParser(description=__doc__)
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
    net = Embedder()
    if a.weights.exists():
        net.load_state_dict(torch.load(a.weights))
    net = net.to(memory_format=torch.channels_last).train()
    optimiser = torch.optim.AdamW(net.parameters(), a.rate, weight_decay=1e-3)
    average = {k: v.clone() for k, v in net.state_dict().items()}
    pool = Pool(a.pool)
    start, step, mean, right = time.monotonic(), 0, 0.0, 0.0
    while (done := (time.monotonic() - start) / 60 / a.minutes) < 1:
        for group_ in optimiser.param_groups:
            group_["lr"] = a.rate * min(1, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * done))
        x, offs, session, face, group = batch(rng, pool)
        with torch.autocast("cpu", torch.bfloat16):
            out = net(torch.from_numpy(x).to(memory_format=torch.channels_last)).float()
        loss, told = losses(out, torch.from_numpy(offs), session, face, group)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        keep = min(0.998, step / (step + 20))
        with torch.no_grad():
            for k, v in net.state_dict().items():
                average[k].mul_(keep).add_(v, alpha=1 - keep) if v.is_floating_point() else average[k].copy_(v)
        step += 1
        mean += (float(loss.detach()) - mean) / min(step, 100)
        right += (told - right) / min(step, 100)
        if step % 100 == 0:
            minutes = (time.monotonic() - start) / 60
            print(f"{step} {minutes:.1f} min loss {mean:.4f} told {right:.4f}", flush=True)
            torch.save(average, a.weights)
            pool.refresh()
    torch.save(average, a.weights)


if __name__ == "__main__":
    main()
