// Kernels limited by memory, in sizes from the cache to far beyond it: copy, add, read, write, the
// two optimizers, and atomic additions. Sizes are no power of two and of no tensor that is
// validated on.
#include <array>

#include "microbench/cuda/runtime/runtime.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/random_value.h"

namespace paceline {
namespace {

enum class Operation { kCopy, kAdd, kRead, kWrite, kSgd, kAdam };

struct Traits {
  Operation operation;
  const char* name;
  const char* summary;
  int arrays;       // operands of full size
  int read, write;  // of those, per launch
};
constexpr std::array<Traits, 6> kTraits = {
    {{Operation::kCopy, "cuda.copy", "out = in", 2, 1, 1},
     {Operation::kAdd, "cuda.add", "out = a + b", 3, 2, 1},
     {Operation::kRead, "cuda.read", "sum of an array", 1, 1, 0},
     {Operation::kWrite, "cuda.write", "an array filled with a constant", 1, 0, 1},
     {Operation::kSgd, "cuda.sgd", "momentum SGD in one pass", 3, 3, 2},
     {Operation::kAdam, "cuda.adam", "Adam in one pass", 4, 4, 3}}};

class StreamKernel final : public GpuKernel {
 public:
  StreamKernel(const Traits& traits, std::int64_t elements) : traits_(traits), elements_(elements) {
    for (int i = 0; i < traits.arrays; ++i) {
      arrays_.push_back(random_tensor(elements, ElementType::kFp32, static_cast<std::uint32_t>(i)));
    }
    if (traits.operation == Operation::kAdam) {  // second moments are positive
      launch_write(arrays_[3].as<float>(), 1, elements, nullptr);
    }
    if (traits.operation == Operation::kRead) {  // sums of ones are exact
      launch_write(arrays_[0].as<float>(), 1, elements, nullptr);
    }
    partial_ = DeviceBuffer(1024 * sizeof(float));
  }

  void launch() override {
    switch (traits_.operation) {
      case Operation::kCopy:
        return launch_copy(array(0), array(1), elements_, nullptr);
      case Operation::kAdd:
        return launch_add(array(0), array(1), array(2), elements_, nullptr);
      case Operation::kRead:
        return launch_read(array(0), partial_.as<float>(), elements_, nullptr);
      case Operation::kWrite:
        return launch_write(array(0), 3, elements_, nullptr);
      case Operation::kSgd:
        return launch_sgd(array(0), array(1), array(2), elements_, nullptr);
      case Operation::kAdam:
        return launch_adam(array(0), array(1), array(2), array(3), elements_, nullptr);
    }
  }

  void check() override {
    launch();
    PACELINE_CUDA(cudaDeviceSynchronize());
    if (traits_.operation == Operation::kRead) return check_sum();
    for (const std::int64_t i : {std::int64_t{0}, elements_ / 3, elements_ - 1}) {
      const double found = read_elements(result(), ElementType::kFp32, {i}).front();
      require_near(found, expected(i), 1e-5, "element " + std::to_string(i));
    }
  }

 private:
  float* array(std::size_t i) const { return arrays_[i].as<float>(); }
  static double operand(std::int64_t i, std::uint32_t which) {
    return random_element(i, ElementType::kFp32, which);
  }
  const void* result() const {
    switch (traits_.operation) {
      case Operation::kCopy:
        return array(1);
      case Operation::kAdd:
        return array(2);
      default:
        return array(0);
    }
  }
  double expected(std::int64_t i) const {
    switch (traits_.operation) {
      case Operation::kCopy:
        return operand(i, 0);
      case Operation::kAdd:
        return operand(i, 0) + operand(i, 1);
      case Operation::kWrite:
        return 3;
      case Operation::kSgd:
        return operand(i, 0) - 1e-3 * (0.9 * operand(i, 2) + operand(i, 1));
      default: {
        const double g = operand(i, 1);
        const double first = 0.9 * operand(i, 2) + 0.1 * g;
        return operand(i, 0) - 1e-3 * first / std::sqrt(0.999 + 0.001 * g * g);
      }
    }
  }
  void check_sum() const {
    std::vector<std::int64_t> all(1024);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    double found = 0;
    for (const double part : read_elements(partial_.data(), ElementType::kFp32, all)) found += part;
    require_near(found, static_cast<double>(elements_), 0, "the sum");
  }

  const Traits& traits_;
  std::int64_t elements_;
  std::vector<DeviceBuffer> arrays_;
  DeviceBuffer partial_;
};

class StreamBenchmark final : public GpuBenchmark {
 public:
  explicit StreamBenchmark(const Traits& traits) : traits_(traits) {}

  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    // Bytes of one array; the cache of this GPU lies among them.
    const std::vector<double> bytes =
        size == GpuDesign::kQuick ? std::vector<double>{60e6, 1e6, 250e6}
                                  : std::vector<double>{60e6, 1e6, 250e6, 65e3, 4e6, 16e6, 1e9};
    std::vector<Axes> out;
    for (const double target : bytes) {
      for (const char* cache : {"cold", "warm"}) {
        // Far beyond the cache there is no difference.
        if (std::string(cache) == "warm" && target > 3 * gpu.l2_cache.si()) continue;
        out.push_back(with(shape(static_cast<std::int64_t>(target) / 4 / 52 * 52), "cache", cache));
      }
    }
    return out;
  }

  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<StreamKernel>(traits_, integer_axis(axes, "elements", traits_.name));
  }

 private:
  Axes shape(std::int64_t elements) const {
    const bool updates =
        traits_.operation == Operation::kSgd || traits_.operation == Operation::kAdam;
    return with(integer_axes({{"elements", elements},
                              {"read_bytes", 4 * elements * traits_.read},
                              {"written_bytes", 4 * elements * traits_.write}}),
                "kind", updates ? "optimizer" : "elementwise");
  }

  const Traits& traits_;
};

class AtomicKernel final : public GpuKernel {
 public:
  AtomicKernel(std::int64_t targets, std::int64_t count)
      : targets_(targets), count_(count), counters_(static_cast<std::size_t>(targets) * 4) {
    PACELINE_CUDA(cudaMemset(counters_.data(), 0, counters_.bytes()));
  }
  void launch() override { launch_atomics(counters_.as<unsigned>(), targets_, count_, nullptr); }
  void check() override {
    launch();
    unsigned first = 0;
    PACELINE_CUDA(cudaMemcpy(&first, counters_.data(), sizeof first, cudaMemcpyDeviceToHost));
    require_near(first, static_cast<double>((count_ + targets_ - 1) / targets_), 0, "counter 0");
  }

 private:
  std::int64_t targets_, count_;
  DeviceBuffer counters_;
};

class AtomicBenchmark final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    std::vector<Axes> out;
    const std::vector<std::int64_t> targets = size == GpuDesign::kQuick
                                                  ? std::vector<std::int64_t>{1, 4096}
                                                  : std::vector<std::int64_t>{1, 4096, 32, 1 << 20};
    for (const std::int64_t count : targets) {
      out.push_back(integer_axes({{"targets", count}, {"additions", 1 << 20}}));
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<AtomicKernel>(integer_axis(axes, "targets", "cuda.atomic"),
                                          integer_axis(axes, "additions", "cuda.atomic"));
  }
};

}  // namespace

void register_memory(GpuBenchmarkRegistry& registry) {
  for (const Traits& traits : kTraits) {
    registry.add(traits.name, traits.summary, std::make_unique<StreamBenchmark>(traits));
  }
  registry.add("cuda.atomic", "atomic additions to few and to many counters",
               std::make_unique<AtomicBenchmark>());
}

}  // namespace paceline
