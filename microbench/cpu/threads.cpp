#include "microbench/cpu/threads.h"

#include <omp.h>
#include <sched.h>

#include <vector>

namespace paceline {
namespace {

std::vector<int> processors_of(const cpu_set_t& set) {
  std::vector<int> out;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) out.push_back(cpu);
  }
  return out;
}

cpu_set_t current_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

// What the process may use, as it was before anything was bound.
const cpu_set_t& allowed_set() {
  static const cpu_set_t set = current_set();
  return set;
}

}  // namespace

void set_kernel_threads(int count) {
  const cpu_set_t& allowed = allowed_set();
  omp_set_num_threads(count);
  if (count == 1) {
    sched_setaffinity(0, sizeof allowed, &allowed);
    return;
  }
  const std::vector<int> processors = processors_of(allowed);
#pragma omp parallel
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    // Spread over the processors when there are more of them than threads.
    const std::size_t place = thread * processors.size() / threads;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(processors[place % processors.size()], &own);
    sched_setaffinity(0, sizeof own, &own);
  }
}

}  // namespace paceline
