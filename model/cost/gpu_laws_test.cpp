// Laws that the prices of kernels obey on every GPU of the catalog, whatever was fitted: physics,
// narrower arithmetic, better data sheets, one chip.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/statistics.h"
#include "model/cost/gpu.h"
#include "model/cost/gpu_family.h"
#include "model/cost/gpu_limits.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

const DeviceCatalog& catalog() {
  static const DeviceCatalog shipped = DeviceCatalog::shipped();
  return shipped;
}

std::vector<DeviceSpec> gpus() {
  std::vector<DeviceSpec> out;
  for (const DeviceSpec& device : catalog().devices()) {
    if (device.kind == DeviceKind::kGpu) out.push_back(device);
  }
  return out;
}

const GpuCostModel& model_of(const std::string& device) {
  static std::map<std::string, GpuCostModel> models;
  const auto found = models.find(device);
  if (found != models.end()) return found->second;
  return models.emplace(device, GpuCostModel::for_device(catalog().at(device))).first->second;
}

KernelCost cost_of(const DeviceSpec& device, const KernelShape& shape, Precision precision) {
  return model_of(device.name).cost({"x", shape, precision}, {});
}

// By how much two prices may differ and still be what they say they are, as a factor.
double interval(const KernelCost& a, const KernelCost& b) {
  const double shared = std::hypot(a.shared_sd, b.shared_sd);
  return std::exp(normal_quantile(0.95) * std::hypot(shared, a.own_sd, b.own_sd));
}

// Large and small, wide and narrow, of all families.
std::vector<KernelShape> shapes() {
  std::vector<KernelShape> out = {
      GemmShape{.m = 4096, .n = 4096, .k = 4096, .trans_a = true},
      GemmShape{.m = 8192, .n = 8192, .k = 8192},
      GemmShape{.m = 1024, .n = 128, .k = 1024, .trans_a = true},
      GemmShape{.m = 128, .n = 128, .k = 64, .batch = 96},
      GemmShape{.m = 1000, .n = 64, .k = 2048, .trans_b = true},
      RnnShape{.hidden = 512, .batch = 64, .steps = 32},
      RnnShape{.pass = Pass::kDgrad, .hidden = 1760, .batch = 32, .steps = 50},
      AttentionShape{
          .batch = 4, .seq = 2048, .heads = 16, .kv_heads = 16, .head_dim = 64, .causal = true},
      StreamShape{.elements = 1 << 24, .read = Bytes(64e6), .written = Bytes(64e6)},
      StreamShape{.elements = 1 << 28,
                  .read = Bytes(1e9),
                  .written = Bytes(1e9),
                  .row = 1024,
                  .kind = StreamKind::kNormalization},
      StreamShape{.elements = 1 << 24,
                  .read = Bytes(64e6),
                  .written = Bytes(64e6),
                  .row = 512,
                  .kind = StreamKind::kSoftmax}};
  for (const Pass pass : {Pass::kForward, Pass::kDgrad, Pass::kWgrad}) {
    out.push_back(
        ConvShape{.pass = pass, .n = 64, .c = 64, .h = 56, .w = 56, .k = 256, .r = 1, .s = 1});
    out.push_back(ConvShape{.pass = pass,
                            .n = 64,
                            .c = 256,
                            .h = 28,
                            .w = 28,
                            .k = 256,
                            .r = 5,
                            .s = 5,
                            .pad_h = 2,
                            .pad_w = 2});
    out.push_back(ConvShape{.pass = pass,
                            .n = 64,
                            .c = 128,
                            .h = 28,
                            .w = 28,
                            .k = 128,
                            .r = 3,
                            .s = 3,
                            .pad_h = 1,
                            .pad_w = 1});
    out.push_back(ConvShape{.pass = pass,
                            .n = 64,
                            .c = 256,
                            .h = 56,
                            .w = 56,
                            .k = 512,
                            .r = 1,
                            .s = 1,
                            .stride_h = 2,
                            .stride_w = 2});
  }
  return out;
}

// No kernel executes more than its device's peak, or moves more than its memory does beyond what
// the caches hold; the interval does not promise it either.
TEST(GpuLaws, NoKernelBeatsTheDataSheet) {
  for (const DeviceSpec& device : gpus()) {
    for (const KernelShape& shape : shapes()) {
      for (const auto& [precision, peak] : device.matrix_peak) {
        const KernelCost cost = cost_of(device, shape, precision);
        const KernelChoice choice = model_of(device.name).choice({"x", shape, precision}, {});
        const std::string what =
            device.name + " " + to_string(shape) + " " + std::string(to_string(precision));
        EXPECT_GE(cost.time.si(), cost.least.si()) << what;
        EXPECT_GE(cost.time.si() * 1.0001, choice.arithmetic.si() / peak.value.si()) << what;
        const Bytes beyond = kernel_bytes(shape, precision) - device.last_level_cache.value;
        const bool is_gathered = std::holds_alternative<ConvShape>(shape);
        if (is_gathered || device.memory_side_cache) continue;
        EXPECT_GE(cost.time, beyond / device.memory.bandwidth.value) << what;
      }
    }
  }
}

