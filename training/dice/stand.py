"""Trains the network that tells dice which lie flat from leaning and stacked ones and from what is no die.

python stand.py draw POOL FIRST_SEED CHUNKS [--of rare|strange]  # windows about what the present reader finds
python stand.py train POOL WEIGHTS MINUTES            # goes on from WEIGHTS
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import torch
from nets import KINDS, Stand
from patches import recoloured
from scenes import Scene, Truth, scene
from throws import HEAPS, ODD, STRANGE, USUAL, Mix
from torch import Tensor, nn
from train import apply, learn

from companion.vision.dice_net import DiceNet, NetDie, standardise
from companion.vision.dice_stand import REACH, WINDOW, window
from companion.vision.readings import Box

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
Rng = np.random.Generator

PIECE = WINDOW * 3 // 2  # px of a kept piece: room to turn and shift a window in
DENSE, FEW = -1, -2
Part = tuple[int, Mix, int | None]
CHUNKS: dict[str, tuple[Part, ...]] = {
    "usual": (
        (35, ODD, DENSE),
        (15, ODD, None),
        (15, USUAL, DENSE),
        (15, USUAL, None),
        (12, ODD, 0),
        (60, USUAL, FEW),
        (40, ODD, FEW),
    ),
    "rare": ((50, HEAPS, DENSE), (50, ODD, 0), (20, ODD, None), (25, HEAPS, FEW)),
    "strange": ((25, STRANGE, DENSE), (15, STRANGE, None), (70, STRANGE, FEW)),
}
"""Scenes of a chunk: how many, of which mix, with how many dice (None: any; DENSE: many of middle size; FEW: one to
four large ones, because without those what lies alone was taken for no die). ``rare`` ones show mostly what gets a
value and shouldn't, ``strange`` ones makes that look least like others."""
LIES, LEANS, MARKED, NOTHING = range(4)
SHARES = (0.5, 0.2, 0.07, 0.23)  # of the kinds in a batch
BATCH = 96
OFF = 0.3  # of a true box's sides, up to which a finding is of that die
SEEN, TOP, LEAST = 0.6, 0.8, 14  # share of a die and of its top to be seen, px of its longer side, to be learnt from
HINT = 0.15  # probability of some value from which a finding of no die is learnt from


def kind_of(true: Truth | None, marked: bool, value: int) -> int | None:
    """What a finding is; None where that isn't clear, as of dice that are half hidden."""
    if true is None:
        return NOTHING
    if true.visible < SEEN or max(true.box[2:]) < LEAST:
        return None
    if true.value:
        return LIES if true.top >= TOP and value in (0, true.value) else None
    return MARKED if marked else LEANS


def _of(die: NetDie, truths: list[Truth]) -> Truth | None:
    """The true die whose middle a finding has."""
    x, y = die.box[0] + die.box[2] / 2, die.box[1] + die.box[3] / 2
    best: tuple[float, Truth] | None = None
    for t in truths:
        dx, dy = abs(x - t.box[0] - t.box[2] / 2), abs(y - t.box[1] - t.box[3] / 2)
        if dx < OFF * t.box[2] and dy < OFF * t.box[3] and (best is None or dx + dy < best[0]):
            best = dx + dy, t
    return None if best is None else best[1]


def pieces_of(rng: Rng, net: DiceNet, drawn: Scene) -> list[tuple[U8, int, tuple[float, float], float]]:
    """Pieces of a scene about findings and about dice that were not found: picture, kind, way up, the reader's word."""
    out: list[tuple[U8, int, tuple[float, float], float]] = []
    left = list(drawn.dice)

    def add(box: Box, kind: int, up: tuple[float, float], word: float) -> None:
        out.append((window(drawn.picture, box, PIECE, REACH * PIECE / WINDOW), kind, up, word))

    for die in net.detect(drawn.picture):
        true = _of(die, left)
        if true is not None:
            left.remove(true)
        kind = kind_of(true, true is not None and true.marked, die.value)
        word = max(die.probabilities)
        inside = true is None and any(_holds(t, die.box) for t in drawn.dice)
        if kind is None or (kind == NOTHING and (word < HINT or inside)):
            continue
        add(die.box, kind, (0.0, 0.0) if true is None else true.up, word)
    h, w = drawn.picture.shape[:2]
    for t in left:
        kind = kind_of(t, t.marked, 0)
        x, y, bw, bh = t.box
        if kind is None or min(x, y, w - x - bw, h - y - bh) < -0.1 * bw:
            continue
        x, y = x + rng.normal(0, 0.04) * bw, y + rng.normal(0, 0.04) * bh
        add((round(x), round(y), round(bw), round(bh)), kind, t.up, 0.0)
    return out


