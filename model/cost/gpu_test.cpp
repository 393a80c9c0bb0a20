// The shipped GPU parameters: every device of the catalog can be costed, and the costs obey what
// holds for any device.
#include "model/cost/gpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/error.h"
#include "model/cost/gpu_family.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

const DeviceCatalog& catalog() {
  static const DeviceCatalog shipped = DeviceCatalog::shipped();
  return shipped;
}

const GpuCostModel& model_of(const std::string& device) {
  static std::map<std::string, GpuCostModel> models;
  const auto found = models.find(device);
  if (found != models.end()) return found->second;
  return models.emplace(device, GpuCostModel::for_device(catalog().at(device))).first->second;
}

std::vector<Kernel> kernels() {
  const Bytes bytes(64e6);
  return {{"torch.linear", GemmShape{.m = 4096, .n = 4096, .k = 4096, .trans_a = true}},
          {"torch.matmul", GemmShape{.m = 128, .n = 128, .k = 64, .batch = 96}},
          {"conv", ConvShape{.n = 64, .c = 128, .h = 28, .w = 28, .k = 128, .r = 3, .s = 3}},
          {"conv",
           ConvShape{
               .pass = Pass::kWgrad, .n = 64, .c = 64, .h = 56, .w = 56, .k = 256, .r = 1, .s = 1}},
          {"aten.relu", StreamShape{.elements = 16000000, .read = bytes, .written = bytes}},
          {"aten.layer_norm", StreamShape{.elements = 16000000,
                                          .read = bytes,
                                          .written = bytes,
                                          .row = 1024,
                                          .kind = StreamKind::kNormalization}},
          {"lstm", RnnShape{.hidden = 512, .batch = 64, .steps = 32}}};
}

std::vector<DeviceSpec> gpus() {
  std::vector<DeviceSpec> out;
  for (const DeviceSpec& device : catalog().devices()) {
    if (device.kind == DeviceKind::kGpu) out.push_back(device);
  }
  return out;
}

// Families of a device that was measured have timings of their own; those of one that was not share
// what the device does to all of them.
TEST(GpuCostModel, FamiliesErrTogetherWhereTheDeviceWasNotMeasured) {
  const Kernel product = kernels().front();
  EXPECT_EQ(model_of("v100-sxm2-16g").cost(product, {}).common_share, 0);
  const double share = model_of("rtx-3090").cost(product, {}).common_share;
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 1);
}

// An A100 has batched fp32 products in tiles of 128 x 128 only, a P100 in tiles of 128 x 64; one
// product alone, or one in 16 bits, has others.
TEST(GpuCostModel, ABatchedProductOfFewColumnsFillsTheTilesOfItsKernel) {
  const auto product = [](std::int64_t n, std::int64_t batch) {
    return Kernel{"torch.bmm", GemmShape{.m = 2048, .n = n, .k = 2048, .batch = batch}};
  };
  const auto tile = [&](const char* device, const Kernel& kernel) {
    return model_of(device).choice(kernel, {}).algorithm;
  };
  EXPECT_EQ(tile("a100-pcie-40g", product(30, 64)), "tile 128x128");
  EXPECT_EQ(tile("p100-pcie", product(128, 64)), "tile 128x64");
  EXPECT_NE(tile("a100-pcie-40g", product(30, 1)), "tile 128x128");
  const Seconds narrow = model_of("a100-pcie-40g").cost(product(30, 64), {}).time;
  const Seconds wide = model_of("a100-pcie-40g").cost(product(128, 64), {}).time;
  EXPECT_NEAR(wide / narrow, 1, 0.05);
}

