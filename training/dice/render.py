"""Draws one true-to-life pip die: a rounded cube, ray-marched through a pinhole camera and lit by lamps."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
Rng = np.random.Generator

SIDES = ((0, 1), (1, 1), (0, -1), (1, -1), (2, 1), (2, -1))  # (axis, sign) of the six faces; index 4 is the top
TOP = 4


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera above the table plane z = 0 (lengths in die edges, z up, the table's origin in view).

    Args:
        focal: focal length in px.
        centre: principal point (x, y) in px.
        position: where the camera is, 3 values.
        axes: rows are the camera's right, down and forward axes in table coordinates, 3 x 3.
    """

    focal: float
    centre: tuple[float, float]
    position: F32
    axes: F32

    @staticmethod
    def looking_down(focal: float, size: tuple[int, int], edge_px: float, tilt: float, roll: float) -> Camera:
        """A camera ``tilt`` radians off straight down that shows an edge at the origin ``edge_px`` long."""
        s, c = np.sin(tilt), np.cos(tilt)
        right, down, forward = np.array([1.0, 0, 0]), np.array([0, -c, -s]), np.array([0, s, -c])
        cr, sr = np.cos(roll), np.sin(roll)
        axes = np.stack([cr * right + sr * down, cr * down - sr * right, forward]).astype(np.float32)
        return Camera(focal, (size[0] / 2, size[1] / 2), (-forward * focal / edge_px).astype(np.float32), axes)

    def project(self, points: F32) -> F32:
        """Table points (n x 3) -> picture points (n x 2, px)."""
        p = (points - self.position) @ self.axes.T
        return np.asarray(p[:, :2] / p[:, 2:3] * self.focal + self.centre, np.float32)

    def rays(self, pixels: F32) -> F32:
        """Unit directions (n x 3, table coordinates) through picture points (n x 2, px)."""
        x, y = (pixels - np.float32(self.centre)).T / np.float32(self.focal)
        d = np.stack([x, y, np.ones_like(x)], 1) / np.sqrt(1 + x * x + y * y)[:, None]
        return np.asarray(d @ self.axes, np.float32)

    def on_table(self, pixels: F32, height: float = 0.0) -> F32:
        """Where the rays through picture points meet the plane z = height (n x 3)."""
        d = self.rays(pixels)
        t = (height - self.position[2]) / np.minimum(d[:, 2:3], -1e-3)
        return np.asarray(self.position + d * t, np.float32)


@dataclass(frozen=True, slots=True)
class Style:
    """What a make of dice looks like. Colours are BGR 0 to 1; lengths are shares of the edge."""

    body: F32
    body2: F32
    pattern: str  # plain, marble, pearl (large soft clouds), speckle, wood, clear
    pip: F32
    ace: F32  # colour of the single pip
    four: F32  # colour of the four pips
    pip_radius: float
    ace_radius: float
    pitch: float  # distance of the outer pips from the middle
    squeeze: float  # the six's rows are closer by this factor
    narrow: float  # and its columns by this
    slant: float  # pips of the two and the outer ones of the three are this much nearer to the middle
    bevel: float
    ball: float  # radius of the ball that cuts the corners; 0.87 and more cuts nothing
    dent: float
    gloss: float
    shine: float
    wear: float
    crown: float = 0.0  # how much faces bulge: the sideways lean of their normals at the edge
    through: float = 0.0  # how clearly the pips of the far side shine through a clear body
    ring: float = 0.0  # how dark the rim of a painted pip is
    mark: str = ""  # a glyph in place of pips ("": pips; " ": blank)
    polish: float = 0.0  # gloss of the paint in the pips, besides the body's
    straight: bool = False  # two and three in a line along the edges, not across the face
    rim: float = 0.0  # width of a painted border of every face, in body2
    sides: tuple[F32, ...] = ()  # colours of the faces on SIDES where they differ
    power: float = 2.0  # of the norm that makes a pip round: 1 gives diamonds, 8 squares


