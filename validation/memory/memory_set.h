// Measured memory of training jobs, by category ("paceline.memory-set/1", one file per set in
// validation/memory/sets; docs/file-formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/workload.h"
#include "simulator/memory/memory_model.h"

namespace paceline {

struct MemoryCase {
  std::string name;
  std::string model;  // catalog name or file below the data folder
  std::int64_t batch = 1;
  std::optional<std::int64_t> seq;
  std::map<std::string, std::string> options;  // of the workload
  std::string framework;
  std::string device;  // catalog name, or "cpu"
  int threads = 1;
  Precision precision = Precision::kFp32;
  bool uniform = false;  // 16-bit weights rather than autocast
  std::string optimizer = "sgd";
  std::string recompute = "none";
  bool fused_attention = false;
  std::string cells;  // how recurrent layers run step by step: "two-products"; empty: fused
  std::string strategy = "none";  // how `devices` devices share and exchange
  int devices = 1;
  std::map<std::string, std::string> strategy_options{};
  // Bytes per parameter, where they differ from what precision and optimizer imply.
  std::optional<double> weight_bytes, gradient_bytes, master_bytes;
  // Bytes by quantity: the categories of a report; "alive", all of them together; "total", with
  // context and slack; "after_forward", what is alive when forward has ended.
  std::map<std::string, std::int64_t> measured;
  std::string excluded;  // why it is shown but not counted
  std::string assumed;   // what of the run is not published and taken from elsewhere; counted
};

struct MemorySet {
  std::string name;
  std::string summary;
  std::string source;
  double total_limit = 0;     // median |error| of totals that the test accepts
  double category_limit = 0;  // likewise of categories
  std::vector<MemoryCase> cases;
};

// Strict; throws InputError. A set may name a recording of record_memory.py instead of cases.
MemorySet read_memory_set(const std::filesystem::path& file, const std::filesystem::path& root);
// All shipped sets, sorted by name.
std::vector<MemorySet> shipped_memory_sets();

// What the model says of each quantity that may be measured, and what its interval follows from.
struct MemoryQuantities {
  std::map<std::string, std::int64_t> bytes;
  GpuContext context;
  std::string family{};
};
class MemoryScorer {
 public:
  MemoryScorer();
  MemoryQuantities predict(const MemoryCase& c) const;

 private:
  WorkloadRegistry workloads_;
  MemoryModel memory_;
};

// One measured quantity of one case; of a total also its 90 % interval, from the residuals of the
// other sets.
struct MemoryError {
  std::string set, name, quantity;
  std::int64_t batch = 1;
  std::int64_t measured = 0, predicted = 0;
  bool counted = true;
  bool assumed = false;
  std::int64_t p05 = 0, p95 = 0;
  std::string family{};
  DeviceKind device = DeviceKind::kGpu;
  bool is_inside() const { return p05 <= measured && measured <= p95; }
  double error() const {
    return static_cast<double>(predicted) / static_cast<double>(measured) - 1;
  }
  bool is_total() const {
    return quantity == "alive" || quantity == "total" || quantity == "reserved";
  }
};
std::vector<MemoryError> score(const MemorySet& set, const MemoryScorer& scorer);

// ln(measured / predicted) of the counted totals, and calibration/fitted/memory/residuals.json,
// which holds them with four decimals.
std::vector<SetResiduals> memory_residuals(const std::vector<MemorySet>& sets,
                                           const MemoryScorer& scorer);
std::string memory_residuals_text(const std::vector<SetResiduals>& residuals);

// How much faster memory grows with the batch than measured: slopes of straight lines (least
// squares) through the counted totals of a device, "total", if they were measured at three batches
// or more.
std::optional<double> slope_error(const std::vector<MemoryError>& errors);

// docs/accuracy-memory.md.
std::string memory_accuracy_text(const std::vector<MemorySet>& sets, const MemoryScorer& scorer);

}  // namespace paceline