// Time is positive, its error is stated, and no kernel beats the data sheet by more than the
// arithmetic that Winograd's form of a 3 x 3 convolution saves (a factor of four).
TEST(GpuCostModel, CostsEveryKernelOnEveryGpuWithinPhysics) {
  for (const DeviceSpec& device : gpus()) {
    for (const Kernel& kernel : kernels()) {
      const KernelCost cost = model_of(device.name).cost(kernel, {});
      const double peak = kernel_flops(kernel.shape).si() / device.peak(Precision::kFp32).si();
      EXPECT_GT(cost.time.si(), peak / 4) << device.name << " " << to_string(kernel.shape);
      EXPECT_LT(cost.time.si(), 10.0) << device.name << " " << to_string(kernel.shape);
      EXPECT_GT(std::hypot(cost.shared_sd, cost.own_sd), 0.01) << device.name;
      EXPECT_FALSE(cost.origin.source.empty());
    }
  }
}

TEST(GpuCostModel, MoreWorkTakesLonger) {
  for (const DeviceSpec& device : gpus()) {
    const auto time = [&](std::int64_t size) {
      const GemmShape shape{.m = size, .n = size, .k = size, .trans_a = true};
      return model_of(device.name).cost({"gemm", shape}, {}).time.si();
    };
    EXPECT_LT(time(512), time(1024)) << device.name;
    EXPECT_LT(time(1024), time(4096)) << device.name;
  }
}

// A device that was measured says so; one that was not says what stands in, and is less certain: a
// board with the same chip, or other architectures.
TEST(GpuCostModel, TellsMeasuredFromSameChipFromPooled) {
  const Kernel linear{"linear", GemmShape{.m = 4096, .n = 4096, .k = 4096, .trans_a = true},
                      Precision::kBf16};
  const KernelCost measured = model_of("h100-sxm").cost(linear, {});
  const KernelCost same_chip = model_of("h200-sxm").cost(linear, {});
  const KernelCost pooled = model_of("b200-sxm").cost(linear, {});
  EXPECT_EQ(measured.origin.kind, OriginKind::kFitted);
  EXPECT_EQ(same_chip.origin.kind, OriginKind::kFitted);
  EXPECT_NE(same_chip.origin.source.find("same chip"), std::string::npos);
  EXPECT_EQ(pooled.origin.kind, OriginKind::kExtrapolated);
  EXPECT_GT(same_chip.shared_sd, measured.shared_sd);
  EXPECT_GT(pooled.shared_sd, measured.shared_sd);
  // The two boards differ in memory, and this product is bound by the chip.
  EXPECT_NEAR(same_chip.time.si() / measured.time.si(), 1, 0.01);
}

TEST(GpuCostModel, ListsTheOriginOfEveryFamily) {
  for (const DeviceSpec& device : gpus()) {
    EXPECT_EQ(model_of(device.name).origins().size(), gpu_families().size()) << device.name;
  }
}

TEST(GpuCostModel, ATighterWorkspaceNeverHelps) {
  const Kernel conv{
      "conv",
      ConvShape{
          .n = 64, .c = 256, .h = 14, .w = 14, .k = 256, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1}};
  for (const char* device : {"titan-x-maxwell", "gtx-980", "k80", "v100-sxm2-16g"}) {
    const GpuCostModel& model = model_of(device);
    ExecutionContext tight;
    tight.workspace_limit = Bytes(0);
    EXPECT_EQ(model.choice(conv, tight).workspace.si(), 0) << device;
    EXPECT_GE(model.cost(conv, tight).time.si(), model.cost(conv, {}).time.si()) << device;
  }
}

TEST(GpuCostModel, RefusesArithmeticTheDeviceDoesNotHave) {
  const Kernel kernel{"linear", GemmShape{.m = 64, .n = 64, .k = 64}, Precision::kFp8};
  EXPECT_THROW(model_of("a100-sxm-80g").cost(kernel, {}), UsageError);
}

