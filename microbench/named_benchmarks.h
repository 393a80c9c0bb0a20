// Benchmarks by the name of the implementation that they measure, the key under which its
// parameters are fitted: "openblas.sgemm", "cudnn.conv". Names are exact, unlike those of a
// Registry: ATen's "add" and "add_" are two kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"

namespace paceline {

template <typename Benchmark>
class NamedBenchmarks {
 public:
  struct Entry {
    std::string name;
    std::string summary;
    std::unique_ptr<const Benchmark> benchmark;
  };

  void add(std::string name, std::string summary, std::unique_ptr<const Benchmark> benchmark) {
    for (const Entry& entry : entries_) {
      PACELINE_ASSERT(entry.name != name, "each name is registered once");
    }
    entries_.push_back({std::move(name), std::move(summary), std::move(benchmark)});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace paceline
