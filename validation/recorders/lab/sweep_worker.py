"""Times all-reduces of growing messages on gloo; a worker without training (see worker.py)."""

import os
import time
from datetime import datetime, timezone

import torch
import torch.distributed as dist

import foreign
import summary
import worker

WARMUP = 1


def once(message):
    begin = time.perf_counter()
    dist.all_reduce(message)
    return time.perf_counter() - begin


def sweep(job, index, size):
    ranks = job["ranks"]
    message = torch.full((size // 4,), float(index + 1))
    for _ in range(WARMUP):
        last = once(message)
    expected = ranks * (ranks + 1) / 2
    correct = bool((message == expected).all())
    count = torch.tensor([worker.iterations_for(job["seconds"], last)])
    dist.broadcast(count, 0)
    start, samples = datetime.now(timezone.utc).isoformat(timespec="seconds"), []
    for _ in range(int(count)):
        message.fill_(1.0)  # or the sums of sums overflow
        dist.barrier()
        samples.append(round(once(message), 7))
    return {"bytes": size, "result_checked": correct, "warmup": WARMUP,
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
