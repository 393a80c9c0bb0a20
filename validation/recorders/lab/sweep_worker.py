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
    start, watch = datetime.now(timezone.utc).isoformat(timespec="seconds"), foreign.Watch([*job["own_groups"],
                                                                                           os.getpgrp()])
    samples = []
    for _ in range(int(count)):
        message.fill_(1.0)  # or the sums of sums overflow
        dist.barrier()
        samples.append(round(once(message), 7))
    share = watch.stop()
    return {"bytes": size, "result_checked": correct, "warmup": WARMUP,
            "round": {"start": start, "foreign_cpu": round(share, 4), "accepted": share <= summary.FOREIGN_CPU_LIMIT,
                      "samples_s": samples}}


def results(job, index):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{job['folder']}/store", rank=index, world_size=job["ranks"])
    return [sweep(job, index, size) for size in job["sizes"]]
