"""Machines on a network, in one machine: network namespaces around a switch, with limited rate and latency.

    machine 0 --lab0 ... port0--+
                                switch      each link full duplex: both of its ends have a tbf limit of the same rate
    machine 1 --lab0 ... port1--+

Everything is inside namespaces of its own: the machine's network is not touched, and deleting the namespaces deletes
all devices. Without latency a link is a veth pair and the switch a bridge. The kernel may have no netem, so with
latency a link is a pair of TUN devices between which delay_line.cpp carries the packets, and the switch routes.
"""

import os
import re
import shutil
import signal
import subprocess

PREFIX = "paceline-lab"
INTERFACE = "lab0"
BURST_S, LEAST_BURST = 0.001, 64 << 10  # of the token bucket: 1 ms of traffic, but room for one segmentation unit
QUEUE_S, LEAST_QUEUE = 0.02, 256 << 10  # bytes that may wait at a limit, before packets are dropped
PER_DIRECTION = 2                       # the delay lines a packet passes: to the switch, and from it


class FabricError(Exception):
    """The network cannot be built here; one line for the user."""


def address(machine):
    return f"10.77.0.{machine + 1}"


def namespace(number, pid):
    return f"{PREFIX}-{pid}-{number}"


def limit(device, where, rate):
    burst, queue = (max(least, int(seconds * rate / 8)) for seconds, least in ((BURST_S, LEAST_BURST),
                                                                              (QUEUE_S, LEAST_QUEUE)))
    return ["tc", "-n", where, "qdisc", "add", "dev", device, "root", "tbf", "rate", f"{int(rate)}bit",
            "burst", f"{burst}b", "limit", f"{queue}b"]


def namespaces(machines, pid):
    """(the machines', the switch's)"""
    return [namespace(i, pid) for i in range(machines)], namespace("switch", pid)


def addresses(machines, link, pid):
    """Commands after the devices exist: addresses, routes, limits, everything up."""
    names, switch = namespaces(machines, pid)
    for i, name in enumerate(names):
        for where in (name, switch) if i == 0 else (name,):
            yield ["ip", "-n", where, "link", "set", "lo", "up"]
        prefix = 32 if link.latency_s else 24
        yield ["ip", "-n", name, "addr", "add", f"{address(i)}/{prefix}", "dev", INTERFACE]
        yield ["ip", "-n", name, "link", "set", INTERFACE, "up"]
        yield ["ip", "-n", switch, "link", "set", f"port{i}", "up"]
        if link.latency_s:
            yield ["ip", "-n", name, "route", "add", "10.77.0.0/24", "dev", INTERFACE]
            yield ["ip", "-n", switch, "route", "add", f"{address(i)}/32", "dev", f"port{i}"]
        if link.rate_bits_per_s:
            yield limit(INTERFACE, name, link.rate_bits_per_s)
            yield limit(f"port{i}", switch, link.rate_bits_per_s)


def devices(machines, link, pid):
    """Commands that make the namespaces and, without latency, the links."""
    names, switch = namespaces(machines, pid)
    for name in [*names, switch]:
        yield ["ip", "netns", "add", name]
    if link.latency_s:
        yield ["ip", "netns", "exec", switch, "sysctl", "-qw", "net.ipv4.ip_forward=1"]
        return
    yield ["ip", "-n", switch, "link", "add", "bridge0", "type", "bridge"]
    yield ["ip", "-n", switch, "link", "set", "bridge0", "up"]
    for i, name in enumerate(names):
        yield ["ip", "-n", switch, "link", "add", f"port{i}", "type", "veth", "peer", "name", INTERFACE, "netns", name]
        yield ["ip", "-n", switch, "link", "set", f"port{i}", "master", "bridge0"]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise FabricError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")


def require():
    """Refuses in one line where a network cannot be built."""
    missing = [tool for tool in ("ip", "tc") if shutil.which(tool) is None]
    if missing:
        raise FabricError(f"needs {' and '.join(missing)} (Debian: apt install iproute2)")
    if os.geteuid() != 0:
        raise FabricError("network namespaces and rate limits need root: run it with sudo")


def abandoned(listing, alive):
    """Namespaces in the text of `ip netns list` whose laboratory is no longer running."""
    found = re.findall(rf"^({PREFIX}-(\d+)-\w+)", listing, re.MULTILINE)
    return [name for name, pid in found if not alive(int(pid))]


def process_exists(pid):
    return os.path.exists(f"/proc/{pid}")


def remove_abandoned():
    """Removes what a laboratory that was killed (SIGKILL, power) left behind."""
    listing = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
    for name in abandoned(listing, process_exists):
        subprocess.run(["ip", "netns", "delete", name], capture_output=True)


class Fabric:
    """`with Fabric(...)`: the network is there inside, and gone afterwards however the block is left."""

    def __init__(self, machines, link, delay_line=None):
        self.machines, self.link, self.delay_line = machines, link, delay_line
        self.pid, self.delays = os.getpid(), None

    def __enter__(self):
        try:
            for command in devices(self.machines, self.link, self.pid):
                run(command)
            if self.link.latency_s:
                self.start_delay_line()
            for command in addresses(self.machines, self.link, self.pid):
                run(command)
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_delay_line(self):
        """The program says "ready" when the devices exist."""
        names, switch = namespaces(self.machines, self.pid)
        pairs = [f"{name}:{INTERFACE}:{switch}:port{i}" for i, name in enumerate(names)]
        microseconds = self.link.latency_s / PER_DIRECTION * 1e6
        self.delays = subprocess.Popen([self.delay_line, f"{microseconds:.0f}", *pairs], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, process_group=0)
        if self.delays.stdout.readline() != "ready\n":
            raise FabricError(f"delay line: {self.delays.stderr.read().strip() or 'ended at once'}")

    def own_group(self):
        return [self.delays.pid] if self.delays else []

    def __exit__(self, *_):
        if self.delays:
            self.delays.send_signal(signal.SIGKILL)
            self.delays.communicate()
        names, switch = namespaces(self.machines, self.pid)
        for name in [*names, switch]:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def enter(machine, pid):
    """Prefix of a command that is to run on a machine."""
    return ["ip", "netns", "exec", namespace(machine, pid)]
