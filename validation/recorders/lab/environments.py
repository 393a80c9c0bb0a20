"""The interpreter, packages and environment variables of each framework.

PyTorch is the system's (Debian's python3-torch), the one whose kernels `paceline measure` calibrates. The others come
from PyPI at the versions below, each into a virtual environment outside the source tree.
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import fabric
import machine

SYSTEM_PYTHON = "/usr/bin/python3"
# MXNet 1.9.1 uses names that numpy removed in 1.24; 1.23.5 is the last numpy before, and runs on Python 3.11.
PINS = {"tensorflow": ("tensorflow-cpu==2.15.1",), "mxnet": ("mxnet==1.9.1", "numpy==1.23.5")}
INSTALL_LIMIT_S = 1200
SCHEDULER_PORT, SERVER_PORT = 9091, 9092
HERE = os.path.dirname(os.path.abspath(__file__))

# Prints the versions of what an interpreter really loads, as a JSON object.
PROBE = {
    "pytorch": "import json, machine, torch; import torch.distributed as d; assert d.is_gloo_available(); "
               "print(json.dumps(machine.libraries(torch)))",
    "tensorflow": "import json, numpy, tensorflow as tf; "
                  "print(json.dumps({'tensorflow': tf.__version__, 'tensorflow.numpy': numpy.__version__}))",
    "mxnet": "import json, numpy, mxnet; f = mxnet.runtime.Features(); assert f.is_enabled('DIST_KVSTORE'); "
             "print(json.dumps({'mxnet': mxnet.__version__, 'mxnet.numpy': numpy.__version__, "
             "'mxnet.onednn': str(f.is_enabled('MKLDNN'))}))",
}


class Unavailable(Exception):
    """A framework that does not install or start here; the message is the reason its cases are skipped."""


def default_folder():
    """Where the virtual environments lie: the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "paceline", "lab")


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"


def checked(command, what, limit_s, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{what}: {error}") from None
    if done.returncode != 0:
        raise Unavailable(f"{what}: {last_line(done.stderr)}")
    return done.stdout


def install(framework, folder):
    """The interpreter of a framework's virtual environment, made when it is not there yet."""
    target = os.path.join(folder, "-".join(pin.replace("==", "-") for pin in PINS[framework]))
    python = os.path.join(target, "bin", "python")
    finished = os.path.join(target, "installed")
    if not os.path.exists(finished):
        os.makedirs(folder, exist_ok=True)
        pins = " ".join(PINS[framework])
        print(f"installing {pins}", file=sys.stderr, flush=True)
        checked([SYSTEM_PYTHON, "-m", "venv", "--clear", target], "venv", INSTALL_LIMIT_S)
        checked([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS[framework]],
                f"pip install {pins}", INSTALL_LIMIT_S)
        open(finished, "w").close()
    return python


def interpreter(framework, folder):
    return SYSTEM_PYTHON if framework == "pytorch" else install(framework, folder)


def variables(framework):
    """Environment of a worker: one thread, tuned allocator, and for machine.py a path to import it from.

    Threads are not bound to processors: every worker's would be bound to the same one.
    """
    env = machine.prepared_environment(threads=1)
    env.update({"PYTHONPATH": os.path.dirname(HERE), "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": "1",
                "OPENBLAS_NUM_THREADS": "1", "OMP_PROC_BIND": "false", "CUDA_VISIBLE_DEVICES": ""})
    if framework == "pytorch":
        env["GLOO_SOCKET_IFNAME"] = fabric.INTERFACE
    elif framework == "tensorflow":
        env["TF_CPP_MIN_LOG_LEVEL"] = "1"
    elif framework == "mxnet":
        env.update({"MXNET_CPU_WORKER_NTHREADS": "1", "MXNET_KVSTORE_REDUCTION_NTHREADS": "1"})
    return env


def ps_lite(case, role, index):
    """What MXNet's processes find each other by; the scheduler, which only coordinates, is with worker 0."""
    return {"DMLC_ROLE": role, "DMLC_PS_ROOT_URI": fabric.address(0), "DMLC_PS_ROOT_PORT": str(SCHEDULER_PORT),
            "DMLC_NUM_WORKER": str(case.workers), "DMLC_NUM_SERVER": str(case.servers),
            "DMLC_INTERFACE": fabric.INTERFACE, "DMLC_NODE_HOST": fabric.address(machine_of(case, role, index))}


def machine_of(case, role, index):
    """Workers come first, then servers."""
    return {"worker": index, "server": case.workers + index, "scheduler": 0}[role]


def libraries(framework, python):
    """Versions a framework reports; raises Unavailable when it does not start."""
    out = checked([python, "-c", PROBE[framework]], f"{framework} does not start", 120, env=variables(framework))
    return json.loads(last_line(out))
