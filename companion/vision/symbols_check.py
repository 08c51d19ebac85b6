"""Says at an enrolment whether the faces can be told apart, and if not, why and what to do."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.symbols import MIXED, Labelled, SymbolModel, die_sizes
from companion.vision.symbols_find import U8

SMALL_PX = 24.0
"""A die's box below which a closer camera is advised: coloured faces in drawn pictures made smaller were read down to
10 px, but a camera's noise doesn't shrink with the picture, and one-coloured faces need more (28 px did for skulls and
pips on photographs)."""
SMALLEST_PX = 12.0
"""A die's box below which it can't be enrolled: no artwork survives in it."""
BURNT = 250
"""A grey value from which a channel has lost what was there."""
_BURNT_SHARE = 0.2  # 0.4 where faces could not be told apart, up to 0.05 where they could
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Quality:
    """How well enrolled faces can be told apart.

    Args:
        die_px: the side of a die's box in px, in the picture where it is smallest.
        alike: pairs of faces that look too alike, the most alike first.
        once: faces shown by one die only, so that its likeness to itself is unknown.
        burnt: share of the dice's middle parts in which all channels are overexposed.
        confused: faces for which enrolled dice were taken too often, or were themselves taken for others.
    """

    die_px: float
    alike: tuple[tuple[int | str, int | str], ...]
    once: tuple[int | str, ...]
    burnt: float
    confused: tuple[int | str, ...] = ()

    @property
    def too_small(self) -> bool:
        """Whether the camera should come closer."""
        return self.die_px < SMALL_PX

    @property
    def too_bright(self) -> bool:
        """Whether the lamp should be dimmed."""
        return too_burnt(self.burnt)

    def hints(self) -> list[str]:
        """What to do better, one English line each."""
        out = []
        if self.too_small:
            out.append(
                f"the dice are only {self.die_px:.0f} px wide, {SMALL_PX:.0f} are wanted: bring the camera closer"
            )
        if self.too_bright:
            out.append(f"{self.burnt:.0%} of the tops is burnt out to white: dim the lamp or lower the exposure")
        if self.alike:
            names = ", ".join(f"{a} and {b}" for a, b in self.alike[:_NAMED])
            more = f" and {len(self.alike) - _NAMED} pairs more" if len(self.alike) > _NAMED else ""
            out.append(
                f"too alike under this lamp: {names}{more}; try softer light or a camera closer by, or show more"
            )
        if self.confused:
            names = ", ".join(str(v) for v in self.confused)
            out.append(f"not told by one another: {names}; most of them stay unread unless they are shown better")
        if self.once:
            names = ", ".join(str(v) for v in self.once)
            out.append(f"shown only once: {names}; two dice of each face, turned differently, make reading surer")
        return out


def judge(pictures: Sequence[Labelled], model: SymbolModel) -> Quality:
    """Measure an enrolment, all of whose dice were compared with one another when it was learned."""
    values = model.faces.values
    pairs = itertools.combinations(range(len(values)), 2)
    order = sorted((min(model.lead(a, b), model.lead(b, a)), a, b) for a, b in pairs)
    alike = tuple((values[a], values[b]) for lead, a, b in order if lead < MIXED)
    shown = Counter(v for p in pictures for v in p.values)
    once = tuple(v for v in values if shown[v] == 1)
    tops = [burnt(labelled.picture, box) for labelled in pictures for box in labelled.boxes]
    confused = tuple(v for v, least in zip(values, model.trust.least, strict=True) if least > 0)
    return Quality(min(die_sizes(pictures)), alike, once, float(np.mean(tops)), confused)


def burnt(picture: U8, box: Sequence[float]) -> float:
    """The share (0 to 1) of the middle of a die's box (x, y, width, height in px) that is overexposed."""
    x, y, w, h = box
    top = picture[max(0, int(y + h / 4)) : int(y + 3 * h / 4) + 1, max(0, int(x + w / 4)) : int(x + 3 * w / 4) + 1]
    return float((top.min(axis=2) >= BURNT).mean()) if top.size else 0.0


def too_burnt(share: float) -> bool:
    """Whether so much of a top is overexposed that faces are lost."""
    return share > _BURNT_SHARE
