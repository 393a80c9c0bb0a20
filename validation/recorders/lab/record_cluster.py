#!/usr/bin/env python3
"""Records real data-parallel training of several frameworks over limited links, on this machine's CPU.

Writes DATE-cluster.json (paceline.cluster-recording/1: training) and DATE-links.json (paceline.measurements/1:
all-reduces on the same links) into a folder. See README.md for the protocol.
"""

import argparse
import difflib
import glob
import os
import re
import signal
import sys
from datetime import date, datetime, timezone
from statistics import median

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import cases
import environments
import experiment
import fabric
import links_file
import machine
import plan
import recording
import record_pytorch
import summary

NAME = "record_cluster.py"
SCHEMA = "paceline.cluster-recording/1"
FOLDERS = ("--out", "--environments")  # the options whose value is a path
USAGE, BAD_FILE, CANNOT_RUN, INTERRUPTED = 2, 3, 5, 130


def parse(argv):
    parser = record_pytorch.OneLineParser(prog=NAME, description=__doc__.split("\n\n")[0], allow_abbrev=False,
                                          epilog="Exit: 0 written, 2 wrong argument, 3 file, 5 this machine cannot "
                                                 "run it, 130 interrupted (what was measured is kept).")
    parser.add_argument("--plan", default="quick", help=f"{' or '.join(cases.PLANS)} (default quick)")
    parser.add_argument("--framework", help=f"only these: {','.join(cases.FRAMEWORKS)}")
    parser.add_argument("--only", help="only cases whose line in --list contains each of these words")
    parser.add_argument("--rounds", default="3", help="accepted rounds that each case shall have (default 3)")
    parser.add_argument("--seconds", default="1", help="least timed seconds per case and round (default 1)")
    parser.add_argument("--out", metavar="FOLDER", help="folder of the two files (required)")
    parser.add_argument("--append", action="store_true", help="continue the newest recording in the folder")
    parser.add_argument("--environments", metavar="FOLDER", default=environments.default_folder(),
                        help="where virtual environments are kept (default: the user's cache)")
    parser.add_argument("--list", action="store_true", help="print the cases and how long they take; run nothing")
    options = parser.parse_args(argv)
    options.rounds = plan.positive_list(options.rounds, "--rounds")[0]
    options.seconds = plan.positive_list(options.seconds, "--seconds")[0]
    options.items = chosen(options)
    if not options.list:
        if options.out is None:
            raise plan.UsageError("--out FOLDER is required")
        if not os.path.isdir(options.out):
            raise plan.UsageError(f"--out {options.out}: no such folder")
    return options


def chosen(options):
    items = cases.PLANS[plan.known(options.plan, list(cases.PLANS), "plan")]()
    if options.framework:
        names = [plan.known(name, list(cases.FRAMEWORKS), "framework") for name in options.framework.split(",")]
        items = [item for item in items if item.framework in names]
    if options.only:
        wanted = options.only.split()
        words = sorted({word for item in items for word in str(item).split()})
        items = [item for item in items if all(word in str(item) for word in wanted)]
        if not items:
            near = [close for word in wanted for close in difflib.get_close_matches(word, words, n=1)]
            raise plan.UsageError(f"--only '{options.only}' matches no case; "
                                  + (f"nearest words: {' '.join(near)}" if near else "--list shows them"))
    return items


def show(options):
    for item in options.items:
        print(f"{item.expected_s(options.seconds):6.0f} s  {item}")
    one = cases.expected_pass_s(options.items, options.seconds)
    print(f"{len(options.items)} cases, about {one / 60:.0f} min a round, "
          f"{options.rounds * one / 60:.0f} min for {options.rounds} rounds")


def newest(folder):
    found = sorted(glob.glob(os.path.join(folder, "????-??-??-cluster.json")))
    if not found:
        raise recording.RecordingError(f"{folder}: --append needs a recording DATE-cluster.json there, and none is")
    return re.sub(r"-cluster\.json$", "", found[-1])


def output_names(options):
    base = newest(options.out) if options.append else os.path.join(options.out, date.today().isoformat())
    names = f"{base}-cluster.json", f"{base}-links.json"
    for name in names:
        recording.require_writable(name)
        if not options.append and os.path.exists(name):
            raise recording.RecordingError(f"{name} exists; --append continues it")
    return names


