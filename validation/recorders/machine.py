"""The machine as a recording sees it: environment, provenance, foreign CPU use. No torch needed to import it."""

import ctypes
import glob
import os
import platform
import re
import resource
import sys
import time

# Without these glibc returns freed activations to the kernel, and every iteration pays thousands of page faults.
MALLOC_TUNABLES = ("glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=8589934592:"
                   "glibc.malloc.trim_threshold=17179869184:glibc.malloc.top_pad=268435456")
PREPARED = "PACELINE_RECORDER_PREPARED"
RECORDED_VARIABLES = ("GLIBC_TUNABLES", "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT",
                      "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "DNNL_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY")
RESIDENT_BYTES = 4 << 30


def cores():
    """Processors this program may use; as it was started, since binding its threads narrows what it sees later."""
    return int(os.environ.get(PREPARED) or len(os.sched_getaffinity(0)))


def prepared_environment(threads):
    """This environment with the allocator tuned and OpenBLAS on the OpenMP threads that torch uses.

    OpenBLAS' own pthreads compete with libgomp's at two threads and slow training down several times. Threads are
    bound to processors: two that share one cost a scheduler tick (several ms) per parallel region.
    """
    env = {**os.environ, PREPARED: str(cores()), "GLIBC_TUNABLES": MALLOC_TUNABLES, "OMP_NUM_THREADS": str(threads),
           "OMP_PROC_BIND": "true"}
    found = glob.glob("/usr/lib/*/openblas-openmp/libblas.so.3")
    if found:
        paths = [os.path.dirname(found[0]), env.get("LD_LIBRARY_PATH")]
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    return env


def reexecute_prepared():
    """Restarts this program once, in the prepared environment with a thread for each core."""
    if os.environ.get(PREPARED):
        return
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.argv], prepared_environment(cores()))


def mapped_library(word):
    """Path of the first shared library in this process whose file name has `word`, or None."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split()[-1]
            if word in os.path.basename(path) and ".so" in path:
                return path
    return None


def libraries(torch):
    """Versions of what really computes: from the libraries this process has mapped, not from what is installed."""
    build = torch.__config__.show()
    found = {"torch": torch.__version__}
    for name, pattern in ("aten", r"CPU capability usage: (\S+)"), ("dnnl", r"MKL-DNN v([\d.]+)"):
        match = re.search(pattern, build)
        found[name] = match.group(1) if match else "unknown"
    path = mapped_library("openblas")
    if path is None:
        found["blas"] = "not OpenBLAS"
        return found
    library = ctypes.CDLL(path)
    for function in library.openblas_get_config, library.openblas_get_corename:
        function.restype = ctypes.c_char_p
    found["blas"] = library.openblas_get_config().decode().strip()
    found["blas_core"] = library.openblas_get_corename().decode()
    found["blas_file"] = "/".join(path.split("/")[-2:])
    return found


def host():
    with open("/proc/cpuinfo") as info:
        name = re.search(r"^model name\s*: (.*)$", info.read(), re.MULTILINE)
    return {"cpu": name.group(1).strip() if name else platform.machine(), "cores": cores(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "kernel": platform.release()}


def environment():
    return {name: os.environ[name] for name in RECORDED_VARIABLES if name in os.environ}


def available_bytes():
    with open("/proc/meminfo") as info:
        return 1024 * int(re.search(r"^MemAvailable:\s*(\d+)", info.read(), re.MULTILINE).group(1))


def make_heap_resident(torch, most=RESIDENT_BYTES):
    """Touches the heap once; with MALLOC_TUNABLES it then stays in the process, so no iteration pays for first touch."""
    size = min(most, available_bytes() // 2)
    torch.empty(size, dtype=torch.uint8).fill_(1)


class Watch:
    """Wall time, our page faults and the CPU time of everyone else, from construction to stop()."""

    def __init__(self):
        self.wall, self.busy, self.usage = time.perf_counter(), busy_seconds(), resource.getrusage(resource.RUSAGE_SELF)

    def stop(self):
        """(wall_s, busy_s of the whole machine, own_s, page faults)"""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        own = usage.ru_utime + usage.ru_stime - self.usage.ru_utime - self.usage.ru_stime
        faults = usage.ru_minflt + usage.ru_majflt - self.usage.ru_minflt - self.usage.ru_majflt
        return time.perf_counter() - self.wall, busy_seconds() - self.busy, own, faults


def busy_seconds():
    """CPU seconds that all CPUs together were not idle: user, nice, system, irq, softirq and steal of /proc/stat."""
    with open("/proc/stat") as stat:
        field = [int(word) for word in stat.readline().split()[1:9]]
    return (sum(field) - field[3] - field[4]) / os.sysconf("SC_CLK_TCK")
