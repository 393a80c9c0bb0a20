// OpenBLAS sgemm in the three forms that training calls, as BLAS sees them (column-major; BLAS'
// C = op(A) op(B) is the transpose of the framework's row-major product):
//
//   forward   y  = x W^T   TN  m = out    n = rows  k = in     beta 1 (C holds the bias already)
//   dgrad     dx = dy W    NN  m = in     n = rows  k = out    beta 0
//   wgrad     dW = dy^T x  NT  m = in     n = out   k = rows   beta 0
//
// and for a 1x1 convolution of one image, which PyTorch computes as a product (columns = pixels):
//
//   forward   y  = W x     NN  m = pixels n = out   k = in     beta 0
//   dgrad     dx = W^T dy  NT  m = pixels n = in    k = out    beta 0
//   wgrad     dW = dy x^T  TN  m = in     n = out   k = pixels beta 1
#include <cblas.h>

#include <cmath>

#include "core/error.h"
#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"
#include "microbench/cpu/design.h"

namespace paceline {
namespace {

struct Gemm {
  std::int64_t m, n, k;
  bool trans_a, trans_b;
  int beta;
};

Axes axes_of_gemm(const Gemm& gemm) {
  Axes axes =
      axes_of({{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}, {"batch", 1}, {"beta", gemm.beta}});
  axes["trans_a"] = gemm.trans_a ? "T" : "N";
  axes["trans_b"] = gemm.trans_b ? "T" : "N";
  return axes;
}

Gemm gemm_of_axes(const Axes& axes) {
  const std::string owner = "openblas.sgemm";
  return {integer_axis(axes, "m", owner),
          integer_axis(axes, "n", owner),
          integer_axis(axes, "k", owner),
          text_axis(axes, "trans_a", owner) == "T",
          text_axis(axes, "trans_b", owner) == "T",
          static_cast<int>(integer_axis(axes, "beta", owner))};
}

struct LinearLayer {
  std::int64_t rows, in, out;
};
struct PointwiseConvolution {
  std::int64_t pixels, in, out;
};

std::vector<Gemm> gemms_of(const LinearLayer& l) {
  return {{l.out, l.rows, l.in, true, false, 1},
          {l.in, l.rows, l.out, false, false, 0},
          {l.in, l.out, l.rows, false, true, 0}};
}

std::vector<Gemm> gemms_of(const PointwiseConvolution& c) {
  return {{c.pixels, c.out, c.in, false, false, 0},
          {c.pixels, c.in, c.out, false, true, 0},
          {c.in, c.out, c.pixels, true, false, 1}};
}

// The scores and the mixing of values of one attention head, with their gradients, use all forms.
std::vector<Gemm> gemms_of_head(std::int64_t sequence, std::int64_t width) {
  return {{sequence, sequence, width, true, false, 0},
          {width, sequence, sequence, false, false, 0},
          {width, sequence, sequence, false, true, 0}};
}

const std::vector<LinearLayer> kLargeLayers = {
    {48, 6144, 3072},  {96, 12288, 1792}, {40, 1152, 2304},  {192, 2560, 1536}, {320, 640, 2560},
    {448, 896, 896},   {768, 320, 1280},  {1536, 448, 1344}, {24, 3584, 4608},  {12, 7168, 3584},
    {640, 1792, 1408}, {896, 320, 7168},  {288, 8192, 2560}, {1152, 3584, 2304}};
const std::vector<LinearLayer> kSmallLayers = {{20, 192, 160}, {80, 320, 24}, {160, 96, 480}};
// Outputs per class: no multiple of what the kernels unroll.
const std::vector<LinearLayer> kClassifiers = {{24, 960, 10}, {112, 640, 9}, {72, 1288, 1003}};
// One step of a recurrent layer: hidden -> 4 x hidden.
const std::vector<LinearLayer> kRecurrentSteps = {
    {20, 320, 1280}, {48, 192, 768}, {80, 448, 1792}, {96, 640, 2560}};
const std::vector<PointwiseConvolution> kPointwise = {
    {3600, 48, 192}, {1600, 96, 320}, {900, 320, 80},  {676, 224, 448},
    {400, 448, 160}, {225, 640, 320}, {81, 1280, 320}, {144, 384, 960}};

template <typename Layer>
void add_all(std::vector<Gemm>& out, const std::vector<Layer>& layers, std::size_t step) {
  for (std::size_t i = 0; i < layers.size(); i += step) {
    for (const Gemm& gemm : gemms_of(layers[i])) out.push_back(gemm);
  }
}

double operand_megabytes(const Gemm& g) {
  return 4e-6 * static_cast<double>(g.m * g.k + g.k * g.n + g.m * g.n);
}

std::vector<std::size_t> operand_bytes(const Gemm& gemm) {
  return {sizeof(float) * static_cast<std::size_t>(gemm.m * gemm.k),
          sizeof(float) * static_cast<std::size_t>(gemm.k * gemm.n)};
}

class SgemmKernel final : public PreparedKernel {
 public:
  SgemmKernel(const Gemm& gemm, CacheState state, Workspace& workspace)
      : gemm_(gemm),
        sets_(workspace, operand_bytes(gemm),
              {sizeof(float) * static_cast<std::size_t>(gemm.m * gemm.n)}, state) {
    if (gemm.beta != 0) sets_.fill_output(0);
  }

