"""The processes of one experiment: started in one process group, watched, and ended together.

No process outlives its experiment: the group is killed however the experiment ends, and each worker asks the kernel
to be killed when the laboratory itself dies.
"""

import os
import signal
import subprocess
import time
from dataclasses import dataclass

POLL_S = 0.1
LONGEST_REASON = 300


class Failed(Exception):
    """The experiment did not finish; the message is the reason that the recording gives."""


@dataclass
class Task:
    name: str  # also of its log
    command: list
    environment: dict
    needed: bool = True  # the experiment is over when all needed ones have ended; servers are not


def reason_in(log):
    """The line of a log that says why a program failed: the last error, or the last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "Error" in line.split(":")[0] or "error:" in line.lower() or "what():" in line]
    return (errors or lines or ["it said nothing"])[-1][:LONGEST_REASON]


class Group:
    def __init__(self, folder):
        self.folder, self.running, self.group = folder, [], None

    def log(self, task):
        return os.path.join(self.folder, f"{task.name}.log")

    def start(self, task):
        with open(self.log(task), "w") as log:
            process = subprocess.Popen(task.command, env=task.environment, stdout=log, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, process_group=self.group or 0)
        self.group = self.group or process.pid
        self.running.append((task, process))

    def failure(self):
        """Why the first process that failed did, or None. One killed by a signal explains the others' errors."""
        failed = [(task, process.returncode) for task, process in self.running if process.poll() not in (None, 0)]
        if not failed:
            return None
        task, status = min(failed, key=lambda pair: pair[1])
        ended = f" ended by {signal.Signals(-status).name}" if status < 0 else ""
        with open(self.log(task), errors="replace") as log:
            return f"{task.name}{ended}: {reason_in(log.read())}"

    def wait(self, limit_s):
        deadline = time.monotonic() + limit_s
        while True:
            reason = self.failure()
            if reason:
                raise Failed(reason)
            if all(process.poll() == 0 for task, process in self.running if task.needed):
                return
            if time.monotonic() > deadline:
                raise Failed(f"not finished after the limit of {limit_s:.0f} s")
            time.sleep(POLL_S)

    def kill(self):
        if self.group is None:
            return
        try:
            os.killpg(self.group, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for _, process in self.running:
            process.wait()


def run(tasks, folder, limit_s):
    """Raises Failed when a process fails or the limit passes. Afterwards none of the processes exists."""
    group = Group(folder)
    try:
        for task in tasks:
            group.start(task)
        group.wait(limit_s)
    finally:
        group.kill()
