"""Tests of the processes of an experiment, and of what counts as the CPU time of others."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest

import foreign
import processes
import worker
from temporary import Folder, python

HERE = os.path.dirname(os.path.abspath(__file__))


def until(note):
    """Code that waits for a file."""
    return f"import os, time; exec({f'while not os.path.exists({note!r}): time.sleep(0.01)'!r})"


def task(name, command, needed=True):
    return processes.Task(name, command, dict(os.environ), needed)


def sleeper(folder, name):
    """A process that notes its id and that of a child, and would stay for a minute."""
    note = os.path.join(folder, name + ".pid")
    return note, task(name, python(
        "import os, subprocess, time", "c = subprocess.Popen(['sleep', '60'])",
        f"open({note!r} + '.part', 'w').write(f'{{os.getpid()}} {{c.pid}}')",
        f"os.rename({note!r} + '.part', {note!r})", "time.sleep(60)"), needed=False)


def ended(pid):
    """A killed process stays a moment as a zombie, until its parent or init has read its status."""
    for _ in range(500):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


class Processes(Folder):
    def assert_gone(self, note):
        with open(note) as file:
            for pid in map(int, file.read().split()):
                self.assertTrue(ended(pid), f"{pid} is still there")

    def failing(self, tasks, limit_s=30):
        with self.assertRaises(processes.Failed) as caught:
            processes.run(tasks, self.folder, limit_s)
        return str(caught.exception)

    def test_a_worker_that_dies_ends_all_others_and_its_error_is_the_reason(self):
        note, server = sleeper(self.folder, "server-0")
        dying = task("worker-0", python(until(note), "raise ValueError('no such thing')"))
        self.assertEqual(self.failing([server, dying]), "worker-0: ValueError: no such thing")
        self.assert_gone(note)

    def test_servers_are_ended_when_the_workers_have_finished(self):
        note, server = sleeper(self.folder, "server-0")
        processes.run([server, task("worker-0", python(until(note)))], self.folder, limit_s=30)
        self.assert_gone(note)

    def test_a_killed_worker_is_named_with_the_signal(self):
        self.assertIn("SIGKILL", self.failing([task("worker-0", python("import os", "os.kill(os.getpid(), 9)"))]))

    def test_a_worker_that_hangs_is_ended_at_the_limit(self):
        self.assertIn("limit", self.failing([task("worker-0", ["sleep", "60"])], limit_s=0.3))

    def test_nothing_is_left_when_the_laboratory_is_interrupted(self):
        note, _ = sleeper(self.folder, "worker-0")
        script = f"""
            import signal
            import processes, processes_test as t
            signal.signal(signal.SIGINT, signal.default_int_handler)
            processes.run([t.sleeper({self.folder!r}, "worker-0")[1], t.task("worker-1", ["sleep", "60"])],
                          {self.folder!r}, 60)
            """
        laboratory = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], cwd=HERE,
                                      stderr=subprocess.DEVNULL)
        while not os.path.exists(note):
            self.assertIsNone(laboratory.poll(), "the laboratory ended by itself")
            time.sleep(0.01)
        laboratory.send_signal(signal.SIGINT)
        laboratory.wait(timeout=30)
        self.assert_gone(note)


class Reasons(unittest.TestCase):
    def test_the_error_is_found_among_the_lines_that_follow_it(self):
        log = "start\nTraceback\n  File x\nRuntimeError: connection closed\nwarning: leaked\n"
        self.assertEqual(processes.reason_in(log), "RuntimeError: connection closed")
        self.assertEqual(processes.reason_in("what():  refused\nabort\n"), "what():  refused")
        self.assertEqual(processes.reason_in(""), "it said nothing")


class ForeignCpu(Folder):
    def write(self, pid, group, used, flags=0):
        folder = os.path.join(self.folder, str(pid))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "stat"), "w") as file:
            file.write(f"{pid} (x) S 1 {group} 1 0 -1 {flags} 0 0 0 0 {used} 0 0 0")

    def test_a_line_of_proc_stat_may_have_spaces_and_parentheses_in_the_name(self):
        line = "7 (a (b) c) S 1 42 42 0 -1 4194304 0 0 0 0 100 50 30 20 20 0 1 0 5"
        self.assertEqual(foreign.parse(line), (42, False, 200 / foreign.TICKS))
        self.assertTrue(foreign.parse(line.replace("4194304", str(foreign.IS_KERNEL_THREAD)))[1])

    def test_our_groups_and_kernel_threads_are_not_foreign(self):
        self.write(1, 1, 500)
        self.write(2, 77, 900)
        self.write(3, 3, 900, flags=foreign.IS_KERNEL_THREAD)
        self.assertEqual(foreign.seconds({77}, self.folder), 500 / foreign.TICKS)


class Worker(Folder):
    def test_iterations_fill_the_time_within_limits(self):
        self.assertEqual(worker.iterations_for(1, 10.0), 3)
        self.assertEqual(worker.iterations_for(1, 0.101), 10)
        self.assertEqual(worker.iterations_for(1, 1e-6), worker.MOST_ITERATIONS)

    def test_all_workers_do_what_worker_0_decides(self):
        job = {"folder": self.folder}
        self.assertEqual(worker.agree(job, 0, lambda: 7), 7)
        self.assertEqual(worker.agree(job, 1, lambda: 9), 7)


if __name__ == "__main__":
    unittest.main()
