"""Paceline: how fast a deep-learning training job will run, and why.

    import paceline
    report = paceline.predict(model="resnet50", batch=8, device="cpu", threads=1)
    report["throughput_samples_per_s"]["median"]

Every function takes the flags of the command of its name as keyword arguments ("--grad-accum" is
grad_accum), lists sweep, and returns what the command prints with --json (docs/commands.md).
"""

import json

from . import _core

__all__ = ["predict", "compare", "explain", "plan", "check", "validate", "run",
           "Error", "UsageError", "InputError"]


class Error(Exception):
    """What the program reports on stderr; `code` is its exit code."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class UsageError(Error, ValueError):
    """An unknown name, flag or unit, or an impossible value."""


class InputError(Error):
    """A file is missing, unreadable or invalid, or lacks a parameter."""


_ERRORS = {2: UsageError, 3: InputError}


def _words(flags):
    words = []
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, dict):  # set={"bucket_cap_mib": 35}
            for key, item in value.items():
                words += [flag, f"{key}={item}"]
        elif isinstance(value, (list, tuple, range)):
            words += [flag, ",".join(str(item) for item in value)]
        else:
            words += [flag, str(value)]
    return words


def run(command, *arguments, **flags):
    """Runs `paceline COMMAND ARGUMENTS --flags --json`; returns its document.

    Raises UsageError, InputError or Error where the program would fail. A failed check (exit code 4)
    and a configuration that does not fit (5) are answers, not errors.
    """
    words = [command, *map(str, arguments), *_words(flags), "--json"]
    code, output, error = _core.run(words)
    if code not in (0, 4, 5) or not output:
        raise _ERRORS.get(code, Error)(error.removeprefix("paceline: ").strip(), code)
    return json.loads(output)


def predict(**flags):
    """One report (a dict), or a list of them for a sweep."""
    return run("predict", **flags)


def compare(**flags):
    """A list of reports in input order, each with its rank under "comparison"."""
    return run("compare", **flags)


def explain(**flags):
    """A report with its kernels, implementations and sensitivities."""
    return run("explain", **flags)


def plan(**flags):
    """Configurations that reach a deadline, a budget or a throughput, the best first."""
    return run("plan", **flags)


def check(*file, **flags):
    """The verdict on a measured number and what explains it."""
    return run("check", *file, **flags)


def validate(**flags):
    """Cases and sets of the shipped recordings, or of `recording` with `device`."""
    return run("validate", **flags)
