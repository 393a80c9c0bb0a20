// Training in fp8: what is converted, what that costs, and where it pays.
#include <gtest/gtest.h>

#include <map>

#include "model/cost/gpu.h"
#include "model/graph/workload.h"
#include "model/hardware/device_catalog.h"
#include "simulator/frameworks/framework.h"

namespace paceline {
namespace {

const DeviceSpec& h100() {
  static const DeviceCatalog catalog = DeviceCatalog::shipped();
  return catalog.at("h100-sxm");
}

std::vector<IssuedCall> micro_batch(const std::string& model, std::int64_t batch,
                                    Precision precision, const FrameworkSettings& chosen = {}) {
  const auto pytorch = framework_registry().make("pytorch");
  const FrameworkSettings settings = resolve_settings(pytorch->options(DeviceKind::kGpu), chosen);
  const WorkloadGraph graph = pytorch->prepare(
      build_workload(workload_registry(), model, {.batch = batch}), precision, &h100(), settings);
  ExecutionContext context;
  context.device = &h100();
  return pytorch->issue(graph, context, settings).micro_batch;
}

// Of kernels of this name: how many, and the bytes they move.
struct Calls {
  std::int64_t count = 0;
  double bytes = 0;
};
Calls calls_of(const std::vector<IssuedCall>& calls, const std::string& name) {
  Calls out;
  for (const IssuedCall& call : calls) {
    if (!call.kernel || call.kernel->implementation != name) continue;
    out.count += call.repeat;
    out.bytes += static_cast<double>(call.repeat) *
                 kernel_bytes(call.kernel->shape, call.kernel->precision).si();
  }
  return out;
}

double seconds(const std::vector<IssuedCall>& calls) {
  static const GpuCostModel model = GpuCostModel::for_device(h100());
  double out = 0;
  for (const IssuedCall& call : calls) {
    if (!call.kernel) continue;
    out += static_cast<double>(call.repeat) * model.cost(*call.kernel, {}).time.si();
  }
  return out;
}

// Input, weights and gradient of each layer are converted once; the three products use them.
TEST(Fp8, EveryOperandIsConvertedOnce) {
  const auto calls = micro_batch("bert-large", 8, Precision::kFp8);
  std::int64_t products = 0;
  for (const IssuedCall& call : calls) {
    if (call.kernel && call.kernel->precision == Precision::kFp8) products += call.repeat;
  }
  EXPECT_GT(products, 3 * 6 * 24 - 1);  // six layers in each of 24 blocks
  EXPECT_EQ(calls_of(calls, "quantize").count, products);
}

// Weights go from fp32 to fp8 without a copy in 16 bits between.
TEST(Fp8, WeightsAreNotConvertedTwice) {
  const auto narrow = calls_of(micro_batch("bert-large", 8, Precision::kBf16), "cast");
  const auto fp8 = calls_of(micro_batch("bert-large", 8, Precision::kFp8), "cast");
  EXPECT_LE(fp8.count, narrow.count - 6 * 24);
  EXPECT_LT(fp8.bytes, narrow.bytes);
}

// Gradients need the transposes, inference does not: 2 + 1 + 1 bytes for an element, or 2 + 1.
TEST(Fp8, TransposedCopiesAreOfTraining) {
  const auto bytes = [](const char* phases) {
    const auto calls =
        micro_batch("bert-large", 8, Precision::kFp8, {{"phases", phases}, {"mixed", "uniform"}});
    double activations = 0;
    for (const IssuedCall& call : calls) {
      if (call.phase != Phase::kForward || !call.kernel) continue;
      if (call.kernel->implementation != "quantize") continue;
      activations += static_cast<double>(call.repeat) *
                     kernel_bytes(call.kernel->shape, Precision::kFp32).si();
    }
    return activations;
  };
  EXPECT_NEAR(bytes("forward-backward") / bytes("forward"), 4.0 / 3, 1e-9);
}

// 30522 rows of BERT's vocabulary are no multiple of 8: that product stays in 16 bits.
TEST(Fp8, LayersOfOddSizesStayIn16Bits) {
  for (const IssuedCall& call : micro_batch("bert-large", 8, Precision::kFp8)) {
    if (!call.kernel) continue;
    const auto* gemm = std::get_if<GemmShape>(&call.kernel->shape);
    if (gemm == nullptr || call.kernel->precision != Precision::kFp8) continue;
    EXPECT_EQ(gemm->m % 8 + gemm->n % 8 + gemm->k % 8, 0) << to_string(call.kernel->shape);
  }
}

// Where products are large enough to pay for the conversions of their operands, fp8 is faster.
TEST(Fp8, IsFasterThanBf16WhereProductsPayForTheirConversions) {
  const std::map<std::string, std::int64_t> models = {
      {"bert-large", 32}, {"gpt2-large", 8}, {"gpt2-xl", 8}};
  for (const auto& [model, batch] : models) {
    EXPECT_LT(seconds(micro_batch(model, batch, Precision::kFp8)),
              seconds(micro_batch(model, batch, Precision::kBf16)))
        << model;
  }
}

// One linear layer with all that fp8 adds to it: never slower from 2048 features and 4096 tokens.
TEST(Fp8, ALargeLayerIsNeverSlower) {
  static const GpuCostModel model = GpuCostModel::for_device(h100());
  const auto price = [&](const KernelShape& shape, Precision precision) {
    return model.cost({"x", shape, precision}, {}).time.si();
  };
  const auto convert = [&](double elements) {
    const StreamShape shape{.elements = static_cast<std::int64_t>(elements),
                            .read = Bytes(2 * elements),
                            .written = Bytes(2 * elements)};
    return price(shape, Precision::kFp32);
  };
  for (const std::int64_t tokens : {4096, 8192, 16384}) {
    for (const std::int64_t in : {2048, 4096, 8192}) {
      for (const std::int64_t out : {2048, 4096, 14336}) {
        const auto products = [&](Precision precision) {
          return price(GemmShape{.m = out, .n = tokens, .k = in, .trans_a = true}, precision) +
                 price(GemmShape{.m = in, .n = tokens, .k = out}, precision) +
                 price(GemmShape{.m = in, .n = out, .k = tokens, .trans_b = true}, precision);
        };
        const double x = static_cast<double>(tokens * in), w = static_cast<double>(in * out);
        const double y = static_cast<double>(tokens * out);
        EXPECT_LE(products(Precision::kFp8) + convert(x) + convert(w) + convert(y),
                  products(Precision::kBf16))
            << tokens << " tokens, " << in << " to " << out;
      }
    }
  }
}

}  // namespace
}  // namespace paceline
