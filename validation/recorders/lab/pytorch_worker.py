"""PyTorch on gloo: DistributedDataParallel and four aggregations written out with plain collectives and messages.

Strategies: none; ddp (buckets, accumulation, compression hooks); bsp: one all-reduce of all gradients after backward;
parameter-server: worker 0 gathers, updates and sends the weights; gpu-tree: Caffe's tree, gradients added up a
binomial tree to worker 0, which updates, weights copied down. In the last two only worker 0 updates, and it is a
worker as well as the server.
"""

import contextlib
import time

import torch
import torch.distributed as dist

import machine
import networks
import record_pytorch

HEAP_BYTES = 1 << 30
clock = time.perf_counter


def flatten(tensors):
    return torch._utils._flatten_dense_tensors(tensors)


def unflatten(flat, tensors):
    for tensor, part in zip(tensors, torch._utils._unflatten_dense_tensors(flat, tensors)):
        tensor.copy_(part)


def all_reduce_flat(gradients, weights, update):
    flat = flatten(gradients)
    dist.all_reduce(flat)
    unflatten(flat.div_(dist.get_world_size()), gradients)
    update()


def share_from_root(gather, spread):
    """An aggregation in which worker 0 gets the sum of the gradients, updates, and spreads its weights."""
    def aggregate(gradients, weights, update):
        flat = flatten(gradients)
        gather(flat, dist.get_rank(), dist.get_world_size())
        if dist.get_rank() == 0:
            unflatten(flat.div_(dist.get_world_size()), gradients)
            update()
        with torch.no_grad():
            fresh = flatten(weights)
            spread(fresh, dist.get_rank(), dist.get_world_size())
            if dist.get_rank() != 0:
                unflatten(fresh, weights)
    return aggregate


def star_gather(flat, rank, size):
    if rank != 0:
        dist.send(flat, 0)
        return
    arrived = [torch.empty_like(flat) for _ in range(1, size)]
    pending = [dist.irecv(buffer, source + 1) for source, buffer in enumerate(arrived)]
    for request, buffer in zip(pending, arrived):
        request.wait()
        flat.add_(buffer)


def star_spread(fresh, rank, size):
    if rank != 0:
        dist.recv(fresh, 0)
        return
    for request in [dist.isend(fresh, target) for target in range(1, size)]:
        request.wait()


def tree_gather(flat, rank, size):
    """Each level pairs neighbours: 1 to 0 and 3 to 2, then 2 to 0."""
    step = 1
    while step < size:
        if rank % (2 * step) == step:
            dist.send(flat, rank - step)
            return
        if rank + step < size:
            other = torch.empty_like(flat)
            dist.recv(other, rank + step)
            flat.add_(other)
        step *= 2


def tree_spread(fresh, rank, size):
    step = 1
    while step < size:
        step *= 2
    while step > 1:
        half = step // 2
        if rank % step == half:
            dist.recv(fresh, rank - half)
        elif rank % step == 0 and rank + half < size:
            dist.send(fresh, rank + half)
        step = half


AGGREGATIONS = {"bsp": all_reduce_flat, "parameter-server": share_from_root(star_gather, star_spread),
                "gpu-tree": share_from_root(tree_gather, tree_spread)}


def distributed(network, options):
    """DDP as a user would set it up. Its first bucket holds a MiB whatever the cap, but for option first_bucket_mib."""
    if "first_bucket_mib" in options:
        dist._DEFAULT_FIRST_BUCKET_BYTES = options["first_bucket_mib"] << 20
    ddp = torch.nn.parallel.DistributedDataParallel(network, bucket_cap_mb=options["bucket_cap_mib"])
    compression = options.get("compression")
    if compression == "fp16":
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
        ddp.register_comm_hook(None, default_hooks.fp16_compress_hook)
    elif compression == "powersgd":
        from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
        state = power.PowerSGDState(None, matrix_approximation_rank=options["powersgd_rank"], start_powerSGD_iter=2)
        ddp.register_comm_hook(state, power.powerSGD_hook)
    elif compression is not None:
        raise ValueError(f"unknown compression '{compression}'")
    return ddp


class Training:
    def __init__(self, job, index):
        experiment = job["experiment"]
        self.strategy, self.options = experiment["strategy"], experiment["options"]
        torch.manual_seed(1)
        torch.set_num_threads(experiment["threads"])
        machine.make_heap_resident(torch, HEAP_BYTES)
        if self.strategy != "none":
            dist.init_process_group("gloo", init_method=f"file://{job['folder']}/store", rank=index,
                                    world_size=experiment["workers"])
        self.network = networks.build(experiment["model"], experiment.get("seq"))
        self.parameters = networks.parameter_count(self.network)
        torch.manual_seed(2 + index)  # each worker has its own data
        self.inputs, self.labels = networks.synthetic_batch(self.network, experiment["batch"])
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=record_pytorch.LEARNING_RATE)
        self.weights = list(self.network.parameters())
        self.trained = distributed(self.network, self.options) if self.strategy == "ddp" else self.network

    def micro_batch(self, phases):
        begin = clock()
        self.last_loss = networks.F.cross_entropy(self.trained(self.inputs), self.labels)
        middle = clock()
        self.last_loss.backward()
        phases["forward_s"] += middle - begin
        phases["backward_s"] += clock() - middle

    def iterate(self):
        phases = {"forward_s": 0.0, "backward_s": 0.0}
        begin = clock()
        self.optimizer.zero_grad(set_to_none=False)
        zeroed = clock() - begin
        count = self.options.get("grad_accum", 1)
        for i in range(count):
            silent = self.options.get("no_sync") and i + 1 < count
            with self.trained.no_sync() if silent else contextlib.nullcontext():
                self.micro_batch(phases)
        begin = clock()
        update = self.timed_update
        self.updated = 0.0
        if self.strategy in AGGREGATIONS:
            AGGREGATIONS[self.strategy]([weight.grad for weight in self.weights], self.weights, update)
            phases["communication_s"] = clock() - begin - self.updated
        else:
            update()
        phases["optimizer_s"] = zeroed + self.updated
        return phases

    def timed_update(self):
        begin = clock()
        self.optimizer.step()
        self.updated = clock() - begin

    def loss(self):
        return self.last_loss.item()

    def facts(self):
        if self.strategy != "ddp":
            return {}
        data = self.trained._get_ddp_logging_data()
        return {"bucket_bytes": [int(size) for size in data["rebuilt_bucket_sizes"].split(",") if size.strip()]}
