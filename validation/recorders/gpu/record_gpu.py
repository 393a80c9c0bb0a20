#!/usr/bin/env python3
"""Records how long real training iterations take with PyTorch on this machine's GPU (paceline.recording/1).

    record_gpu.py --device h100-sxm -o recording.json [--plan full] [--budget 240] [--profiles FOLDER]

One iteration = optimizer.zero_grad(), forward, loss, backward, plain SGD step; synthetic data that is on the GPU. What
was recorded before stays: an interrupted or exhausted run is resumed by running it again. With --profiles one iteration
of each case is profiled as well (for `paceline import kineto` and `paceline explain --against`).
"""

import argparse
import os
import sys
import time
from datetime import datetime, timezone
from statistics import median

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_plan  # noqa: E402
import machine  # noqa: E402
import recording  # noqa: E402
import summary  # noqa: E402

WARMUP, ITERATIONS, SHORTEST_S = 5, 20, 1.0
FOREIGN_CPU_LIMIT = 1.0  # CPUs of others: the host thread needs one, and a GPU machine has many
PROTOCOL = {"iterations": ITERATIONS, "warmup": WARMUP, "foreign_cpu_limit": FOREIGN_CPU_LIMIT,
            "statistic": "median of the times between the ends of successive iterations, by events of the GPU",
            "optimizer": "torch.optim.SGD, no momentum"}
CASE_SECONDS = 5  # a case is not begun with less left
USAGE, BAD_FILE, CANNOT_RUN = 2, 3, 5


def parse(argv):
    parser = argparse.ArgumentParser(prog="record_gpu.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", required=True, help="the catalog's name of the GPU (paceline list devices)")
    parser.add_argument("--gpu", type=int, default=0, help="which GPU (default 0)")
    parser.add_argument("--plan", choices=gpu_plan.PLANS, default="first")
    parser.add_argument("--budget", type=float, default=240, help="seconds after which no case is begun (default 240)")
    parser.add_argument("--profiles", help="folder for a profile of one iteration of each case")
    parser.add_argument("-o", "--output", required=True, help="the recording; resumed if it exists")
    return parser.parse_args(argv)


class Iteration:
    """One training iteration; calling it launches the work and returns events at the ends of the phases."""

    def __init__(self, case, torch):
        import gpu_networks
        self.torch, self.precision = torch, case.precision
        tf32 = case.precision == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        network = gpu_networks.build(case.model, case.seq).cuda().train()
        self.parameters = sum(p.numel() for p in network.parameters())
        inputs, self.labels = (t.cuda() for t in gpu_networks.networks.synthetic_batch(network, case.batch))
        self.inputs, self.network = inputs, network
        self.forward = torch.compile(network) if case.compiled else network
        self.optimizer = torch.optim.SGD(network.parameters(), lr=1e-4)
        # At another place before PyTorch 2.3.
        scaler = getattr(torch.amp, "GradScaler", None)
        self.scaler = (scaler("cuda", enabled=case.precision == "fp16") if scaler else
                       torch.cuda.amp.GradScaler(enabled=case.precision == "fp16"))

    def __call__(self):
        torch = self.torch
        dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.precision)
        events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
        events[0].record()
        self.optimizer.zero_grad()
        with torch.autocast("cuda", dtype=dtype, enabled=dtype is not None):
            logits = self.forward(self.inputs)
            self.loss = torch.nn.functional.cross_entropy(logits, self.labels)
        extra = getattr(self.network, "extra_loss", None)
        if extra is not None:
            self.loss = self.loss + extra
        events[1].record()
        self.scaler.scale(self.loss).backward()
        events[2].record()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        events[3].record()
        return events


