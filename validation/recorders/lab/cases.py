"""What the laboratory runs: links, cases, sweeps and the two plans with their stated duration. No framework needed."""

import os
import re
import sys
from dataclasses import dataclass, field
from math import ceil, log2

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import layers
import plan
import summary

WARMUP = 2  # DDP rebuilds its buckets after the first iteration
POWERSGD_WARMUP = 5  # it starts with the third, whose buffers and errors are new memory
FRAMEWORKS = ("pytorch", "tensorflow", "mxnet")
# Which strategies each framework's recorder can run; the names are those of `paceline list strategies`.
STRATEGIES = {"pytorch": ("none", "ddp", "bsp", "parameter-server", "gpu-tree"),
              "tensorflow": ("none", "parameter-server", "collective-all-reduce"),
              "mxnet": ("none", "kvstore-local", "kvstore-device", "dist-sync")}
IN_ONE_PROCESS = ("kvstore-local", "kvstore-device")  # workers are devices of one process: no link between them
MODELS = ("fcn-r", "alexnet", "resnet50", "lstm-ptb")
BATCH = {"fcn-r": 64, "alexnet": 8, "resnet50": 4, "lstm-ptb": 32}  # samples per worker

# Only for time limits and the stated duration, never written to a file: about how long one worker computes for an
# iteration, how long a framework needs to start on two cores, and what share of a link's rate carries gradients.
EXPECTED_COMPUTE_S = {"fcn-r": 0.2, "alexnet": 0.7, "resnet50": 1.6, "lstm-ptb": 0.7}
EXPECTED_START_S = {"pytorch": 5.0, "tensorflow": 12.0, "mxnet": 5.0}
EXPECTED_GOODPUT = 0.93
# PowerSGD starts an all-reduce when another ends; with several buckets on gloo the workers may start them in different
# orders, which gloo refuses ("op.preamble.length <= op.nbytes"). So its cases have one bucket.
ONE_BUCKET = {"bucket_cap_mib": 1024, "first_bucket_mib": 1024}
POWERSGD = {"compression": "powersgd", "powersgd_rank": 2}
UNIT = {"Mb/s": 1e6, "Gb/s": 1e9}
LATENCY_UNIT = {"us": 1e-6, "ms": 1e-3}


@dataclass(frozen=True)
class Link:
    """A full-duplex link of each machine to one switch, "200 Mb/s@2ms"; without a rate it is as fast as the kernel."""
    rate_bits_per_s: float | None = None
    latency_s: float = 0.0
    text: str = "unlimited"

    def __str__(self):
        return self.text


def link(text):
    if text == "unlimited":
        return Link()
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(Mb/s|Gb/s)(?:@(\d+(?:\.\d+)?) ?(us|ms))?", text)
    rate = float(match[1]) * UNIT[match[2]] if match else 0
    if not rate:
        raise plan.UsageError(f"a link is \"unlimited\", \"200 Mb/s\", \"1 Gb/s\" or \"200 Mb/s@2ms\", not '{text}'")
    if not match[3]:
        return Link(rate, 0.0, f"{match[1]} {match[2]}")
    return Link(rate, float(match[3]) * LATENCY_UNIT[match[4]], f"{match[1]} {match[2]}@{match[3]}{match[4]}")