class Files:
    """The two files, new or continued."""

    def __init__(self, names, append, facts, protocol):
        self.names = names
        self.training = recording.new(facts, protocol, SCHEMA)
        self.links = links_file.new(facts)
        if append:
            self.training = self.continued(names[0], SCHEMA, facts)
            recording.require_same_setting(self.training, self.merged(self.training, facts), protocol, names[0])
            if os.path.exists(names[1]):
                self.links = self.continued(names[1], links_file.SCHEMA, facts)

    def continued(self, name, schema, facts):
        """The file, with the libraries of frameworks that it did not have before."""
        found = recording.load(name, schema)
        found["provenance"]["libraries"] = {**facts["libraries"], **found["provenance"]["libraries"]}
        return found

    @staticmethod
    def merged(found, facts):
        """Facts with the libraries of frameworks that only earlier rounds used."""
        return {**facts, "libraries": {**found["provenance"]["libraries"], **facts["libraries"]}}

    def accepted_rounds(self, item):
        if isinstance(item, cases.Sweep):
            return min(len(links_file.accepted(links_file.result_of(self.links, item.benchmark, item.axes(size))))
                       for size in item.sizes)
        rounds = recording.run_of(self.training, item.experiment(), experiment.parameters(item))["rounds"]
        return sum(r["accepted"] for r in rounds)

    def add(self, item, result):
        if isinstance(item, cases.Sweep):
            for entry in result:
                axes = item.axes(entry["bytes"])
                if entry["result_checked"]:
                    links_file.add_round(self.links, item.benchmark, axes, entry["warmup"], entry["round"],
                                         entry["busy_s"])
                else:
                    links_file.skip(self.links, item.benchmark, axes, "the sum was wrong")
        else:
            recording.add_round(self.training, item.experiment(), result["parameters"], result["round"])
        self.write()

    def skip(self, item, reason):
        if isinstance(item, cases.Sweep):
            for size in item.sizes:
                links_file.skip(self.links, item.benchmark, item.axes(size), reason)
        else:
            recording.skip(self.training, item.experiment(), experiment.parameters(item), reason)
        self.write()

    def write(self):
        recording.write(self.training, self.names[0])
        recording.write(self.links, self.names[1])


def prepare(frameworks, folder):
    """({framework: interpreter}, {framework: why it is not there}, versions)"""
    pythons, reasons, versions = {}, {}, {}
    for framework in frameworks:
        try:
            pythons[framework] = environments.interpreter(framework, folder)
            versions.update(environments.libraries(framework, pythons[framework]))
        except environments.Unavailable as error:
            reasons[framework] = str(error)
            print(f"{NAME}: {framework}: {error}", file=sys.stderr)
    return pythons, reasons, versions


def without_paths(argv):
    """The arguments with only the last part of each folder: where things lie on this machine is nobody's business."""
    said = []
    for before, word in zip(["", *argv], argv):
        name, equals, value = word.partition("=")
        if before in FOLDERS:
            word = os.path.basename(os.path.abspath(word))
        elif equals and name in FOLDERS:
            word = f"{name}={os.path.basename(os.path.abspath(value))}"
        said.append(word)
    return said


def provenance(versions, argv):
    env = environments.variables("pytorch")
    variables = {name: env[name] for name in machine.RECORDED_VARIABLES if name in env}
    with open("/proc/sys/net/ipv4/tcp_congestion_control") as file:
        variables["tcp_congestion_control"] = file.read().strip()
    return {"tool": NAME, "date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "host": machine.host(),
            "environment": variables, "libraries": versions, "argv": [NAME, *without_paths(argv)]}


def protocol(seconds):
    return {"iterations": summary.MINIMUM_ITERATIONS, "warmup": cases.WARMUP, "threads_per_worker": 1,
            "foreign_cpu_limit": summary.FOREIGN_CPU_LIMIT, "statistic": summary.statistic(seconds),
            "optimizer": f"plain SGD, learning rate {record_pytorch.LEARNING_RATE}, no momentum, no weight decay"}


def report(item, result):
    if isinstance(item, cases.Sweep):
        rounds = [entry["round"] for entry in result]
        text = "  ".join(f"{e['bytes'] >> 20} MiB {1000 * median(e['round']['samples_s']):.1f}" for e in result) + " ms"
    else:
        rounds = [result["round"]]
        text = f"{1000 * median(rounds[0]['samples_s']):.1f} ms x{len(rounds[0]['samples_s'])}"
    share = max(r["foreign_cpu"] for r in rounds)
    rejected = "" if all(r["accepted"] for r in rounds) else "  rejected"
    print(f"{item}: {text}  others {share:.2f} CPU{rejected}", flush=True)


def record(options, files, pythons, reasons):
    """Passes over all cases that still lack accepted rounds; the files are complete after each case."""
    for _ in range(options.rounds):
        for item in options.items:
            if files.accepted_rounds(item) >= options.rounds:
                continue
            if item.framework in reasons:
                files.skip(item, reasons[item.framework])
                continue
            try:
                result = experiment.run(item, pythons[item.framework], options)
            except (experiment.Failed, fabric.FabricError) as error:
                files.skip(item, str(error))
                print(f"{item}: skipped: {error}", flush=True)
                continue
            files.add(item, result)
            report(item, result)


def main(argv):
    options = parse(argv)
    if options.list:
        show(options)
        return 0
    fabric.require()
    names = output_names(options)
    fabric.remove_abandoned()
    frameworks = dict.fromkeys(item.framework for item in options.items)
    pythons, reasons, versions = prepare(frameworks, options.environments)
    files = Files(names, options.append, provenance(versions, argv), protocol(options.seconds))
    record(options, files, pythons, reasons)
    files.write()
    return 0


def interrupt(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    for stop in signal.SIGTERM, signal.SIGINT:  # SIGINT too: a shell ignores it for programs in the background
        signal.signal(stop, interrupt)
    try:
        sys.exit(main(sys.argv[1:]))
    except plan.UsageError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        sys.exit(USAGE)
    except recording.RecordingError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        sys.exit(BAD_FILE)
    except fabric.FabricError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    except KeyboardInterrupt:
        print(f"{NAME}: interrupted; --append continues", file=sys.stderr)
        sys.exit(INTERRUPTED)
