"""Dice that don't lie flat on the table, as people find them: propped against others, on a stick's edge, on others."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from render import F32, Camera, Rng
from things import colour, noise, tup

CALM = 0.15, 0.8  # radians by which dice lean: less can't be told from a flat one, more lies flat again


@dataclass(frozen=True, slots=True)
class Slab:
    """A low thing with a straight edge: a stick, a book, a tray's rim, a stack of paper (lengths in die edges).

    Args:
        corners: of its upper face, 4 x 2, on the table.
        height: of that face over the table.
    """

    corners: F32
    height: float


def turned(yaw: float, tilt: float, way: float) -> F32:
    """Die-to-table rotation: a turn about the vertical, then a tilt about a level axis of that direction (radians)."""
    c, s = np.cos(yaw), np.sin(yaw)
    flat = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    axis = np.array([np.cos(way), np.sin(way), 0]) * tilt
    return np.asarray(cv2.Rodrigues(axis)[0] @ flat, np.float32)


def against(rng: Rng, prop: tuple[float, float, float, float], size: float) -> tuple[F32, F32]:
    """Middle and rotation of a die propped against another one's side.

    Mostly it stands on its far lower edge and its near one hangs on the other's wall: friction holds it so.

    Args:
        rng: what is drawn follows from its state.
        prop: x, y, yaw and size of the other die.
        size: of this one.
    """
    x, y, yaw, s0 = prop
    way = yaw + np.pi / 2 * int(rng.integers(4))
    tilt = rng.uniform(*CALM)
    s, c, h = np.sin(tilt), np.cos(tilt), size / 2
    away = rng.random() < 0.7
    out = s0 / 2 + (size * c - h * c + h * s if away else size * s + h * c - h * s) + rng.uniform(0, 0.04)
    slide = rng.uniform(-0.45, 0.45) * s0
    middle = [x + out * np.cos(way) - slide * np.sin(way), y + out * np.sin(way) + slide * np.cos(way), h * (s + c)]
    rotation = turned(way + rng.normal(0, 0.05), tilt, way + (np.pi / 2 if away else -np.pi / 2))
    return np.asarray(middle, np.float32), rotation


def on_edge(rng: Rng, x: float, y: float, size: float) -> tuple[F32, F32, Slab]:
    """Middle and rotation of a die at (x, y) one of whose lower edges lies on a slab, and the slab."""
    way, tilt = rng.uniform(0, 2 * np.pi), rng.uniform(CALM[0], 0.55)
    s, c, h = np.sin(tilt), np.cos(tilt), size / 2
    yaw = way if rng.random() < 0.6 else way + rng.uniform(-0.4, 0.4)
    reach = size * c * rng.uniform(0.45, 0.98)  # from the edge it stands on to the slab's
    far = np.array([np.cos(way), np.sin(way)])
    across = np.array([-far[1], far[0]])
    foot = np.array([x, y]) + far * (h * c - h * s)
    edge = foot - far * reach
    slab = _slab(rng, edge, -far, across, float(reach * np.tan(tilt)))
    return np.array([x, y, h * (s + c)], np.float32), turned(yaw, tilt, way + np.pi / 2), slab


def beside(rng: Rng, x: float, y: float, size: float) -> tuple[float, Slab]:
    """A slab that a flat die at (x, y) lies on, or touches; how high the die then lies."""
    way = rng.uniform(0, 2 * np.pi)
    far = np.array([np.cos(way), np.sin(way)])
    across, height = np.array([-far[1], far[0]]), float(size * rng.uniform(0.02, 0.3))
    on = rng.random() < 0.5
    off = -size * rng.uniform(0.75, 1.5) if on else size * rng.uniform(0.72, 1.0)
    slab = _slab(rng, np.array([x, y]) + far * off, far, across, height, 3.0 if on else 0.0)
    return (height if on else 0.0), slab


def _slab(rng: Rng, edge: F32, into: F32, along: F32, height: float, least: float = 0.0) -> Slab:
    """A slab whose edge runs ``along`` through a point and which lies ``into`` from there, at least so deep."""
    deep = max(least, rng.uniform(0.15, 0.6) if rng.random() < 0.5 else rng.uniform(0.6, 6))
    a, b = rng.uniform(0.6, 7, 2) if rng.random() < 0.8 else rng.uniform(0.5, 0.8, 2)
    a, b = max(a, least / 2), max(b, least / 2)
    corners = [edge - along * a, edge + along * b, edge + along * b + into * deep, edge - along * a + into * deep]
    return Slab(np.asarray(corners, np.float32), height)


def draw_slab(rng: Rng, out: F32, camera: Camera, slab: Slab, edge: float) -> None:
    """Draws a slab on the table, in place: its shadow, its walls and its upper face."""
    h, w = out.shape[:2]

    def cover(height: float, grown: float = 1.0) -> F32:
        middle = slab.corners.mean(0)
        low = np.column_stack([(slab.corners - middle) * grown + middle, np.full(4, height)]).astype(np.float32)
        return np.asarray(camera.project(low), np.float32)

    def filled(points: F32) -> F32:
        mask = np.zeros((h, w), np.float32)
        hull = cv2.convexHull(np.clip(points, -4000, 4000)).reshape(-1, 2)
        return cv2.fillConvexPoly(mask, (hull * 8).astype(np.int32), 1.0, cv2.LINE_AA, 3)

    foot, top = cover(0.0), cover(slab.height)
    shade = cv2.GaussianBlur(filled(cover(0.0, 1.05)), (0, 0), max(0.6, edge * rng.uniform(0.03, 0.2)))
    out *= 1 - rng.uniform(0.1, 0.6) * shade[:, :, None]
    body = colour(rng, 0.1)
    wall = filled(np.concatenate([foot, top]))[:, :, None]
    out[:] = out * (1 - wall) + body * np.float32(rng.uniform(0.3, 1.1)) * wall
    face = filled(top)[:, :, None]
    grain = 1 + noise(rng, (w, h), (rng.uniform(1, 20), rng.uniform(1, 6))) * rng.uniform(0, 0.25)
    out[:] = out * (1 - face) + body * grain * face
    if rng.random() < 0.3:
        ring = [(top * 8).astype(np.int32)]
        cv2.polylines(out, ring, True, tup(body * np.float32(rng.uniform(0.3, 1.5))), 1, cv2.LINE_AA, 3)
