// Where a kernel's operands lie, and in which state of the caches it finds them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "microbench/harness/workspace.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// kWarm: every call uses the same operands. kCold: calls rotate through sets that together are
// twice the last-level cache, in an order that hardware prefetchers do not follow. In training most
// operands are cold: a layer's activations have been evicted by the time they are used again.
enum class CacheState { kCold, kWarm };
// Value of the axis "cache".
std::string to_string(CacheState state);
CacheState cache_state(const Axes& axes);

class OperandSets {
 public:
  // Each set holds inputs and outputs of these sizes, placed as a heap would place them: at
  // multiples of 64 bytes. Throws MeasurementError if one set exceeds the workspace.
  OperandSets(Workspace& workspace, std::vector<std::size_t> input_bytes,
              std::vector<std::size_t> output_bytes, CacheState state);

  std::size_t count() const { return count_; }
  const float* input(std::size_t operand, std::size_t set) const;
  float* output(std::size_t operand, std::size_t set) const;
  // The set of the next call.
  std::size_t next();
  // Gives output `operand` of every set random values, for kernels that work in place.
  void fill_output(std::size_t operand);

 private:
  // As many sets as coldness needs, at most `fit`.
  void choose_sets(std::size_t fit);

  Workspace* workspace_;
  std::vector<std::size_t> input_offsets_, output_offsets_, output_bytes_;
  std::size_t input_stride_ = 0, output_stride_ = 0;
  std::size_t count_ = 1, step_ = 1, current_ = 0;
};

}  // namespace paceline
