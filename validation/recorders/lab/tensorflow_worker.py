"""TensorFlow: parameter servers over gRPC, and ring all-reduce through MultiWorkerMirroredStrategy.

parameter-server is TensorFlow 1's between-graph replication (tf.compat.v1): variables on the servers, round robin;
each worker reads them, SyncReplicasOptimizer averages the gradients on the servers, and a token queue is the barrier.
none and the collective run a tf.function. Convolutions are NHWC, the only layout TensorFlow has for CPUs; the LSTM is
unrolled step by step, as in TensorFlow's PTB tutorial; batch-norm keeps no moving averages.
"""

import json
import os
import time

import tensorflow as tf

import layers
import record_pytorch

v1 = tf.compat.v1
BN_EPSILON = 1e-5


class Network:
    """Builds operations from a list of layers; variables come from `variable(name, shape)` in a fixed order."""

    def __init__(self, model, variable):
        self.model, self.variable, self.count = model, variable, 0

    def weights(self, shape, kind="kernel"):
        self.count += 1
        return self.variable(f"{kind}_{self.count}", shape)

    def dense(self, x, outputs):
        return tf.matmul(x, self.weights((x.shape[-1], outputs))) + self.weights((outputs,), "bias")

    def convolution(self, x, layer):
        kind, outputs, kernel, stride, pad = layer
        y = tf.nn.conv2d(x, self.weights((kernel, kernel, x.shape[-1], outputs)), stride,
                         [[0, 0], [pad, pad], [pad, pad], [0, 0]])
        if kind == "conv":
            return tf.nn.bias_add(y, self.weights((outputs,), "bias"))
        scale, shift = self.weights((outputs,), "scale"), self.weights((outputs,), "bias")
        return v1.nn.fused_batch_norm(y, scale, shift, epsilon=BN_EPSILON, is_training=True)[0]

    def bottleneck(self, x, layer):
        main, projection = layers.parts(layer)
        y = x
        for i, part in enumerate(main):
            y = self.convolution(y, part)
            y = tf.nn.relu(y) if i < len(main) - 1 else y
        return tf.nn.relu(y + (self.convolution(x, projection) if projection else x))

    def lstm(self, steps, hidden):
        """One layer over a list of (batch, width) steps."""
        batch, width = steps[0].shape
        kernel, bias = self.weights((width + hidden, 4 * hidden)), self.weights((4 * hidden,), "bias")
        h = c = tf.zeros((batch, hidden))
        out = []
        for x in steps:
            i, j, f, o = tf.split(tf.matmul(tf.concat([x, h], 1), kernel) + bias, 4, axis=1)
            c = c * tf.sigmoid(f) + tf.sigmoid(i) * tf.tanh(j)
            h = tf.tanh(c) * tf.sigmoid(o)
            out.append(h)
        return out

    def pool(self, x, size, stride, pad):
        x = tf.pad(x, [[0, 0], [pad, pad], [pad, pad], [0, 0]]) if pad else x
        return tf.nn.max_pool2d(x, size, stride, "VALID")

    def layer(self, x, layer):
        kind = layer[0]
        if kind in ("conv", "conv_bn"):
            return self.convolution(x, layer)
        if kind == "dense":
            return self.dense(tf.concat(x, 0) if isinstance(x, list) else x, layer[1])
        if kind == "embedding":
            return tf.unstack(tf.gather(self.weights(layer[1:]), x))
        return {"bottleneck": lambda: self.bottleneck(x, layer), "lstm": lambda: self.lstm(x, layer[1]),
                "max_pool": lambda: self.pool(x, *layer[1:]), "relu": lambda: tf.nn.relu(x),
                "sigmoid": lambda: tf.sigmoid(x), "dropout": lambda: tf.nn.dropout(x, layer[1]),
                "global_average": lambda: tf.reduce_mean(x, [1, 2]),
                "flatten": lambda: tf.reshape(x, (x.shape[0], -1))}[kind]()

    def loss(self, inputs, labels):
        x = inputs
        for layer in layers.NETWORKS[self.model]():
            x = self.layer(x, layer)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x))


def initial(shape):
    """Small random weights; which ones does not matter for time."""
    return lambda: tf.random.truncated_normal(shape, stddev=0.02)


def batch_of(model, batch, seq):
    if layers.SHAPE[model]:
        shape = layers.SHAPE[model]
        shape = (batch, *shape[1:], shape[0]) if len(shape) == 3 else (batch, *shape)
        return tf.random.normal(shape), tf.random.uniform((batch,), 0, layers.CLASSES[model], tf.int32)
    tokens = tf.random.uniform((seq, batch), 0, layers.VOCABULARY, tf.int32)
    return tokens, tf.random.uniform((seq * batch,), 0, layers.VOCABULARY, tf.int32)


