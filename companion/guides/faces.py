"""Enrolling the faces of dice with display and buttons alone: one die under the camera, face after face."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from companion.errors import CalibrationError, InputError
from companion.guides.live import camera_picture
from companion.screens.view import Button, CameraPicture, T, Text, View, verbatim
from companion.vision.stillness import Stillness

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from companion.vision.added import Box
    from companion.vision.symbols import Labelled, SymbolModel
    from companion.vision.symbols_check import Quality
    from hardware.base import Press

    Picture = npt.NDArray[np.uint8]

log = logging.getLogger(__name__)
TAKES = 3
"""Pictures of each face: two tell how alike a die is to itself, the third how much turning it changes."""
STILL_MS = 700  # the hand is away and the stand no longer swings
SHOWN_MS = 900  # how long a take is shown
LOOK_MS = 600  # between two looks for a die, for small computers
TURNED = 0.025
"""Mean difference, as a share of full contrast, between two takes of a die that was turned: noise makes 0.01."""
WIZARD = ("blue", "red", "yellow", "green", "wizard", "jester")
NUMERALS = (1, 2, 3, 4, 5, 6)
NAMES: dict[int | str, Text] = {
    "blue": T("BLUE"),
    "red": T("RED"),
    "yellow": T("YELLOW"),
    "green": T("GREEN"),
    "wizard": T("WIZARD"),
    "jester": T("JESTER"),
}
Trouble = Literal["nothing", "many", "small", "burnt", "same", ""]
TROUBLES: dict[Trouble, Text] = {
    "nothing": T("lay one die down"),
    "many": T("one die only"),
    "small": T("too small: go closer"),
    "burnt": T("too bright: dim lamp"),
    "same": T("turn it a little"),
    "": T("hands off"),
}
CROP = 3.0  # a die's box times this is shown of a take


class FacesGuide:
    """Leads through the enrolment of one kind of dice.

    Args:
        profile: folder of the profile, made when it is saved.
        kind: the name of these dice.
        faces: what to ask for, in this order.

    Raises:
        InputError: no such kind is possible, or there are less than two faces.
    """

    def __init__(self, profile: Path, kind: str, faces: Sequence[int | str]) -> None:
        from calibration.kinds import kind_folder

        kind_folder(profile, kind)
        if len(set(faces)) < 2 or len(set(faces)) != len(faces):
            raise InputError("two faces or more are needed, each with its own name")
        self.done = ""
        self._profile = profile
        self._kind = kind
        self._faces = tuple(faces)
        self._takes: dict[int | str, list[Labelled]] = {face: [] for face in self._faces}
        self._stage: Literal["clear", "empty", "show", "learn", "failed", "judge"] = "clear"
        self._stillness = Stillness()
        self._empty: Picture | None = None
        self._moved = True  # since the last take
        self._last: Labelled | None = None
        self._look_at = 0
        self._trouble: Trouble = "nothing"
        self._anyway = False  # the players want this die taken although it is burnt out
        self._shown: tuple[CameraPicture, int | str, int, int] | None = (
            None  # the last take: picture, face, number, till
        )
        self._learned: tuple[tuple[Labelled, ...], SymbolModel, Quality] | None = None
        self._failure = CalibrationError.short

    @property
    def face(self) -> int | str | None:
        """The face that is asked for; None when all are taken."""
        return next((face for face in self._faces if len(self._takes[face]) < TAKES), None)

    def see(self, t_ms: int, picture: Picture) -> None:
        """Take a picture (BGR uint8, h x w x 3)."""
        since = self._stillness.update(t_ms, picture).since_ms
        if self._stage == "learn":
            self._learn()
        if since is None:
            self._moved = True
        if since is None or t_ms - since < STILL_MS:
            return
        if self._stage == "empty":
            self._empty, self._stage = picture.copy(), "show"
        elif self._stage == "show" and t_ms >= self._look_at and (self._shown is None or t_ms >= self._shown[3]):
            self._look_at = t_ms + LOOK_MS
            self._take(t_ms, picture)

    def _take(self, t_ms: int, picture: Picture) -> None:
        """Take the die that lies still, if there is just one, and it can be told apart from the last take."""
        import numpy as np

        from companion.vision.added import added, is_die
        from companion.vision.symbols import Labelled

        face = self.face
        if face is None or self._empty is None or not self._moved or picture.shape != self._empty.shape:
            return
        boxes = added(self._empty, picture)
        dice = [box for box in boxes if is_die(box, (picture.shape[1], picture.shape[0]))]
        self._trouble = self._look(picture, boxes, dice)
        if self._trouble:
            return
        labelled = Labelled(picture.copy(), np.array(dice), (face,))
        self._takes[face].append(labelled)
        self._last = labelled
        number = len(self._takes[face])
        self._shown = (_cut(picture, dice[0]), face, number, t_ms + SHOWN_MS)
        self._moved, self._anyway, self._trouble = False, False, "same" if number < TAKES else "nothing"
        log.info("took %s, %d of %d, %.0f px wide", face, number, TAKES, max(dice[0][2:]))
        if self.face is None:
            self._stage = "learn"

    def _look(self, picture: Picture, boxes: Sequence[Box], dice: Sequence[Box]) -> Trouble:
        """What speaks against taking the die now."""
        from companion.vision.symbols_check import SMALLEST_PX, burnt, too_burnt

        if not dice:
            return "nothing" if not boxes else "many"
        if len(boxes) > 1:
            return "many"
        if min(dice[0][2:]) < SMALLEST_PX:
            return "small"
        if too_burnt(burnt(picture, dice[0])) and not self._anyway:
            return "burnt"
        # Also for a new face: a hand that came and went must not make the old one pass for the next.
        if self._last is None or self._anyway:
            return ""
        return "" if turned(self._last, picture, dice[0]) else "same"

    def _learn(self) -> None:
        from companion.vision.symbols import learn
        from companion.vision.symbols_check import judge

        pictures = tuple(take for face in self._faces for take in self._takes[face])
        try:
            model = learn(pictures)
            self._learned = (pictures, model, judge(pictures, model))
        except CalibrationError as error:
            log.info("enrolment: %s", error)
            self._failure, self._stage = error.short, "failed"
        else:
            self._stage = "judge"

    def press(self, press: Press) -> None:
        """Take a finished button action.

        Raises:
            OSError: the profile can't be written.
        """
        if press.action != "press":
            return
        if press.button == "back":
            self._back()
        elif press.button == "ok" and self._stage == "clear":
            self._stage, self._stillness = "empty", Stillness()
        elif press.button == "ok" and self._stage == "show":
            # A die that lies as it lay before, or is burnt out, is taken on demand.
            self._anyway, self._moved, self._look_at = True, True, 0
        elif press.button == "ok" and self._stage == "judge":
            self._save()

    def _back(self) -> None:
        """Redo the last face; from the start, leave."""
        if self._stage == "clear":
            self.done = "left"
            return
        taken = [face for face in self._faces if self._takes[face]]
        again = taken[-1:]
        if self._stage == "judge" and self._learned is not None:
            quality = self._learned[2]
            again = list(quality.alike[0] if quality.alike else quality.confused) or again
        for face in again:
            self._takes[face].clear()
        self._stage = "show" if taken else "clear"
        self._learned, self._shown, self._moved, self._trouble = None, None, False, "nothing"

    def _save(self) -> None:
        from calibration.faces import save_faces

        assert self._learned is not None
        pictures, model, quality = self._learned
        save_faces(self._profile, self._kind, pictures, model, quality.die_px, quality.hints())
        for hint in quality.hints():
            log.warning("%s", hint)
        self.done = "saved"

    def view(self, t_ms: int) -> View:
        """The screen to show now."""
        if self._stage in ("clear", "empty"):
            return clear_table(waiting=self._stage == "empty")
        if self._shown is not None and t_ms < self._shown[3] and self._stage in ("show", "learn"):
            return took(*self._shown[:3])
        if self._stage == "failed":
            return failed(self._failure)
        if self._stage == "judge" and self._learned is not None:
            return judgement(self._learned[2])
        face = self.face
        if self._stage == "learn" or face is None:
            return learning()
        return show_face(face, len(self._takes[face]), self._trouble)


def turned(before: Labelled, picture: Picture, box: Box) -> bool:
    """Whether a die lies otherwise than in the last take: turned, not just pushed aside.

    Args:
        before: the last take.
        picture: BGR uint8 h x w x 3, now.
        box: of the die in it.
    """
    import cv2
    import numpy as np

    side = round(max(before.boxes[0][2:]))

    def patch(image: Picture, where: Sequence[float], dx: int = 0, dy: int = 0) -> npt.NDArray[np.float32]:
        x, y, w, h = where
        cut = cv2.getRectSubPix(image, (side, side), (round(x + w / 2) + dx, round(y + h / 2) + dy))
        return np.asarray(cv2.GaussianBlur(cut, (0, 0), 1.0), np.float32)

    old = patch(before.picture, before.boxes[0])
    contrast = float(np.ptp(old)) or 1.0
    steps = (-1, 0, 1)  # the box of a die that lies as it lay is a pixel narrower at times
    change = min(float(np.abs(old - patch(picture, box, dx, dy)).mean()) for dx in steps for dy in steps)
    return change > TURNED * contrast


def _cut(picture: Picture, box: Box) -> CameraPicture:
    """A take as the display shows it: the die with some table, its box drawn around it."""
    x, y, w, h = box
    half = CROP * max(w, h) / 2
    left, top = max(0, round(x + w / 2 - half)), max(0, round(y + h / 2 - half))
    cut = picture[top : round(y + h / 2 + half), left : round(x + w / 2 + half)]
    high, wide = cut.shape[:2]
    corners = ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
    return camera_picture(cut, (tuple(((a - left) / wide, (b - top) / high) for a, b in corners),))


def name_of(face: int | str) -> Text:
    """A face as the display calls it."""
    return NAMES[face] if face in NAMES else verbatim(str(face))


def clear_table(*, waiting: bool) -> View:
    """The table without dice, to compare with."""
    keys: tuple[tuple[Button, Text], ...] = (("back", T("leave")),)
    keys = keys if waiting else (("ok", T("it is empty")), *keys)
    big = T("hands off") if waiting else T("no dice")
    lines = () if waiting else (T("Take all dice away"),)
    return View("guide.dice.clear", T("First an empty table"), big=big, lines=lines, keys=keys, tone="ask")


def show_face(face: int | str, taken: int, trouble: Trouble) -> View:
    """Which face is wanted, and what to do."""
    keys: tuple[tuple[Button, Text], ...] = (("back", T("redo")),)
    if trouble in ("burnt", "same"):
        keys = (("ok", T("take it")), *keys)
    return View(
        "guide.dice.show",
        T("Show ({number} of {all})", number=taken + 1, all=TAKES),
        big=name_of(face),
        lines=(TROUBLES[trouble],),
        keys=keys,
        tone="wrong" if trouble in ("many", "small", "burnt") else "ask",
        facts={"face": face, "taken": taken, "trouble": trouble},
    )


def took(picture: CameraPicture, face: int | str, number: int) -> View:
    """What was taken."""
    title = T("Taken: {face}", face=name_of(face))
    facts = {"face": face, "taken": number}
    return View("guide.dice.took", title, picture=picture, keys=(("back", T("redo")),), facts=facts)


def learning() -> View:
    """While the faces are learned."""
    return View("guide.dice.learn", T("All faces taken"), big=T("learning"), lines=(T("up to a minute"),))


def failed(why: Text) -> View:
    """Nothing came of the pictures."""
    return View("guide.dice.failed", T("Not enrolled"), big=why, keys=(("back", T("redo")),), tone="wrong")


def judgement(quality: Quality) -> View:
    """Whether the faces can be told apart, and what to do if not."""
    keys: tuple[tuple[Button, Text], ...] = (("ok", T("save")), ("back", T("redo")))
    facts = {"alike": quality.alike, "die_px": quality.die_px, "burnt": quality.burnt}
    lines = [T("{a} looks like {b}", a=name_of(a), b=name_of(b)) for a, b in quality.alike[:1]]
    if quality.too_small:
        lines.append(T("too small: go closer"))
    if quality.too_bright:
        lines.append(T("too bright: dim lamp"))
    elif (quality.alike or quality.confused) and not quality.too_small:
        lines.append(T("softer light, closer"))
    lines = lines[-2:]  # the causes come before what follows from them, where not all fits
    good = not lines
    title = T("Told apart well") if good else T("Hard to tell apart")
    return View(
        "guide.dice.judge",
        title,
        big=T("good") if good else None,
        lines=tuple(lines),
        keys=keys,
        tone="ask" if good else "wrong",
        facts=facts,
    )


def guide(profile: Path, variety: str | None) -> FacesGuide:
    """Begin to enrol dice.

    Args:
        profile: folder of the profile.
        variety: the kind's name, or name and faces as in "mine:sun,moon"; None for the kind in use, or "wizard".

    Raises:
        InputError: no kind can have this name, or a face is named twice.
    """
    from calibration.kinds import used_kind

    kind, colon, names = (variety or used_kind(profile) or "wizard").partition(":")
    if colon:
        faces = [name.strip()[:40] for name in names.split(",")]
        return FacesGuide(profile, kind, [int(f) if f.isdecimal() else f for f in faces if f])
    return FacesGuide(profile, kind, WIZARD if kind == "wizard" else NUMERALS)


def samples() -> Sequence[View]:
    """One view of every screen here, for the contact sheet and the tests of texts."""
    from companion.vision.symbols_check import Quality

    grey = bytes(200 if 16 < x < 32 and 16 < y < 32 else 90 for y in range(48) for x in range(48))
    square = ((0.33, 0.33), (0.67, 0.33), (0.67, 0.67), (0.33, 0.67))
    picture = CameraPicture(48, 48, grey, (square,))
    return [
        clear_table(waiting=False),
        clear_table(waiting=True),
        *(show_face(face, k % TAKES, "nothing") for k, face in enumerate(WIZARD)),
        show_face(6, 0, "nothing"),
        *(show_face("yellow", 1, trouble) for trouble in TROUBLES),
        took(picture, "wizard", 2),
        learning(),
        failed(CalibrationError.short),
        judgement(Quality(40, (), (), 0.0)),
        judgement(Quality(40, (("wizard", "yellow"),), (), 0.0)),
        judgement(Quality(20, (("wizard", "yellow"),), (), 0.4)),
        judgement(Quality(20, (), (), 0.0)),
        judgement(Quality(40, (), (), 0.0, ("wizard", "yellow"))),
    ]
