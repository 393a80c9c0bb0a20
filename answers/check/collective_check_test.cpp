#include "answers/check/collective_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "model/hardware/cluster_builder.h"
#include "model/hardware/copy_model.h"
#include "traces/import/nccl_tests.h"

namespace paceline {
namespace {

using testing::HasSubstr;

// All-reduce of 256 MiB at this time.
MeasurementSet measured(int ranks, double bytes, double seconds) {
  MeasurementSet set;
  set.results.push_back(timed_message("nccl.all-reduce", bytes, ranks, 1, false, seconds));
  return set;
}

class Collectives : public testing::Test {
 protected:
  CollectiveFabric fabric(int gpus, const char* intra, const char* generation) {
    ClusterFlags flags;
    flags.gpus = gpus;
    flags.intra = intra;
    const ClusterSpec cluster = build_cluster(flags, links_);
    return {&model_,
            fabric_group(cluster, group_of(cluster, gpus), CopyModel::shipped().staging(),
                         model_.tuning(), generation, 1),
            &links_};
  }
  LinkCatalog links_ = LinkCatalog::shipped();
  CollectiveModel model_ = CollectiveModel::shipped();
};

// Eight A100 behind NVSwitch: 300 GB/s a direction, about 230 reached.
TEST_F(Collectives, NearThePredictionArePlausible) {
  const double bytes = 1e9;
  const auto findings =
      check_collectives(measured(8, bytes, 1.75 * bytes / 230e9), fabric(8, "nvswitch2", "ampere"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].verdict, Verdict::kPlausible) << findings[0].cause;
}

TEST_F(Collectives, AboveTheLinksAreImpossible) {
  const double bytes = 1e9;
  const auto findings =
      check_collectives(measured(8, bytes, 1.75 * bytes / 600e9), fabric(8, "nvswitch2", "ampere"));
  EXPECT_EQ(findings[0].verdict, Verdict::kImpossible);
}

// In-switch reduction reaches 480 GB/s of bus bandwidth on links of 450 (nccl-tests issue 212).
TEST_F(Collectives, AboveTheLinksArePossibleWhereSwitchesReduce) {
  const double bytes = 1e9;
  const auto findings =
      check_collectives(measured(8, bytes, 1.75 * bytes / 480e9), fabric(8, "nvswitch3", "hopper"));
  EXPECT_EQ(findings[0].verdict, Verdict::kPlausible) << findings[0].cause;
}

TEST_F(Collectives, FarBelowThePredictionAreImplausibleWithSomethingToTry) {
  const double bytes = 1e9;
  const auto findings =
      check_collectives(measured(8, bytes, 1.75 * bytes / 12e9), fabric(8, "nvswitch2", "ampere"));
  EXPECT_EQ(findings[0].verdict, Verdict::kImplausible);
  EXPECT_THAT(findings[0].remedy, HasSubstr("topo -m"));
}

TEST_F(Collectives, ThatFallWithTheSizeAreSuspectEvenWithoutAMachine) {
  MeasurementSet set = measured(8, 1e8, 1e-3);
  set.results.push_back(timed_message("nccl.all-reduce", 1e9, 8, 1, false, 3e-2));
  const auto findings = check_collectives(set, std::nullopt);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[1].cause, HasSubstr("falls below"));
}

TEST_F(Collectives, OfAnotherNumberOfRanksAreRefused) {
  EXPECT_THROW(check_collectives(measured(4, 1e9, 1e-2), fabric(8, "nvswitch2", "ampere")),
               UsageError);
}

}  // namespace
}  // namespace paceline