@dataclass(frozen=True, slots=True)
class Die:
    """A die that lies on the table: where, how large, turned how, which values on which faces."""

    style: Style
    centre: F32  # 3 values, edges of the scene's reference die
    size: float
    rotation: F32  # 3 x 3, die to table
    faces: tuple[int, ...]  # values on SIDES
    turns: tuple[int, ...]  # quarter turns of each face's pips


@dataclass(frozen=True, slots=True)
class Light:
    """Lamps of a scene: unit directions towards them (n x 3), strengths, spread of their mirror images, and the angle
    (radians) about their middle at which they shine: rings and the edges of windows and shades mirror as arcs.
    """

    towards: F32
    strength: F32
    spread: F32
    halo: F32
    ambient: float


def pips(value: int, style: Style) -> F32:
    """Centres (n x 2) of a face's pips about the face's middle."""
    p, q, r, s = style.pitch, style.pitch * style.squeeze, style.pitch * style.narrow, style.pitch * style.slant
    layouts: dict[int, list[tuple[float, float]]] = {
        1: [(0, 0)],
        2: [(-s, 0), (s, 0)] if style.straight else [(-s, -s), (s, s)],
        3: [(-s, 0), (0, 0), (s, 0)] if style.straight else [(-s, -s), (0, 0), (s, s)],
        4: [(-p, -p), (p, p), (-p, p), (p, -p)],
        5: [(-p, -p), (p, p), (-p, p), (p, -p), (0, 0)],
        6: [(-r, -q), (r, -q), (-r, 0), (r, 0), (-r, q), (r, q)],
    }
    return np.array(layouts[value], np.float32)


def random_faces(rng: Rng, top: int) -> tuple[int, ...]:
    """Values on the six faces with ``top`` above; opposite faces add up to seven, either handedness."""
    a, b = rng.permutation([v for v in (1, 2, 3) if v not in (top, 7 - top)])
    a, b = (int(v) if rng.random() < 0.5 else 7 - int(v) for v in (a, b))
    return (a, b, 7 - a, 7 - b, top, 7 - top)


def _distance(x: F32, y: F32, z: F32, bevel: float, ball: float) -> F32:
    """Signed distance (a lower bound) from points to the unit die: a rounded box cut by a ball."""
    half = np.float32(0.5 - bevel)
    a, b, c = np.abs(x) - half, np.abs(y) - half, np.abs(z) - half
    inner = np.minimum(np.maximum(np.maximum(a, b), c), 0)
    a, b, c = np.maximum(a, 0), np.maximum(b, 0), np.maximum(c, 0)
    box = np.sqrt(a * a + b * b + c * c) + inner - np.float32(bevel)
    return np.asarray(np.maximum(box, np.sqrt(x * x + y * y + z * z) - np.float32(ball)), np.float32)


def _march(origin: F32, rays: F32, bevel: float, ball: float) -> tuple[F32, npt.NDArray[np.bool_]]:
    """Where rays from one origin hit the unit die: points (n x 3) and which rays do hit."""
    along = -(rays @ origin)
    miss = (origin @ origin) - along**2
    reach = np.float32(min(0.867, ball))
    idx = np.flatnonzero(miss < reach * reach)
    t = along[idx] - np.sqrt(reach * reach - miss[idx])
    dx, dy, dz = np.ascontiguousarray(rays[idx].T)
    left = np.float32(1)
    for _ in range(12):
        left = _distance(origin[0] + dx * t, origin[1] + dy * t, origin[2] + dz * t, bevel, ball)
        t = t + left
    ok = left < 0.01
    hit = np.zeros(len(rays), bool)
    hit[idx[ok]] = True
    return np.asarray(origin + rays[hit] * t[ok][:, None], np.float32), hit


def _normals(p: F32, bevel: float, ball: float) -> F32:
    """Outward unit normals of the unit die at surface points (n x 3)."""
    q = np.maximum(np.abs(p) - (0.5 - bevel), 0) * np.sign(p)
    n = q / np.maximum(np.linalg.norm(q, axis=1, keepdims=True), 1e-6)
    r = np.sqrt((p * p).sum(1, keepdims=True))
    w = np.clip((r - ball) / 0.02 + 1, 0, 1)  # a soft edge between face and ball
    n = n * (1 - w) + p / r * w
    return np.asarray(n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-6), np.float32)


