"""The file a recorder writes, schema paceline.recording/1. No torch needed.

Rounds are raw data: appending adds some, nothing removes or edits any; summaries are computed from all of them.
"""

import json
import math
import os
import re

from summary import summarize

SCHEMA = "paceline.recording/1"
FIXED = ("host", "environment", "libraries")  # of the provenance: rounds of one file must agree on them
NUMBER_LIST = re.compile(r"\[[-\d.e,\s]*\]")  # written on one line, the samples fill most of a file


class RecordingError(Exception):
    """A file that cannot be read, or that must not be appended to; one line for the user."""


def new(provenance, protocol, schema=SCHEMA):
    return {"schema": schema, "provenance": provenance, "protocol": {"rounds": 0, **protocol}, "runs": []}


def load(path, expected=SCHEMA):
    try:
        with open(path) as file:
            recording = json.load(file)
    except (OSError, ValueError) as error:
        raise RecordingError(f"{path}: {error}") from None
    schema = recording.get("schema") if isinstance(recording, dict) else None
    if schema != expected:
        raise RecordingError(f"{path}: schema: found {schema!r}, expected '{expected}'")
    return recording


def require_same_setting(recording, provenance, protocol, path):
    """Rounds of different machines, libraries or protocols are different measurements: refuse to mix them."""
    for group, keys, new_values in (("provenance", FIXED, provenance), ("protocol", protocol.keys(), protocol)):
        for key in keys:
            old, value = recording[group].get(key), new_values[key]
            if old != value:
                raise RecordingError(f"{path}: {group}.{key}: recorded {old}, now {value}; use another file")


def run_of(recording, experiment, parameters):
    """The run of an experiment, added when the recording has none yet."""
    for run in recording["runs"]:
        if run["experiment"] == experiment:
            return run
    recording["runs"].append({"experiment": experiment, "parameters": parameters, "status": "skipped",
                              "reason": "not measured yet", "rounds": []})
    return recording["runs"][-1]


def add_round(recording, experiment, parameters, round_):
    run = run_of(recording, experiment, parameters)
    rounds = run["rounds"] + [round_]
    run.clear()
    run.update({"experiment": experiment, "parameters": parameters, **summarize(rounds), "rounds": rounds})
    recording["protocol"]["rounds"] = max(len(r["rounds"]) for r in recording["runs"])


def skip(recording, experiment, parameters, reason):
    run = run_of(recording, experiment, parameters)
    if not run["rounds"]:
        run["reason"] = reason


def require_finite(value, where="recording"):
    if isinstance(value, dict):
        for key, inner in value.items():
            require_finite(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            require_finite(inner, f"{where}[{i}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} is {value}")


def require_writable(path):
    """Fails before minutes of measuring rather than after."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(folder, os.W_OK):
        raise RecordingError(f"{path}: cannot write a file there")


def write(recording, path):
    """Atomically: a reader sees the old file or the new one, never a part."""
    require_finite(recording)
    text = NUMBER_LIST.sub(lambda numbers: " ".join(numbers[0].split()), json.dumps(recording, indent=1)) + "\n"
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with open(partial, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}") from None
    finally:
        if os.path.exists(partial):
            os.remove(partial)
