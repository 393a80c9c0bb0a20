// A prepared fit prices a kernel as its formula, its covariance and its domain say when they are
// looked up one by one.
#include "model/cost/prepared_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/cost/formulas.h"
#include "model/cost/gpu.h"
#include "model/cost/gpu_family.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

std::vector<Kernel> kernels() {
  std::vector<Kernel> out;
  for (const Precision precision : {Precision::kFp32, Precision::kFp16, Precision::kFp8}) {
    for (const bool transposed : {true, false}) {
      out.push_back(
          {"gemm", GemmShape{.m = 4096, .n = 512, .k = 1024, .trans_a = transposed}, precision});
      out.push_back(
          {"gemm", GemmShape{.m = 63, .n = 65, .k = 8192, .trans_b = transposed}, precision});
    }
    out.push_back({"gemm", GemmShape{.m = 128, .n = 128, .k = 64, .batch = 96}, precision});
    for (const Pass pass : {Pass::kForward, Pass::kDgrad, Pass::kWgrad}) {
      for (const std::int64_t taps : {1, 3, 5}) {
        out.push_back({"conv",
                       ConvShape{.pass = pass,
                                 .n = 32,
                                 .c = 64,
                                 .h = 28,
                                 .w = 28,
                                 .k = 96,
                                 .r = taps,
                                 .s = taps,
                                 .pad_h = taps / 2,
                                 .pad_w = taps / 2},
                       precision});
      }
      out.push_back(
          {"rnn", RnnShape{.pass = pass, .hidden = 512, .batch = 64, .steps = 32}, precision});
    }
  }
  for (const Pass pass : {Pass::kForward, Pass::kDgrad}) {
    out.push_back({"attention",
                   AttentionShape{.pass = pass,
                                  .batch = 4,
                                  .seq = 2048,
                                  .heads = 16,
                                  .kv_heads = 4,
                                  .head_dim = 128,
                                  .causal = true},
                   Precision::kFp16});
  }
  for (const StreamKind kind :
       {StreamKind::kElementwise, StreamKind::kNormalization, StreamKind::kNormalizationBackward,
        StreamKind::kSoftmax, StreamKind::kOptimizer}) {
    out.push_back({"stream", StreamShape{.elements = 1 << 22,
                                         .read = Bytes(16e6),
                                         .written = Bytes(16e6),
                                         .row = 768,
                                         .kind = kind}});
  }
  return out;
}

// What looking everything up says.
struct Expected {
  double time = 0;
  double variance = 0;  // of the parameters
  std::string outside;
};

Expected look_up(const Fit& fit, const Kernel& kernel, const ExecutionContext& context) {
  const FormulaEntry& formula = kernel_formula(fit.formula);
  std::vector<double> values;
  std::vector<ParameterScale> scales;
  std::vector<std::size_t> place;
  for (const formula::Declaration& declared : formula.parameters) {
    const Parameter& p = fit.parameter(std::string(declared.name));
    values.push_back(p.value);
    scales.push_back(p.scale);
    place.push_back(static_cast<std::size_t>(&p - fit.parameters.data()));
  }
  std::vector<double> covariance;
  const std::size_t n = values.size();
  for (std::size_t i = 0; i < n && !fit.covariance.empty(); ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      covariance.push_back(fit.covariance[place[i] * n + place[j]]);
    }
  }
  Expected out;
  out.time = formula.evaluate(kernel, context, values.data()).total;
  out.variance = parameter_variance(formula, kernel, context, values, scales, covariance);
  for (const auto& [quantity, value] : shape_quantities(kernel, context)) {
    const auto range = fit.domain.find(quantity);
    if (range == fit.domain.end() || !out.outside.empty()) continue;
    const auto& [low, high] = range->second;
    const bool is_between = quantity == "threads" && value != low && value != high;
    if (value < low || value > high || is_between) out.outside = quantity;
  }
  return out;
}

double shared_sd(const Fit& fit, const Expected& expected) {
  const FitQuality& q = fit.quality;
  double shared = expected.variance + q.shared_sd * q.shared_sd;
  const double seen = std::pow(std::max({q.residual_sd, q.own_sd, q.shared_sd}), 2);
  if (!expected.outside.empty() && seen > 0) shared *= 1 + std::min(3.0, expected.variance / seen);
  return std::min(std::sqrt(shared), 0.7);
}

void expect_as_looked_up(const ParameterSet& set, const DeviceSpec& device, int& compared) {
  const ExecutionContext context{.device = &device};
  for (const Kernel& kernel : kernels()) {
    if (!device.matrix_peak.contains(kernel.precision)) continue;
    const Fit* fit = set.find(gpu_family(kernel, device));
    if (fit == nullptr) continue;
    const Expected expected = look_up(*fit, kernel, context);
    const PreparedFit prepared(*fit, set);
    const PreparedFit::Price price = prepared.price(kernel, context);
    const std::string what = device.name + " " + to_string(kernel.shape);
    EXPECT_EQ(price.time.si(), expected.time) << what;
    EXPECT_GE(prepared.price(kernel, context, price.time).time, price.time) << what;
    const PreparedFit::Price below = prepared.price(kernel, context, 1.0001 * price.time);
    EXPECT_EQ(below.time, price.time) << what;
    EXPECT_EQ(below.shared_sd, price.shared_sd) << what;
    EXPECT_EQ(price.outside, expected.outside) << what;
    EXPECT_NEAR(price.shared_sd / shared_sd(*fit, expected), 1, 1e-12) << what;
    ++compared;
  }
}

// The time to the last bit, the error to what another order of sums rounds away.
TEST(PreparedFit, PricesAsLookingEverythingUpDoes) {
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  int compared = 0;
  for (const DeviceSpec& device : catalog.devices()) {
    if (device.kind != DeviceKind::kGpu) continue;
    const GpuParameterFiles files = read_gpu_parameters(device);
    expect_as_looked_up(files.own, device, compared);
    expect_as_looked_up(files.architecture, device, compared);
  }
  EXPECT_GT(compared, 1000);
}

// Every family is found at its place in the table, which the name must agree with.
TEST(GpuFamily, IndexAndNameAgree) {
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  std::vector<bool> seen(gpu_families().size());
  for (const Kernel& kernel : kernels()) {
    const DeviceSpec& device = catalog.at("h100-sxm");
    const std::size_t index = gpu_family_index(kernel, device);
    seen[index] = true;
    const std::string name(gpu_families()[index].name);
    EXPECT_EQ(name.find(kernel.implementation == "conv" ? "gpu.convolution"
                                                        : "gpu." + kernel.implementation),
              0U)
        << name;
    if (const auto* conv = std::get_if<ConvShape>(&kernel.shape)) {
      EXPECT_TRUE(name.ends_with(to_string(conv->pass))) << name;
    }
    if (const auto* rnn = std::get_if<RnnShape>(&kernel.shape)) {
      EXPECT_TRUE(name.ends_with(to_string(rnn->pass))) << name;
    }
    if (const auto* stream = std::get_if<StreamShape>(&kernel.shape)) {
      EXPECT_TRUE(name.ends_with("." + std::string(to_string(stream->kind)))) << name;
    }
  }
  EXPECT_GE(std::ranges::count(seen, true), 18);
}

}  // namespace
}  // namespace paceline
