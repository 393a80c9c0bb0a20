#!/usr/bin/env python3
"""Says whether a recording repeats another: the same runs on another day, or the last round against those before it.

    compare_recordings.py EARLIER.json LATER.json
    compare_recordings.py RECORDING.json

Takes paceline.recording/1, paceline.cluster-recording/1 and the links of paceline.measurements/1. What a recording says
of its spread are its rounds: a run repeats if the means of the two, in logarithms, lie no further apart than Student's t
allows at 95 % for what their accepted rounds differ by. (That a further round lies between the slowest and the fastest of
n has only the chance (n - 1) / (n + 1), one half for three: their range alone is no interval.) If it does not repeat, the
machine was not quiet where a round of either was rejected or rounds differ by more than a quiet machine's do; where neither
is so, the run differs. One in twenty does by chance: the program fails where so many differ that chance alone would give
them once in a hundred times at most.
"""

import json
import math
import sys
from statistics import fmean, median

import recording
import summary

NAME = "compare_recordings.py"
SCHEMAS = ("paceline.recording/1", "paceline.cluster-recording/1", "paceline.measurements/1")
REPEATS, NOT_QUIET, DIFFERS, NOT_JUDGED = "repeats", "not quiet", "DIFFERS", "not judged"
USAGE, BAD_FILE, CHECK_FAILED = 2, 3, 4
# Student's t by degrees of freedom from 1, two-sided at 95 %; from ten on the tenth is used, which is a little wide.
STUDENT_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
BY_CHANCE = 0.05
TOO_RARE = 0.01


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
        self.logs = [math.log(m) for m in medians]
        self.count = len(medians)
        self.rejected = len(rounds) - self.count
        self.time = math.exp(fmean(self.logs)) if medians else None
        self.spread = max(medians) / min(medians) - 1 if medians else None

    def noisy(self):
        return self.rejected > 0 or (self.spread or 0) > summary.QUIET_SPREAD

    def squares(self):
        return sum((log - fmean(self.logs)) ** 2 for log in self.logs)


def allowed(earlier, later):
    """How far the means of the logarithms of two runs may lie apart at 95 %; None where no rounds tell."""
    freedom = earlier.count + later.count - 2
    if freedom < 1 or not earlier.count or not later.count:
        return None
    deviation = math.sqrt((earlier.squares() + later.squares()) / freedom * (1 / earlier.count + 1 / later.count))
    return STUDENT_T[min(freedom, len(STUDENT_T)) - 1] * deviation


def verdict(earlier, later):
    """(verdict, change of the time)"""
    if earlier.time is None or later.time is None:
        return NOT_QUIET, None
    change = later.time / earlier.time - 1
    limit = allowed(earlier, later)
    if limit is None:
        return NOT_JUDGED, change
    if abs(math.log(later.time / earlier.time)) <= limit:
        return REPEATS, change
    return (NOT_QUIET if earlier.noisy() or later.noisy() else DIFFERS), change


def more_than_chance(differing, judged):
    """Whether so many of the judged runs differ that chance gives them once in a hundred times at most."""
    fewer = sum(math.comb(judged, k) * BY_CHANCE**k * (1 - BY_CHANCE) ** (judged - k) for k in range(differing))
    return differing > 0 and 1 - fewer <= TOO_RARE


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


def limit_of(earlier, later):
    limit = allowed(earlier, later)
    return None if limit is None else math.exp(limit) - 1


def report(rows):
    for name, said, change, earlier, later in rows:
        print(f"{said:10}  {milliseconds(earlier.time):>9} {milliseconds(later.time):>9} ms  {percent(change):>8}  spread "
              f"{percent(earlier.spread)}, {percent(later.spread)}  allowed {percent(limit_of(earlier, later))}  rejected {earlier.rejected}, {later.rejected}  {name}")
    counts = ", ".join(f"{sum(row[1] == kind for row in rows)} {kind.lower()}"
                       for kind in (REPEATS, NOT_QUIET, DIFFERS, NOT_JUDGED))
    print(f"{len(rows)} runs: {counts}")


def main(argv):
    if len(argv) not in (1, 2) or any(word.startswith("-") for word in argv):
        print(f"usage: {NAME} EARLIER.json [LATER.json]; exit: 0 repeated, or the machine was not quiet; 2 usage, 3 file, "
              f"4 more runs differ than chance explains", file=sys.stderr)
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
    said = [row[1] for row in rows]
    return CHECK_FAILED if more_than_chance(said.count(DIFFERS), said.count(DIFFERS) + said.count(REPEATS)) else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except recording.RecordingError as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        sys.exit(BAD_FILE)
