#include "simulator/device/cpu_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "model/hardware/device_catalog.h"
#include "simulator/device/transferred_cpu.h"

namespace paceline {
namespace {

const std::filesystem::path kRoot = PACELINE_SOURCE_DIR;

const CpuTransfer& transfer() {
  static const CpuTransfer shipped =
      read_cpu_transfer(kRoot / "calibration/fitted/cpu-transfer.json", kRoot);
  return shipped;
}

DeviceSpec cpu(const std::string& name) { return DeviceCatalog::shipped().at(name); }

TransferredCpu device(const std::string& name, int sockets = 1) {
  return {cpu(name), sockets, transfer(), {}};
}

Kernel product(std::int64_t size) {
  return {"openblas.sgemm", GemmShape{.m = size, .n = size, .k = size}};
}
Kernel copy(double bytes) {
  return {"memory.copy", StreamShape{.elements = static_cast<std::int64_t>(bytes / 8),
                                     .read = Bytes(bytes / 2),
                                     .written = Bytes(bytes / 2)}};
}

Seconds time(const TransferredCpu& on, const Kernel& kernel, int threads) {
  ExecutionContext context;
  context.threads = threads;
  return on.costs().cost(kernel, context).time;
}

// A CPU with the reference's own core is expected to compute as that one does.
TEST(CpuTransfer, LeavesTheArithmeticOfTheReferenceAsItIs) {
  DeviceSpec same = cpu("e5-2630-v3");
  same.boost_clock.value = transfer().reference_clock;
  same.base_clock = same.boost_clock;
  same.vector_flop_per_clock.value = 32;
  const ParameterSet expected = transferred(transfer(), same, 1);
  for (const Fit& fit : transfer().fitted.fits) {
    for (const Parameter& p : fit.parameters) {
      if (p.name != "flop_rate" && p.name != "call" && p.name != "near_bandwidth") continue;
      EXPECT_NEAR(expected.at(fit.implementation).value(p.name) / p.value, 1, 1e-9)
          << fit.implementation << " " << p.name;
    }
  }
}

// Every CPU of the catalog has a price for every kernel that the reference has, and says where it
// is from.
TEST(CpuTransfer, PricesEveryCpuOfTheCatalogAndSaysThatItIsExtrapolated) {
  int cpus = 0;
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  for (const DeviceSpec& spec : catalog.devices()) {
    if (spec.kind != DeviceKind::kCpu) continue;
    ++cpus;
    const KernelCost cost = device(spec.name).costs().cost(product(1024), {});
    EXPECT_EQ(cost.origin.kind, OriginKind::kExtrapolated);
    EXPECT_GE(cost.shared_sd, 0.5) << spec.name;
    const FlopsPerSecond rate = kernel_flops(product(1024).shape) / cost.time;
    EXPECT_LT(rate, core_peak(spec)) << spec.name;
    EXPECT_GT(rate, 0.4 * core_peak(spec)) << spec.name;
  }
  EXPECT_EQ(cpus, 4);
}

// Up to all cores threads help, beyond them they do not, and no number of them beats the sockets.
TEST(CpuTransfer, ThreadsHelpUpToTheCores) {
  for (const int sockets : {1, 2}) {
    const TransferredCpu on = device("e5-2630-v3", sockets);
    EXPECT_EQ(on.cores(), 16 * sockets);
    for (const Kernel& kernel : {product(4096), copy(1e9)}) {
      for (int threads = 1; threads < 8 * sockets; threads *= 2) {
        EXPECT_LT(time(on, kernel, 2 * threads), time(on, kernel, threads)) << threads;
      }
      EXPECT_EQ(time(on, kernel, 16 * sockets), time(on, kernel, 8 * sockets));
    }
    EXPECT_NEAR(on.peak(Precision::kFp32, 32) / (sockets * cpu("e5-2630-v3").vector_peak.value), 1,
                1e-9);
    for (const int threads : {1, 4}) {
      EXPECT_LT(kernel_flops(product(4096).shape) / time(on, product(4096), threads),
                on.peak(Precision::kFp32, threads));
    }
    const FlopsPerSecond rate = kernel_flops(product(4096).shape) / time(on, product(4096), 32);
    EXPECT_LT(rate, on.peak(Precision::kFp32, 32)) << sockets;
    EXPECT_LT(Bytes(1e9) / time(on, copy(1e9), 32), on.limits(32).bandwidth) << sockets;
  }
}

TEST(CpuTransfer, TwoSocketsAreFasterThanOneAndLessThanTwice) {
  for (const Kernel& kernel : {product(4096), copy(1e9)}) {
    const double ratio =
        time(device("e5-2630-v3", 1), kernel, 16) / time(device("e5-2630-v3", 2), kernel, 16);
    EXPECT_GT(ratio, 1.2);
    EXPECT_LT(ratio, 2.0);
  }
}

TEST(CpuTransfer, RefusesSocketsThatDoNotExistAndOptionsOfGpus) {
  EXPECT_NO_THROW(read_training_device("e5-2630-v3", {{"sockets", "2"}}));
  EXPECT_THROW(read_training_device("e5-2630-v3", {{"sockets", "0"}}), UsageError);
  EXPECT_THROW(read_training_device("e5-2630-v3", {{"sockets", "3"}}), UsageError);
  EXPECT_THROW(read_training_device("i7-3820", {{"sockets", "2"}}), UsageError);
  EXPECT_THROW(read_training_device("e5-2630-v3", {{"sockets", "two"}}), UsageError);
  EXPECT_THROW(read_training_device("e5-2630-v3", {{"clock", "2GHz"}}), UsageError);
  EXPECT_THROW(read_training_device("t4", {{"sockets", "2"}}), UsageError);
}

TEST(CpuTransfer, NeedsTheFactsOfACpu) {
  DeviceSpec without = cpu("i7-3820");
  without.cpu.reset();
  EXPECT_THROW(transferred(transfer(), without, 1), InputError);
}

}  // namespace
}  // namespace paceline
