"""Says at an enrolment whether the faces can be told apart, and if not, why and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.symbols import Labelled, SymbolModel, die_sizes, show
from companion.vision.symbols_match import own_and_other

SMALL_PX = 24.0
BURNT = 250
"""A grey value from which a channel has lost what was there."""
_BURNT_SHARE = 0.5
ALIKE = 0.05
"""Lead of a face's own look over another face's below which the two are mixed up."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How well enrolled faces can be told apart.

    Args:
        die_px: the side of a die's box in px, in the picture where it is smallest.
        alike: pairs of faces that look too alike.
        once: faces shown by one die only, so that its likeness to itself is unknown.
        burnt: share of the dice's middle parts in which all channels are overexposed.
    """

    die_px: float
    alike: tuple[tuple[int | str, int | str], ...]
    once: tuple[int | str, ...]
    burnt: float

    def hints(self) -> list[str]:
        """What to do better, one English line each."""
        out = []
        if self.die_px < SMALL_PX:
            out.append(
                f"the dice are only {self.die_px:.0f} px wide, {SMALL_PX:.0f} are wanted: bring the camera closer"
            )
        if self.burnt > _BURNT_SHARE:
            out.append(f"{self.burnt:.0%} of the tops is burnt out to white: dim the lamp or lower the exposure")
        for a, b in self.alike:
            out.append(f"{a} and {b} look too alike under this lamp: try other light, or show each once more")
        if self.once:
            names = ", ".join(str(v) for v in self.once)
            out.append(f"shown only once: {names}; two dice of each face, turned differently, make reading surer")
        return out


def judge(pictures: Sequence[Labelled], model: SymbolModel) -> Quality:
    """Measure an enrolment: each die is compared with all others, as if it were to be read."""
    shown = show(pictures)
    fits = own_and_other(shown, model.faces, model.lean)
    values = model.faces.values
    owner = np.array([model.faces.owner[np.argmax(model.faces.die == k)] for k in range(len(fits))])
    alike = []
    for a in range(len(values)):
        for b in range(a + 1, len(values)):
            leads = [fits[owner == k, k] - fits[owner == k, m] for k, m in ((a, b), (b, a))]
            known = np.concatenate(leads)
            known = known[np.isfinite(known)]
            if len(known) and float(np.median(known)) < ALIKE:
                alike.append((values[a], values[b]))
    once = tuple(v for k, v in enumerate(values) if int((owner == k).sum()) == 1)
    tops = []
    for labelled in pictures:
        for x, y, w, h in labelled.boxes:
            top = labelled.picture[int(y + h / 4) : int(y + 3 * h / 4) + 1, int(x + w / 4) : int(x + 3 * w / 4) + 1]
            if top.size:
                tops.append(float((top.min(axis=2) >= BURNT).mean()))
    return Quality(min(die_sizes(pictures)), tuple(alike), once, float(np.mean(tops)) if tops else 0.0)
