"""The laboratory's networks as plain lists, from which the TensorFlow and the MXNet recorder build them.

They are the networks of ../networks.py (PyTorch): same shapes, same order. Entries are
    ("dense", outputs)                       linear with bias
    ("conv", outputs, kernel, stride, pad)   with bias
    ("conv_bn", outputs, kernel, stride, pad)  without bias, then batch-norm
    ("bottleneck", width, stride, project)   1x1, 3x3 with the stride, 1x1 of 4 x width; each conv_bn; residual sum
    ("max_pool", size, stride, pad), ("relu",), ("sigmoid",), ("dropout", rate), ("global_average",), ("flatten",)
    ("embedding", vocabulary, width), ("lstm", hidden), a layer over all steps with one bias vector.
"""

SHAPE = {"fcn-r": (784,), "alexnet": (3, 227, 227), "resnet50": (3, 224, 224), "lstm-ptb": None}  # of one sample
CLASSES = {"fcn-r": 10, "alexnet": 1000, "resnet50": 1000, "lstm-ptb": 10000}
VOCABULARY = 10000


def fcn_r():
    return [("dense", 2048), ("sigmoid",), ("dense", 4096), ("sigmoid",), ("dense", 1024), ("sigmoid",), ("dense", 10)]


def alexnet():
    pool, dense = ("max_pool", 3, 2, 0), [("dense", 4096), ("relu",)]
    return [("conv", 96, 11, 4, 0), ("relu",), pool, ("conv", 256, 5, 1, 2), ("relu",), pool,
            ("conv", 384, 3, 1, 1), ("relu",), ("conv", 384, 3, 1, 1), ("relu",),
            ("conv", 256, 3, 1, 1), ("relu",), pool,
            ("flatten",), ("dropout", 0.5), *dense, ("dropout", 0.5), *dense, ("dense", 1000)]


def resnet50():
    stages = (64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)
    return [("conv_bn", 64, 7, 2, 3), ("relu",), ("max_pool", 3, 2, 1),
            *(("bottleneck", width, stride if i == 0 else 1, i == 0) for width, count, stride in stages
              for i in range(count)),
            ("global_average",), ("dense", 1000)]


def lstm_ptb():
    return [("embedding", VOCABULARY, 256), ("lstm", 256), ("lstm", 256), ("dense", VOCABULARY)]


NETWORKS = {"fcn-r": fcn_r, "alexnet": alexnet, "resnet50": resnet50, "lstm-ptb": lstm_ptb}


def parts(layer):
    """The conv_bn entries of a bottleneck: the three of the main path, then the projection if there is one."""
    _, width, stride, project = layer
    main = [("conv_bn", width, 1, 1, 0), ("conv_bn", width, 3, stride, 1), ("conv_bn", 4 * width, 1, 1, 0)]
    return main, ("conv_bn", 4 * width, 1, stride, 0) if project else None


def parameter_count(model):
    """Weights that an optimizer updates (batch-norm: scale and shift)."""
    shape = SHAPE[model]
    channels, size, total = (shape[0], shape[-1], 0) if shape else (0, 0, 0)

    def convolution(inputs, layer):
        kind, outputs, kernel = layer[:3]
        return inputs * outputs * kernel * kernel + (outputs if kind == "conv" else 2 * outputs)

    for layer in NETWORKS[model]():
        kind = layer[0]
        if kind in ("conv", "conv_bn"):
            total += convolution(channels, layer)
            channels, size = layer[1], (size + 2 * layer[4] - layer[2]) // layer[3] + 1
        elif kind == "max_pool":
            size = (size + 2 * layer[3] - layer[1]) // layer[2] + 1
        elif kind == "bottleneck":
            main, projection = parts(layer)
            total += convolution(channels, projection) if projection else 0
            for part in main:
                total += convolution(channels, part)
                channels = part[1]
        elif kind == "flatten":
            channels *= size * size
        elif kind == "dense":
            total += (channels + 1) * layer[1]
            channels = layer[1]
        elif kind == "embedding":
            total += layer[1] * layer[2]
            channels = layer[2]
        elif kind == "lstm":
            total += 4 * layer[1] * (channels + layer[1] + 1)
            channels = layer[1]
    return total
