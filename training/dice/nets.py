"""The two small networks: one finds dice in a picture, one reads the die in the middle of a patch."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def conv(a: int, b: int, k: int = 3, stride: int = 1, groups: int = 1, relu: bool = True) -> nn.Sequential:
    """Convolution, batch norm and, mostly, a rectifier."""
    parts: list[nn.Module] = [nn.Conv2d(a, b, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(b)]
    return nn.Sequential(*parts, nn.ReLU()) if relu else nn.Sequential(*parts)


class Split(nn.Module):
    """A depthwise then a pointwise convolution; with a way past when the shape stays."""

    def __init__(self, a: int, b: int, stride: int = 1) -> None:
        super().__init__()
        self.depth, self.point = conv(a, a, stride=stride, groups=a), conv(a, b, 1)
        self.past = a == b and stride == 1

    def forward(self, x: Tensor) -> Tensor:
        """Applies both."""
        y = self.point(self.depth(x))
        return x + y if self.past else y


class Finder(nn.Module):
    """Picture (n x 3 x h x w, multiples of 16) -> n x 5 x h/4 x w/4: die-here logit, dx, dy (cells), log w, log h."""

    def __init__(self) -> None:
        super().__init__()
        self.four = nn.Sequential(conv(3, 16, stride=2), Split(16, 32, 2), Split(32, 32))
        self.eight = nn.Sequential(Split(32, 64, 2), Split(64, 64), Split(64, 64))
        self.sixteen = nn.Sequential(Split(64, 96, 2), Split(96, 96), Split(96, 96), conv(96, 64, 1, relu=False))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.merge8 = nn.Sequential(Split(64, 64), conv(64, 32, 1, relu=False))
        self.merge4 = nn.Sequential(nn.ReLU(), Split(32, 32), Split(32, 32))
        self.head = nn.Conv2d(32, 5, 1)
        nn.init.constant_(self.head.bias[:1], -4.0)  # dice are rare

    def forward(self, x: Tensor) -> Tensor:
        """Finds."""
        a = self.four(x)
        b = self.eight(a)
        b = torch.relu(b + self.up(self.sixteen(b)))
        return self.head(self.merge4(a + self.up(self.merge8(b))))


class Same(nn.Module):
    """Two full convolutions with a way past."""

    def __init__(self, a: int) -> None:
        super().__init__()
        self.body = nn.Sequential(conv(a, a), conv(a, a, relu=False))

    def forward(self, x: Tensor) -> Tensor:
        """Applies both."""
        return torch.relu(x + self.body(x))


class Reader(nn.Module):
    """Patch (n x 3 x 48 x 48) -> n x 10: logits of "no readable die" and of the values 1 to 6, then how far off the
    patch is: x and y of the die's middle in units of the expected longer side, logarithm of the true over the expected.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(3, 16, stride=2),
            conv(16, 32),
            conv(32, 64, stride=2),
            Same(64),
            conv(64, 96, stride=2),
            Same(96),
            conv(96, 48, 1),
            nn.Flatten(),
        )
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(48 * 36, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Reads."""
        return self.head(self.drop(self.body(x)))


KINDS = 4  # that Stand tells


class Stand(nn.Module):
    """Window (n x 3 x 64 x 64) -> n x 6: logits of "lies flat", "leans or lies on another", "bears other signs" and "no
    die", then where the top lies from the foot (x, y in units of the top's edge): learnt along, not used.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(3, 12, stride=2),
            conv(12, 24, stride=2),
            Same(24),
            conv(24, 40, stride=2),
            Same(40),
            conv(40, 48, stride=2),
            Same(48),
            conv(48, 24, 1),
            nn.Flatten(),
        )
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(24 * 16, KINDS + 2)

    def forward(self, x: Tensor) -> Tensor:
        """Tells."""
        return self.head(self.drop(self.body(x)))
