#!/usr/bin/env python3
"""Prepares measurements and recordings for the repository: smaller, and without folders of the machine they come from.

Of each accepted round of kernel measurements it keeps the least, the middle and the largest sample (both middle ones of
an even number), so that the median of every round, and with it every value a fit sees, stays exactly the same; of a
rejected round, the middle. Summaries, which follow from the rounds, are left out. Recorded training iterations keep all
samples. Paths in the recorded command line lose their folders. Nothing else changes.

    validation/recorders/ship.py measurements.json traces/recorded/MACHINE/DATE-measurements.json
"""

import json
import os
import sys


def thinned(samples, accepted):
    ordered = sorted(samples)
    middle = {(len(ordered) - 1) // 2, len(ordered) // 2}
    return [ordered[i] for i in sorted(middle | ({0, len(ordered) - 1} if accepted else set()))]


def without_folders(argv):
    return [os.path.basename(word) if word.startswith("/") else word for word in argv]


def main(source, target):
    with open(source) as file:
        content = json.load(file)
    content["provenance"]["argv"] = without_folders(content["provenance"]["argv"])
    for result in content.get("results", []):
        result.pop("summary", None)
        for one_round in result.get("rounds", []):
            one_round["samples_s"] = thinned(one_round["samples_s"], one_round["accepted"])
    with open(target, "w") as file:
        json.dump(content, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: ship.py FILE OUT")
    main(*sys.argv[1:])
