// Matrix products of cuBLASLt, as frameworks call it for linear layers, with the bias added in the
// same kernel or without, in the layouts of the three passes and, forward, in fp8: the first
// algorithm of its heuristic within the workspace, and how many it offered.
#include <cublasLt.h>

#include <array>
#include <memory>

#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"

namespace paceline {
namespace {

constexpr std::size_t kWorkspace = 32 << 20;

void check_lt(cublasStatus_t status, const char* call,
              std::source_location where = std::source_location::current()) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  library_failed("cuBLASLt", cublasGetStatusString(status), call, where);
}

template <typename T, cublasStatus_t (*Destroy)(T)>
struct Destroyer {
  void operator()(T object) const { Destroy(object); }
};
template <typename T, cublasStatus_t (*Destroy)(T)>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroyer<T, Destroy>>;
using LtHandle = Owned<cublasLtHandle_t, cublasLtDestroy>;
using Description = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

struct LtProduct {
  std::int64_t m = 0, n = 0, k = 0;
  bool trans_a = true, trans_b = false;
  bool bias = false;  // a value for each row of C
  std::string precision;
};

// C (m x n) = op(A) op(B) + bias, column-major.
class LtKernel final : public GpuKernel {
 public:
  explicit LtKernel(LtProduct product)
      : p_(std::move(product)),
        type_(is_fp8() ? ElementType::kBf16 : storage_type(p_.precision)),
        workspace_(kWorkspace) {
    make_operands();
    describe();
    choose();
  }

  void launch() override {
    const float one = 1, zero = 0;
    check_lt(cublasLtMatmul(handle_.get(), description_.get(), &one, a_.data(), layout_a_.get(),
                            b_.data(), layout_b_.get(), &zero, c_.data(), layout_c_.get(),
                            c_.data(), layout_c_.get(), &chosen_.algo, workspace_.data(),
                            workspace_.bytes(), nullptr),
             "cublasLtMatmul");
  }

  void check() override {
    launch();
    PACELINE_CUDA(cudaDeviceSynchronize());
    for (const auto& [i, j] : {std::pair<std::int64_t, std::int64_t>{0, 0},
                               {p_.m - 1, p_.n - 1},
                               {p_.m / 3, p_.n / 2}}) {
      const double expected = reference(i, j);
      require_near(read_elements(c_.data(), type_, {i + j * p_.m}).front(), expected,
                   sum_tolerance(p_.k, p_.precision) + 0.01 * std::abs(expected),
                   "element " + std::to_string(i) + "," + std::to_string(j));
    }
  }

  Axes facts() const override {
    return {{"workspace_bytes", static_cast<std::int64_t>(chosen_.workspaceSize)},
            {"algorithms_offered", std::int64_t{offered_}},
            {"waves", static_cast<double>(chosen_.wavesCount)}};
  }

 private:
  static constexpr std::uint32_t kSeedA = 1, kSeedB = 2, kSeedBias = 3;

  bool is_fp8() const { return p_.precision == "fp8"; }
  cudaDataType data_type() const {
    if (type_ == ElementType::kFp16) return CUDA_R_16F;
    return type_ == ElementType::kBf16 ? CUDA_R_16BF : CUDA_R_32F;
  }
  double reference(std::int64_t i, std::int64_t j) const {
    if (is_fp8()) return 0.25 * static_cast<double>(p_.k);  // every operand is 0.5
    double sum = p_.bias ? random_element(i, type_, kSeedBias) : 0;
    for (std::int64_t l = 0; l < p_.k; ++l) {
      sum += random_element(p_.trans_a ? l + i * p_.k : i + l * p_.m, type_, kSeedA) *
             random_element(p_.trans_b ? j + l * p_.n : l + j * p_.k, type_, kSeedB);
    }
    return sum;
  }

  void make_operands() {
    if (is_fp8()) {
      constexpr int kOneHalf = 0x30;  // in e4m3: exponent 6 - 7
      a_ = DeviceBuffer(static_cast<std::size_t>(p_.m * p_.k));
      b_ = DeviceBuffer(static_cast<std::size_t>(p_.k * p_.n));
      PACELINE_CUDA(cudaMemset(a_.data(), kOneHalf, a_.bytes()));
      PACELINE_CUDA(cudaMemset(b_.data(), kOneHalf, b_.bytes()));
    } else {
      a_ = random_tensor(p_.m * p_.k, type_, kSeedA);
      b_ = random_tensor(p_.k * p_.n, type_, kSeedB);
    }
    if (p_.bias) bias_ = random_tensor(p_.m, type_, kSeedBias);
    c_ = DeviceBuffer(static_cast<std::size_t>(p_.m * p_.n) * element_bytes(type_));
  }

  static Layout layout(cudaDataType type, std::int64_t rows, std::int64_t columns) {
    cublasLtMatrixLayout_t made = nullptr;
    check_lt(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                        static_cast<std::uint64_t>(columns), rows),
             "cublasLtMatrixLayoutCreate");
    return Layout(made);
  }

