"""Writes weights as ONNX, batch norms folded, half precision: ``python faces_export.py WEIGHTS FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
import torch
from export import Graph
from faces_net import WIDTH, Embedder
from onnx import TensorProto, helper

from companion.vision.symbols_net import PATCH


def main(weights: Path, file: Path) -> None:
    """Writes the network."""
    net = Embedder()
    net.load_state_dict(torch.load(weights))
    net.eval()
    g = Graph()
    out = g.node("Gemm", g.run("x", net.body), g.weight(net.head.weight), g.weight(net.head.bias), transB=1)
    shapes = ["n", 10, PATCH, PATCH], ["n", WIDTH + 4]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in zip(("x", out), shapes, strict=True))
    graph = helper.make_graph(g.nodes, "prints", [x], [y], g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    file.write_bytes(model.SerializeToString())
    print(f"{file}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