def one_thread():
    return v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)


def ring():
    """TensorFlow's own ring over gRPC."""
    distribute = tf.distribute.experimental
    return distribute.CommunicationOptions(implementation=distribute.CommunicationImplementation.RING)


def cluster(job):
    return {"worker": job["addresses"]["worker"], "ps": job["addresses"]["server"]}


class Eager:
    """A tf.function under a distribution strategy, which all-reduces in apply_gradients; without one: a lone worker."""

    def __init__(self, job, index):
        experiment = job["experiment"]
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        self.strategy = tf.distribute.get_strategy()
        if experiment["strategy"] == "collective-all-reduce":
            os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": job["addresses"]["worker"]},
                                                  "task": {"type": "worker", "index": index}})
            self.strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=ring())
        inputs, labels = batch_of(experiment["model"], experiment["batch"], experiment.get("seq"))
        made = {}

        def variable(name, shape):
            if name not in made:
                with tf.init_scope():
                    made[name] = tf.Variable(initial(shape)(), name=name)
            return made[name]

        with self.strategy.scope():
            optimizer = tf.keras.optimizers.legacy.SGD(record_pytorch.LEARNING_RATE)
            Network(experiment["model"], variable).loss(inputs, labels)  # makes the variables

        def replica():
            with tf.GradientTape() as tape:
                loss = Network(experiment["model"], variable).loss(inputs, labels)
            weights = list(made.values())
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
            return loss

        self.step = tf.function(lambda: self.strategy.run(replica))
        self.parameters = sum(int(tf.size(weight)) for weight in made.values())

    def __call__(self):
        return self.step().numpy()


class ParameterServer:
    """One worker's session on the graph that all workers build alike."""

    def __init__(self, job, index):
        experiment = job["experiment"]
        workers = experiment["workers"]
        target = tf.distribute.Server(cluster(job), job_name="worker", task_index=index, config=one_thread()).target
        with tf.Graph().as_default():
            with v1.device(v1.train.replica_device_setter(cluster=cluster(job),
                                                          worker_device=f"/job:worker/task:{index}")):
                step = v1.train.get_or_create_global_step()
                with v1.variable_scope("", use_resource=False):
                    inputs, labels = (v1.get_variable(name, initializer=value, trainable=False, collections=[
                        v1.GraphKeys.LOCAL_VARIABLES]) for name, value in zip(("inputs", "labels"), batch_of(
                            experiment["model"], experiment["batch"], experiment.get("seq"))))
                    network = Network(experiment["model"], lambda name, shape: v1.get_variable(
                        name, initializer=initial(shape)))
                    self.loss = network.loss(inputs, labels)
                optimizer = v1.train.SyncReplicasOptimizer(
                    v1.train.GradientDescentOptimizer(record_pytorch.LEARNING_RATE), workers, workers)
                self.train = optimizer.minimize(self.loss, global_step=step)
            weights = v1.trainable_variables()
            self.parameters = sum(weight.shape.num_elements() for weight in weights)
            config = one_thread()
            config.device_filters.extend(["/job:ps", f"/job:worker/task:{index}"])
            self.session = v1.Session(target, config=config)
            self.start(job, optimizer, index)

    def start(self, job, optimizer, index):
        """The chief initialises and fills the token queue; the others wait for its word, off the network."""
        ready = os.path.join(job["folder"], "initialised")
        local = [v1.local_variables_initializer(), optimizer.local_step_init_op]
        if index == 0:
            self.session.run([v1.global_variables_initializer()])
            self.session.run([*local, optimizer.chief_init_op])
            optimizer.get_chief_queue_runner().create_threads(self.session, daemon=True, start=True)
            self.session.run(optimizer.get_init_tokens_op())
            open(ready, "w").close()
        while not os.path.exists(ready):
            time.sleep(0.05)
        if index != 0:
            self.session.run(local)

    def __call__(self):
        return self.session.run([self.train, self.loss])[1]


class Training:
    def __init__(self, job, index):
        tf.random.set_seed(1)
        kind = ParameterServer if job["experiment"]["strategy"] == "parameter-server" else Eager
        self.iteration = kind(job, index)
        self.parameters = self.iteration.parameters

    def iterate(self):
        self.last_loss = float(self.iteration())
        return {}

    def loss(self):
        return self.last_loss

    def facts(self):
        return {}


def serve(job, role, index):
    tf.distribute.Server(cluster(job), job_name="ps", task_index=index, config=one_thread()).join()