def _holds(t: Truth, box: Box) -> bool:
    """Whether a finding's middle lies on a die: it is then a poor finding of it or of one behind."""
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
    return t.box[0] < x < t.box[0] + t.box[2] and t.box[1] < y < t.box[1] + t.box[3]


def drawn_of(rng: Rng, mix: Mix, dice: int | None) -> Scene:
    """A scene of a chunk."""
    if dice == DENSE:
        edge = float(np.exp(rng.uniform(np.log(17), np.log(65))))
        return scene(rng, edge=edge, count=int(rng.integers(8, 26)), mix=mix)
    if dice == FEW:
        edge = float(np.exp(rng.uniform(np.log(26), np.log(110))))
        return scene(rng, (420, 330), edge, int(rng.integers(1, 5)), mix)
    return scene(rng, count=dice, mix=mix)


def draw(pool: Path, seed: int, chunks: int, chunk: tuple[Part, ...]) -> None:
    """Writes the pieces of some chunks of scenes."""
    pool.mkdir(parents=True, exist_ok=True)
    net = DiceNet()
    for s in range(seed, seed + chunks):
        rows: list[tuple[U8, int, tuple[float, float], float]] = []
        place: list[int] = []
        for part, (count, mix, dice) in enumerate(chunk):
            for k in range(count):
                rng = np.random.default_rng([s, part, k])
                more = pieces_of(rng, net, drawn_of(rng, mix, dice))
                rows += more
                place += [100 * part + k] * len(more)
        pictures, kinds, ups, words = zip(*rows, strict=True)
        np.savez(
            pool / f"{s}.part.npz",
            pictures=np.stack(pictures),
            kinds=np.array(kinds, np.int8),
            ups=np.array(ups, np.float32),
            words=np.array(words, np.float32),
            scenes=np.array(place, np.int32),
        )
        (pool / f"{s}.part.npz").rename(pool / f"{s}.npz")
        print(s, np.bincount(kinds, minlength=KINDS).tolist(), flush=True)


def tinted(rng: Rng, cut: U8) -> U8:
    """A picture with its colours mixed anyhow; half of them in grey."""
    if rng.random() < 0.5:
        mix = np.tile(rng.dirichlet((2, 4, 3)), (3, 1))
    else:
        share = rng.uniform(0.2, 1)
        mix = (1 - share) * np.eye(3)[rng.permutation(3)] + share * rng.dirichlet((1, 1, 1), 3)
    return np.asarray(cv2.transform(cut, mix.astype(np.float32)), np.uint8)


def view_of(rng: Rng, piece: U8) -> tuple[U8, F32]:
    """One window of a piece as some finding, camera and file might show it, and the turn it took (2 x 2).

    Four cameras of five stand or hang as people look at a table; the others are turned anyhow.
    """
    turn = rng.normal(0, 0.12) if rng.random() < 0.8 else rng.uniform(0, 2 * np.pi)
    c, s = np.cos(turn), np.sin(turn)
    way = np.array([[c, -s], [s, c]]) @ np.diag([-1.0 if rng.random() < 0.5 else 1.0, 1.0])
    scale = float(np.exp(rng.normal(0, 0.08)))
    m = way * scale
    if rng.random() < 0.3:  # cameras and files whose px aren't square
        m = np.diag(np.exp(rng.uniform(-0.12, 0.12, 2))) @ m
    middle = PIECE / 2 - 0.5 + rng.normal(0, 1.1, 2)
    m = np.hstack([m, (WINDOW / 2 - 0.5 - m @ middle)[:, None]])
    cut = np.asarray(cv2.warpAffine(piece, m, (WINDOW, WINDOW), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    if rng.random() < 0.5:
        cut = recoloured(rng, cut)
    if rng.random() < 0.7:  # other colours, or none: what lies flat is told by its shape, whatever it is painted
        cut = tinted(rng, cut)
    if rng.random() < 0.3:
        blur = abs(rng.normal(0, 0.7)) + 0.2 if rng.random() < 0.6 else rng.uniform(0.6, 2)
        cut = np.asarray(cv2.GaussianBlur(cut, (0, 0), blur), np.uint8)
    if rng.random() < 0.2:  # so dim that few levels are left
        cut = np.asarray(cut * np.exp(rng.uniform(np.log(0.08), np.log(0.6))) + rng.uniform(0, 40), np.uint8)
    if rng.random() < 0.25:
        sigma = (abs(rng.normal(0, 7)) + 0.5) * min(1.0, 0.2 + float(cut.std()) / 40)
        grain = rng.standard_normal(cut.shape, np.float32) * np.float32(sigma)
        cut = np.clip(cut + grain, 0, 255).astype(np.uint8)
    if rng.random() < 0.1:
        jpeg = cv2.imencode(".jpg", cut, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 90))])[1]
        cut = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
    return cut, np.asarray(way, np.float32)