  void run() override { multiply(sets_.next()); }

  void check() override {
    const std::size_t size = static_cast<std::size_t>(gemm_.m * gemm_.n);
    const std::vector<std::size_t> indices = spread_indices(size, 16);
    std::vector<double> before;
    for (const std::size_t index : indices) before.push_back(sets_.output(0, 0)[index]);
    multiply(0);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto index = static_cast<std::int64_t>(indices[i]);
      const double product = reference(index % gemm_.m, index / gemm_.m);
      require_close("C[" + std::to_string(index) + "]", sets_.output(0, 0)[index],
                    product + gemm_.beta * before[i], std::sqrt(static_cast<double>(gemm_.k)));
    }
  }

 private:
  std::int64_t lda() const { return gemm_.trans_a ? gemm_.k : gemm_.m; }
  std::int64_t ldb() const { return gemm_.trans_b ? gemm_.n : gemm_.k; }

  void multiply(std::size_t set) {
    const auto as_int = [](std::int64_t value) { return static_cast<blasint>(value); };
    cblas_sgemm(CblasColMajor, gemm_.trans_a ? CblasTrans : CblasNoTrans,
                gemm_.trans_b ? CblasTrans : CblasNoTrans, as_int(gemm_.m), as_int(gemm_.n),
                as_int(gemm_.k), 1.0F, sets_.input(0, set), as_int(lda()), sets_.input(1, set),
                as_int(ldb()), static_cast<float>(gemm_.beta), sets_.output(0, set),
                as_int(gemm_.m));
  }

  double reference(std::int64_t row, std::int64_t column) const {
    const float* a = sets_.input(0, 0);
    const float* b = sets_.input(1, 0);
    double sum = 0;
    for (std::int64_t i = 0; i < gemm_.k; ++i) {
      sum += double{gemm_.trans_a ? a[i + row * lda()] : a[row + i * lda()]} *
             double{gemm_.trans_b ? b[column + i * ldb()] : b[i + column * ldb()]};
    }
    return sum;
  }

  Gemm gemm_;
  OperandSets sets_;
};

class Sgemm final : public Benchmark {
 public:
  std::vector<Axes> design(DesignSize size) const override {
    const std::size_t step = size == DesignSize::kFull ? 1 : 3;
    std::vector<Gemm> gemms;
    add_all(gemms, kLargeLayers, step);
    add_all(gemms, kSmallLayers, step);
    add_all(gemms, kClassifiers, step);
    add_all(gemms, kRecurrentSteps, step);
    add_all(gemms, kPointwise, step);
    for (const Gemm& gemm : gemms_of_head(96, 48)) gemms.push_back(gemm);
    for (const Gemm& gemm : gemms_of_head(160, 80)) gemms.push_back(gemm);
    std::vector<Axes> out;
    for (const Gemm& gemm : gemms) {
      add_cold(out, axes_of_gemm(gemm));
      if (operand_megabytes(gemm) < kWarmMegabytes) add_warm(out, axes_of_gemm(gemm));
    }
    return out;
  }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace& workspace) const override {
    return std::make_unique<SgemmKernel>(gemm_of_axes(axes), cache_state(axes), workspace);
  }

 private:
  static constexpr double kWarmMegabytes = 40;  // to where the last-level cache ends
};

}  // namespace

void register_sgemm(BenchmarkRegistry& registry) {
  registry.add("openblas.sgemm", "single-precision matrix product in the forms that training calls",
               std::make_unique<Sgemm>());
}

}  // namespace paceline