@dataclass(frozen=True)
class Case:
    framework: str
    strategy: str
    model: str
    workers: int = 1
    link: Link | None = None  # None: nothing is sent between machines
    servers: int = 0          # parameter servers, each on a machine of its own
    options: tuple = field(default=())  # ((name, value), ...), sorted by name

    @property
    def batch(self):
        return BATCH[self.model]

    @property
    def warmup(self):
        """Iterations before those that are timed."""
        return POWERSGD_WARMUP if dict(self.options).get("compression") == "powersgd" else WARMUP

    @property
    def machines(self):
        """Machines on the network, workers first."""
        return 0 if self.link is None else self.workers + self.servers

    @property
    def seq(self):
        return plan.SEQUENCE.get(self.model)

    def experiment(self):
        """The case as the recording names it; also its identity when rounds are appended."""
        one = plan.Case(self.model, self.batch, 1, self.seq).experiment()
        network = None if self.link is None else {"link": self.link.text,
                                                  "rate_bits_per_s": self.link.rate_bits_per_s,
                                                  "latency_s": self.link.latency_s}
        return {**one, "framework": self.framework, "strategy": self.strategy, "options": dict(self.options),
                "workers": self.workers, "servers": self.servers, "network": network}

    def __str__(self):
        options = "".join(f" {name}={value}" for name, value in self.options)
        servers = f" servers={self.servers}" if self.servers else ""
        return (f"{self.framework} {self.strategy}{options}{servers} {self.model} batch {self.batch} "
                f"workers {self.workers}" + ("" if self.link is None else f" {self.link}"))

    def expected_iteration_s(self):
        options = dict(self.options)
        micro_batches = options.get("grad_accum", 1)
        oversubscribed = max(1.0, self.workers / 2)
        compute = EXPECTED_COMPUTE_S[self.model] * micro_batches * oversubscribed
        if self.link is None or self.link.rate_bits_per_s is None or self.strategy == "none":
            return compute
        gradients = 4 * layers.parameter_count(self.model)
        n = self.workers
        volume = {"ddp": 2 * (n - 1) / n, "bsp": 2 * (n - 1) / n, "collective-all-reduce": 2 * (n - 1) / n,
                  "gpu-tree": 2 * ceil(log2(max(n, 2))), "dist-sync": 2 * max(1, n / max(self.servers, 1)),
                  "parameter-server": 2 * max(1, n / self.servers) if self.servers else 2 * (n - 1)}[self.strategy]
        volume *= {"fp16": 0.5, "powersgd": 0.05, "2bit": 0.55}.get(options.get("compression"), 1)
        if options.get("no_sync") is False:
            volume *= micro_batches
        return compute + volume * gradients * 8 / (EXPECTED_GOODPUT * self.link.rate_bits_per_s)

    def expected_s(self, seconds):
        """One round: start, warm-up and the timed iterations."""
        iteration = self.expected_iteration_s()
        start = EXPECTED_START_S[self.framework] * max(1.0, (self.workers + self.servers) / 2)
        return start + self.warmup * iteration + max(summary.MINIMUM_ITERATIONS * iteration, seconds)

    def limit_s(self, seconds):
        """A round that takes longer than this is ended: something hangs, or the machine is useless for measuring."""
        return 60 + 4 * self.expected_s(seconds)


@dataclass(frozen=True)
class Sweep:
    """A collective over growing messages on one link: what a link model is calibrated on."""
    ranks: int
    link: Link
    sizes: tuple
    operation: str = "all_reduce"  # or broadcast from the last rank, send_recv: each to the next and from the one before

    framework = "pytorch"
    servers = 0

    @property
    def benchmark(self):
        return f"gloo.{self.operation}"

    @property
    def volume(self):
        """What crosses the link of a rank, per byte of message."""
        return 2 * (self.ranks - 1) / self.ranks if self.operation == "all_reduce" else 1

    @property
    def workers(self):
        return self.ranks

    @property
    def machines(self):
        return self.ranks

    def axes(self, size):
        return {"ranks": self.ranks, "bytes": size, "link": self.link.text}

    def __str__(self):
        return f"{self.benchmark} ranks {self.ranks} {self.link} {len(self.sizes)} sizes"

    def expected_s(self, seconds):
        rate = EXPECTED_GOODPUT * (self.link.rate_bits_per_s or 8e9)
        once = [self.volume * 8 * size / rate for size in self.sizes]
        start = EXPECTED_START_S["pytorch"] * self.ranks / 2
        return start + sum(t + max(summary.MINIMUM_ITERATIONS * t, min(seconds, 50 * t)) for t in once)

    def limit_s(self, seconds):
        return 60 + 4 * self.expected_s(seconds)


