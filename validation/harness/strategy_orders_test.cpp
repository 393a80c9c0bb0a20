// What public reports say of ways to aggregate, beyond figures: which is faster, and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/device/training_device.h"
#include "simulator/report/prediction.h"
#include "validation/harness/validation_set.h"

namespace paceline {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class StrategyOrders : public testing::Test {
 protected:
  // The prediction of a case of a shipped set.
  Report report(const std::string& set, const std::string& name) {
    for (const ValidationSet& each : shipped_validation_sets({set})) {
      for (const PublishedCase& one : each.published->cases) {
        if (one.name != name) continue;
        const auto device = read_training_device(one.experiment.device, one.experiment.options);
        return predictor_.predict(one.experiment, *device).report;
      }
    }
    ADD_FAILURE() << set << " has no case " << name;
    return {};
  }
  double seconds(const std::string& set, const std::string& name) {
    return report(set, name).iteration_time_s.median;
  }

  Predictor predictor_;
};

// C02: ResNet-50 on 32 GPUs over 10 GbE. Servers and merged messages are fastest and alike, then a
// message per tensor, then one message after the backward pass, last servers after it.
TEST_F(StrategyOrders, OfFiveWaysOver10GbEIsTheMeasuredOne) {
  const std::string set = "ddl-benchmarks-resnet50";
  const double wfbp_servers = seconds(set, "WFBP-PS 10gbe 32");
  const double merged = seconds(set, "MG-WFBP 10gbe 32");
  const double by_tensor = seconds(set, "WFBP-A2A 10gbe 32");
  const double bulk = seconds(set, "BSP-A2A 10gbe 32");
  const double bulk_servers = seconds(set, "BSP-PS 10gbe 32");
  EXPECT_LT(std::max(wfbp_servers, merged), by_tensor);
  EXPECT_LT(by_tensor, bulk);
  EXPECT_LT(bulk, bulk_servers);
  EXPECT_NEAR(wfbp_servers / merged, 1, 0.15);
}

// C02: servers are machines of their own, which a comparison with all-reduces must say.
TEST_F(StrategyOrders, ExtraServersAreStated) {
  EXPECT_THAT(report("ddl-benchmarks-resnet50", "WFBP-PS 10gbe 32").warnings,
              Contains(HasSubstr("8 extra machines as parameter servers")));
}

// C03: three networks on 16 Pascal GPUs. Horovod over RDMA is at least as fast as over TCP, and
// both are faster than parameter servers.
TEST_F(StrategyOrders, HorovodBeatsParameterServersAndRdmaTcp) {
  for (const std::string model : {"inception-v3", "resnet101", "vgg16"}) {
    const double servers = seconds("public-cases", "C03 " + model + " parameter server");
    const double tcp = seconds("public-cases", "C03 " + model + " Horovod TCP");
    const double rdma = seconds("public-cases", "C03 " + model + " Horovod RDMA");
    EXPECT_LE(rdma, tcp) << model;
    EXPECT_LT(tcp, servers) << model;
  }
}

// C03: 16 GPUs with parameter servers train VGG-16 more slowly than one GPU does (0.6 times),
// because one server holds fc6 whole; the report names both.
TEST_F(StrategyOrders, ParameterServersMakeVggSlowerThanOneGpu) {
  const Report vgg = report("public-cases", "C03 vgg16 parameter server");
  constexpr double kOneGpu = 130.9;  // samples/s
  EXPECT_LT(vgg.throughput_samples_per_s.median, kOneGpu);
  EXPECT_THAT(vgg.bottleneck.resource, HasSubstr("server"));
  EXPECT_THAT(vgg.warnings, Contains(AllOf(HasSubstr("fc6"), HasSubstr("hot spot"))));
  for (const std::string model : {"inception-v3", "resnet101"}) {
    const Report other = report("public-cases", "C03 " + model + " parameter server");
    EXPECT_GT(other.scaling_efficiency * 16, 5) << model;  // measured: 10 and 8 times one GPU
  }
}

// C07: arithmetic, given what one micro-batch (10.8 s) and one synchronization (11.4 s) take.
TEST_F(StrategyOrders, AccumulationWithAndWithoutSynchronizationIsExact) {
  EXPECT_NEAR(seconds("public-cases", "C07 accumulation of 1, sync once"), 10.8 + 11.4, 1e-6);
  EXPECT_NEAR(seconds("public-cases", "C07 accumulation of 4, sync every"), 4 * (10.8 + 11.4),
              1e-6);
  EXPECT_NEAR(seconds("public-cases", "C07 accumulation of 4, sync last"), 4 * 10.8 + 11.4, 1e-6);
}

// C08: per batch 2.00 s with a synchronization each and 0.91 s with one for all on two machines,
// 0.50 and 0.41 s on one. What synchronizing every time costs is said, with its gain: 54 and 18 %.
TEST_F(StrategyOrders, NoSyncIsAdvisedWithItsGainForBothTopologies) {
  const auto per_batch = [&](const std::string& name) {
    return seconds("public-cases", "C08 " + name) / 3;
  };
  EXPECT_NEAR(per_batch("two machines, sync every"), 2.00, 0.01);
  EXPECT_NEAR(per_batch("two machines, sync last"), 0.91, 0.01);
  EXPECT_NEAR(per_batch("one machine, sync every"), 0.50, 0.005);
  EXPECT_NEAR(per_batch("one machine, sync last"), 0.41, 0.005);
  const auto advised = [&](const std::string& name) {
    return report("public-cases", "C08 " + name).warnings;
  };
  EXPECT_THAT(advised("two machines, sync every"),
              Contains(AllOf(HasSubstr("sync=last"), HasSubstr("(-54 %)"))));
  EXPECT_THAT(advised("one machine, sync every"),
              Contains(AllOf(HasSubstr("sync=last"), HasSubstr("(-18 %)"))));
  EXPECT_THAT(advised("one machine, sync last"), testing::Not(Contains(HasSubstr("sync=last"))));
}

}  // namespace
}  // namespace paceline
