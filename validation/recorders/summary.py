"""What one number a recording reports for a case, and when it refuses to. No torch needed."""

from statistics import median

MINIMUM_ITERATIONS = 3    # timed iterations of a round, at least
FOREIGN_CPU_LIMIT = 0.05  # CPUs that other processes may use during a round
QUIET_SPREAD = 0.15       # the two speed states of a shared host lie about this far apart
PHASES = ("forward_s", "backward_s", "communication_s", "optimizer_s")  # those that a recorder can tell apart


def statistic(seconds):
    return (f"minimum over accepted rounds of the round median; a round has at least {MINIMUM_ITERATIONS} iterations "
            f"and lasts at least {seconds} s")


def foreign_cpu(busy_s, own_s, wall_s):
    """CPUs used by everyone else: busy time of the machine less our own, per second of wall time."""
    return max(0.0, (busy_s - own_s) / wall_s)


def summarize(rounds):
    """The keys status, reason (if there is something to say) and summary of a run."""
    accepted = [r for r in rounds if r["accepted"]]
    if not accepted:
        lowest = min((r["foreign_cpu"] for r in rounds), default=0.0)
        return {"status": "skipped",
                "reason": f"no quiet round: other processes used at least {lowest:.2f} CPU in each of {len(rounds)}, "
                          f"the limit is {FOREIGN_CPU_LIMIT}"}
    medians = [median(r["samples_s"]) for r in accepted]
    best = accepted[medians.index(min(medians))]
    spread = (max(medians) - min(medians)) / min(medians)
    run = {"status": "measured"}
    if spread > QUIET_SPREAD:
        run["reason"] = f"the machine was not quiet: round medians differ by {100 * spread:.0f} %"
    run["summary"] = {"median_s": min(medians), "spread": spread, "accepted_rounds": len(accepted),
                      **{phase: best[phase] for phase in PHASES if phase in best}}
    return run
