"""Runs one case or sweep: a network, the processes on it, and what worker 0 measured."""

import contextlib
import hashlib
import json
import os
import subprocess
import tempfile
from statistics import median

import cases
import environments
import fabric
import layers
import processes
from processes import Failed

HERE = os.path.dirname(os.path.abspath(__file__))
EXTRA_LSTM_BIASES = 2048  # PyTorch and MXNet keep two bias vectors per gate, as cuDNN does


def parameters(case):
    extra = EXTRA_LSTM_BIASES if case.model == "lstm-ptb" and case.framework != "tensorflow" else 0
    return layers.parameter_count(case.model) + extra


def delay_line(folder):
    """The program that delays packets, compiled when its source has changed."""
    source = os.path.join(HERE, "delay_line.cpp")
    with open(source, "rb") as file:
        program = os.path.join(folder, f"delay_line-{hashlib.sha256(file.read()).hexdigest()[:12]}")
    if not os.path.exists(program):
        os.makedirs(folder, exist_ok=True)
        try:
            subprocess.run(["g++", "-std=c++20", "-O2", source, "-o", program], check=True, capture_output=True,
                           text=True)
        except FileNotFoundError:
            raise Failed("latency needs g++ to compile the delay line (Debian: apt install g++)") from None
        except subprocess.CalledProcessError as error:
            raise Failed(f"delay line: {environments.last_line(error.stderr)}") from None
    return program


def roles(item):
    """(role, index, needed for the experiment to be over), in the order of starting."""
    if isinstance(item, cases.Sweep):
        return [("worker", i, True) for i in range(item.ranks)]
    if item.strategy in cases.IN_ONE_PROCESS:
        return [("worker", 0, True)]
    scheduler = [("scheduler", 0, False)] if item.strategy == "dist-sync" else []
    servers = [("server", i, False) for i in range(item.servers)]
    return [*scheduler, *servers, *(("worker", i, True) for i in range(item.workers))]


def job(item, folder, seconds, own_groups):
    common = {"folder": folder, "seconds": seconds, "own_groups": own_groups}
    if isinstance(item, cases.Sweep):
        return {**common, "adapter": "sweep_worker", "ranks": item.ranks, "sizes": item.sizes,
                "operation": item.operation}
    address = [f"{fabric.address(i)}:{environments.SERVER_PORT}" for i in range(item.machines)]
    return {**common, "adapter": f"{item.framework}_worker", "experiment": item.experiment(),
            "warmup": item.warmup, "addresses": {"worker": address[:item.workers], "server": address[item.workers:]}}


def task(item, role, index, needed, python, job_file):
    env = environments.variables(item.framework)
    command = [python, os.path.join(HERE, "worker.py"), job_file, role, str(index)]
    if item.machines:
        command = [*fabric.enter(environments.machine_of(item, role, index), os.getpid()), *command]
    if not isinstance(item, cases.Sweep) and item.strategy == "dist-sync":
        env.update(environments.ps_lite(item, role, index))
    elif not item.machines:
        env.pop("GLOO_SOCKET_IFNAME", None)
    return processes.Task(f"{role}-{index}", command, env, needed)


def network(item, folder):
    if not item.machines:
        return contextlib.nullcontext()
    return fabric.Fabric(item.machines, item.link, delay_line(folder) if item.link.latency_s else None)


def gathered(item, folder):
    """Worker 0's result; for training with the medians of all workers and what the framework decided."""
    found = []
    for role, index, _ in roles(item):
        if role == "worker":
            with open(os.path.join(folder, f"worker-{index}.json")) as file:
                found.append(json.load(file))
    if isinstance(item, cases.Sweep):
        return found[0]
    result = found[0]
    result["round"]["worker_medians_s"] = [median(worker["round"]["samples_s"]) for worker in found]
    result["round"].update(result["facts"])
    return result


def run(item, python, options):
    """Raises Failed with the reason; afterwards neither processes nor network devices are left."""
    with tempfile.TemporaryDirectory(prefix="paceline-lab-") as folder:
        with network(item, options.environments) as net:
            groups = [os.getpgrp(), *(net.own_group() if net else [])]
            job_file = os.path.join(folder, "job.json")
            with open(job_file, "w") as file:
                json.dump(job(item, folder, options.seconds, groups), file)
            tasks = [task(item, *role, python, job_file) for role in roles(item)]
            processes.run(tasks, folder, item.limit_s(options.seconds))
        return gathered(item, folder)
