#!/usr/bin/env python3
"""Times kernels that only a framework has, on this machine's GPU, and adds them to a measurement file.

    measure_pytorch.py --device h100-sxm measurements.json [--budget 60]

Fused attention, layer normalisation, GELU, dropout, embedding, cross-entropy and the optimizers of PyTorch, in shapes
of no network that is validated on; forward and backward. The file is that of `paceline measure --device cuda`
(paceline.measurements/1) or a new one; results that are in it are kept.
"""

import argparse
import json
import os
import sys
import time
from datetime import datetime, timezone

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import machine  # noqa: E402
import recording  # noqa: E402

SCHEMA = "paceline.measurements/1"
SAMPLES, SAMPLE_S = 5, 8e-3
CANNOT_RUN, BAD_FILE = 5, 3


def design():
    """(benchmark, axes) of every case; bytes are the compulsory traffic of operands of two bytes."""
    out = []
    for batch, seq, heads, dim in (8, 640, 20, 64), (2, 2560, 20, 64), (16, 320, 10, 128), (1, 5120, 10, 128):
        for causal in 0, 1:
            for which in "forward", "backward":
                out.append(("aten.attention", {"attention": which, "batch": batch, "seq": seq, "heads": heads,
                                               "kv_heads": heads, "head_dim": dim, "causal": causal,
                                               "precision": "fp16"}))
    for rows, row in (9600, 640), (9600, 1600), (600, 1600):
        for name, kind, read, written in (
                ("layer_norm", "normalization", 1, 1), ("layer_norm_backward", "normalization_backward", 2, 1),
                ("gelu", "elementwise", 1, 1), ("gelu_backward", "elementwise", 2, 1), ("softmax", "softmax", 1, 1),
                ("dropout", "elementwise", 1, 1.5), ("add", "elementwise", 2, 1)):
            out.append(stream(f"aten.{name}", kind, rows, row, read, written))
    out.append(stream("aten.cross_entropy", "softmax", 2400, 20000, 1, 1))
    out.append(stream("aten.cross_entropy_backward", "softmax", 2400, 20000, 1, 1))
    for values in 3_000_017, 60_000_061:
        for name, read, written in ("sgd", 2, 1), ("sgd_momentum", 3, 2), ("adam_fused", 4, 3):
            out.append((f"aten.{name}_optimizer", {"elements": values, "read_bytes": 4 * read * values,
                                                   "written_bytes": 4 * written * values, "kind": "optimizer",
                                                   "precision": "fp32"}))
    return out


def stream(name, kind, rows, row, read, written):
    size = 2 * rows * row
    return name, {"elements": rows * row, "row": row, "read_bytes": int(read * size), "written_bytes":
                  int(written * size), "kind": kind, "precision": "fp16"}


class Timed:
    """What is launched, and whether its result is right."""

    def __init__(self, launch, correct):
        self.launch, self.correct = launch, correct


def attention(torch, axes):
    shape = axes["batch"], axes["heads"], axes["seq"], axes["head_dim"]
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16, requires_grad=True) for _ in range(3))
    causal = bool(axes["causal"])
    run = lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)  # noqa: E731

    def by_definition(q, k, v):  # of one head
        scores = q @ k.T * q.shape[-1] ** -0.5
        if causal:
            scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -float("inf"))
        return torch.softmax(scores, -1) @ v
    return compared(torch, run, by_definition, (q, k, v), lambda t: t[0, 0], axes["attention"] == "backward")


def compared(torch, run, by_definition, inputs, part, backward):
    """`run` on all inputs, forward or backward, timed; and `by_definition` on a part of them in double precision."""
    if backward:
        y = run(*inputs)
        dy = torch.randn_like(y)
        launch = lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True)  # noqa: E731
    else:
        def launch():
            with torch.no_grad():
                return run(*inputs)

    def correct(result):
        few = [part(t).detach().double().requires_grad_() for t in inputs]
        expected = by_definition(*few)
        if backward:
            expected = torch.autograd.grad(expected, few, part(dy).double())
        return all(close(torch, part(r), e) for r, e in zip(as_tuple(result), as_tuple(expected)))
    return Timed(launch, correct)


def as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def close(torch, found, expected):
    """Within what 16-bit operands and their sums leave."""
    return bool(torch.isfinite(found).all()) and torch.allclose(found.double(), expected, rtol=2e-2, atol=1e-2)