  void describe() {
    cublasLtHandle_t handle = nullptr;
    check_lt(cublasLtCreate(&handle), "cublasLtCreate");
    handle_.reset(handle);
    cublasLtMatmulDesc_t description = nullptr;
    const cublasComputeType_t compute =
        p_.precision == "tf32" ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check_lt(cublasLtMatmulDescCreate(&description, compute, CUDA_R_32F),
             "cublasLtMatmulDescCreate");
    description_.reset(description);
    set(CUBLASLT_MATMUL_DESC_TRANSA, p_.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p_.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (p_.bias) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias_.data());
    }
    const cudaDataType type = is_fp8() ? CUDA_R_8F_E4M3 : data_type();
    layout_a_ = p_.trans_a ? layout(type, p_.k, p_.m) : layout(type, p_.m, p_.k);
    layout_b_ = p_.trans_b ? layout(type, p_.n, p_.k) : layout(type, p_.k, p_.n);
    layout_c_ = layout(data_type(), p_.m, p_.n);
  }
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) const {
    check_lt(cublasLtMatmulDescSetAttribute(description_.get(), attribute, &value, sizeof value),
             "cublasLtMatmulDescSetAttribute");
  }

  void choose() {
    cublasLtMatmulPreference_t preference = nullptr;
    check_lt(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    const Preference owned(preference);
    const std::size_t most = kWorkspace;
    check_lt(cublasLtMatmulPreferenceSetAttribute(
                 preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
             "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES");
    std::array<cublasLtMatmulHeuristicResult_t, 8> results{};
    check_lt(cublasLtMatmulAlgoGetHeuristic(handle_.get(), description_.get(), layout_a_.get(),
                                            layout_b_.get(), layout_c_.get(), layout_c_.get(),
                                            preference, static_cast<int>(results.size()),
                                            results.data(), &offered_),
             "cublasLtMatmulAlgoGetHeuristic");
    if (offered_ == 0) throw MeasurementError("cuBLASLt has no algorithm for this shape");
    chosen_ = results.front();
  }

  LtProduct p_;
  ElementType type_;  // of the result, and of the operands but fp8 ones
  DeviceBuffer a_, b_, c_, bias_, workspace_;
  LtHandle handle_;
  Description description_;
  Layout layout_a_, layout_b_, layout_c_;
  cublasLtMatmulHeuristicResult_t chosen_{};
  int offered_ = 0;
};

struct Shape {
  std::int64_t m, n, k;
};
constexpr std::array<Shape, 8> kShapes = {{{4480, 4480, 4480},
                                           {1120, 2240, 1120},
                                           {320, 320, 320},
                                           {3520, 96, 3520},
                                           {160, 6400, 640},
                                           {6720, 3360, 1680},
                                           {2400, 9600, 2400},
                                           {2400, 2400, 9600}}};

class LtGemm final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    const bool quick = size == GpuDesign::kQuick, ampere = gpu.capability_major >= 8;
    const char* usual = ampere ? "bf16" : "fp16";
    std::vector<Axes> out;
    for (std::size_t i = 0; i < (quick ? kFirst : kShapes.size()); ++i) {
      out.push_back(axes(kShapes[i], usual, "T", "N", "none"));
      if (has_fp8(gpu)) out.push_back(axes(kShapes[i], "fp8", "T", "N", "none"));
    }
    for (std::size_t i = 0; i < (quick ? 0 : kFirst); ++i) {
      out.push_back(axes(kShapes[i], usual, "T", "N", "bias"));
      out.push_back(axes(kShapes[i], usual, "N", "N", "none"));
      out.push_back(axes(kShapes[i], usual, "N", "T", "none"));
      out.push_back(axes(kShapes[i], "fp32", "T", "N", "none"));
      if (!ampere) continue;
      out.push_back(axes(kShapes[i], "tf32", "T", "N", "none"));
      out.push_back(axes(kShapes[i], "fp16", "T", "N", "none"));
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const auto number = [&](const char* axis) { return integer_axis(axes, axis, "cublaslt.gemm"); };
    const auto text = [&](const char* axis) { return text_axis(axes, axis, "cublaslt.gemm"); };
    return std::make_unique<LtKernel>(LtProduct{.m = number("m"),
                                                .n = number("n"),
                                                .k = number("k"),
                                                .trans_a = text("trans_a") == "T",
                                                .trans_b = text("trans_b") == "T",
                                                .bias = text("epilogue") == "bias",
                                                .precision = text("precision")});
  }

 private:
  static constexpr std::size_t kFirst = 3;  // shapes of the quick plan, and of all variants

  static Axes axes(const Shape& s, const char* precision, const char* a, const char* b,
                   const char* epilogue) {
    Axes out = integer_axes({{"m", s.m}, {"n", s.n}, {"k", s.k}});
    out["precision"] = std::string(precision);
    out["trans_a"] = std::string(a);
    out["trans_b"] = std::string(b);
    out["epilogue"] = std::string(epilogue);
    return out;
  }
  static bool has_fp8(const GpuInfo& gpu) {
    return 10 * gpu.capability_major + gpu.capability_minor >= 89;
  }
};

}  // namespace

void register_cublas_lt(GpuBenchmarkRegistry& registry);

void register_cublas_lt(GpuBenchmarkRegistry& registry) {
  registry.add("cublaslt.gemm", "matrix products of cuBLASLt, with a bias and in fp8 as well",
               std::make_unique<LtGemm>());
}

}  // namespace paceline
