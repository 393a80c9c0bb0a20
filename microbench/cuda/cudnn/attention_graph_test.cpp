// cuDNN plans for GPUs that are described to it, so that what the benchmark asks for is known to be
// something cuDNN has, on machines without a GPU. cuDNN loads a driver for this, of which the
// toolkit's stub is enough.
#include "microbench/cuda/cudnn/attention_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "core/error.h"

namespace paceline {
namespace {

struct Chip {
  const char* name;
  int capability;  // 90: 9.0
  int multiprocessors;
  int shared_memory;  // most for a block, bytes
};
std::ostream& operator<<(std::ostream& out, const Chip& chip) { return out << chip.name; }

// In the words of cuDNN's serialised device properties.
DescribedGpu described(const Chip& gpu) {
  const auto number = [](const char* name, std::int64_t value) {
    return ", \"" + std::string(name) + "\": " + std::to_string(value);
  };
  return {gpu.capability,
          "{\"maxGridSize\": [2147483647, 65535, 65535], \"maxBlockSize\": [1024, 1024, 64]" +
              number("regsPerBlock", 65536) + number("multiProcessorCount", gpu.multiprocessors) +
              number("smClockRateKHz", 1'700'000) + number("memClockRateKHz", 2'000'000) +
              number("l2CacheSize", 50 << 20) + number("warpSize", 32) +
              number("maxSharedMemoryPerBlock", 48 << 10) +
              number("maxSharedMemoryPerBlockOptin", gpu.shared_memory) +
              number("reservedSharedMemoryPerBlock", 1024) + number("maxRegistersPerSM", 65536) +
              number("pciDeviceId", 0) + number("maxCtasPerSM", 32) +
              number("maxThreadsPerBlock", 1024) + number("maxThreadsPerSM", 2048) +
              number("isTccDriver", 0) + number("supportCoopLaunch", 1) +
              number("driverVer", 13000) + number("deviceVer", 10 * gpu.capability) +
              number("cudaDeviceId", 0) + number("totalGlobalMem", std::int64_t{80} << 30) +
              ", \"deviceName\": \"NVIDIA " + gpu.name + "\"}"};
}

class AttentionPlans : public testing::TestWithParam<Chip> {};

TEST_P(AttentionPlans, ExistForEveryShapeOfTheBenchmark) {
  const DescribedGpu device = described(GetParam());
  for (const bool backward : {false, true}) {
    for (const bool causal : {false, true}) {
      for (const AttentionLayer& layer :
           {AttentionLayer{.batch = 8, .seq = 640, .heads = 20, .kv_heads = 20, .width = 64},
            AttentionLayer{.batch = 2, .seq = 1280, .heads = 20, .kv_heads = 5, .width = 128}}) {
        AttentionLayer asked = layer;
        asked.causal = causal;
        const AttentionGraph graph(asked, backward, device);
        EXPECT_GT(graph.plans_offered(), 0);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Chips, AttentionPlans,
                         testing::Values(Chip{"A100", 80, 108, 166912},
                                         Chip{"L40S", 89, 142, 101376},
                                         Chip{"H100", 90, 132, 232448},
                                         Chip{"B200", 100, 148, 232448},
                                         Chip{"RTX5090", 120, 170, 101376}),
                         [](const auto& chip) { return chip.param.name; });

// What cuDNN lacks is refused with its own words.
TEST(AttentionGraph, SaysWhyThereIsNone) {
  const AttentionLayer odd = {.batch = 1, .seq = 64, .heads = 1, .kv_heads = 1, .width = 63};
  try {
    const AttentionGraph graph(odd, false, described({"H100", 90, 132, 232448}));
    FAIL() << "a width that is no multiple of eight";
  } catch (const MeasurementError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cuDNN has no such attention here"));
  }
}

TEST(AttentionGraph, RefusesADescriptionOfAGpuThatIsNone) {
  EXPECT_THROW(AttentionGraph({}, false, DescribedGpu{90, "{}"}), MeasurementError);
}

}  // namespace
}  // namespace paceline
