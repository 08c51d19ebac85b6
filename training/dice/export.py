"""Writes weights as ONNX, batch norms folded, half precision: ``python export.py finder|reader|stand WEIGHTS FILE``.

The largest of the third network are written in one byte each, so that all three files together stay below 1 MB.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from nets import KINDS, Finder, Reader, Same, Split, Stand
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from companion.vision.dice_net import PATCH
from companion.vision.dice_stand import WINDOW

BYTES = 16_384
"""Tensors of the third network with more weights are written as bytes: three of them, a quarter of the file. Of 3,746
drawn and photographed dice none is judged otherwise; with every tensor in bytes two were."""


class Graph:
    """ONNX nodes and constants, added in the order of the forward pass; each method returns its output's name.

    Args:
        most: weights that a tensor may have to be written as float16; of a larger one each output's weights are
            multiples of one step, as int8.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, array: np.ndarray) -> str:
        """Weights, kept as float16 (half the file) and widened on loading."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Any other node."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weight(self, w: torch.Tensor) -> str:
        """A trained tensor."""
        if self.most is not None and w.numel() > self.most:
            full = w.detach().numpy().astype(np.float32)
            step = np.abs(full).max(axis=tuple(range(1, full.ndim)), keepdims=True) / np.float32(127)
            byte = self.node("Cast", self.constant(np.round(full / step).astype(np.int8)), to=TensorProto.FLOAT)
            return self.node("Mul", byte, self.constant(step))
        half = self.constant(w.detach().numpy().astype(np.float16))
        return self.node("Cast", half, to=TensorProto.FLOAT)

    def conv(self, x: str, c: nn.Conv2d) -> str:
        """A convolution."""
        pad = [c.padding[0]] * 4
        inputs = (x, self.weight(c.weight), self.weight(c.bias))
        return self.node(
            "Conv", *inputs, kernel_shape=list(c.kernel_size), strides=list(c.stride), pads=pad, group=c.groups
        )

    def run(self, x: str, m: nn.Module) -> str:
        """Any of the modules that nets.py is made of."""
        if isinstance(m, nn.Sequential):
            if len(m) > 1 and isinstance(m[0], nn.Conv2d) and isinstance(m[1], nn.BatchNorm2d):
                x = self.conv(x, fuse_conv_bn_eval(m[0], m[1]))
                return self.node("Relu", x) if len(m) == 3 else x
            for part in m:
                x = self.run(x, part)
            return x
        if isinstance(m, Split):
            y = self.run(self.run(x, m.depth), m.point)
            return self.node("Add", x, y) if m.past else y
        if isinstance(m, Same):
            return self.node("Relu", self.node("Add", x, self.run(x, m.body)))
        if isinstance(m, nn.ReLU):
            return self.node("Relu", x)
        if isinstance(m, nn.Flatten):
            return self.node("Flatten", x)
        raise TypeError(m)

    def up(self, x: str) -> str:
        """Twice as large, each cell repeated."""
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        how = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        return self.node("Resize", x, "", scales, **how)


def main(kind: str, weights: Path, file: Path) -> None:
    """Writes the network."""
    g = Graph(BYTES if kind == "stand" else None)
    if kind == "finder":
        f = Finder()
        f.load_state_dict(torch.load(weights))
        f.eval()
        a = g.run("x", f.four)
        b = g.run(a, f.eight)
        b = g.node("Relu", g.node("Add", b, g.up(g.run(b, f.sixteen))))
        out = g.conv(g.run(g.node("Add", a, g.up(g.run(b, f.merge8))), f.merge4), f.head)
        shapes = [1, 3, "h", "w"], [1, 5, "h4", "w4"]
    elif kind == "stand":
        n = Stand()
        n.load_state_dict(torch.load(weights))
        n.eval()
        kinds = n.head.weight[:KINDS], n.head.bias[:KINDS]
        out = g.node("Gemm", g.run("x", n.body), g.weight(kinds[0]), g.weight(kinds[1]), transB=1)
        shapes = ["n", 3, WINDOW, WINDOW], ["n", KINDS]
    else:
        r = Reader()
        r.load_state_dict(torch.load(weights))
        r.eval()
        out = g.node("Gemm", g.run("x", r.body), g.weight(r.head.weight), g.weight(r.head.bias), transB=1)
        shapes = ["n", 3, PATCH, PATCH], ["n", 10]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in zip(("x", out), shapes, strict=True))
    graph = helper.make_graph(g.nodes, kind, [x], [y], g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    file.write_bytes(model.SerializeToString())
    print(f"{file}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
