"""What lamps and cameras make of a drawing: light, glare, shadows, tone curve, blur, noise, JPEG."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt
from pen import SIZE, Float, Pen

from companion.vision.spaces import PATCH_PX


@dataclass
class Camera:
    """Tone curve and colour rendering, common to both pictures of a pair."""

    curve: int
    knee: float
    saturation: float
    gamma: float

    def expose(self, linear: Float) -> Float:
        """What the camera shows (0 to 1) of linear light (h x w x 3, BGR)."""
        linear = np.maximum(linear, 0)
        if self.curve == 0:
            out = np.minimum(linear, 1)
        elif self.curve == 1:
            out = 1 - np.exp(-linear * self.knee)
        else:
            out = linear * (1 + linear / self.knee**2) / (1 + linear)
        peak = np.clip(linear.max(axis=2, keepdims=True) - 0.7, 0, 1) * (0.6 if self.curve else 0)
        grey = out.mean(axis=2, keepdims=True)
        out = grey + (out - grey) * self.saturation * (1 - 0.5 * peak)
        return np.asarray(np.clip(out, 0, 1) ** self.gamma, np.float32)


@dataclass
class Light:
    """A lamp's colour and strength (BGR), how it falls off over the place (a mm), and its mirror image."""

    gain: Float
    slope: tuple[float, float]
    glare: float
    at: tuple[float, float, float]

    def on(self, p: Pen, image: Float) -> Float:
        """A drawing's reflectance (h x w x 3) in this light."""
        field = np.clip(1 + self.slope[0] * p.x + self.slope[1] * p.y, 0.1, 3)[..., None]
        x, y, width = self.at
        spot = self.glare * np.exp(-((p.x - x) ** 2 + (p.y - y) ** 2) / (2 * width**2))[..., None]
        return np.asarray(image * self.gain * field + spot, np.float32)


def light_of(p: Pen) -> Light:
    """Any lamp."""
    warm = p.rng.normal(0, 0.28)
    level = math.exp(p.between(-2.2, 0.7))
    gain = level * np.exp(np.array([-warm, p.rng.normal(0, 0.05), warm], np.float32))
    slope = (p.rng.normal(0, 0.006), p.rng.normal(0, 0.006))
    glare = p.between(0, 0.5) * level if p.chance(0.12) else 0.0
    return Light(gain.astype(np.float32), slope, glare, (p.between(-25, 25), p.between(-25, 25), p.between(5, 40)))


def relit(p: Pen, light: Light) -> Light:
    """The light some minutes later: about the same, or another lamp."""
    if p.chance(0.25):
        return light_of(p)
    other = p.rng.normal(0, 0.05, 3) + p.rng.normal(0, 0.15 if p.chance(0.4) else 0.03)
    new = light_of(p)
    slope = (light.slope[0] + p.rng.normal(0, 0.002), light.slope[1] + p.rng.normal(0, 0.002))
    return Light(
        (light.gain * np.exp(other)).astype(np.float32), slope, light.glare if p.chance(0.7) else new.glare, light.at
    )


def dazzling(p: Pen, camera: Camera, light: Light) -> tuple[Camera, Light, Light]:
    """A camera and its light at calibration and now, so that pale print is at the end of the scale, or nearly.

    A lamp mirrors in print and toppings alike, or the exposure is long at calibration, or has become so since.
    """
    camera = Camera(0 if p.chance(0.7) else camera.curve, camera.knee, camera.saturation, camera.gamma)
    level = p.between(0.4, 1.4)
    light = replace(light, gain=(light.gain * level / light.gain.mean()).astype(np.float32))
    kind = p.rng.random()
    if kind < 0.5:
        at = (p.between(-25, 25), p.between(-25, 25), p.between(8, 60))
        light = replace(light, glare=p.between(0.2, 1.4), at=at)
    elif kind < 0.7:
        light = replace(light, gain=(light.gain * p.between(1.0, 2.5)).astype(np.float32))
    now = replace(relit(p, light), at=light.at) if p.chance(0.8) else light
    if kind >= 0.7 or p.chance(0.2):
        cast = p.rng.normal(0, 0.3) * np.array([-1, 0, 1], np.float32)
        longer = light.gain * np.exp(p.between(0, 1.2) + cast)
        now = replace(light, gain=longer.astype(np.float32), slope=now.slope)
    if p.chance(0.5):
        now = replace(now, glare=now.glare * p.between(0.6, 1.4))
    return camera, light, now


def shadow(p: Pen) -> Float:
    """Factor (h x w x 3) of a shadow cast by something out of the patch, lit by the room alone."""
    a = p.between(0, 2 * math.pi)
    edge = p.x * math.cos(a) + p.y * math.sin(a) - p.between(-20, 16) + p.noise(p.between(6, 20)) * p.between(0, 2)
    mask = np.clip(edge / p.between(0.5, 12) + 0.5, 0, 1)
    if p.chance(0.4):
        mask = mask * np.clip((p.between(8, 30) - edge) / p.between(0.5, 12) + 0.5, 0, 1)
    depth = p.between(0.1, 0.85)
    tint = np.exp(p.rng.normal(0, 0.12) * np.array([1, 0, -1], np.float32) + np.array([0.08, 0, -0.08], np.float32))
    return np.asarray(1 - mask[..., None] * (1 - (1 - depth) * tint), np.float32)


def finish(p: Pen, shown: Float, blur: float, noise: float, zoom: float, quality: int) -> npt.NDArray[np.uint8]:
    """The patch as it comes out of the camera, PATCH_PX x PATCH_PX x 3: blurred, grainy, packed as JPEG, rectified."""
    shown = cv2.GaussianBlur(shown, (0, 0), blur)
    n = round(SIZE * zoom)
    small = cv2.resize(shown, (n, n), interpolation=cv2.INTER_AREA)
    grain = p.rng.normal(0, 1, (n, n, 3)).astype(np.float32)
    if p.chance(0.5):
        grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 1.8
    small = small + noise * (0.6 * grain + 0.6 * grain[..., :1])
    coded = cv2.imencode(".jpg", (np.clip(small, 0, 1) * 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    back = cv2.resize(cv2.imdecode(coded, cv2.IMREAD_COLOR), (SIZE, SIZE), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.resize(back, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_AREA), np.uint8)