def layer(torch, name, axes, device="cuda", dtype=None):
    F = torch.nn.functional
    row, backward = axes["row"], name.endswith("_backward")
    x = torch.randn(axes["elements"] // row, row, device=device, dtype=dtype or torch.float16, requires_grad=True)
    weight = torch.rand(row, device=device, dtype=x.dtype)
    classes = torch.randint(row, (x.shape[0],), device=device)
    name = name[:-len("_backward")] if backward else name
    if name == "cross_entropy":
        return cross_entropy(torch, x, classes, backward)
    if name == "dropout":
        def launch():
            with torch.no_grad():
                return F.dropout(x, 0.1)

        def correct(y):
            kept = y != 0
            return abs(float(kept.double().mean()) - 0.9) < 0.02 and close(torch, y[kept], x.double()[kept] / 0.9)
        return Timed(launch, correct)
    run = {"layer_norm": lambda x: F.layer_norm(x, (row,), weight.to(x.dtype), weight.to(x.dtype)), "gelu": F.gelu,
           "softmax": lambda x: F.softmax(x, 1), "add": lambda x: x + x}[name]
    return compared(torch, run, run, (x,), lambda t: t[:8], backward)


def cross_entropy(torch, x, classes, backward):
    loss = torch.nn.functional.cross_entropy
    if not backward:
        def launch():
            with torch.no_grad():
                return loss(x, classes)
        return Timed(launch, lambda y: close(torch, y, loss(x.detach().double(), classes)))
    y = loss(x, classes)

    def correct(result):
        few = torch.softmax(x[:8].detach().double(), 1)
        few[torch.arange(8), classes[:8]] -= 1
        # Compared without the mean's divisor, which would make everything small.
        return close(torch, result[0][:8].double() * x.shape[0], few)
    return Timed(lambda: torch.autograd.grad(y, (x,), retain_graph=True), correct)


def optimizer(torch, name, axes):
    # As many tensors as a network has, of very different sizes.
    sizes, left = [], axes["elements"]
    while left > 0:
        sizes.append(min(left, max(500, axes["elements"] // (3 + 2 * len(sizes)))))
        left -= sizes[-1]
    tensors = [torch.zeros(n, device="cuda", requires_grad=True) for n in sizes]
    for t in tensors:
        t.grad = torch.full_like(t, 1e-3)
    make = {"sgd_optimizer": lambda: torch.optim.SGD(tensors, lr=1e-3),
            "sgd_momentum_optimizer": lambda: torch.optim.SGD(tensors, lr=1e-3, momentum=0.9),
            "adam_fused_optimizer": lambda: torch.optim.Adam(tensors, lr=1e-3, fused=True, capturable=True)}
    before = [t.detach().clone() for t in tensors[:3]]
    # Every weight has the same gradient, so every weight goes the same way.
    return Timed(make[name]().step, lambda _: all(bool((t < b).all()) for t, b in zip(tensors, before)))


def prepare(torch, benchmark, axes):
    name = benchmark.split(".", 1)[1]
    if name == "attention":
        return attention(torch, axes)
    return optimizer(torch, name, axes) if name.endswith("_optimizer") else layer(torch, name, axes)


def sample(torch, launch, stream):
    """Seconds of a launch on the device: recorded once as a graph, so that the host's time does not count.

    `stream` is the one on which the operands were made: backward passes run where their forward pass did, and only
    what runs on the stream of the recording is recorded.
    """
    def once(count):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(count):
            graph.replay()
        end.record()
        end.synchronize()
        return 1e-3 * start.elapsed_time(end)
    with torch.cuda.stream(stream):
        for _ in range(3):
            launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        launch()
    torch.cuda.synchronize()
    count = 1
    while once(count) < SAMPLE_S and count < 1 << 16:
        count *= 2
    return [once(count) / count for _ in range(SAMPLES)]


def measure(torch, benchmark, axes):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        timed = prepare(torch, benchmark, axes)
        correct = timed.correct(timed.launch())
    if not correct:
        raise ArithmeticError("wrong result")
    start = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"benchmark": benchmark, "axes": axes, "status": "measured", "result_checked": True, "warmup": 3,
            "rounds": [{"start": start, "foreign_cpu": 0.0, "accepted": True,
                        "samples_s": [float(f"{s:.5g}") for s in sample(torch, timed.launch, stream)]}]}


def starting_file(path, torch, argv):
    if os.path.exists(path):
        return recording.load(path, SCHEMA)
    host = {**machine.host(), "memory_bytes": float(machine.host()["memory_bytes"])}
    return {"schema": SCHEMA, "provenance": {
        "tool": "measure_pytorch.py", "version": "", "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "host": host, "libraries": {"gpu": torch.cuda.get_device_name()}, "environment": machine.environment(),
        "argv": [os.path.basename(word) for word in argv]}, "results": []}


def missing(cases, results):
    """Cases without a measured result; a skipped one is tried again and replaced."""
    done = [(r["benchmark"], r["axes"]) for r in results if r["status"] == "measured"]
    return [case for case in cases if case not in done]


def put(results, result):
    """Adds a result, in the place of the skipped one of the same case if there is one."""
    for i, old in enumerate(results):
        if (old["benchmark"], old["axes"]) == (result["benchmark"], result["axes"]):
            results[i] = result
            return
    results.append(result)


def main(argv):
    parser = argparse.ArgumentParser(prog="measure_pytorch.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("file", help="the measurements; added to if they exist")
    parser.add_argument("--device", required=True, help="the catalog's name of the GPU")
    parser.add_argument("--budget", type=float, default=60, help="seconds after which no case is begun")
    options = parser.parse_args(argv)
    recording.require_writable(options.file)
    try:
        import torch
    except ImportError:
        print("measure_pytorch.py: this python has no torch", file=sys.stderr)
        return CANNOT_RUN
    if not torch.cuda.is_available():
        print(f"measure_pytorch.py: torch {torch.__version__} finds no GPU", file=sys.stderr)
        return CANNOT_RUN
    content = starting_file(options.file, torch, ["measure_pytorch.py", *argv])
    content["provenance"]["libraries"]["torch"] = torch.__version__
    cases = [(name, {**axes, "device": options.device}) for name, axes in design()]
    end = time.monotonic() + options.budget
    for benchmark, axes in missing(cases, content["results"]):
        try:
            if time.monotonic() > end:
                raise TimeoutError("not reached: time budget spent")
            put(content["results"], measure(torch, benchmark, axes))
        except Exception as error:  # whatever a framework throws: the other cases go on
            put(content["results"], {"benchmark": benchmark, "axes": axes, "status": "skipped",
                                     "reason": str(error).splitlines()[0] if str(error) else type(error).__name__})
    recording.write(content, options.file)
    skipped = sum(r["status"] == "skipped" for r in content["results"])
    print(f"{options.file}: {len(content['results']) - skipped} results, {skipped} skipped")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except recording.RecordingError as error:
        print(f"measure_pytorch.py: {error}", file=sys.stderr)
        sys.exit(BAD_FILE)
