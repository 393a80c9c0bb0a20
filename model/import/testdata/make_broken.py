"""Writes small ONNX files that must be refused: python3 make_broken.py OUTPUT_FOLDER"""

import pathlib
import sys

import onnx
from onnx import TensorProto, helper


def model(nodes, shape=(2, 4), weights=()):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "broken", [x], [y], initializer=list(weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=outputs[0], **attributes)


WEIGHT = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4, 3, 3, 3])

MODELS = {
    "cyclic": model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]),
                     node("Relu", ["b"], ["y"])]),
    "dangling": model([node("Add", ["x", "nowhere"], ["y"])]),
    "shapeless": model([node("Relu", ["x"], ["y"])], shape=None),
    "dynamic-batch": model([node("Relu", ["x"], ["y"])], shape=("batch", 4)),
    "dilated": model([node("Conv", ["x", "w"], ["y"], dilations=[2, 2])], shape=(2, 3, 8, 8),
                     weights=[WEIGHT]),
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, broken in MODELS.items():
        onnx.save(broken, str(folder / f"{name}.onnx"))
