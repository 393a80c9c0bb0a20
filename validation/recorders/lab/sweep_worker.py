"""Times collectives of growing messages on gloo; a worker without training (see worker.py)."""

import os
import time
from datetime import datetime, timezone

import torch
import torch.distributed as dist

import foreign
import machine
import summary
import worker

WARMUP = 1


def all_reduce(message, _, index, ranks):
    """What every rank must hold afterwards: the sum of 1 to n."""
    dist.all_reduce(message)
    return message, ranks * (ranks + 1) / 2


def broadcast(message, _, index, ranks):
    """From the last rank: rank 0, whose time counts, then has what was sent. A sender is done earlier, when the kernel
    has taken its bytes."""
    dist.broadcast(message, ranks - 1)
    return message, float(ranks)


def send_recv(message, received, index, ranks):
    before = (index - 1) % ranks
    sending = dist.isend(message, (index + 1) % ranks)
    dist.recv(received, before)
    sending.wait()
    return received, before + 1.0


OPERATIONS = {"all_reduce": all_reduce, "broadcast": broadcast, "send_recv": send_recv}


def once(operation, *arguments):
    """(seconds, what this rank holds and should hold)"""
    begin = time.perf_counter()
    result = operation(*arguments)
    return time.perf_counter() - begin, result


def sweep(job, index, size):
    message = torch.full((size // 4,), float(index + 1))
    arguments = OPERATIONS[job["operation"]], message, torch.empty_like(message), index, job["ranks"]
    for _ in range(WARMUP):
        last, (held, expected) = once(*arguments)
    correct = bool((held == expected).all())
    count = torch.tensor([worker.iterations_for(job["seconds"], last)])
    dist.broadcast(count, 0)
    start, samples = datetime.now(timezone.utc).isoformat(timespec="seconds"), []
    watch = machine.Watch()
    for _ in range(int(count)):
        message.fill_(1.0)  # or the sums of sums overflow
        dist.barrier()
        samples.append(round(once(*arguments)[0], 7))
    busy = watch.stop()[1] / len(samples)
    return {"bytes": size, "result_checked": correct, "warmup": WARMUP, "busy_s": round(busy, 5),
            "round": {"start": start, "samples_s": samples}}


def results(job, index):
    """One verdict on the CPU time of others for the whole sweep: a short message alone takes too few clock ticks."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{job['folder']}/store", rank=index, world_size=job["ranks"])
    watch = foreign.Watch([*job["own_groups"], os.getpgrp()])
    found = [sweep(job, index, size) for size in job["sizes"]]
    share = watch.stop()
    for entry in found:
        entry["round"].update({"foreign_cpu": round(share, 4), "accepted": share <= summary.FOREIGN_CPU_LIMIT})
    return found
