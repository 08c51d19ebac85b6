"""Draws throws of dice with drawn faces: several pictures of one set on one table, as an enrolment and games see them.

The die, its lamp, shadows and table are those of training/dice; here each side bears its own print, the pictures of a
session share their lamp and camera, and tops may be burnt out to white.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt
from faces_art import SIZE, Art, draw_set
from leaning import turned
from render import SIDES, Camera, Die, Light, Style, _body, _march, _normals
from scenes import _ground, _light, _shadows
from tables import hand
from things import noise
from throws import _apart, _square, _style

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Top:
    """A die in a picture.

    Args:
        face: which of the set's faces is up.
        x: px, the top's middle.
        y: the same.
        turn: radians from the picture's up direction to the print's, clockwise.
        seen: share of the top that is in view.
        flat: whether the die lies flat; a cocked one can't be read.
        box: px, the middle of its box.
    """

    face: int
    x: float
    y: float
    turn: float
    seen: float
    flat: bool
    box: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Session:
    """What the pictures of one game share, if their camera doesn't move.

    Args:
        styles: makes of the dice.
        arts: the six faces.
        light: lamps.
        camera: where it is.
        size: of the pictures in px.
        edge: of a die in the picture's middle, in px.
        side: the usual side of a die's box, in px.
        ground: seed of the table.
        touch: share of dice that lie beside another.
        dent: how deep prints are engraved.
        look: seed of lens, exposure, sensor and file.
        by_hand: whether each picture has its own camera, lamps and exposure.
    """

    styles: tuple[Style, ...]
    arts: tuple[Art, ...]
    light: Light
    camera: Camera
    size: tuple[int, int]
    edge: float
    side: float
    ground: int
    touch: float
    dent: float
    look: int
    by_hand: bool


def session(rng: Rng) -> Session:
    """A set of dice, a lamp, a table and a camera."""
    style = replace(_style(rng), mark="", dent=0.0, through=0.0)
    if rng.random() < 0.25:  # clouds of two shades, in each die elsewhere
        other = np.clip(style.body * rng.uniform(0.25, 1.75) + rng.normal(0, 0.06, 3), 0, 1).astype(np.float32)
        style = replace(style, pattern="marble", body2=other)
    if style.ball < 0.74:
        style = replace(style, ball=rng.uniform(0.74, 0.88))
    styles = [style]
    if rng.random() < 0.12:  # each die of another colour
        styles = [
            replace(_style(rng), bevel=style.bevel, ball=style.ball, mark="", dent=0.0, through=0.0) for _ in "12345"
        ]
    low, high = (17, 27) if rng.random() < 0.4 else (17, 50)  # a wide view's dice are small
    edge = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    size = (int(edge * 8), int(edge * 7))
    arts = tuple(draw_set(rng, style.body))
    dent = rng.uniform(0.2, 1.2) if rng.random() < 0.35 else 0.0
    touch = float(rng.choice([0.2, 0.6, 0.9]))
    seed, look = (int(v) for v in rng.integers(0, 2**31, 2))
    camera, by_hand = _camera(rng, size, edge), bool(rng.random() < 0.35)
    return Session(tuple(styles), arts, _light(rng), camera, size, edge, edge / 0.76, seed, touch, dent, look, by_hand)


def _camera(rng: Rng, size: tuple[int, int], edge: float) -> Camera:
    tilt = min(abs(rng.normal(0, 0.33)), 0.8)
    return Camera.looking_down(edge * rng.uniform(16, 55), size, edge, tilt, rng.uniform(-0.5, 0.5))


def elsewhere(rng: Rng, s: Session) -> Session:
    """The session as its next picture sees it: the same if the camera is fixed, else from another place and light."""
    if not s.by_hand:
        return s
    edge = float(np.clip(s.edge * np.exp(rng.uniform(-0.3, 0.3)), 16, 55))
    size, look = (int(edge * 8), int(edge * 7)), int(rng.integers(0, 2**31))
    return replace(
        s, edge=edge, side=edge / 0.76, size=size, camera=_camera(rng, size, edge), light=_light(rng), look=look
    )


def throw(rng: Rng, s: Session) -> tuple[U8, list[Top]]:
    """One picture of a session (BGR) and its dice."""
    w, h = s.size
    out = _ground(np.random.default_rng(s.ground), s.camera, s.size, s.edge, False)
    dice = _lie(rng, s)
    _shadows(np.random.default_rng(s.look), out, s.camera, dice, s.light, s.edge)
    owner = np.zeros((h, w), np.int32)
    whole: list[float] = []
    for die in sorted(dice, key=lambda d: -float(np.linalg.norm(d.centre - s.camera.position))):
        (x, y), rgb, cover, top = draw_die(rng, s, die)
        whole.append(0.0)
        here = (slice(max(0, y), max(0, y + len(cover))), slice(max(0, x), max(0, x + cover.shape[1])))
        under = out[here]
        if not under.size:
            continue
        a, b = max(0, -y), max(0, -x)
        cut = (slice(a, a + under.shape[0]), slice(b, b + under.shape[1]))
        alpha = cover[cut][:, :, None]
        out[here] = under * (1 - alpha) + rgb[cut] * alpha
        whole[-1] = float((top > 0.5).sum())
        owner[here][cover[cut] > 0.5] = 0
        owner[here][top[cut] > 0.5] = len(whole)
    dice.sort(key=lambda d: -float(np.linalg.norm(d.centre - s.camera.position)))
    if rng.random() < 0.15:
        owner[hand(rng, out, s.edge)] = 0
    if rng.random() < 0.15:  # a hand's shadow
        dark = cv2.GaussianBlur(
            hand(rng, out.copy(), s.edge).astype(np.float32), (0, 0), s.edge * rng.uniform(0.05, 0.5)
        )
        out *= 1 - rng.uniform(0.3, 0.7) * dark[..., None]
    body = float(np.mean([st.body.max() for st in s.styles]))
    picture = photograph(np.random.default_rng(s.look), rng, out, s.edge, body)
    return picture, [_truth(s, die, float((owner == k).sum()), whole[k - 1]) for k, die in enumerate(dice, 1)]


def _lie(rng: Rng, s: Session) -> list[Die]:
    """Dice on the table, many side by side."""
    dice: list[Die] = []
    squares: list[tuple[float, float, float, float]] = []
    for _ in range(60):
        if len(dice) == 16:
            break
        yaw = rng.uniform(0, 2 * np.pi)
        if squares and rng.random() < s.touch:
            x0, y0, yaw0, _ = squares[int(rng.integers(len(squares)))]
            side = yaw0 + np.pi / 2 * int(rng.integers(4))
            straight = rng.random() < 0.5
            yaw = yaw0 + np.pi / 2 * int(rng.integers(4)) if straight else yaw
            gap = rng.uniform(1.003, 1.06) if straight else rng.uniform(1.0, 1.5)
            slide = rng.choice([0.0, rng.uniform(-0.6, 0.6)])
            x, y = x0 + gap * np.cos(side) - slide * np.sin(side), y0 + gap * np.sin(side) + slide * np.cos(side)
        else:
            at = np.array([[rng.uniform(0.08, 0.92) * s.size[0], rng.uniform(0.08, 0.92) * s.size[1]]], np.float32)
            x, y, _ = (float(v) for v in s.camera.on_table(at)[0])
        mine = _square(x, y, yaw, 1.001)
        if not all(_apart(mine, _square(*q)) for q in squares):
            continue
        squares.append((x, y, yaw, 1.0))
        cocked = rng.random() < 0.03
        tilt = rng.uniform(0.3, 0.75) if cocked else abs(rng.normal(0, 0.01))
        centre = np.array([x, y, (1 + 0.4 * tilt) / 2], np.float32)
        faces = tuple(int(v) for v in rng.permutation(6))
        turns = tuple(int(v) for v in rng.integers(0, 4, 6))
        style = s.styles[int(rng.integers(len(s.styles)))]
        dice.append(Die(style, centre, 1.0, turned(yaw, tilt, rng.uniform(0, 6.3)), faces, turns))
    return dice


def _truth(s: Session, die: Die, seen: float, whole: float) -> Top:
    up = die.rotation @ np.array([0, 0, 0.5], np.float32)
    middle = die.centre + up
    # The print's rows run along the top's second axis, see draw_die; turned by quarters.
    angle = die.turns[4] * np.pi / 2
    along = die.rotation @ np.array([-np.sin(angle), -np.cos(angle), 0], np.float32)
    at, ahead = s.camera.project(np.stack([middle, middle + along * 0.3]))
    x, y = ahead - at
    corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], np.float32) / 2
    px = s.camera.project(np.asarray(corners @ die.rotation.T + die.centre, np.float32))
    box = (px.min(0) + px.max(0)) / 2
    return Top(
        die.faces[4],
        float(at[0]),
        float(at[1]),
        float(np.arctan2(x, -y)),
        seen / max(1.0, whole),
        bool(die.rotation[2, 2] > 0.97),
        (float(box[0]), float(box[1])),
    )


def draw_die(rng: Rng, s: Session, die: Die) -> tuple[tuple[int, int], F32, F32, F32]:
    """Renders a die: the patch's corner in px, its colours, its coverage and that of the top face alone."""
    style, camera = die.style, s.camera
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32) / 2
    px = camera.project(np.asarray(corners @ die.rotation.T + die.centre, np.float32))
    x0, y0 = (int(v) - 1 for v in np.floor(px.min(0)))
    x1, y1 = (int(v) + 2 for v in np.ceil(px.max(0)))
    w, h, sub = x1 - x0, y1 - y0, 3 if max(x1 - x0, y1 - y0) < 45 else 2
    gx, gy = np.meshgrid(x0 + (np.arange(w * sub) + 0.5) / sub, y0 + (np.arange(h * sub) + 0.5) / sub)
    rays = camera.rays(np.column_stack([gx.ravel(), gy.ravel()]).astype(np.float32)) @ die.rotation
    origin = ((camera.position - die.centre) @ die.rotation).astype(np.float32)
    p, hit = _march(origin, np.asarray(rays, np.float32), style.bevel, style.ball)
    n = _normals(p, style.bevel, style.ball)
    colour = _body(style, p, rng)
    q = np.abs(p)
    axis = np.where(q[:, 2] >= np.maximum(q[:, 0], q[:, 1]), 2, np.where(q[:, 0] >= q[:, 1], 0, 1))
    positive = p[np.arange(len(p)), axis] > 0
    for k, (a, sign) in enumerate(SIDES):
        on = np.flatnonzero((axis == a) & (positive == (sign > 0)))
        if not len(on):
            continue
        b, c = [i for i in (0, 1, 2) if i != a]
        angle = die.turns[k] * np.pi / 2
        cos, sin = np.float32(np.cos(angle)), np.float32(np.sin(angle))
        u, v = p[on, b] * sign * (-1 if a == 1 else 1), p[on, c]  # not mirrored, whichever side
        u, v = u * cos - v * sin, u * sin + v * cos
        column, row = (np.clip(((0.5 + t) * SIZE).astype(int), 0, SIZE - 1) for t in (-u, v))
        art = s.arts[die.faces[k]]
        m = art.cover[row, column][:, None]
        colour[on] = colour[on] * (1 - m) + art.paint[row, column] * m
        if s.dent:
            gy_, gx_ = np.gradient(cv2.GaussianBlur(art.cover, (0, 0), 2.5))
            lean = np.stack([-gx_[row, column], gy_[row, column]], 1).astype(np.float32) * np.float32(6 * s.dent)
            n[np.ix_(on, [b, c])] += lean @ np.array([[cos, sin], [-sin, cos]], np.float32).T
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-6)
    nt, rt = n @ die.rotation.T, rays[hit] @ die.rotation.T
    mirror = rt - 2 * (rt * nt).sum(1, keepdims=True) * nt
    lit = s.light.ambient * (0.6 + 0.4 * nt[:, 2])
    shine = np.zeros(len(p), np.float32)
    for d, strength, spread in zip(s.light.towards, s.light.strength, s.light.spread, strict=True):
        lit = lit + strength * np.clip(nt @ d, 0, 1)
        shine = shine + strength * np.exp((mirror @ d - 1) / (spread * style.shine))
    low = np.clip(((p @ die.rotation.T)[:, 2] + 0.5) * 1.2, 0, 1)
    lit = lit * (0.62 + 0.38 * low)
    graze = (1 - np.abs((rt * nt).sum(1))) ** 4
    colour = colour * lit[:, None] + (style.gloss * (shine + 0.25 * graze))[:, None]
    planes = np.zeros((h * sub * w * sub, 5), np.float32)
    planes[hit, :3] = colour
    planes[hit, 3] = 1
    planes[hit, 4] = (axis == 2) & positive
    out = cv2.resize(planes.reshape(h * sub, w * sub, 5), (w, h), interpolation=cv2.INTER_AREA)
    cover = out[:, :, 3]
    rgb = out[:, :, :3] / np.maximum(cover, 1e-3)[:, :, None]
    return (x0, y0), np.asarray(rgb, np.float32), cover, out[:, :, 4]