def mebi(*counts):
    return tuple(count << 20 for count in counts)


def of(framework, strategy, models, workers=1, on=None, servers=0, **options):
    return [Case(framework, strategy, model, workers, on and link(on), servers, tuple(sorted(options.items())))
            for model in models]


def compute(framework, models, workers):
    """One worker alone, and as many as later train together: what they cost each other without a network."""
    return [case for count in (1, *workers) for case in of(framework, "none", models, count)]


def quick():
    torch, tf, mx, small = "pytorch", "tensorflow", "mxnet", ["fcn-r"]
    return [
        Sweep(2, link("1 Gb/s"), mebi(1, 4, 16, 64)), Sweep(2, link("200 Mb/s"), mebi(1, 4, 16)),
        Sweep(2, Link(), mebi(16, 64, 256)),
        Sweep(2, link("1 Gb/s"), mebi(1, 4, 16, 64), "broadcast"),
        Sweep(2, link("1 Gb/s"), mebi(1, 4, 16, 64), "send_recv"),
        *compute(torch, ["fcn-r", "resnet50"], [2]), *compute(tf, small, [2]), *compute(mx, small, [2]),
        *of(torch, "ddp", ["resnet50"], 2, "1 Gb/s", bucket_cap_mib=25),
        *of(torch, "ddp", ["resnet50"], 2, "1 Gb/s", bucket_cap_mib=1024),
        *of(torch, "ddp", small, 2, "1 Gb/s", bucket_cap_mib=25),
        *of(torch, "bsp", small, 2, "1 Gb/s"), *of(torch, "parameter-server", small, 2, "1 Gb/s"),
        *of(torch, "ddp", small, 2, "200 Mb/s", bucket_cap_mib=25),
        *of(torch, "ddp", small, 2, "200 Mb/s", **ONE_BUCKET, **POWERSGD),
        *of(torch, "gpu-tree", small, 4, "1 Gb/s"), *of(torch, "bsp", small, 4, "1 Gb/s"),
        *of(tf, "parameter-server", small, 2, "1 Gb/s", servers=1),
        *of(tf, "collective-all-reduce", small, 2, "1 Gb/s"),
        *of(mx, "kvstore-device", small, 2), *of(mx, "dist-sync", small, 2, "1 Gb/s", servers=1),
    ]


def sweeps():
    gigabit, fast, slow = mebi(1, 2, 4, 8, 16, 32, 64, 128, 256), mebi(1, 2, 4, 8, 16, 32, 64), mebi(1, 2, 4, 8, 16)
    for ranks in 2, 4:
        yield Sweep(ranks, Link(), gigabit)
        yield Sweep(ranks, link("1 Gb/s"), gigabit)
        yield Sweep(ranks, link("200 Mb/s"), fast)
        yield Sweep(ranks, link("50 Mb/s"), slow)
    yield Sweep(2, link("200 Mb/s@2ms"), fast)
    for operation in "broadcast", "send_recv":
        yield Sweep(2, link("1 Gb/s"), gigabit, operation)
        yield Sweep(2, link("200 Mb/s"), fast, operation)


