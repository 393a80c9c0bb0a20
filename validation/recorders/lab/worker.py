"""One process of an experiment: worker.py JOB ROLE INDEX. The laboratory starts it, nobody else.

A worker trains with its framework's adapter (pytorch_worker.py, ...), whose class Training has
    __init__(job, index)   builds the network and joins the others
    parameters             number of trained weights
    iterate()              one iteration, finished when it returns; {phase: seconds} of the phases it can tell apart
    loss()                 the last loss, to see that training happened
    facts()                what the framework decided by itself, {name: value}; kept with the round
and function serve(job, role, index) for the processes that do not train. An adapter that measures something else has
results(job, index) instead of both. After the warm-up, worker 0 decides how many
iterations are timed, and tells the others through a file: on the network it would be part of the experiment.
"""

import ctypes
import importlib
import json
import math
import os
import signal
import sys
import time
from datetime import datetime, timezone
from statistics import median

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import foreign
import machine
import summary

SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
MOST_ITERATIONS = 50


def end_with_parent():
    ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)


def agree(job, index, decide):
    """What worker 0 decides, at every worker."""
    path = os.path.join(job["folder"], "decided")
    if index == 0:
        with open(path + ".partial", "w") as file:
            json.dump(decide(), file)
        os.rename(path + ".partial", path)
    while not os.path.exists(path):  # the time limit of the experiment ends this
        time.sleep(0.005)
    with open(path) as file:
        return json.load(file)


def iterations_for(seconds, iteration_s):
    return max(summary.MINIMUM_ITERATIONS, min(MOST_ITERATIONS, math.ceil(seconds / iteration_s)))


def measure(training, job, index):
    """Worker 0's samples are the recording's; the phases and the medians of the others go with them."""
    for _ in range(job["warmup"]):
        begin = time.perf_counter()
        training.iterate()
        last = time.perf_counter() - begin
    count = agree(job, index, lambda: iterations_for(job["seconds"], last))
    start = datetime.now(timezone.utc).isoformat(timespec="seconds")
    watch, others = machine.Watch(), foreign.Watch(job["own_groups"] + [os.getpgrp()])
    samples, phases, begin = [], [], time.perf_counter()
    for _ in range(count):
        phases.append(training.iterate())
        end = time.perf_counter()
        samples.append(round(end - begin, 7))
        begin = end
    share, faults = others.stop(), watch.stop()[3]
    if not math.isfinite(training.loss()):
        raise ArithmeticError(f"the loss became {training.loss()}")
    return {"start": start, "foreign_cpu": round(share, 4), "page_faults_per_iteration": round(faults / count, 1),
            "accepted": share <= summary.FOREIGN_CPU_LIMIT, "samples_s": samples,
            **{name: median(p[name] for p in phases) for name in phases[0]}}


def train(adapter, job, index):
    training = adapter.Training(job, index)
    return {"round": measure(training, job, index), "parameters": training.parameters, "facts": training.facts()}


def main(job_file, role, index):
    end_with_parent()
    with open(job_file) as file:
        job = json.load(file)
    adapter = importlib.import_module(job["adapter"])
    if role != "worker":
        adapter.serve(job, role, index)
        return
    result = adapter.results(job, index) if hasattr(adapter, "results") else train(adapter, job, index)
    path = os.path.join(job["folder"], f"worker-{index}.json")
    with open(path + ".partial", "w") as file:
        json.dump(result, file, allow_nan=False)
    os.rename(path + ".partial", path)
    sys.stdout.flush()
    os._exit(0)  # frameworks take seconds to leave, or wait for peers that have left already


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