def photograph(common: Rng, rng: Rng, out: F32, edge: float, body: float) -> U8:
    """Lamp, lens, sensor and file; what ``common`` decides is alike in all pictures of a session.

    A third of the sessions is exposed so long that light tops end near or beyond white, most of them more so at some
    place than elsewhere.
    """
    h, w = out.shape[:2]
    a = common.uniform(0, 2 * np.pi)
    x, y = np.meshgrid(np.linspace(-1, 1, w, dtype=np.float32), np.linspace(-1, 1, h, dtype=np.float32))
    out = out * (1 + common.uniform(0, 0.3) * (x * np.cos(a) + y * np.sin(a)))[..., None]
    out = out * (1 + noise(rng, (w, h), (w / 2, h / 2)) * common.uniform(0, 0.3))
    out = out * np.exp(common.normal(0, 0.12, 3)).astype(np.float32)
    burnt = common.random() < 0.35
    level = common.uniform(0.95, 1.9) if burnt else float(np.exp(common.uniform(np.log(0.2), np.log(0.95))))
    out = np.maximum(out, 0) * np.float32(level / max(0.25, body))
    if common.random() < (0.6 if burnt else 0.1):
        out = _glare(common, out, x, y)
    out = out * np.float32(np.exp(rng.normal(0, 0.06)))
    shoulder = common.random()
    if shoulder < 0.35:
        k = common.uniform(1.0, 3.0)
        out = (1 - np.exp(-k * out)) / (1 - np.exp(-k))
    elif shoulder < 0.6:
        k = common.uniform(0.2, 1.5)
        out = out * (1 + k) / (1 + k * out)
    out = np.clip(out, 1e-4, 1) ** float(np.exp(common.normal(-0.1, 0.25)))
    out = np.asarray(np.clip((out - 0.5) * common.uniform(0.75, 1.1) + 0.5 + common.uniform(0, 0.05), 0, 1), np.float32)
    sigma = max(0.3, min(0.07 * edge, abs(common.normal(0, 1.0)) + 0.3))
    out = cv2.GaussianBlur(out, (0, 0), sigma * rng.uniform(0.85, 1.2))
    grain = abs(float(common.normal(0, 0.02)))
    spots = rng.standard_normal((h, w, 3), np.float32) * grain
    out = out + (cv2.GaussianBlur(spots, (0, 0), 0.7) * 1.5 if common.random() < 0.5 else spots)
    if common.random() < 0.35:
        out = out + (out - cv2.GaussianBlur(out, (0, 0), common.uniform(0.7, 2))) * common.uniform(0.3, 1.5)
    picture = (np.clip(out, 0, 1) * 255).astype(np.uint8)
    if common.random() < 0.85:
        quality = int(common.integers(55, 97))
        picture = cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    return np.asarray(picture, np.uint8)


def _glare(common: Rng, out: F32, x: F32, y: F32) -> F32:
    """A lamp near the table: brighter at one place, and mirrored there in all that shines (a veil of its colour)."""
    at = common.uniform(-0.8, 0.8, 2)
    far = (x - at[0]) ** 2 + (y - at[1]) ** 2
    spot = np.exp(-far / common.uniform(0.15, 1.2))[..., None].astype(np.float32)
    veil = spot * out.max(axis=2, keepdims=True) * np.float32(common.uniform(0, 0.5))
    return np.asarray(out * (1 + spot * np.float32(common.uniform(0.2, 1.2))) + veil, np.float32)
