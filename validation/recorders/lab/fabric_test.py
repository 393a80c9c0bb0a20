"""Tests of the network; those that build one skip without root, ip and tc."""

import os
import shutil
import subprocess
import unittest

import cases
import experiment
import fabric
from temporary import Folder, python

CAN_BUILD_NETWORKS = os.geteuid() == 0 and shutil.which("ip") and shutil.which("tc")
HAS_TUN = os.path.exists("/dev/net/tun") and shutil.which("g++")
HERE = os.path.dirname(os.path.abspath(__file__))


class Commands(unittest.TestCase):
    def test_both_ends_of_each_link_are_limited_and_nothing_outside_the_namespaces_is_touched(self):
        link = cases.link("200 Mb/s")
        commands = [*fabric.devices(2, link, 5), *fabric.addresses(2, link, 5)]
        limits = [c for c in commands if c[0] == "tc"]
        self.assertEqual([(c[2], c[6]) for c in limits], [
            (where, device) for i in range(2)
            for where, device in ((fabric.namespace(i, 5), "lab0"), (fabric.namespace("switch", 5), f"port{i}"))])
        for c in commands:
            self.assertTrue(c[:3] in (["ip", "netns", "add"], ["ip", "netns", "exec"]) or c[1] == "-n", c)

    def test_only_networks_of_laboratories_that_ended_are_removed(self):
        listing = "paceline-lab-10-0 (id: 1)\npaceline-lab-10-switch\npaceline-lab-11-0\nsomebody-elses\n"
        self.assertEqual(fabric.abandoned(listing, lambda pid: pid == 11),
                         ["paceline-lab-10-0", "paceline-lab-10-switch"])


def own_namespaces():
    listing = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
    return [line for line in listing.splitlines() if line.startswith(f"{fabric.PREFIX}-{os.getpid()}-")]


@unittest.skipUnless(CAN_BUILD_NETWORKS, "needs root, ip and tc")
class Network(Folder):
    """What is sent takes at least as long as the link says; a loaded machine can only make it longer."""
    SERVER = ("import socket", "s = socket.create_server(('', 5000))", "print(1, flush=True)", "c, _ = s.accept()",
              "exec('while c.recv(65536): pass')")
    CLIENT = ("import socket, time", "t = time.perf_counter()", "s = socket.create_connection(('{}', 5000))",
              "u = time.perf_counter()", "s.sendall(bytes({}))", "s.shutdown(socket.SHUT_WR)", "s.recv(1)",
              "print(u - t, time.perf_counter() - u)")

    def transfer(self, link, size, delay_line=None):
        """(seconds to connect, seconds until `size` bytes have arrived)"""
        with fabric.Fabric(2, link, delay_line):
            enter = [fabric.enter(i, os.getpid()) for i in range(2)]
            client = [line.format(fabric.address(1) if "{}'" in line else size) for line in self.CLIENT]
            server = subprocess.Popen([*enter[1], *python(*self.SERVER)], stdout=subprocess.PIPE)
            try:
                server.stdout.readline()
                out = subprocess.run([*enter[0], *python(*client)], capture_output=True, text=True, timeout=60,
                                     check=True).stdout
            finally:
                server.kill()
                server.communicate()
        return [float(word) for word in out.split()]

    def test_bytes_do_not_pass_faster_than_the_rate(self):
        link, size = cases.link("200 Mb/s"), 4 << 20
        free = 2 * fabric.LEAST_BURST  # what both limits let through at once
        self.assertGreater(self.transfer(link, size)[1], 8 * (size - free) / link.rate_bits_per_s)
        self.assertEqual(own_namespaces(), [])

    @unittest.skipUnless(HAS_TUN, "needs /dev/net/tun and g++")
    def test_a_round_trip_takes_at_least_twice_the_latency_and_all_bytes_arrive(self):
        link = cases.link("200 Mb/s@10ms")
        self.assertGreater(self.transfer(link, 1 << 20, experiment.delay_line(self.folder))[0], 2 * link.latency_s)
        self.assertEqual(own_namespaces(), [])

    def test_the_network_is_gone_when_the_block_fails(self):
        with self.assertRaises(ZeroDivisionError), fabric.Fabric(2, cases.link("1 Gb/s")):
            self.assertEqual(len(own_namespaces()), 3)
            raise ZeroDivisionError
        self.assertEqual(own_namespaces(), [])

    def test_a_network_that_cannot_be_built_leaves_nothing(self):
        with self.assertRaises(fabric.FabricError), fabric.Fabric(2, cases.Link(rate_bits_per_s=0.5)):
            pass
        self.assertEqual(own_namespaces(), [])


@unittest.skipUnless(shutil.which("g++"), "needs g++")
class DelayLine(Folder):
    def test_compiles_without_warnings_and_explains_itself(self):
        program = os.path.join(self.folder, "delay_line")
        subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
                        os.path.join(HERE, "delay_line.cpp"), "-o", program], check=True)
        done = subprocess.run([program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("MICROSECONDS", done.stderr)


if __name__ == "__main__":
    unittest.main()
