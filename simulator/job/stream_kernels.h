// Prices of the kernels of an aggregation: each streams operands through the memory of a device.
#pragma once

#include <map>
#include <utility>

#include "core/units.h"
#include "simulator/job/job_spec.h"

namespace paceline {

class StreamKernels {
 public:
  // `spec` must outlive this; its `costs` price the kernels.
  explicit StreamKernels(const JobSpec& spec) : spec_(spec) {}

  // On a device of its own. Bytes of all operands.
  Seconds alone(Bytes read, Bytes written);
  // How much longer it takes while the other workers of the host, `workers` together, run theirs; 1
  // where none shares the memory.
  double sharing(Bytes read, Bytes written, double workers);

 private:
  Seconds time(Bytes read, Bytes written, int threads) const;

  const JobSpec& spec_;
  std::map<std::pair<double, double>, Seconds> known_;  // by bytes read and written
};

}  // namespace paceline
