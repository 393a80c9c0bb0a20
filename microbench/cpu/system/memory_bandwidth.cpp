// Memory bandwidth by number of threads and working set, from a core's cache to memory: reading,
// writing, copying and the triad a = b + s c (McCalpin's STREAM).
#include <omp.h>

#include <algorithm>

#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"
#include "microbench/cpu/design.h"

namespace paceline {
namespace {

constexpr float kFactor = 3;

// Compiled for each vector width and chosen when loaded: the numbers are the machine's.
#define PACELINE_EACH_VECTOR_WIDTH \
  __attribute__((target_clones("avx512f", "avx2", "default"), noinline))

PACELINE_EACH_VECTOR_WIDTH float read_part(const float* a, std::size_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) sum += a[i];
  return sum;
}

PACELINE_EACH_VECTOR_WIDTH void write_part(float* a, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) a[i] = kFactor;
}

PACELINE_EACH_VECTOR_WIDTH void copy_part(float* a, const float* b, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i];
}

PACELINE_EACH_VECTOR_WIDTH void triad_part(float* a, const float* b, const float* c,
                                           std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + kFactor * c[i];
}

enum class Mix { kRead, kWrite, kCopy, kTriad };

struct Arrays {
  std::int64_t read, written;
};
Arrays arrays_of(Mix mix) {
  switch (mix) {
    case Mix::kRead:
      return {1, 0};
    case Mix::kWrite:
      return {0, 1};
    case Mix::kCopy:
      return {1, 1};
    case Mix::kTriad:
      break;
  }
  return {2, 1};
}

class BandwidthKernel final : public PreparedKernel {
 public:
  BandwidthKernel(Mix mix, std::size_t elements, Workspace& workspace)
      : mix_(mix),
        elements_(elements),
        sets_(workspace,
              std::vector<std::size_t>(static_cast<std::size_t>(arrays_of(mix).read), 4 * elements),
              std::vector<std::size_t>(static_cast<std::size_t>(arrays_of(mix).written),
                                       4 * elements),
              CacheState::kWarm) {}

  void run() override {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      const auto threads = static_cast<std::size_t>(omp_get_num_threads());
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      const std::size_t begin = elements_ * thread / threads;
      sum += part(begin, elements_ * (thread + 1) / threads - begin);
    }
    sum_ = sum;
  }

  void check() override {
    run();
    if (mix_ == Mix::kRead) {
      double expected = 0;
      for (std::size_t i = 0; i < elements_; ++i) expected += double{sets_.input(0, 0)[i]};
      require_close("sum", sum_, expected, static_cast<double>(elements_), 1e-5);
      return;
    }
    for (const std::size_t i : spread_indices(elements_, 64)) {
      require_close("element " + std::to_string(i), sets_.output(0, 0)[i], expected_at(i));
    }
  }

 private:
  double part(std::size_t begin, std::size_t count) {
    switch (mix_) {
      case Mix::kRead:
        return double{read_part(sets_.input(0, 0) + begin, count)};
      case Mix::kWrite:
        write_part(sets_.output(0, 0) + begin, count);
        break;
      case Mix::kCopy:
        copy_part(sets_.output(0, 0) + begin, sets_.input(0, 0) + begin, count);
        break;
      case Mix::kTriad:
        triad_part(sets_.output(0, 0) + begin, sets_.input(0, 0) + begin, sets_.input(1, 0) + begin,
                   count);
        break;
    }
    return 0;
  }

  double expected_at(std::size_t i) const {
    if (mix_ == Mix::kWrite) return double{kFactor};
    if (mix_ == Mix::kCopy) return double{sets_.input(0, 0)[i]};
    return double{sets_.input(0, 0)[i]} + double{kFactor} * double{sets_.input(1, 0)[i]};
  }

  Mix mix_;
  std::size_t elements_;
  OperandSets sets_;
  double sum_ = 0;
};

class Bandwidth final : public Benchmark {
 public:
  explicit Bandwidth(Mix mix) : mix_(mix) {}

  std::vector<Axes> design(DesignSize size) const override {
    std::vector<Axes> out;
    const Arrays arrays = arrays_of(mix_);
    for (std::size_t i = 0; i < kWorkingSets.size(); i += size == DesignSize::kFull ? 1 : 3) {
      const std::int64_t elements = kWorkingSets[i] / (4 * (arrays.read + arrays.written));
      add_warm(out, axes_of({{"elements", elements},
                             {"read_bytes", 4 * elements * arrays.read},
                             {"written_bytes", 4 * elements * arrays.written},
                             {"row", 0},
                             {"working_set_bytes", kWorkingSets[i]}}));
    }
    return out;
  }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace& workspace) const override {
    const std::int64_t elements = integer_axis(axes, "elements", "memory");
    return std::make_unique<BandwidthKernel>(mix_, static_cast<std::size_t>(elements), workspace);
  }

 private:
  inline static const std::vector<std::int64_t> kWorkingSets = {
      24'000,     96'000,     384'000,    768'000,    1'536'000,  6'144'000,
      12'288'000, 24'576'000, 49'152'000, 98'304'000, 196'608'000};
  Mix mix_;
};

}  // namespace

void register_memory_bandwidth(BenchmarkRegistry& registry) {
  registry.add("memory.read", "reading", std::make_unique<Bandwidth>(Mix::kRead));
  registry.add("memory.write", "writing", std::make_unique<Bandwidth>(Mix::kWrite));
  registry.add("memory.copy", "copying", std::make_unique<Bandwidth>(Mix::kCopy));
  registry.add("memory.triad", "a = b + s c", std::make_unique<Bandwidth>(Mix::kTriad));
}

}  // namespace paceline