def _body(style: Style, p: F32, rng: Rng) -> F32:
    """Colours (n x 3) of the die's material at points of the unit die."""
    n = len(p)
    if style.pattern in ("marble", "pearl", "wood"):
        k = rng.normal(0, 1.0 if style.pattern == "pearl" else 2.5, (3, 3)).astype(np.float32)
        if style.pattern == "wood":
            k *= np.array([0.2, 0.2, 4.0], np.float32)[rng.permutation(3)][:, None]
        w = np.sin(p @ k[0] + 2 * np.sin(p @ k[1] * 1.7 + 1.3 * np.sin(p @ k[2] * 3)) + rng.uniform(0, 6))
        w = (0.5 + 0.5 * w)[:, None]
    elif style.pattern == "speckle":
        cells = (np.floor(p * rng.uniform(12, 30)).astype(np.int64) @ np.array([73856093, 19349663, 83492791])) % 1009
        w = (cells < rng.integers(80, 350)).astype(np.float32)[:, None]
        w = w * ((cells % 97) / np.float32(97)).astype(np.float32)[:, None] ** rng.uniform(0, 1.5)  # glitter
    else:
        w = np.zeros((n, 1), np.float32)
    return np.asarray(style.body * (1 - w) + style.body2 * w, np.float32)


def _glyph(mark: str) -> F32:
    """A face's mark as a 64 x 64 mask, 0 to 1."""
    canvas = np.zeros((64, 64), np.uint8)
    if mark.strip():
        (w, h), _ = cv2.getTextSize(mark, cv2.FONT_HERSHEY_DUPLEX, 1.4, 3)
        cv2.putText(canvas, mark, (32 - w // 2, 32 + h // 2), cv2.FONT_HERSHEY_DUPLEX, 1.4, 255, 3, cv2.LINE_AA)
    return canvas.astype(np.float32) / 255


def draw_die(camera: Camera, die: Die, light: Light, rng: Rng) -> tuple[tuple[int, int], F32, F32, F32]:
    """Renders a die.

    Returns:
        The patch's upper left corner (x, y) in px of the picture, its colours (h x w x 3, BGR 0 to 1), its coverage
        (h x w, 0 to 1) and the coverage of the top face alone.
    """
    style = die.style
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32) / 2
    px = camera.project(np.asarray(corners * die.size @ die.rotation.T + die.centre, np.float32))
    x0, y0 = np.floor(px.min(0)).astype(int) - 1
    x1, y1 = np.ceil(px.max(0)).astype(int) + 2
    w, h = int(x1 - x0), int(y1 - y0)
    sub = int(np.clip(round(100 / max(w, h)), 1, 4))  # small dice need the finer sampling
    gx, gy = np.meshgrid(x0 + (np.arange(w * sub) + 0.5) / sub, y0 + (np.arange(h * sub) + 0.5) / sub)
    rays = camera.rays(np.column_stack([gx.ravel(), gy.ravel()]).astype(np.float32)) @ die.rotation
    origin = ((camera.position - die.centre) @ die.rotation / die.size).astype(np.float32)
    p, hit = _march(origin, np.asarray(rays, np.float32), style.bevel, style.ball)
    n = _normals(p, style.bevel, style.ball)
    colour = _body(style, p, rng)
    q = np.abs(p)
    axis = np.where(q[:, 2] >= np.maximum(q[:, 0], q[:, 1]), 2, np.where(q[:, 0] >= q[:, 1], 0, 1))
    positive = p[np.arange(len(p)), axis] > 0
    glyph = _glyph(style.mark) if style.mark else None
    soft = 0.6 / sub / max(w, h) * 1.5
    painted = np.zeros((len(p), 1), np.float32)
    for k, (a, sign) in enumerate(SIDES):
        on = np.flatnonzero((axis == a) & (positive == (sign > 0)))
        if not len(on):
            continue
        b, c = [i for i in (0, 1, 2) if i != a]
        flip = np.array([1, -1 if die.turns[k] & 1 else 1], np.float32)
        uv = p[on][:, [b, c]] * flip
        if die.turns[k] & 2:
            uv = uv[:, ::-1]
        value = die.faces[k]
        if style.sides:
            colour[on] += style.sides[k] - style.body
        if style.rim:
            edge = np.clip((np.abs(uv).max(1) - 0.5 + style.rim) / soft + 0.5, 0, 1)[:, None]
            colour[on] = colour[on] * (1 - edge) + style.body2 * edge
        if glyph is not None:
            ij = np.clip((uv + 0.5) * 64, 0, 63).astype(int)
            m = glyph[ij[:, 0], ij[:, 1]][:, None]
            colour[on] = colour[on] * (1 - m) + style.pip * m
            continue
        radius = style.ace_radius if value == 1 else style.pip_radius
        n[np.ix_(on, [b, c])] += np.float32(2 * style.crown) * p[on][:, [b, c]]
        if style.through:
            far = ((uv[:, None, :] * np.float32(1.25) - pips(7 - value, style)[None]) ** 2).sum(2).min(1)
            veil = style.through * np.clip((radius - np.sqrt(far)) / 0.06 + 0.5, 0, 1)[:, None]
            colour[on] = colour[on] * (1 - veil) + style.pip * veil
        offsets = uv[:, None, :] - pips(value, style)[None]
        d2 = (offsets**2).sum(2)
        near = d2.argmin(1)
        dist = np.sqrt(d2[np.arange(len(on)), near])
        if style.power != 2:
            dist = (np.abs(offsets[np.arange(len(on)), near]) ** style.power).sum(1) ** (1 / style.power)
        m = np.clip((radius - dist) / soft + 0.5, 0, 1)[:, None]
        paint = style.ace if value == 1 else style.four if value == 4 else style.pip
        rim = 1 - (0.35 * style.dent + style.ring) * np.clip(1 - np.abs(dist - radius) / (0.35 * radius), 0, 1)[:, None]
        colour[on] = (colour[on] * (1 - m) + paint * m) * rim
        painted[on] = m
        lean = offsets[np.arange(len(on)), near] / radius
        if die.turns[k] & 2:
            lean = lean[:, ::-1]
        n[np.ix_(on, [b, c])] -= style.dent * m * lean * flip  # a dent leans to its middle
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-6)
    nt = n @ die.rotation.T
    rt = rays[hit] @ die.rotation.T
    mirror = rt - 2 * (rt * nt).sum(1, keepdims=True) * nt
    wrap = 0.35 if style.pattern == "clear" else 0.0
    lit = light.ambient * (0.6 + 0.4 * nt[:, 2])
    shine = np.zeros(len(p), np.float32)
    for d, s, q, halo in zip(light.towards, light.strength, light.spread, light.halo, strict=True):
        lit = lit + s * np.clip((nt @ d + wrap) / (1 + wrap), 0, 1)
        off = 1 - mirror @ d if not halo else 0.5 * (np.arccos(np.clip(mirror @ d, -1, 1)) - halo) ** 2
        shine = shine + s * np.exp(-off / (q * style.shine))
    low = np.clip(((p @ die.rotation.T)[:, 2] + 0.5) * 1.2, 0, 1)
    lit = lit * (0.62 + 0.38 * low)  # the table shades the lower half
    graze = (1 - np.abs((rt * nt).sum(1))) ** 4
    gloss = style.gloss + style.polish * painted
    colour = colour * lit[:, None] + gloss * (shine + 0.25 * graze)[:, None]
    if style.wear:
        colour = colour * (1 + style.wear * rng.standard_normal((len(p), 1)).astype(np.float32))
    planes = np.zeros((h * sub * w * sub, 5), np.float32)
    planes[hit, :3] = colour
    planes[hit, 3] = 1
    planes[hit, 4] = (axis == 2) & positive
    out = cv2.resize(planes.reshape(h * sub, w * sub, 5), (w, h), interpolation=cv2.INTER_AREA)
    cover = out[:, :, 3]
    rgb = out[:, :, :3] / np.maximum(cover, 1e-3)[:, :, None]
    return (int(x0), int(y0)), np.asarray(rgb, np.float32), cover, out[:, :, 4]
