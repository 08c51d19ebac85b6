"""The network that tells whether two tops bear the same print: patch (n x 10 x 40 x 40) -> n x (WIDTH + 4)."""

from __future__ import annotations

from nets import Same, conv
from torch import Tensor, nn

from companion.vision.symbols_net import WIDTH


class Embedder(nn.Module):
    """A few convolutions; where on the top a thing is seen matters, so nothing is pooled at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(10, 24, stride=2),
            conv(24, 32),
            conv(32, 64, stride=2),
            Same(64),
            conv(64, 96, stride=2),
            Same(96),
            conv(96, 48, 1),
            nn.Flatten(),
        )
        self.head = nn.Linear(48 * 25, WIDTH + 4)

    def forward(self, x: Tensor) -> Tensor:
        """Looks."""
        return self.head(self.body(x))
