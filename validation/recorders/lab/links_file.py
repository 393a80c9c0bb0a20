"""The link measurements, schema paceline.measurements/1: what `paceline calibrate` reads. No torch needed."""

from statistics import median

SCHEMA = "paceline.measurements/1"


def new(provenance):
    return {"schema": SCHEMA, "provenance": provenance, "results": []}


def result_of(measurements, benchmark, axes):
    for result in measurements["results"]:
        if result["benchmark"] == benchmark and result["axes"] == axes:
            return result
    measurements["results"].append({"benchmark": benchmark, "axes": axes, "status": "skipped",
                                    "reason": "not measured yet"})
    return measurements["results"][-1]


def accepted(result):
    return [r for r in result.get("rounds", []) if r["accepted"]]


def add_round(measurements, benchmark, axes, warmup, round_, busy_s):
    """`busy_s`: core time of the whole machine for one message; its least over accepted rounds is kept."""
    result = result_of(measurements, benchmark, axes)
    rounds = result.get("rounds", []) + [round_]
    busy = [result["facts"]["busy_s"]] if "facts" in result else []
    busy += [busy_s] if round_["accepted"] else []
    result.clear()
    result.update({"benchmark": benchmark, "axes": axes, "status": "measured", "result_checked": True,
                   "warmup": warmup, "rounds": rounds})
    if busy:
        result["facts"] = {"busy_s": min(busy)}
    medians = [median(r["samples_s"]) for r in accepted(result)]
    if medians:
        result["summary"] = {"value_s": min(medians), "spread": (max(medians) - min(medians)) / min(medians)}


def skip(measurements, benchmark, axes, reason):
    result = result_of(measurements, benchmark, axes)
    if "rounds" not in result:
        result["reason"] = reason
