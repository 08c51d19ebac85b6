"""The board's plane as the camera sees it: millimetres on the board to pixels of the picture and back.

A homography and one coefficient of radial lens distortion about the picture's centre: on path-traced pictures of
lenses with and without distortion this model leaves less than 0.01 px. Positions are normalised by half the
picture's width, so that the same numbers serve any size of the same camera's picture.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

_LEAN = 0.05
"""Growth of the scale across the board (of its logarithm) when a camera 55 cm over it leans by three degrees."""

LENS_SIGMA = 0.03
"""Prior for the lens coefficient: webcams and Pi lenses stay within a few hundredths at half the width."""


@dataclass(frozen=True, slots=True)
class PlaneMap:
    """Maps board millimetres (x right, y up, centre is the origin) to picture pixels (x right, y down).

    Args:
        matrix: the homography, row by row: mm to normalised, undistorted position.
        lens: radial coefficient k: distorted = undistorted * (1 + k r^2).
        size: width and height of the picture in px.

    >>> plane = PlaneMap((0.002, 0, 0, 0, -0.002, 0, 0, 0, 1), 0.0, (1280, 960))
    >>> plane.to_px(np.array([[0.0, 0.0], [100.0, 50.0]])).round(3).tolist()
    [[639.5, 479.5], [767.5, 415.5]]
    >>> plane.to_mm(np.array([[767.5, 415.5]])).round(6).tolist()
    [[100.0, 50.0]]
    """

    matrix: Matrix
    lens: float
    size: tuple[int, int]

    def to_px(self, points_mm: npt.ArrayLike) -> Points:
        """Pixel positions (n x 2) of points on the board (n x 2, mm)."""
        flat = _project(np.reshape(self.matrix, (3, 3)), np.asarray(points_mm, np.float64).reshape(-1, 2))
        r2 = np.sum(flat * flat, axis=1, keepdims=True)
        return np.asarray(flat * (1 + self.lens * r2) * (self.size[0] / 2) + self._centre)

    def to_mm(self, points_px: npt.ArrayLike) -> Points:
        """Points on the board (n x 2, mm) seen at pixel positions (n x 2)."""
        bent = (np.asarray(points_px, np.float64).reshape(-1, 2) - self._centre) / (self.size[0] / 2)
        flat = bent
        for _ in range(8):  # a contraction: the lens moves a point by a few percent at most
            flat = bent / (1 + self.lens * np.sum(flat * flat, axis=1, keepdims=True))
        return _project(np.linalg.inv(np.reshape(self.matrix, (3, 3))), flat)

    def px_per_mm(self, point_mm: npt.ArrayLike = (0.0, 0.0)) -> float:
        """Local scale at a point of the board: the root of the area that a square millimetre covers in px."""
        return math.sqrt(abs(float(np.linalg.det(self.jacobian(point_mm)))))

    def jacobian(self, point_mm: npt.ArrayLike = (0.0, 0.0)) -> Points:
        """2 x 2 derivative of px by mm at a point of the board."""
        x, y = np.asarray(point_mm, np.float64).reshape(2)
        step = 0.5
        px = self.to_px([(x + step, y), (x - step, y), (x, y + step), (x, y - step)])
        return np.column_stack([px[0] - px[1], px[2] - px[3]]) / (2 * step)

    def turns_upright(self, reach_mm: float) -> int:
        """By how many quarters counterclockwise a picture stands as people see a table: what is near at the bottom.

        Args:
            reach_mm: radius of the board; what looks straight down on it (3 degrees off) stands upright anyhow.
        """
        ends = ((reach_mm, 0.0), (-reach_mm, 0.0), (0.0, reach_mm), (0.0, -reach_mm))
        right, left, up, down = (math.log(self.px_per_mm(p)) for p in ends)
        x, y = np.linalg.solve(self.jacobian().T, [right - left, up - down])  # of growing scale, in the picture
        if math.hypot(x, y) * self.px_per_mm() < _LEAN:
            return 0
        return round(-math.atan2(x, y) / (math.pi / 2)) % 4

    def for_size(self, size: tuple[int, int]) -> PlaneMap:
        """The same view in a picture of another size (width, height) of the same shape.

        Raises:
            ValueError: the shape (width : height) differs by more than a pixel.
        """
        if size == self.size:
            return self
        if abs(size[0] * self.size[1] / self.size[0] - size[1]) > 1:
            raise ValueError(f"a picture of {size[0]}x{size[1]} has not the shape of {self.size[0]}x{self.size[1]}")
        return replace(self, size=size)

    def after(self, motion: Points) -> PlaneMap:
        """This map after a 3 x 3 plane transform on the board: the result sends p to ``self(motion(p))``."""
        return replace(self, matrix=_as_matrix(np.reshape(self.matrix, (3, 3)) @ motion))

    def rectify(self, frame: Picture, px_per_mm: float, half_mm: float) -> Picture:
        """Top-down picture of the square from -half_mm to half_mm around the board's centre, y up.

        Args:
            frame: BGR h x w x 3 or grey h x w, of any size of this camera's shape.
            px_per_mm: scale of the result.
            half_mm: half the side of the square.

        Returns:
            n x n (x 3); board point (x, y) lies at pixel ((x + half_mm), (half_mm - y)) * px_per_mm - 0.5.
            Outside the frame it is black.
        """
        import cv2

        plane = self.for_size((frame.shape[1], frame.shape[0]))
        fixed, fraction = _rectify_maps(plane, px_per_mm, half_mm)
        result: Picture = cv2.remap(frame, fixed, fraction, cv2.INTER_LINEAR)
        return result

    @property
    def _centre(self) -> Points:
        return np.array([(self.size[0] - 1) / 2, (self.size[1] - 1) / 2])


def rectified_xy(points_mm: npt.ArrayLike, px_per_mm: float, half_mm: float) -> Points:
    """Where board points (n x 2, mm) lie in the picture that :meth:`PlaneMap.rectify` makes (n x 2, px).

    >>> rectified_xy([(0.0, 0.0)], 2.0, 150.0).tolist()
    [[299.5, 299.5]]
    """
    points = np.asarray(points_mm, np.float64).reshape(-1, 2)
    return np.column_stack([points[:, 0] + half_mm, half_mm - points[:, 1]]) * px_per_mm - 0.5


def rotation(degrees_clockwise: float, dx_mm: float = 0.0, dy_mm: float = 0.0) -> Points:
    """3 x 3 rigid motion on the board: turned clockwise seen from above, then moved.

    >>> (rotation(90.0) @ [0.0, 1.0, 1.0]).round(6).tolist()
    [1.0, 0.0, 1.0]
    """
    a = math.radians(degrees_clockwise)
    return np.array([[math.cos(a), math.sin(a), dx_mm], [-math.sin(a), math.cos(a), dy_mm], [0.0, 0.0, 1.0]])


def fit_plane(
    points_mm: npt.ArrayLike,
    points_px: npt.ArrayLike,
    size: tuple[int, int],
    *,
    weights: npt.ArrayLike | None = None,
    lens: float | None = 0.0,
    noise_px: float = 0.3,
) -> PlaneMap:
    """The plane map that sends board points to pixel positions with least squares of the px error.

    Args:
        points_mm: n x 2, n >= 4, not all on one line.
        points_px: n x 2.
        size: width and height of the picture.
        weights: n weights >= 0; 0 leaves a point out.
        lens: a known lens coefficient, kept; None fits it too, held near zero by ``LENS_SIGMA``.
        noise_px: how far the measured positions scatter; weighs them against the prior of the lens.

    Raises:
        ValueError: fewer than four points, or no plane map goes through them (points on one line).
    """
    mm = np.asarray(points_mm, np.float64).reshape(-1, 2)
    half = size[0] / 2
    bent = (np.asarray(points_px, np.float64).reshape(-1, 2) - np.array([(size[0] - 1) / 2, (size[1] - 1) / 2])) / half
    w = np.ones(len(mm)) if weights is None else np.asarray(weights, np.float64)
    if np.count_nonzero(w) < 4:
        raise ValueError("fewer than four points")
    scale = float(np.abs(mm[w > 0]).max())
    h = _direct(mm / scale, bent, w)
    params = np.append(h, 0.0 if lens is None else lens)
    free = 8 if lens is not None else 9
    root = np.sqrt(np.repeat(w, 2))
    for _ in range(10):
        value, jacobian = _model(params, mm / scale)
        rows = jacobian[:, :free] * root[:, None]
        error = (bent.ravel() - value) * root
        if lens is None:
            hold = noise_px / half / LENS_SIGMA
            rows = np.vstack([rows, np.append(np.zeros(8), hold)])
            error = np.append(error, -hold * params[8])
        step = np.linalg.lstsq(rows, error, rcond=None)[0]
        params[:free] += step
        if float(np.abs(step).max()) < 1e-10:
            break
    if not np.isfinite(params).all() or abs(params[8]) > 0.5:
        raise ValueError("no plane fits the points")
    matrix = np.append(params[:8], 1.0).reshape(3, 3) @ np.diag([1 / scale, 1 / scale, 1.0])
    return PlaneMap(_as_matrix(matrix), float(params[8]), size)


def _direct(mm: Points, flat: Points, weights: Points) -> Points:
    """Homography of eight numbers (the ninth is 1) by the direct linear transform."""
    x, y, u, v = mm[:, 0], mm[:, 1], flat[:, 0], flat[:, 1]
    one, nil = np.ones_like(x), np.zeros_like(x)
    rows = np.concatenate(
        [
            np.stack([x, y, one, nil, nil, nil, -u * x, -u * y, -u], 1),
            np.stack([nil, nil, nil, x, y, one, -v * x, -v * y, -v], 1),
        ]
    )
    rows *= np.sqrt(np.concatenate([weights, weights]))[:, None]
    _, sizes, vectors = np.linalg.svd(np.vstack([rows, np.zeros(9)]), full_matrices=False)  # nine rows at least
    h = vectors[-1]
    if sizes[7] < 1e-9 * sizes[0] or abs(h[8]) < 1e-9:
        raise ValueError("the points lie on one line")
    return np.asarray(h[:8] / h[8])


def _model(params: Points, mm: Points) -> tuple[Points, Points]:
    """Distorted positions (2n, x and y by turns) and their derivatives (2n x 9)."""
    x, y = mm[:, 0], mm[:, 1]
    w = params[6] * x + params[7] * y + 1
    u = (params[0] * x + params[1] * y + params[2]) / w
    v = (params[3] * x + params[4] * y + params[5]) / w
    nil = np.zeros_like(x)
    du = np.stack([x / w, y / w, 1 / w, nil, nil, nil, -u * x / w, -u * y / w], 1)
    dv = np.stack([nil, nil, nil, x / w, y / w, 1 / w, -v * x / w, -v * y / w], 1)
    r2, k = u * u + v * v, params[8]
    out = np.stack([u * (1 + k * r2), v * (1 + k * r2)], 1)
    cross = (2 * k * u * v)[:, None]
    jx = (1 + k * r2 + 2 * k * u * u)[:, None] * du + cross * dv
    jy = cross * du + (1 + k * r2 + 2 * k * v * v)[:, None] * dv
    jacobian = np.stack([np.column_stack([jx, u * r2]), np.column_stack([jy, v * r2])], 1)
    return out.ravel(), jacobian.reshape(-1, 9)


def _project(h: Points, points: Points) -> Points:
    q = points @ h[:, :2].T + h[:, 2]
    return np.asarray(q[:, :2] / q[:, 2:])


def _as_matrix(h: Points) -> Matrix:
    a, b, c, d, e, f, g, i, j = (float(v) for v in (h / h[2, 2]).ravel())
    return a, b, c, d, e, f, g, i, j


@functools.lru_cache(maxsize=6)
def _rectify_maps(plane: PlaneMap, px_per_mm: float, half_mm: float) -> tuple[npt.NDArray[np.int16], Picture]:
    import cv2

    n = round(2 * half_mm * px_per_mm)
    along = ((np.arange(n) + 0.5) / px_per_mm - half_mm).astype(np.float32)
    x, y = along[None, :], -along[:, None]
    m = [np.float32(v) for v in plane.matrix]
    w = 1 / (m[6] * x + (m[7] * y + m[8]))
    u = (m[0] * x + (m[1] * y + m[2])) * w
    v = (m[3] * x + (m[4] * y + m[5])) * w
    half = plane.size[0] / 2
    bend = half + np.float32(plane.lens * half) * (u * u + v * v)
    map_x, map_y = u * bend + (plane.size[0] - 1) / 2, v * bend + (plane.size[1] - 1) / 2
    fixed, fraction = cv2.convertMaps(map_x.astype(np.float32), map_y.astype(np.float32), cv2.CV_16SC2)
    return fixed, fraction
