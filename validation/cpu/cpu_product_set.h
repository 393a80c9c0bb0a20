// Products that somebody else has timed on a CPU that no price was fitted to: how far prices that
// are transferred from another CPU (simulator/device/cpu_transfer.h) may be off.
// "paceline.cpu-product-set/1", one file per set in validation/cpu/sets (docs/file-formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/units.h"

namespace paceline {

struct TimedProduct {
  std::int64_t m = 0, n = 0, k = 0;  // C[m x n] = A[m x k] B[k x n]
  int threads = 1;                   // that the library had
  Seconds measured;
  // As wide and as deep as products of layers are; a vector or a sum of outer products is not.
  bool is_of_layers() const;
};

struct CpuProductSet {
  std::string name;
  std::string summary;
  std::string source;
  std::string device;  // of the catalog
  int sockets = 1;
  // The library shares a product only if each thread gets as many of its rows and of its columns.
  std::int64_t lines_per_thread = 0;
  std::vector<TimedProduct> products;
};

// Strict; throws InputError.
CpuProductSet read_cpu_product_set(const std::filesystem::path& file);
// All shipped sets, sorted by name.
std::vector<CpuProductSet> shipped_cpu_product_sets();

struct ScoredProduct {
  TimedProduct product;
  Seconds predicted;
  Seconds roofline;  // FLOP at the peak of the threads or bytes at the bandwidth of the data sheet
};
std::vector<ScoredProduct> score(const CpuProductSet& set);

// Root mean square of ln(measured / predicted) of the products of layers, bias and scatter alike:
// what one standard deviation of a transferred price has to be. Each number of threads and each
// decade of FLOP counts once, because networks have products of all sizes and benchmarks of few.
double transfer_spread(const std::vector<ScoredProduct>& scored);

// docs/accuracy-cpu-transfer.md.
std::string cpu_transfer_accuracy_text(const std::vector<CpuProductSet>& sets);

}  // namespace paceline