def measure_round(iteration, torch):
    for _ in range(WARMUP):
        iteration()
    torch.cuda.synchronize()
    start = datetime.now(timezone.utc).isoformat(timespec="seconds")
    watch, began, events = machine.Watch(), time.perf_counter(), []
    while len(events) < ITERATIONS or time.perf_counter() - began < SHORTEST_S:
        events.append(iteration())
    torch.cuda.synchronize()
    wall, busy, own, faults = watch.stop()
    if not iteration.loss.item() < float("inf"):
        raise ArithmeticError(f"the loss became {iteration.loss.item()}")
    ends = [e[3] for e in events]
    # From the end of an iteration to the end of the next: what a training loop sees, host time included.
    samples = [1e-3 * a.elapsed_time(b) for a, b in zip(ends, ends[1:])]
    phase = [[1e-3 * e[i].elapsed_time(e[i + 1]) for e in events] for i in range(3)]
    foreign = summary.foreign_cpu(busy, own, wall)
    return {"start": start, "foreign_cpu": round(foreign, 4),
            "page_faults_per_iteration": round(faults / len(events), 1), "accepted": foreign <= FOREIGN_CPU_LIMIT,
            "samples_s": [round(s, 8) for s in samples], "forward_s": median(phase[0]), "backward_s": median(phase[1]),
            "optimizer_s": median(phase[2])}


def write_profile(iteration, torch, path):
    from torch.profiler import ProfilerActivity, profile, schedule
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                 schedule=schedule(wait=0, warmup=1, active=2, repeat=1),
                 on_trace_ready=lambda done: done.export_chrome_trace(path)) as profiler:
        for _ in range(3):
            iteration()
            torch.cuda.synchronize()
            profiler.step()


def record_case(case, options, result, torch):
    """True if the case was measured; otherwise the reason is in the recording."""
    experiment = case.experiment(options.device)
    try:
        iteration = Iteration(case, torch)
        recording.add_round(result, experiment, iteration.parameters, measure_round(iteration, torch))
        if options.profiles:
            write_profile(iteration, torch, os.path.join(options.profiles, f"{case.name()}.json.gz"))
        return True
    except torch.cuda.OutOfMemoryError:
        reason = "not enough GPU memory"
    except Exception as error:  # whatever a framework throws: the other cases go on
        reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    recording.skip(result, experiment, 0, reason)
    return False


def provenance(torch, options, argv):
    facts = {"torch": torch.__version__, "cuda": torch.version.cuda or "", "gpu": torch.cuda.get_device_name(options.gpu),
             "cudnn": str(torch.backends.cudnn.version())}
    if torch.cuda.is_available():
        facts["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    return {"tool": "record_gpu.py", "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "host": machine.host(), "environment": machine.environment(), "libraries": facts,
            "argv": ["record_gpu.py", *(os.path.basename(word) for word in argv)]}


def main(argv):
    options = parse(argv)
    recording.require_writable(options.output)
    try:
        import torch
    except ImportError:
        print("record_gpu.py: this python has no torch", file=sys.stderr)
        return CANNOT_RUN
    if not torch.cuda.is_available() or options.gpu >= torch.cuda.device_count():
        print(f"record_gpu.py: torch {torch.__version__} finds no GPU {options.gpu}", file=sys.stderr)
        return CANNOT_RUN
    torch.cuda.set_device(options.gpu)
    torch.manual_seed(1)
    facts = provenance(torch, options, argv)
    if os.path.exists(options.output):
        result = recording.load(options.output)
        recording.require_same_setting(result, facts, PROTOCOL, options.output)
    else:
        result = recording.new(facts, PROTOCOL)
    if options.profiles:
        os.makedirs(options.profiles, exist_ok=True)
    capability = torch.cuda.get_device_capability(options.gpu)
    cases = gpu_plan.remaining(gpu_plan.cases(capability, options.plan), result, options.device)
    budget = gpu_plan.Budget(options.budget, time.monotonic)
    for case in cases:
        if not budget.allows(CASE_SECONDS):
            recording.skip(result, case.experiment(options.device), 0, "not reached: time budget spent")
            continue
        began = time.monotonic()
        measured = record_case(case, options, result, torch)
        torch.cuda.empty_cache()
        recording.write(result, options.output)
        run = recording.run_of(result, case.experiment(options.device), 0)
        text = f"{1000 * run['summary']['median_s']:9.2f} ms" if measured else run["reason"]
        print(f"{case.name():32} {text}  ({time.monotonic() - began:.0f} s)", flush=True)
    recording.write(result, options.output)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except recording.RecordingError as error:
        print(f"record_gpu.py: {error}", file=sys.stderr)
        sys.exit(BAD_FILE)
