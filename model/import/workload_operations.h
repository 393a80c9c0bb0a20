// The operations that a paceline.workload/1 file can name (docs/workload-format.md): how each is
// read and added to the network; used by import_workload_file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json_reader.h"
#include "model/graph/workload.h"

namespace paceline {

// One operation being read: `object` holds its attributes.
struct WorkloadCall {
  WorkloadBuilder& b;
  const WorkloadConfig& config;
  JsonObject& object;
  std::string name;
  std::vector<TensorId> in;

  // Extents of layers: positive, and small enough that no product of them leaves 64 bits.
  std::int64_t size(const char* key) const { return object.count(key, 1); }
  std::int64_t size(const char* key, std::int64_t fallback) const {
    return object.has(key) ? size(key) : fallback;
  }
  std::int64_t padding(std::int64_t most) const {
    return object.count_or("pad", 0, 0, static_cast<int>(most));
  }
  // Beyond any tensor; the builder knows how many it really has.
  static constexpr int kMostAxes = 64;
  int axis(const char* key, int fallback) const {
    return object.count_or(key, fallback, 0, kMostAxes);
  }
  bool flag(const char* key, bool fallback) const { return object.boolean_or(key, fallback); }
};

// Throws InputError for attributes that the operation cannot have.
struct WorkloadOperation {
  std::size_t inputs;  // 0: one or more
  TensorId (*add)(const WorkloadCall&);
};

const std::map<std::string, WorkloadOperation>& workload_operations();

// Positive numbers, "batch" or "seq"; throws InputError for anything else.
WorkloadBuilder::Dims read_workload_shape(JsonObject& object, const char* key,
                                          const WorkloadConfig& config);

}  // namespace paceline