bool was_timed(const DeviceSpec& device, const KernelShape& shape, Precision precision) {
  const std::string family = gpu_family({"x", shape, precision}, device);
  for (const GpuFamilyOrigin& origin : model_of(device.name).origins()) {
    if (origin.family == family) return origin.origin != "pooled";
  }
  return false;
}

// fp8 <= 16 bits <= tf32 <= fp32: a library that may use narrower arithmetic need not. Convolutions
// that were timed on the chip are what they are: those of few channels are slower in 16 bits.
TEST(GpuLaws, NarrowerArithmeticIsNeverSlower) {
  for (const DeviceSpec& device : gpus()) {
    for (const KernelShape& shape : shapes()) {
      for (const Precision half : {Precision::kBf16, Precision::kFp16}) {
        double slowest = 0;
        for (const Precision precision :
             {Precision::kFp8, half, Precision::kTf32, Precision::kFp32}) {
          if (!device.matrix_peak.contains(precision)) continue;
          const bool is_convolution = std::holds_alternative<ConvShape>(shape);
          if (is_convolution && was_timed(device, shape, precision)) continue;
          const double time = cost_of(device, shape, precision).time.si();
          EXPECT_GE(time, slowest)
              << device.name << " " << to_string(shape) << " " << to_string(precision);
          slowest = time;
        }
      }
    }
  }
}

bool is_at_least_as_good(const DeviceSpec& a, const DeviceSpec& b) {
  for (const auto& [precision, peak] : b.matrix_peak) {
    const auto ours = a.matrix_peak.find(precision);
    if (ours == a.matrix_peak.end() || ours->second.value < peak.value) return false;
  }
  return a.released >= b.released && a.vector_peak.value >= b.vector_peak.value &&
         a.memory.bandwidth.value >= b.memory.bandwidth.value &&
         a.last_level_cache.value >= b.last_level_cache.value &&
         a.boost_clock.value >= b.boost_clock.value &&
         a.multiprocessors.value >= b.multiprocessors.value &&
         a.power.value.value >= b.power.value.value;
}

// A device that is at least as good in every column of the data sheet, and no older, is not slower
// by more than the intervals of both allow.
TEST(GpuLaws, ABetterDataSheetIsNotSlowerBeyondTheInterval) {
  int pairs = 0;
  const std::vector<DeviceSpec> devices = gpus();
  for (const DeviceSpec& better : devices) {
    for (const DeviceSpec& other : devices) {
      if (better.name == other.name || !is_at_least_as_good(better, other)) continue;
      ++pairs;
      for (const KernelShape& shape : shapes()) {
        for (const auto& [precision, peak] : other.matrix_peak) {
          const KernelCost ours = cost_of(better, shape, precision);
          const KernelCost theirs = cost_of(other, shape, precision);
          EXPECT_LE(ours.time, interval(ours, theirs) * theirs.time)
              << better.name << " beside " << other.name << " " << to_string(shape) << " "
              << to_string(precision);
        }
      }
    }
  }
  EXPECT_GT(pairs, 100);
}

bool have_equal_rates(const DeviceSpec& a, const DeviceSpec& b) {
  for (const auto& [precision, peak] : a.matrix_peak) {
    const auto found = b.matrix_peak.find(precision);
    if (found == b.matrix_peak.end() || found->second.value != peak.value) return false;
  }
  return a.vector_peak.value == b.vector_peak.value &&
         a.memory.bandwidth.value == b.memory.bandwidth.value &&
         a.last_level_cache.value == b.last_level_cache.value;
}

// Boards with one chip and the same rates are the same device to a kernel: exactly, where they
// share a fit; as far as their intervals say, where fits of two boards stand for them.
TEST(GpuLaws, BoardsWithOneChipAgree) {
  int pairs = 0;
  for (const DeviceSpec& device : gpus()) {
    if (!device.same_chip) continue;
    for (const std::string& name : device.same_chip->value) {
      const DeviceSpec& kin = catalog().at(name);
      if (!have_equal_rates(device, kin)) continue;
      ++pairs;
      for (const KernelShape& shape : shapes()) {
        for (const auto& [precision, peak] : device.matrix_peak) {
          const KernelCost ours = cost_of(device, shape, precision);
          const KernelCost theirs = cost_of(kin, shape, precision);
          const double apart = std::abs(std::log(ours.time / theirs.time));
          EXPECT_LE(apart, std::log(interval(ours, theirs)))
              << device.name << " and " << name << " " << to_string(shape);
          if (device.name == "v100-sxm2-32g" && name == "v100-sxm2-16g") {
            EXPECT_LE(apart, 1e-9) << to_string(shape);
          }
        }
      }
    }
  }
  EXPECT_GE(pairs, 2);
}

// L40 and L40S have one chip; only its clocks and the rate of its matrix units differ.
TEST(GpuLaws, L40IsNotFasterThanL40s) {
  for (const KernelShape& shape : shapes()) {
    for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16}) {
      EXPECT_GE(cost_of(catalog().at("l40"), shape, precision).time.si() * 1.0001,
                cost_of(catalog().at("l40s"), shape, precision).time.si())
          << to_string(shape) << " " << to_string(precision);
    }
  }
}

}  // namespace
}  // namespace paceline