class Pieces:
    """All pieces drawn so far; a pool may be growing."""

    def __init__(self, pool: Path) -> None:
        self._pool, self._known = pool, set[Path]()
        self._pictures: list[U8] = []
        self._ups: list[F32] = []
        self._of: list[list[int]] = [[] for _ in SHARES]
        self._weights: list[list[float]] = [[] for _ in SHARES]
        self.refresh()

    def refresh(self) -> None:
        """Takes in what is new; what the reader would give a value counts most."""
        for file in sorted(set(f for f in self._pool.glob("*.npz") if ".part" not in f.name) - self._known):
            self._known.add(file)
            part = np.load(file)
            for picture, kind, up, word in zip(*(part[k] for k in ("pictures", "kinds", "ups", "words")), strict=True):
                self._of[kind].append(len(self._pictures))
                self._weights[kind].append(1.0 if word > 0.5 else 0.4)
                self._pictures.append(picture)
                self._ups.append(up)
        self._sums = [np.cumsum(w) / max(1e-9, sum(w)) for w in self._weights]
        print([len(k) for k in self._of], flush=True)

    def sample(self, rng: Rng) -> tuple[U8, int, F32]:
        """A window, what it shows, and where its top lies from its foot (nan where there is none)."""
        kind = int(rng.choice(len(SHARES), p=SHARES))
        row = int(np.searchsorted(self._sums[kind], rng.random()))
        row = self._of[kind][min(row, len(self._of[kind]) - 1)]
        cut, way = view_of(rng, self._pictures[row])
        up = self._ups[row] if kind != NOTHING else np.full(2, np.nan, np.float32)
        return cut, kind, np.asarray(way @ up, np.float32)


def loss_of(out: Tensor, kinds: Tensor, ups: Tensor) -> Tensor:
    """Cross entropy of the kind, and how wrong the way up is, where it is known."""
    known = torch.isfinite(ups).all(1)
    error = nn.functional.smooth_l1_loss(out[:, KINDS:], torch.nan_to_num(ups), beta=0.1, reduction="none").sum(1)
    up = (error * known).sum() / known.sum().clamp(min=1)
    return nn.functional.cross_entropy(out[:, :KINDS], kinds, label_smoothing=0.01) + 0.3 * up


def train(pool: Path, weights: Path, minutes: float, rate: float, seed: int) -> None:
    """Trains for some minutes with a rate that rises and then falls to nothing."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    pieces, net = Pieces(pool), Stand()
    if weights.exists():
        net.load_state_dict(torch.load(weights))
    net = net.to(memory_format=torch.channels_last).train()
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=3e-3)
    average = {k: v.clone() for k, v in net.state_dict().items()}
    start, step, mean, right = time.monotonic(), 0, 0.0, 0.0
    while (done := (time.monotonic() - start) / 60 / minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * done))
        cuts, kinds, ups = zip(*(pieces.sample(rng) for _ in range(BATCH)), strict=True)
        truth = torch.tensor(kinds), torch.from_numpy(np.stack(ups))
        out = apply(net, torch.from_numpy(standardise(np.stack(cuts))))
        loss = loss_of(out, *truth)
        learn(net, optimiser, loss, average, step)
        step += 1
        share = 1 / min(step, 200)
        mean += (float(loss.detach()) - mean) * share
        right += (float(((out[:, :KINDS].argmax(1) == 0) == (truth[0] == 0)).float().mean()) - right) * share
        if step % 100 == 0:
            print(f"{step} {60 * minutes * done:.0f} s loss {mean:.4f} right {right:.4f}", flush=True)
            torch.save(average, weights)
        if step % 500 == 0:
            pieces.refresh()
    torch.save(average, weights)


def main() -> None:
    """Draws or trains; export.py writes the network."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="what", required=True)
    drawing = sub.add_parser("draw")
    drawing.add_argument("pool", type=Path)
    drawing.add_argument("seed", type=int)
    drawing.add_argument("chunks", type=int)
    drawing.add_argument("--of", choices=CHUNKS, default="usual")
    training = sub.add_parser("train")
    training.add_argument("pool", type=Path)
    training.add_argument("weights", type=Path)
    training.add_argument("minutes", type=float)
    training.add_argument("--rate", type=float, default=3e-3)
    training.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    cv2.setNumThreads(1)
    if a.what == "draw":
        draw(a.pool, a.seed, a.chunks, CHUNKS[a.of])
    else:
        torch.set_num_threads(1)
        train(a.pool, a.weights, a.minutes, a.rate, a.seed)


if __name__ == "__main__":
    main()
