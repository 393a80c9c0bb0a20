#include "microbench/harness/noise_gate.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.h"
#include "microbench/harness/sampler.h"

namespace paceline {
namespace {

Seconds seconds(const timeval& time) {
  return Seconds(static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec));
}

}  // namespace

Seconds busy_seconds(std::string_view proc_stat, double ticks_per_second) {
  std::istringstream line{std::string(proc_stat)};
  std::string label;
  line >> label;
  std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
  for (double& value : ticks) line >> value;
  if (label != "cpu" || !line) throw MeasurementError("/proc/stat does not start with a cpu line");
  double busy = 0;
  for (const double value : ticks) busy += value;
  return Seconds((busy - ticks[3] - ticks[4]) / ticks_per_second);
}

CpuUse cpu_use_now() {
  std::ifstream stat("/proc/stat");
  std::string line;
  std::getline(stat, line);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  static const Clock clock = steady_clock();
  return {clock(), busy_seconds(line, static_cast<double>(sysconf(_SC_CLK_TCK))),
          seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

double foreign_processors(const CpuUse& before, const CpuUse& after) {
  const Seconds wall = after.wall - before.wall;
  if (!(wall > Seconds(0))) return 0;
  const Seconds foreign = (after.busy - before.busy) - (after.own - before.own);
  return std::max(0.0, foreign / wall);
}

}  // namespace paceline
