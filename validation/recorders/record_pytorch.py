#!/usr/bin/python3
"""Records how long real training iterations take with PyTorch on this machine's CPU (paceline.recording/1).

One iteration = optimizer.zero_grad(set_to_none=False), forward, loss, backward, plain SGD step; fp32, synthetic data.
See README.md for the protocol.
"""

import argparse
import os
import sys
import time
from datetime import datetime, timezone
from statistics import median

import machine
import plan
import recording
import summary

WARMUP = 1
LEARNING_RATE = 0.01
OPTIMIZER = (f"torch.optim.SGD(lr={LEARNING_RATE}), no momentum, no weight decay, one tensor at a time; "
             "zero_grad(set_to_none=False) opens the iteration and counts as optimizer")
USAGE, BAD_FILE, CANNOT_RUN = 2, 3, 5


class OneLineParser(argparse.ArgumentParser):
    def error(self, message):
        raise plan.UsageError(f"{message} (--help explains)")


def parse(argv):
    parser = OneLineParser(prog="record_pytorch.py", description=__doc__.split("\n\n")[0], allow_abbrev=False,
                           epilog=f"models: {', '.join(plan.MODELS)}. Exit: 0 written, 2 wrong argument, 3 file, "
                                  "5 this machine cannot run it.")
    parser.add_argument("--plan", help=f"a preset list of cases: {', '.join(plan.PLANS)}")
    parser.add_argument("--model", help="networks, instead of a plan: a,b")
    parser.add_argument("--batch", help="batch sizes for --model: 8,16")
    parser.add_argument("--seq", help="sequence length for --model lstm-ptb or transformer-tiny")
    parser.add_argument("--threads", help="thread counts: 1,2 (default: 1 up to the number of cores)")
    parser.add_argument("--rounds", default="5", help="passes over all cases (default 5)")
    parser.add_argument("--seconds", default="1", help="least time per case and round (default 1)")
    parser.add_argument("--append", action="store_true", help="add the rounds to FILE, which this machine wrote before")
    parser.add_argument("-o", "--output", metavar="FILE", help="the recording (required)")
    options = parser.parse_args(argv)
    if options.output is None:
        raise plan.UsageError("-o FILE is required")
    if (options.plan is None) == (options.model is None):
        raise plan.UsageError(f"give either --plan {'|'.join(plan.PLANS)} or --model and --batch")
    if options.plan is not None and (options.batch or options.seq):
        raise plan.UsageError("--batch and --seq go with --model, a plan has its own")
    if options.model is not None and not options.batch:
        raise plan.UsageError("--model needs --batch")
    threads = (plan.positive_list(options.threads, "--threads") if options.threads
               else list(range(1, machine.cores() + 1)))
    if options.plan:
        options.cases = plan.plan_cases(options.plan, threads)
    else:
        seq = plan.positive_list(options.seq, "--seq")[0] if options.seq else None
        options.cases = plan.model_cases(options.model.split(","), plan.positive_list(options.batch, "--batch"),
                                         threads, seq)
    options.rounds = plan.positive_list(options.rounds, "--rounds")[0]
    options.seconds = plan.positive_list(options.seconds, "--seconds")[0]
    return options


class Iteration:
    """One training iteration of a network at one batch size; calling it returns its phase times in seconds."""

    def __init__(self, network, optimizer, batch):
        from networks import F, synthetic_batch
        self.network, self.optimizer, self.loss_of = network, optimizer, F.cross_entropy
        self.inputs, self.labels = synthetic_batch(network, batch)

    def __call__(self):
        clock = time.perf_counter
        start = clock()
        self.optimizer.zero_grad(set_to_none=False)
        zeroed = clock()
        self.loss = self.loss_of(self.network(self.inputs), self.labels)
        forward = clock()
        self.loss.backward()
        backward = clock()
        self.optimizer.step()
        end = clock()
        return {"total": end - start, "forward_s": forward - zeroed, "backward_s": backward - forward,
                "optimizer_s": zeroed - start + end - backward}


