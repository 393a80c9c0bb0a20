#include "simulator/job/stream_kernels.h"

#include <algorithm>
#include <cstdint>

namespace paceline {
namespace {

constexpr double kStreamElement = 4;  // bytes of an element of the kernels of aggregation

}  // namespace

Seconds StreamKernels::alone(Bytes read, Bytes written) {
  const std::pair<double, double> key{read.si(), written.si()};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  return known_[key] = time(read, written, spec_.context.threads);
}

// One parallel kernel over the data of as many workers as have a core is what they do together.
double StreamKernels::sharing(Bytes read, Bytes written, double workers) {
  if (!spec_.shared_cores) return 1;
  const int threads = spec_.context.threads;
  const double running =
      std::clamp<double>(spec_.shared_cores->cores / static_cast<double>(threads), 1, workers);
  const Seconds together =
      time(running * read, running * written, static_cast<int>(running * threads));
  return std::max(1.0, together / alone(read, written));
}

Seconds StreamKernels::time(Bytes read, Bytes written, int threads) const {
  const double most = std::max(read.si(), written.si());
  Kernel kernel;
  kernel.implementation = "aten.add_";
  kernel.shape = StreamShape{.elements = static_cast<std::int64_t>(most / kStreamElement) + 1,
                             .read = read,
                             .written = written};
  kernel.precision = Precision::kFp32;
  ExecutionContext context = spec_.context;
  context.threads = threads;
  return spec_.costs->cost(kernel, context).time;
}

}  // namespace paceline
