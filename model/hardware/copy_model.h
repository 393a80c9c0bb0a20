// What a copy costs when it runs alone: over a path of the machine (machine_paths.h), from pinned
// or pageable host memory, with the fitted constants of calibration/fitted/links/copies.json.
#pragma once

#include "model/cost/cost_model.h"
#include "model/hardware/machine_paths.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

enum class CopyDirection { kHostToDevice, kDeviceToHost, kDeviceToDevice };
enum class HostMemory { kPinned, kPageable };

struct CopyCost {
  Seconds time;                  // median
  double sd = 0;                 // of ln(time)
  Seconds least;                 // what the data sheets of the links allow
  bool limited_by_host = false;  // by the processor's own copies, not by a link

  Origin origin;

  Seconds quantile(double p) const;  // log-normal above `least`
};

class CopyModel {
 public:
  // Needs the fits "copy.pinned", "copy.pageable" and "copy.staged"; throws MissingParameter.
  explicit CopyModel(ParameterSet parameters);
  static CopyModel shipped();

  StagingModel staging() const;
  // What one thread of a processor copies from memory to memory.
  BytesPerSecond processor_rate() const;
  // Throws UsageError if the size is not positive. `memory` is ignored between devices.
  CopyCost cost(Bytes bytes, CopyDirection direction, HostMemory memory,
                const MachinePath& path) const;

 private:
  ParameterSet parameters_;
};

}  // namespace paceline
