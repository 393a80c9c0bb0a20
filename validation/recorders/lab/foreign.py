"""CPU time of everyone who is not part of an experiment.

An experiment is several processes in known process groups, and the kernel works for them (softirq of the rate
limits), so "busy time less our own" would count that as foreign. Here the other processes are added up: their own
time and that of their children that ended, which is how the time of a process that comes and goes in between is not
lost. Kernel threads are left out.
"""

import os
import time

IS_KERNEL_THREAD = 0x00200000  # PF_KTHREAD
TICKS = os.sysconf("SC_CLK_TCK")


def parse(stat):
    """(process group, is a kernel thread, CPU seconds with those of ended children) of a line of /proc/PID/stat"""
    field = stat[stat.rindex(")") + 2:].split()
    return int(field[2]), bool(int(field[6]) & IS_KERNEL_THREAD), sum(int(f) for f in field[11:15]) / TICKS


def seconds(own_groups, folder="/proc"):
    """Total of the processes outside `own_groups`; only differences of two calls mean something."""
    total = 0.0
    for name in os.listdir(folder):
        if not name.isdigit():
            continue
        try:
            with open(f"{folder}/{name}/stat") as file:
                group, kernel, used = parse(file.read())
        except OSError:
            continue  # it ended; its parent has its time
        if group not in own_groups and not kernel:
            total += used
    return total


class Watch:
    """CPUs that others used, from construction to stop()."""

    def __init__(self, own_groups):
        self.own_groups = set(own_groups)
        self.start, self.used = time.perf_counter(), seconds(self.own_groups)

    def stop(self):
        return max(0.0, (seconds(self.own_groups) - self.used) / (time.perf_counter() - self.start))
