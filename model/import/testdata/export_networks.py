"""Exports real PyTorch networks to ONNX and records what PyTorch itself says about them.

    python3 export_networks.py OUTPUT_FOLDER [NAME...]

Writes one NAME.onnx per network, stripped of its weights, and facts.json: parameters, forward FLOP of
convolutions and linear layers (2 per multiply-add), and the bytes that autograd saves in one
training forward pass, every storage once. Needs torch, torchvision and onnx.
"""

import argparse
import json
import pathlib
import sys

import onnx
import torch
import torch.nn.functional as F
import torchvision.models
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "validation" / "recorders"))
import networks  # noqa: E402

BATCH = 2


def own(name, seq=None):
    return lambda: networks.build(name, seq)


def vision(name, **options):
    return lambda: getattr(torchvision.models, name)(**options)


NETWORKS = {
    "fcn-r": own("fcn-r"),
    "alexnet": own("alexnet"),
    "resnet50": own("resnet50"),
    "lstm-ptb": own("lstm-ptb", 32),
    "transformer-tiny": own("transformer-tiny", 128),
    "resnet18": vision("resnet18"),
    "resnet34": vision("resnet34"),
    "resnet101": vision("resnet101"),
    "vgg11": vision("vgg11"),
    "vgg16": vision("vgg16"),
    "densenet121": vision("densenet121"),
    "squeezenet": vision("squeezenet1_0"),
    "mobilenet-v2": vision("mobilenet_v2"),
    "inception-v3": vision("inception_v3", init_weights=False),
}
IMAGE = {"inception-v3": 299}


def inputs(name, network):
    if hasattr(network, "tokens_shape") or hasattr(network, "input_shape"):
        return networks.synthetic_batch(network, BATCH)
    side = IMAGE.get(name, 224)
    return torch.randn(BATCH, 3, side, side), torch.randint(1000, (BATCH,))


def loss_of(output, classes):
    outputs = output if isinstance(output, tuple) else (output,)
    return sum(F.cross_entropy(o.flatten(0, -2), classes) for o in outputs)


class Observer:
    """Forward hooks that count FLOP, and the difference between CPU and GPU dropout masks."""

    def __init__(self, network):
        self.flops, self.mask_excess, self.complete = 0, 0, True
        self.handles = [m.register_forward_hook(self.seen) for m in network.modules()]

    def seen(self, module, args, output):
        if isinstance(module, nn.Conv2d):
            self.flops += 2 * output.numel() * module.weight[0].numel()
        elif isinstance(module, nn.Linear):
            self.flops += 2 * output.numel() * module.in_features
        elif isinstance(module, nn.Dropout) and module.p > 0:
            self.mask_excess += 3 * output.numel()  # a float per element here, a byte on a GPU
        elif isinstance(module, nn.LSTM) or hasattr(module, "attention"):
            self.complete = False  # products that no module of their own makes

    def remove(self):
        for handle in self.handles:
            handle.remove()


def facts(network, x, classes):
    observer = Observer(network)
    resident = {t.storage().data_ptr() for t in [*network.parameters(), *network.buffers()]}
    kept, alive = {}, []

    def pack(t):
        storage = t.storage()
        if storage.data_ptr() not in resident and t.dim() > 0:  # scalars are constants of formulas
            kept[storage.data_ptr()] = storage.nbytes()
            alive.append(t)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        loss_of(network(x), classes)
    observer.remove()
    result = {"parameters": sum(p.numel() for p in network.parameters())}
    if observer.complete:
        result["forward_flops"] = observer.flops
    if not any(isinstance(m, nn.LSTM) for m in network.modules()):  # decomposed on a CPU
        result["saved_bytes"] = sum(kept.values()) - observer.mask_excess
    return result


def export(network, x, file):
    """Training mode, so that batch normalisation and dropout stay; weights are removed afterwards.

    The exporter cannot write recurrent layers in training mode; the one here has neither.
    """
    recurrent = any(isinstance(m, nn.LSTM) for m in network.modules())
    mode = torch.onnx.TrainingMode.EVAL if recurrent else torch.onnx.TrainingMode.TRAINING
    torch.onnx.export(network, x, str(file), opset_version=17, do_constant_folding=recurrent,
                      training=mode, input_names=["x"])
    model = onnx.load(str(file))
    for weight in model.graph.initializer:
        if weight.data_type == onnx.TensorProto.FLOAT and len(weight.dims) > 0:
            weight.ClearField("raw_data")
            weight.ClearField("float_data")
    for node in model.graph.node:
        node.ClearField("doc_string")
    del model.graph.value_info[:]
    onnx.save(model, str(file))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    found = {}
    for name in args.names or NETWORKS:
        network = NETWORKS[name]().train()
        x, classes = inputs(name, network)
        found[name] = facts(network, x, classes)
        export(network, x, args.output / f"{name}.onnx")
        print(name, found[name], flush=True)
    document = {"schema": "paceline.torch-facts/1", "torch": torch.__version__,
                "torchvision": torchvision.__version__, "batch": BATCH, "networks": found}
    (args.output / "facts.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
