// Matrix products of cuBLAS in the layouts of a linear layer's three passes, per precision, alone
// and in batches; and the sustained clock and power under such a load.
//
// Shapes are those of the axes in BLAS convention (column-major): C (m x n) = op(A) op(B).
#include <cublas_v2.h>

#include <array>
#include <chrono>
#include <memory>

#include "microbench/cuda/libraries.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"

namespace paceline {
namespace {

void check_cublas(cublasStatus_t status, const char* call,
                  std::source_location where = std::source_location::current()) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  library_failed("cuBLAS", cublasGetStatusString(status), call, where);
}

class Handle {
 public:
  Handle() {
    cublasHandle_t handle = nullptr;
    check_cublas(cublasCreate(&handle), "cublasCreate");
    handle_.reset(handle);
    workspace_ = DeviceBuffer(32 << 20);
    check_cublas(cublasSetWorkspace(handle, workspace_.data(), workspace_.bytes()),
                 "cublasSetWorkspace");
  }
  cublasHandle_t get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };
  std::unique_ptr<cublasContext, Destroy> handle_;
  DeviceBuffer workspace_;
};

struct Product {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  bool trans_a = false, trans_b = false;
  std::string precision;
};

Product product_of(const Axes& axes) {
  const std::string name = "cublas.gemm";
  return {.m = integer_axis(axes, "m", name),
          .n = integer_axis(axes, "n", name),
          .k = integer_axis(axes, "k", name),
          .batch = integer_axis(axes, "batch", name),
          .trans_a = text_axis(axes, "trans_a", name) == "T",
          .trans_b = text_axis(axes, "trans_b", name) == "T",
          .precision = text_axis(axes, "precision", name)};
}

class GemmKernel final : public GpuKernel {
 public:
  explicit GemmKernel(Product product)
      : p_(std::move(product)),
        type_(storage_type(p_.precision)),
        a_(random_tensor(p_.batch * p_.m * p_.k, type_, kSeedA)),
        b_(random_tensor(p_.batch * p_.k * p_.n, type_, kSeedB)),
        c_(static_cast<std::size_t>(p_.batch * p_.m * p_.n) * element_bytes(type_)) {}

  void launch() override {
    const float one = 1, zero = 0;
    const auto m = static_cast<int>(p_.m), n = static_cast<int>(p_.n), k = static_cast<int>(p_.k);
    check_cublas(cublasGemmStridedBatchedEx(
                     handle_.get(), op(p_.trans_a), op(p_.trans_b), m, n, k, &one, a_.data(),
                     data_type(), p_.trans_a ? k : m, p_.m * p_.k, b_.data(), data_type(),
                     p_.trans_b ? n : k, p_.k * p_.n, &zero, c_.data(), data_type(), m, p_.m * p_.n,
                     static_cast<int>(p_.batch), compute_type(), CUBLAS_GEMM_DEFAULT),
                 "cublasGemmStridedBatchedEx");
  }

  void check() override {
    launch();
    PACELINE_CUDA(cudaDeviceSynchronize());
    const std::int64_t last = p_.batch - 1;
    for (const auto& [i, j] : {std::pair<std::int64_t, std::int64_t>{0, 0},
                               {p_.m - 1, p_.n - 1},
                               {p_.m / 3, p_.n / 2}}) {
      const std::int64_t at = last * p_.m * p_.n + i + j * p_.m;
      require_near(read_elements(c_.data(), type_, {at}).front(), reference(last, i, j),
                   sum_tolerance(p_.k, p_.precision),
                   "element " + std::to_string(i) + "," + std::to_string(j));
    }
  }

 private:
  static constexpr std::uint32_t kSeedA = 1, kSeedB = 2;

  static cublasOperation_t op(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }
  cudaDataType data_type() const {
    if (type_ == ElementType::kFp16) return CUDA_R_16F;
    return type_ == ElementType::kBf16 ? CUDA_R_16BF : CUDA_R_32F;
  }
  cublasComputeType_t compute_type() const {
    return p_.precision == "tf32" ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  }
  double reference(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t l = 0; l < p_.k; ++l) {
      const std::int64_t a = batch * p_.m * p_.k + (p_.trans_a ? l + i * p_.k : i + l * p_.m);
      const std::int64_t b = batch * p_.k * p_.n + (p_.trans_b ? j + l * p_.n : l + j * p_.k);
      sum += random_element(a, type_, kSeedA) * random_element(b, type_, kSeedB);
    }
    return sum;
  }

  Product p_;
  ElementType type_;
  Handle handle_;
  DeviceBuffer a_, b_, c_;
};

struct Shape {
  std::int64_t m, n, k, batch;
  bool quick;
};
// From launch-bound to peak; skinny in every direction; sizes that no tile divides; heads of
// attention in batches.
constexpr std::array<Shape, 26> kShapes = {
    {{4480, 4480, 4480, 1, true},  {1120, 2240, 1120, 1, true},  {320, 320, 320, 1, true},
     {3520, 96, 3520, 1, true},    {160, 6400, 640, 1, true},    {272, 304, 9600, 1, true},
     {6720, 3360, 1680, 1, true},  {400, 400, 72, 48, true},     {8640, 8640, 8640, 1, false},
     {9600, 2400, 2400, 1, false}, {2400, 9600, 2400, 1, false}, {2400, 2400, 9600, 1, false},
     {5600, 1400, 5600, 1, false}, {720, 720, 720, 1, false},    {1440, 480, 960, 1, false},
     {6000, 48, 1500, 1, false},   {72, 12000, 1200, 1, false},  {1750, 1330, 1010, 1, false},
     {96, 96, 24000, 1, false},    {12800, 3200, 800, 1, false}, {3200, 12800, 800, 1, false},
     {160, 160, 160, 1, false},    {1520, 1520, 88, 24, false},  {1520, 88, 1520, 24, false},
     {176, 176, 48, 192, false},   {30400, 1200, 2400, 1, false}}};

