// Jitter and stragglers: no two iterations and no two devices take exactly the same time, and a
// synchronous job waits for the slowest. Two ways to account for it, for the caller to choose and
// to name in the report: drawing durations (Monte-Carlo, any graph), or the closed form for the
// mean of the maximum (independent equal ranks that meet once an iteration). docs/models/engine.md.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sim_time.h"
#include "simulator/engine/platform.h"
#include "simulator/task/task_graph.h"

namespace paceline {

// Factors on durations; all relative, all zero: no jitter. Transfers are not touched.
struct Jitter {
  double task_cv = 0;    // of each task anew: log-normal with mean 1
  double device_cv = 0;  // of a rank for the whole run: log-normal with mean 1
  // Rare pauses of host tasks (kind kHost): with this probability a task takes `spike_factor` times
  // as long.
  double spike_probability = 0;
  double spike_factor = 1;
};

// The graph with durations drawn from `jitter`; equal seeds give equal graphs. Throws Error
// (internal) if a parameter is out of range.
TaskGraph with_jitter(const TaskGraph& graph, const Jitter& jitter, std::uint64_t seed);

// Makespans of `draws` simulations, draw i with its own seed made of `seed` and i, in that order
// whatever the number of threads.
std::vector<SimTime> jittered_makespans(const TaskGraph& graph, const Platform& platform,
                                        const Jitter& jitter, std::uint64_t seed, int draws,
                                        int threads = 1);

// Mean of the largest of n independent standard normal numbers: 0, 0.564, 0.846, ...; grows like
// sqrt(2 ln n). By integration of 1 - Phi(x)^n; relative error below 1e-6 up to n = 10^6.
double mean_of_maximum_normal(std::int64_t n);

// Mean of the largest of n independent log-normal factors of mean 1 and coefficient of variation
// `cv`: how much longer n equal ranks take that wait for each other once. Throws Error (internal)
// if n < 1 or cv < 0.
double straggler_factor(std::int64_t n, double cv);

}  // namespace paceline
