#include "microbench/cuda/trace/sample_clock.h"

#include <algorithm>
#include <cstdlib>

namespace paceline::cuda_trace {

void SampleClock::seen(std::uint64_t first_ns, std::uint64_t last_ns, std::uint64_t host_ns) {
  const auto most = static_cast<std::int64_t>(host_ns - last_ns);
  if (batches_ == 0) {
    least_ns_ = switched_on_ns_ - static_cast<std::int64_t>(first_ns);
    most_ns_ = most;
  }
  most_ns_ = std::min(most_ns_, most);
  ++batches_;
}

std::int64_t SampleClock::offset_ns() const {
  if (least_ns_ <= 0 && most_ns_ >= 0) return 0;
  return least_ns_ + (most_ns_ - least_ns_) / 2;
}

std::int64_t SampleClock::uncertainty_ns() const {
  if (offset_ns() == 0) return std::max(std::abs(least_ns_), std::abs(most_ns_));
  return std::abs(most_ns_ - least_ns_) / 2;
}

}  // namespace paceline::cuda_trace