def pytorch_validation():
    torch, both, half = "pytorch", ["fcn-r", "resnet50"], ["fcn-r", "lstm-ptb"]
    cases = compute(torch, MODELS, [2]) + of(torch, "none", ["fcn-r", "resnet50", "lstm-ptb"], 4)
    # What compressing costs a worker by itself, that sends nothing.
    for buckets, hook in ({"bucket_cap_mib": 25}, {"compression": "fp16"}), (ONE_BUCKET, POWERSGD):
        cases += of(torch, "ddp", both, **buckets) + of(torch, "ddp", both, **buckets, **hook)
    for cap in 4, 25, 1024:
        cases += of(torch, "ddp", both, 2, "1 Gb/s", bucket_cap_mib=cap)
    for on in "1 Gb/s", "200 Mb/s", "50 Mb/s":
        cases += of(torch, "ddp", half if on != "1 Gb/s" else ["lstm-ptb"], 2, on, bucket_cap_mib=25)
        cases += of(torch, "bsp", half, 2, on)
    for on in "1 Gb/s", "200 Mb/s":
        for strategy in "parameter-server", "gpu-tree":
            cases += of(torch, strategy, half, 2, on)
        cases += of(torch, "ddp", ["fcn-r"], 2, on, bucket_cap_mib=25, compression="fp16")
        cases += of(torch, "ddp", ["fcn-r"], 2, on, **ONE_BUCKET, **POWERSGD)
    cases += of(torch, "bsp", ["resnet50", "alexnet"], 2, "1 Gb/s")
    cases += of(torch, "parameter-server", ["resnet50", "alexnet"], 2, "1 Gb/s")
    cases += of(torch, "ddp", ["alexnet"], 2, "1 Gb/s", bucket_cap_mib=25)
    cases += of(torch, "ddp", ["resnet50"], 2, "200 Mb/s", bucket_cap_mib=4)
    cases += of(torch, "ddp", ["resnet50"], 2, "200 Mb/s", bucket_cap_mib=25, compression="fp16")
    cases += of(torch, "ddp", ["resnet50"], 2, "1 Gb/s", **ONE_BUCKET, **POWERSGD)
    for no_sync in True, False:
        cases += of(torch, "ddp", both, 2, "1 Gb/s", bucket_cap_mib=25, grad_accum=2, no_sync=no_sync)
    cases += of(torch, "ddp", half, 2, "200 Mb/s@2ms", bucket_cap_mib=4)
    cases += of(torch, "bsp", half, 2, "200 Mb/s@2ms")
    for strategy in "bsp", "parameter-server", "gpu-tree":
        cases += of(torch, strategy, half, 4, "1 Gb/s")
    cases += of(torch, "ddp", ["fcn-r", "resnet50", "lstm-ptb"], 4, "1 Gb/s", bucket_cap_mib=25)
    return cases


def tensorflow_validation():
    tf, half = "tensorflow", ["fcn-r", "lstm-ptb"]
    cases = compute(tf, MODELS, [2])
    for servers in 1, 2:
        cases += of(tf, "parameter-server", MODELS, 2, "1 Gb/s", servers)
        cases += of(tf, "parameter-server", half, 2, "200 Mb/s", servers)
    cases += of(tf, "collective-all-reduce", MODELS, 2, "1 Gb/s") + of(tf, "collective-all-reduce", half, 2, "200 Mb/s")
    cases += of(tf, "parameter-server", ["fcn-r"], 4, "1 Gb/s", servers=2)
    return cases + of(tf, "collective-all-reduce", ["fcn-r"], 4, "1 Gb/s")


def mxnet_validation():
    mx, half = "mxnet", ["fcn-r", "lstm-ptb"]
    cases = compute(mx, MODELS, [2]) + of(mx, "kvstore-local", MODELS, 2) + of(mx, "kvstore-device", MODELS, 2)
    for servers in 1, 2:
        cases += of(mx, "dist-sync", MODELS, 2, "1 Gb/s", servers)
        cases += of(mx, "dist-sync", half, 2, "200 Mb/s", servers)
    for on in "1 Gb/s", "200 Mb/s":
        cases += of(mx, "dist-sync", half, 2, on, servers=1, compression="2bit", threshold=0.5)
    return cases + of(mx, "dist-sync", ["fcn-r"], 4, "1 Gb/s", servers=2)


def validation():
    return [*sweeps(), *pytorch_validation(), *tensorflow_validation(), *mxnet_validation()]


PLANS = {"quick": quick, "validation": validation}


def expected_pass_s(cases, seconds):
    return sum(case.expected_s(seconds) for case in cases)
