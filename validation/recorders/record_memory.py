#!/usr/bin/env python3
"""Records how many bytes of tensors are alive while PyTorch trains on a CPU (paceline.memory-recording/1).

The profiler reports every allocation and release of the CPU allocator. Their running sum, from the start of an iteration
on, is added to what is alive before it: weights, their gradients (zero_grad(set_to_none=False) keeps them) and the
input. The numbers are exact and do not depend on the load of the machine; one iteration per case is enough.
"""

import argparse
import os
import sys
from datetime import datetime, timezone

import machine
import plan
import recording

SCHEMA = "paceline.memory-recording/1"
LEARNING_RATE = 0.01


def sizes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def changes(events, name):
    """Signed bytes of the memory events inside the range `name`, in order."""
    ranges = [e for e in events if e.name() == name]
    start, end = ranges[0].start_us(), ranges[0].start_us() + ranges[0].duration_us()
    return [e.nbytes() for e in events if e.name() == "[memory]" and start <= e.start_us() <= end]


def running_peak(start, deltas):
    alive, peak = start, start
    for delta in deltas:
        alive += delta
        peak = max(peak, alive)
    return alive, peak


def measure(torch, networks, case):
    network = networks.build(case.model, case.seq)
    optimizer = torch.optim.SGD(network.parameters(), lr=LEARNING_RATE)
    inputs, labels = networks.synthetic_batch(network, case.batch)

    def iteration():
        optimizer.zero_grad(set_to_none=False)
        with torch.profiler.record_function("forward pass"):
            loss = networks.F.cross_entropy(network(inputs), labels)
        with torch.profiler.record_function("backward pass"):
            loss.backward()
        with torch.profiler.record_function("update"):
            optimizer.step()

    iteration()
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
        iteration()
    events = sorted(profiler.profiler.kineto_results.events(), key=lambda e: e.start_us())
    weights = sizes(network.parameters()) + sizes(network.buffers())
    gradients = sizes(p.grad for p in network.parameters())
    before = weights + gradients + sizes([inputs, labels])
    after_forward, forward_peak = running_peak(before, changes(events, "forward pass"))
    after_backward, backward_peak = running_peak(after_forward, changes(events, "backward pass"))
    _, update_peak = running_peak(after_backward, changes(events, "update"))
    return {"weights_bytes": weights, "weight_gradients_bytes": gradients, "input_bytes": sizes([inputs, labels]),
            "after_forward_bytes": after_forward, "forward_peak_bytes": forward_peak,
            "peak_bytes": max(forward_peak, backward_peak, update_peak)}


def main(argv):
    parser = argparse.ArgumentParser(prog="record_memory.py", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--plan", default="validation", help=f"a preset list of cases: {', '.join(plan.PLANS)}")
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch (default 1)")
    parser.add_argument("-o", "--output", metavar="FILE", required=True)
    options = parser.parse_args(argv)
    cases = plan.plan_cases(options.plan, [options.threads])
    recording.require_writable(options.output)
    import torch

    import networks
    torch.set_num_threads(options.threads)
    result = {"schema": SCHEMA,
              "provenance": {"tool": "record_memory.py",
                             "date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "host": machine.host(),
                             "libraries": machine.libraries(torch),
                             "argv": ["record_memory.py", *map(os.path.basename, argv)]},
              "protocol": {"optimizer": f"torch.optim.SGD(lr={LEARNING_RATE}), one tensor at a time",
                           "statistic": "running sum of the profiler's allocations and releases in the second iteration"},
              "runs": []}
    for case in cases:
        measured = measure(torch, networks, case)
        result["runs"].append({"experiment": case.experiment(), **measured})
        print(f"{case.model:16} batch {case.batch:4}  peak {measured['peak_bytes'] / 1e6:9.1f} MB", flush=True)
    recording.write(result, options.output)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except plan.UsageError as error:
        print(f"record_memory.py: {error}", file=sys.stderr)
        sys.exit(2)
    except recording.RecordingError as error:
        print(f"record_memory.py: {error}", file=sys.stderr)
        sys.exit(3)
