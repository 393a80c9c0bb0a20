// Places samples of counters on the clock of the activity records. Samples carry the time of a
// clock of the GPU, of which CUPTI does not say how it relates to the host's. Two things are
// certain: the first sample begins after sampling was switched on, and a sample has ended when it
// is seen. Each batch therefore bounds what has to be added to a sample's time:
//
//   switched on - begin of first sample  <=  offset  <=  least of (seen - end of newest sample)
//
// If zero lies between the bounds the clocks are taken for one and the same; otherwise the middle
// is.
#pragma once

#include <cstdint>

namespace paceline::cuda_trace {

class SampleClock {
 public:
  // `host_ns`: just before sampling was switched on.
  explicit SampleClock(std::uint64_t host_ns)
      : switched_on_ns_(static_cast<std::int64_t>(host_ns)) {}

  // A batch of samples, the first of which begins at `first_ns` and the newest of which ends at
  // `last_ns`, was read before `host_ns`.
  void seen(std::uint64_t first_ns, std::uint64_t last_ns, std::uint64_t host_ns);

  // Whether further batches would hardly narrow the bounds.
  bool settled() const { return batches_ >= kBatches; }
  // To be added to a sample's time; zero before any batch.
  std::int64_t offset_ns() const;
  // How far off that may be.
  std::int64_t uncertainty_ns() const;

 private:
  static constexpr int kBatches = 16;

  std::int64_t switched_on_ns_;
  std::int64_t least_ns_ = 0, most_ns_ = 0;
  int batches_ = 0;
};

}  // namespace paceline::cuda_trace