class Gemm final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    std::vector<Axes> out;
    for (std::size_t i = 0; i < kShapes.size(); ++i) {
      const Shape& s = kShapes[i];
      if (size == GpuDesign::kQuick && !s.quick) continue;
      for (const std::string& precision : precisions(gpu)) {
        out.push_back(axes(s, precision, "T", "N"));
        // The other two passes, on a part of the shapes.
        if (size == GpuDesign::kFull && i % 4 == 0) {
          out.push_back(axes(s, precision, "N", "N"));
          out.push_back(axes(s, precision, "N", "T"));
        }
      }
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<GemmKernel>(product_of(axes));
  }

 private:
  static std::vector<std::string> precisions(const GpuInfo& gpu) {
    if (gpu.capability_major >= 8) return {"bf16", "tf32", "fp32", "fp16"};
    return {"fp16", "fp32"};
  }
  static Axes axes(const Shape& s, const std::string& precision, const char* a, const char* b) {
    Axes out = integer_axes({{"m", s.m}, {"n", s.n}, {"k", s.k}, {"batch", s.batch}});
    out["precision"] = precision;
    out["trans_a"] = std::string(a);
    out["trans_b"] = std::string(b);
    out["cache"] = std::string("warm");
    return out;
  }
};

// A large product again and again: the clock and the power that the GPU settles to.
class SustainedKernel final : public GpuKernel {
 public:
  SustainedKernel(const std::string& precision, Seconds duration, GpuUnderTest& device)
      : product_({.m = 4480,
                  .n = 4480,
                  .k = 4480,
                  .batch = 1,
                  .trans_a = true,
                  .trans_b = false,
                  .precision = precision}),
        duration_(duration),
        device_(device) {}
  void launch() override { product_.launch(); }
  void check() override {
    product_.check();
    soak();
  }
  Axes facts() const override {
    Axes out = {{"burst_s", burst_.si()}, {"sustained_s", sustained_.si()}};
    if (clock_hz_ > 0) out["sustained_clock_hz"] = clock_hz_;
    if (power_w_ > 0) out["sustained_power_w"] = power_w_;
    return out;
  }

 private:
  // Batches for the whole duration; the last tenth is the settled state.
  void soak() {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    burst_ = (1.0 / 8) * device_.time(product_, 8, false);
    Seconds spent(0);
    int settled = 0;
    double clocks = 0, power = 0, total = 0;
    while (spent < duration_ || settled == 0) {
      const Seconds each = (1.0 / 64) * device_.time(product_, 64, false);
      spent = Seconds(std::chrono::duration<double>(clock::now() - start).count());
      if (spent < 0.9 * duration_) continue;
      const GpuCondition now = device_.condition();
      clocks += now.sm_clock_hz;
      power += now.power_w;
      total += each.si();
      ++settled;
    }
    clock_hz_ = clocks / settled;
    power_w_ = power / settled;
    sustained_ = Seconds(total / settled);
  }

  GemmKernel product_;
  Seconds duration_;
  GpuUnderTest& device_;
  Seconds burst_{0}, sustained_{0};
  double clock_hz_ = 0, power_w_ = 0;
};

class Sustained final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    const std::int64_t seconds = size == GpuDesign::kQuick ? 5 : 60;
    std::vector<Axes> out = {with(integer_axes({{"seconds", seconds}}), "precision",
                                  gpu.capability_major >= 8 ? "bf16" : "fp16")};
    if (size == GpuDesign::kFull) {
      out.push_back(with(integer_axes({{"seconds", 20}}), "precision", "fp32"));
    }
    return out;
  }
  std::string unsupported(const GpuInfo& gpu) const override {
    return gpu.is_partition ? "a partition (MIG) has no clock and power of its own" : "";
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest& device) const override {
    const auto seconds = static_cast<double>(integer_axis(axes, "seconds", "cublas.sustained"));
    return std::make_unique<SustainedKernel>(text_axis(axes, "precision", "cublas.sustained"),
                                             Seconds(seconds), device);
  }
};

}  // namespace

void register_cublas_lt(GpuBenchmarkRegistry& registry);

void register_cublas(GpuBenchmarkRegistry& registry) {
  registry.add("cublas.gemm", "matrix products of cuBLAS", std::make_unique<Gemm>());
  register_cublas_lt(registry);
  registry.add("cublas.sustained", "clock and power under a lasting matrix product",
               std::make_unique<Sustained>());
}

void describe_cublas(GpuLibraryVersions& versions) {
  int parts[3] = {};
  const libraryPropertyType kinds[3] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (int i = 0; i < 3; ++i) {
    if (cublasGetProperty(kinds[i], &parts[i]) != CUBLAS_STATUS_SUCCESS) return;
  }
  versions["cublas"] =
      std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." + std::to_string(parts[2]);
}

}  // namespace paceline
