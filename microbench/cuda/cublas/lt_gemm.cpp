// Matrix products of cuBLASLt, as frameworks call it for linear layers with a bias and in fp8: the
// first algorithm of its heuristic within the workspace, and how many it offered.
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

// C (m x n) = A^T (k x m) B (k x n), column-major: fp8 has only this layout.
class LtKernel final : public GpuKernel {
 public:
  LtKernel(std::int64_t m, std::int64_t n, std::int64_t k, std::string precision)
      : m_(m), n_(n), k_(k), precision_(std::move(precision)), workspace_(kWorkspace) {
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
    for (const auto& [i, j] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {m_ - 1, n_ - 1}}) {
      double expected = 0;
      if (is_fp8()) {
        expected = 0.25 * static_cast<double>(k_);  // every operand is 0.5
      } else {
        for (std::int64_t l = 0; l < k_; ++l) {
          expected += random_element(l + i * k_, ElementType::kBf16, 1) *
                      random_element(l + j * k_, ElementType::kBf16, 2);
        }
      }
      require_near(read_elements(c_.data(), ElementType::kBf16, {i + j * m_}).front(), expected,
                   sum_tolerance(k_, precision_) + 0.01 * std::abs(expected),
                   "element " + std::to_string(i) + "," + std::to_string(j));
    }
  }

  Axes facts() const override {
    return {{"workspace_bytes", static_cast<std::int64_t>(chosen_.workspaceSize)},
            {"algorithms_offered", std::int64_t{offered_}},
            {"waves", static_cast<double>(chosen_.wavesCount)}};
  }

 private:
  bool is_fp8() const { return precision_ == "fp8"; }

  void make_operands() {
    if (is_fp8()) {
      constexpr int kOneHalf = 0x30;  // in e4m3: exponent 6 - 7
      a_ = DeviceBuffer(static_cast<std::size_t>(m_ * k_));
      b_ = DeviceBuffer(static_cast<std::size_t>(k_ * n_));
      PACELINE_CUDA(cudaMemset(a_.data(), kOneHalf, a_.bytes()));
      PACELINE_CUDA(cudaMemset(b_.data(), kOneHalf, b_.bytes()));
    } else {
      a_ = random_tensor(m_ * k_, ElementType::kBf16, 1);
      b_ = random_tensor(k_ * n_, ElementType::kBf16, 2);
    }
    c_ = DeviceBuffer(static_cast<std::size_t>(m_ * n_) * 2);
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
    check_lt(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F),
             "cublasLtMatmulDescCreate");
    description_.reset(description);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check_lt(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                            sizeof transposed),
             "CUBLASLT_MATMUL_DESC_TRANSA");
    const cudaDataType type = is_fp8() ? CUDA_R_8F_E4M3 : CUDA_R_16BF;
    layout_a_ = layout(type, k_, m_);
    layout_b_ = layout(type, k_, n_);
    layout_c_ = layout(CUDA_R_16BF, m_, n_);
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

  std::int64_t m_, n_, k_;
  std::string precision_;
  DeviceBuffer a_, b_, c_, workspace_;
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
    std::vector<Axes> out;
    for (std::size_t i = 0; i < (size == GpuDesign::kQuick ? 3 : kShapes.size()); ++i) {
      const Shape& s = kShapes[i];
      for (const char* precision : {"bf16", "fp8"}) {
        if (std::string(precision) == "fp8" && !has_fp8(gpu)) continue;
        Axes axes = integer_axes({{"m", s.m}, {"n", s.n}, {"k", s.k}});
        axes["precision"] = std::string(precision);
        axes["trans_a"] = std::string("T");
        axes["trans_b"] = std::string("N");
        out.push_back(std::move(axes));
      }
    }
    return out;
  }
  std::string unsupported(const GpuInfo& gpu) const override {
    return gpu.capability_major < 8 ? "bf16 needs compute capability 8.0" : "";
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const std::string name = "cublaslt.gemm";
    return std::make_unique<LtKernel>(integer_axis(axes, "m", name), integer_axis(axes, "n", name),
                                      integer_axis(axes, "k", name),
                                      text_axis(axes, "precision", name));
  }

 private:
  static bool has_fp8(const GpuInfo& gpu) {
    return 10 * gpu.capability_major + gpu.capability_minor >= 89;
  }
};

}  // namespace

void register_cublas_lt(GpuBenchmarkRegistry& registry);

void register_cublas_lt(GpuBenchmarkRegistry& registry) {
  registry.add("cublaslt.gemm", "matrix products of cuBLASLt, also in fp8",
               std::make_unique<LtGemm>());
}

}  // namespace paceline
