#!/usr/bin/env python3
"""Says whether a recording repeats another: the same runs on another day, or the last round against those before it.

    compare_recordings.py EARLIER.json LATER.json
    compare_recordings.py RECORDING.json

Takes paceline.recording/1, paceline.cluster-recording/1 and the links of paceline.measurements/1. A run repeats if its
later time lies within the stated spread of the earlier one (the slowest over the fastest of its accepted rounds), or the
earlier within the spread of the later. If it does not, the machine was not quiet where a round of either was rejected or
rounds differ by more than a quiet machine's do; where neither is so, the run differs, and that is for a person to explain.
"""

import json
import sys
from statistics import median

import recording
import summary

NAME = "compare_recordings.py"
SCHEMAS = ("paceline.recording/1", "paceline.cluster-recording/1", "paceline.measurements/1")
REPEATS, NOT_QUIET, DIFFERS, NOT_JUDGED = "repeats", "not quiet", "DIFFERS", "not judged"
USAGE, BAD_FILE, CHECK_FAILED = 2, 3, 4


def load(path):
    try:
        with open(path) as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        raise recording.RecordingError(f"{path}: {error}") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema not in SCHEMAS:
        raise recording.RecordingError(f"{path}: schema: found {schema!r}, expected one of {', '.join(SCHEMAS)}")
    return document


def text_of(identity):
    """One line: the values that tell runs apart, unset ones left out."""
    words = []
    for key, value in identity.items():
        if isinstance(value, dict):
            words += [value["link"]] if "link" in value else [f"{name}={inner}" for name, inner in value.items()]
        elif value not in (None, "") and key not in ("device", "precision"):
            words.append(str(value) if isinstance(value, str) else f"{key}={value}")
    return " ".join(words)


def runs(document):
    """{identity as a text: rounds}"""
    found = {}
    for run in document.get("runs", []):
        found[text_of(run["experiment"])] = run["rounds"]
    for result in document.get("results", []):
        found[text_of({"benchmark": result["benchmark"], **result["axes"]})] = result.get("rounds", [])
    return found


class Times:
    """What the accepted rounds of a run say."""

    def __init__(self, rounds):
        medians = [median(r["samples_s"]) for r in rounds if r["accepted"]]
        self.count = len(medians)
        self.rejected = len(rounds) - self.count
        self.time = min(medians, default=None)
        self.spread = max(medians) / self.time - 1 if medians else None

    def noisy(self):
        return self.rejected > 0 or (self.spread or 0) > summary.QUIET_SPREAD

    def states_a_spread(self):
        return self.count > 1


def verdict(earlier, later):
    """(verdict, change of the time)"""
    if earlier.time is None or later.time is None:
        return NOT_QUIET, None
    change = later.time / earlier.time - 1
    spreads = [times.spread for times in (earlier, later) if times.states_a_spread()]
    if not spreads:
        return NOT_JUDGED, change
    if max(change, 1 / (1 + change) - 1) <= max(spreads):
        return REPEATS, change
    return (NOT_QUIET if earlier.noisy() or later.noisy() else DIFFERS), change


def other_setting(earlier, later):
    """What the two recordings were made with that is not the same; times may then differ for good reason."""
    return [f"{key}: {earlier['provenance'].get(key)} and {later['provenance'].get(key)}" for key in recording.FIXED
            if earlier["provenance"].get(key) != later["provenance"].get(key)]


def compare(before, after):
    """[(run, verdict, change, earlier, later)] of the runs that both have."""
    rows = []
    for name, rounds in before.items():
        if name in after:
            earlier, later = Times(rounds), Times(after[name])
            rows.append((name, *verdict(earlier, later), earlier, later))
    return rows


def split(found):
    """The rounds of each run before its last, and the last."""
    several = {name: rounds for name, rounds in found.items() if len(rounds) > 1}
    return ({name: rounds[:-1] for name, rounds in several.items()},
            {name: rounds[-1:] for name, rounds in several.items()})


def milliseconds(time):
    return "-" if time is None else f"{1000 * time:.1f}"


def percent(share):
    return "-" if share is None else f"{100 * share:+.1f} %"


def report(rows):
    for name, said, change, earlier, later in rows:
        print(f"{said:10}  {milliseconds(earlier.time):>9} {milliseconds(later.time):>9} ms  {percent(change):>8}  spread "
              f"{percent(earlier.spread)}, {percent(later.spread)}  rejected {earlier.rejected}, {later.rejected}  {name}")
    counts = ", ".join(f"{sum(row[1] == kind for row in rows)} {kind.lower()}"
                       for kind in (REPEATS, NOT_QUIET, DIFFERS, NOT_JUDGED))
    print(f"{len(rows)} runs: {counts}")


def main(argv):
    if len(argv) not in (1, 2) or any(word.startswith("-") for word in argv):
        print(f"usage: {NAME} EARLIER.json [LATER.json]; exit: 0 all repeat or the machine was not quiet, 2 usage, 3 file, "
              f"4 a run differs", file=sys.stderr)
        return USAGE
    documents = [load(path) for path in argv]
    if len(documents) == 2 and documents[0]["schema"] != documents[1]["schema"]:
        raise recording.RecordingError(f"{argv[1]}: schema: found {documents[1]['schema']}, the other has "
                                       f"{documents[0]['schema']}")
    rows = compare(*(map(runs, documents) if len(documents) == 2 else split(runs(documents[0]))))
    if not rows:
        raise recording.RecordingError(f"{' and '.join(argv)}: no run to compare")
    for line in other_setting(documents[0], documents[-1]):
        print(f"{NAME}: another setting: {line}", file=sys.stderr)
    report(rows)
    return CHECK_FAILED if any(row[1] == DIFFERS for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except recording.RecordingError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        sys.exit(BAD_FILE)