def measure_round(iteration, seconds):
    for _ in range(WARMUP):
        iteration()
    start = datetime.now(timezone.utc).isoformat(timespec="seconds")
    watch = machine.Watch()
    times, deadline = [], time.perf_counter() + seconds
    while len(times) < summary.MINIMUM_ITERATIONS or time.perf_counter() < deadline:
        times.append(iteration())
    wall, busy, own, faults = watch.stop()
    loss = iteration.loss.item()
    if not loss < float("inf"):
        raise ArithmeticError(f"the loss became {loss}")
    foreign = summary.foreign_cpu(busy, own, wall)
    return {"start": start, "foreign_cpu": round(foreign, 4), "page_faults_per_iteration": round(faults / len(times), 1),
            "accepted": foreign <= summary.FOREIGN_CPU_LIMIT,
            "samples_s": [round(t["total"], 7) for t in times],
            **{phase: median(t[phase] for t in times) for phase in ("forward_s", "backward_s", "optimizer_s")}}


def record_round(result, cases, seconds, path):
    """One pass over all cases; the file is complete after each."""
    import torch

    import networks
    model, network = None, None
    for case in cases:
        if (case.model, case.seq) != model:
            network = None  # frees its memory before the next one is built
            network = networks.build(case.model, case.seq)
            optimizer = torch.optim.SGD(network.parameters(), lr=LEARNING_RATE)
            model = case.model, case.seq
        count = networks.parameter_count(network)
        if case.threads > machine.cores():
            recording.skip(result, case.experiment(), count,
                           f"{case.threads} threads, but this machine has {machine.cores()} cores")
            continue
        torch.set_num_threads(case.threads)
        try:
            round_ = measure_round(Iteration(network, optimizer, case.batch), seconds)
        except RuntimeError as error:
            if "allocate memory" not in str(error):
                raise
            recording.skip(result, case.experiment(), count, "not enough memory")
            continue
        recording.add_round(result, case.experiment(), count, round_)
        recording.write(result, path)
        print(f"{case.model:16} batch {case.batch:4} threads {case.threads}  "
              f"{1000 * median(round_['samples_s']):9.2f} ms  x{len(round_['samples_s']):<3} "
              f"others {round_['foreign_cpu']:.2f} CPU  {round_['page_faults_per_iteration']:.0f} faults"
              f"{'' if round_['accepted'] else '  rejected'}", flush=True)


def provenance(torch, argv):
    return {"tool": "record_pytorch.py", "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "host": machine.host(), "environment": machine.environment(), "libraries": machine.libraries(torch),
            "argv": ["record_pytorch.py", *argv]}


def main(argv):
    options = parse(argv)
    recording.require_writable(options.output)
    machine.reexecute_prepared()
    try:
        import torch
    except ImportError:
        print("record_pytorch.py: this python has no torch; Debian: apt install python3-torch libopenblas0-openmp, "
              "then /usr/bin/python3", file=sys.stderr)
        return CANNOT_RUN
    protocol = {"iterations": summary.MINIMUM_ITERATIONS, "warmup": WARMUP,
                "foreign_cpu_limit": summary.FOREIGN_CPU_LIMIT, "statistic": summary.statistic(options.seconds),
                "optimizer": OPTIMIZER}
    torch.manual_seed(1)
    torch.set_num_threads(machine.cores())
    machine.make_heap_resident(torch)
    facts = provenance(torch, argv)
    if options.append and os.path.exists(options.output):
        result = recording.load(options.output)
        recording.require_same_setting(result, facts, protocol, options.output)
    else:
        result = recording.new(facts, protocol)
    if "MAX_THREADS" in facts["libraries"]["blas"] and "USE_OPENMP" not in facts["libraries"]["blas"]:
        print("record_pytorch.py: OpenBLAS uses its own threads, which slow training at 2 threads and more; "
              "Debian: apt install libopenblas0-openmp", file=sys.stderr)
    for _ in range(options.rounds):
        record_round(result, options.cases, options.seconds, options.output)
    recording.write(result, options.output)
    for run in result["runs"]:
        if "reason" in run:
            e = run["experiment"]
            print(f"{e['model']} batch {e['batch']} threads {e['threads']}: {run['reason']}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except plan.UsageError as error:
        print(f"record_pytorch.py: {error}", file=sys.stderr)
        sys.exit(USAGE)
    except recording.RecordingError as error:
        print(f"record_pytorch.py: {error}", file=sys.stderr)
        sys.exit(BAD_FILE)