TEST(GpuFamily, FollowsFromShapeAndPrecisionNotFromTheName) {
  const DeviceSpec& v100 = catalog().at("v100-sxm2-16g");
  const GemmShape gemm{.m = 64, .n = 64, .k = 64};
  EXPECT_EQ(gpu_family({"x", gemm}, v100), "gpu.gemm.vector");
  EXPECT_EQ(gpu_family({"x", gemm, Precision::kFp16}, v100), "gpu.gemm.matrix");
  const auto stream_family = [&](StreamKind kind) {
    return gpu_family(
        {"aten.layer_norm",
         StreamShape{.elements = 10, .read = Bytes(40), .written = Bytes(40), .kind = kind}},
        v100);
  };
  EXPECT_EQ(stream_family(StreamKind::kNormalizationBackward), "gpu.stream.normalization_backward");
  EXPECT_EQ(stream_family(StreamKind::kSoftmax), "gpu.stream.softmax");
  EXPECT_EQ(stream_family(StreamKind::kOptimizer), "gpu.stream.optimizer");
  EXPECT_EQ(stream_family(StreamKind::kElementwise), "gpu.stream.elementwise");
  EXPECT_EQ(stream_family(StreamKind::kGather), "gpu.stream.elementwise");
}

// Nobody has timed gathers: their price says that it is that of something else, and is less sure.
TEST(GpuCostModel, SaysThatGathersArePricedAsElementwiseKernels) {
  const GpuCostModel& model = model_of("a100-sxm-80g");
  StreamShape shape{.elements = 1 << 24, .read = Bytes(64e6), .written = Bytes(64e6), .row = 512};
  const KernelCost elementwise = model.cost({"copy", shape}, {});
  shape.kind = StreamKind::kGather;
  const KernelCost gather = model.cost({"embedding", shape}, {});
  EXPECT_EQ(elementwise.origin.kind, OriginKind::kFitted);
  EXPECT_EQ(gather.origin.kind, OriginKind::kExtrapolated);
  EXPECT_GT(gather.shared_sd, elementwise.shared_sd);
}

// What lies beside the measured devices' parameters is no device: what is expected of an
// architecture, how far apart boards are, residuals. A device file may have such a name, and is
// then priced as under any other.
TEST(GpuParameterFiles, TheNameOfADeviceFileIsOfNoConsequence) {
  DeviceSpec device = catalog().at("h100-sxm");
  device.name = "mine";
  const Kernel kernel{"gemm", GemmShape{.m = 4096, .n = 4096, .k = 4096}, Precision::kBf16};
  const KernelCost cost = GpuCostModel::for_device(device).cost(kernel, {});
  for (const char* name : {"architecture-hopper", "residuals", "same-chip"}) {
    device.name = name;
    EXPECT_TRUE(read_gpu_parameters(device).own.fits.empty()) << name;
    EXPECT_EQ(GpuCostModel::for_device(device).cost(kernel, {}).time, cost.time) << name;
  }
}

// What was measured on a chip is given to a device that says it has that chip.
TEST(GpuParameterFiles, ADeviceSaysWhichMeasuredChipItHas) {
  DeviceSpec device = catalog().at("h100-sxm");
  device.name = "mine";
  device.same_chip.reset();
  const Kernel kernel{"gemm", GemmShape{.m = 4096, .n = 4096, .k = 4096}, Precision::kBf16};
  EXPECT_EQ(GpuCostModel::for_device(device).cost(kernel, {}).origin.kind,
            OriginKind::kExtrapolated);
  device.same_chip = Fact<std::vector<std::string>>{{"h100-sxm"}, "its markings"};
  const KernelCost cost = GpuCostModel::for_device(device).cost(kernel, {});
  EXPECT_EQ(cost.origin.kind, OriginKind::kFitted);
  EXPECT_EQ(cost.time, model_of("h100-sxm").cost(kernel, {}).time);
}

TEST(GpuParameterFiles, AnUnknownArchitectureIsAnsweredWithTheNearest) {
  DeviceSpec device = catalog().at("h100-sxm");
  device.architecture = "hoper";
  try {
    read_gpu_parameters(device);
    FAIL() << "nothing is known of that architecture";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("hopper"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace paceline
