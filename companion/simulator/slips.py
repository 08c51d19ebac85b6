"""Slips that simulated players make on purpose, and harmless things that happen on every table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.simulator.script import Script, Wait


@dataclass(frozen=True, slots=True)
class Slip:
    """A kind of slip.

    Args:
        moment: when it can be made; each game has moments of its own.
        expected: the problem that a screen must show; None for a harmless thing.
        make: from the game to the script, or None where the position does not allow it. Slips without one are made
            by the script of their moment itself.
        two_players: it exists with two players only.
    """

    moment: str
    expected: str | None
    make: Callable[[Any], Script | None] | None = None
    two_players: bool = False


def lamp(game: Any) -> Script:
    """The lamp over the table is switched."""

    def script() -> Script:
        game.stage.set(lamp=not game.stage.scene.lamp)
        yield Wait(100)

    return game.harmless("lamp", script())  # type: ignore[no-any-return]


def shadow(low_mm: float, high_mm: float) -> Callable[[Any], Script]:
    """The shadow of somebody who leans over the table.

    Args:
        low_mm: between this ...
        high_mm: ... and this far from the middle of the table it passes, by chance.
    """

    def make(game: Any) -> Script:
        y = float(game.rng.uniform(low_mm, high_mm))

        def script() -> Script:
            for x in range(-420, 421, 30):
                game.stage.set(shadow=(float(x), y))
                yield Wait(1600 if x == 0 else 50)
            game.stage.set(shadow=None)

        return game.harmless("shadow", script())  # type: ignore[no-any-return]

    return make
