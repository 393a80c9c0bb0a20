"""MXNet: Gluon networks, and the gradient aggregations of its key-value store.

Strategies: none; kvstore-local and kvstore-device (the workers are CPU devices of one process, summing in
CommCPU or CommDevice); dist-sync (ps-lite servers that also update the weights; option compression=2bit). The loss is
read after each iteration, as a training loop with a metric does; pulls of weights may still overlap the next forward.
"""

import time

import mxnet as mx
from mxnet import autograd, gluon

import cases
import layers
import record_pytorch

nn = gluon.nn
STORES = {"kvstore-local": "local", "kvstore-device": "device", "dist-sync": "dist_sync"}


class Bottleneck(gluon.HybridBlock):
    def __init__(self, layer):
        super().__init__()
        main, projection = layers.parts(layer)
        self.body = nn.HybridSequential()
        for i, part in enumerate(main):
            self.body.add(*conv_bn(part), *([nn.Activation("relu")] if i < len(main) - 1 else []))
        self.projection = None
        if projection:
            self.projection = nn.HybridSequential()
            self.projection.add(*conv_bn(projection))

    def hybrid_forward(self, F, x):
        identity = x if self.projection is None else self.projection(x)
        return F.relu(self.body(x) + identity)


class Recurrent(gluon.HybridBlock):
    """One LSTM layer over (steps, batch, width); the state is zero at the start."""

    def __init__(self, hidden, inputs):
        super().__init__()
        self.lstm = gluon.rnn.LSTM(hidden, input_size=inputs)

    def hybrid_forward(self, F, x):
        return self.lstm(x)


def conv_bn(layer):
    _, outputs, kernel, stride, pad = layer
    return nn.Conv2D(outputs, kernel, stride, pad, use_bias=False), nn.BatchNorm()


def block(layer, flatten):
    kind = layer[0]
    if kind == "dense":
        return [nn.Dense(layer[1], flatten=flatten)]
    if kind == "conv":
        return [nn.Conv2D(layer[1], layer[2], layer[3], layer[4])]
    if kind == "conv_bn":
        return conv_bn(layer)
    if kind == "bottleneck":
        return [Bottleneck(layer)]
    if kind == "max_pool":
        return [nn.MaxPool2D(*layer[1:])]
    if kind in ("relu", "sigmoid"):
        return [nn.Activation(kind)]
    return [{"dropout": lambda: nn.Dropout(layer[1]), "global_average": nn.GlobalAvgPool2D, "flatten": nn.Flatten,
             "embedding": lambda: nn.Embedding(layer[1], layer[2]),
             "lstm": lambda: Recurrent(layer[1], 256)}[kind]()]


def build(model):
    network = nn.HybridSequential()
    for layer in layers.NETWORKS[model]():
        network.add(*block(layer, flatten=model != "lstm-ptb"))
    return network


def batches(model, batch, seq, devices):
    """The same synthetic batch on each device."""
    if layers.SHAPE[model]:
        return [(mx.nd.random.normal(shape=(batch, *layers.SHAPE[model]), ctx=device),
                 mx.nd.random.randint(0, layers.CLASSES[model], shape=(batch,), ctx=device)) for device in devices]
    shape = seq, batch
    return [(mx.nd.random.randint(0, layers.VOCABULARY, shape=shape, ctx=device),
             mx.nd.random.randint(0, layers.VOCABULARY, shape=shape, ctx=device)) for device in devices]


class Store:
    """Pushes gradients and pulls updated weights, key by key, as MXNet's Module does with update_on_kvstore.

    Gluon's Trainer of 1.9 joins both into one PushPull, which gradient compression cannot be used with.
    """

    def __init__(self, weights, kind, options, samples):
        self.weights = [weight for weight in weights if weight.grad_req != "null"]
        self.store = mx.kv.create(kind)
        if options.get("compression"):
            self.store.set_gradient_compression({"type": options["compression"], "threshold": options["threshold"]})
        for key, weight in enumerate(self.weights):
            self.store.init(key, weight.list_data()[0])
        self.store.set_optimizer(mx.optimizer.SGD(learning_rate=record_pytorch.LEARNING_RATE, rescale_grad=1 / samples))

    def update(self):
        for key, weight in enumerate(self.weights):
            self.store.push(key, weight.list_grad(), priority=-key)
            self.store.pull(key, weight.list_data(), priority=-key)


class Alone:
    """A worker that updates its own weights."""

    def __init__(self, weights, samples):
        self.samples = samples
        self.trainer = gluon.Trainer(weights, "sgd", {"learning_rate": record_pytorch.LEARNING_RATE}, kvstore=None)

    def update(self):
        self.trainer.step(self.samples)


class Training:
    def __init__(self, job, index):
        experiment = job["experiment"]
        mx.random.seed(1)
        workers = experiment["workers"]
        one_process = experiment["strategy"] in cases.IN_ONE_PROCESS
        devices = [mx.cpu(i) for i in range(workers if one_process else 1)]
        self.network = build(experiment["model"])
        self.network.initialize(mx.init.Xavier(), ctx=devices)
        self.network.hybridize(static_alloc=True)
        self.batches = batches(experiment["model"], experiment["batch"], experiment.get("seq"), devices)
        self.cross_entropy = gluon.loss.SoftmaxCrossEntropyLoss()
        with autograd.train_mode():  # infers shapes; oneDNN's own layouts of weights after inference stop dist_sync
            for inputs, _ in self.batches:
                self.network(inputs)
        weights = self.network.collect_params()
        self.parameters = sum(weight.data(devices[0]).size for weight in weights.values() if weight.grad_req != "null")
        kind = STORES.get(experiment["strategy"])
        samples = experiment["batch"] * (workers if kind else 1)
        self.optimizer = (Store(weights.values(), kind, experiment["options"], samples) if kind
                          else Alone(weights, samples))

    def iterate(self):
        with autograd.record():
            losses = [self.cross_entropy(self.network(inputs), labels) for inputs, labels in self.batches]
        autograd.backward(losses)
        self.optimizer.update()
        self.last_loss = float(losses[0].mean().asscalar())
        return {}

    def loss(self):
        return self.last_loss

    def facts(self):
        return {}


def serve(job, role, index):
    """Importing mxnet with DMLC_ROLE=server or scheduler serves until the workers leave; so nothing is left to do."""
    time.sleep(1)
