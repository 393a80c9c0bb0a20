#include "calibration/collective/collective_accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibration/collective/collective_recipe.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot(PACELINE_SOURCE_DIR);

NcclTuning tuning() { return NcclTuning::load(kRoot / "model/catalog/collectives/nccl-2.30.json"); }
HostTuning hosts() {
  return HostTuning::load(kRoot / "model/catalog/collectives/host-libraries.json");
}
CollectiveRecipe recipe(const std::string& name) {
  return read_collective_recipe(kRoot / "calibration/recipes/collectives" / (name + ".json"),
                                kRoot / "model/catalog", {0.82, Seconds(1e-5)});
}

// Messages that took what the model says, and twice that.
TEST(UnseenErrors, AreThoseOfThePredictions) {
  const CollectiveModel model(tuning(), hosts(),
                              CollectiveParameters::load(kRoot / "calibration/fitted/collectives"));
  const CollectiveRecipe machine = recipe("nvswitch3");
  const CollectiveGroup group{1, 8};
  const FabricGroup fabric = fabric_group(machine.problem.cluster, group, machine.problem.staging,
                                          model.tuning(), machine.problem.generation, 0);
  std::vector<CollectivePoint> points;
  for (const double bytes : {1e4, 1e6, 1e8}) {
    const Seconds time =
        model.cost({CollectiveOp::kAllReduce, Bytes(bytes), group, "nccl", {}, {}}, fabric).time;
    points.push_back({"nccl", CollectiveOp::kAllReduce, Bytes(bytes), group, time});
  }
  const std::vector<UnseenErrors> exact = unseen_errors(machine.problem, points, model);
  ASSERT_EQ(exact.size(), 2u) << "all, and all-reduce";
  EXPECT_NEAR(exact[0].errors.mape, 0, 1e-9);
  EXPECT_EQ(exact[0].coverage90, 1);
  for (CollectivePoint& point : points) point.measured = point.measured * 2;
  const std::vector<UnseenErrors> half = unseen_errors(machine.problem, points, model);
  EXPECT_NEAR(half[1].errors.mape, 0.5, 1e-9);
  EXPECT_EQ(half[1].coverage90, 0);
  EXPECT_THAT(accuracy_document({{"H100", {}, half}}), testing::HasSubstr("H100"));
}

// What the project promises of sizes and rank counts that a fit has not seen (a set of one rank
// count has no errors by rank count). The tables are not
// part of the source tree.
TEST(HeldOutErrors, OfPublishedTablesAreWithinTheirBars) {
  const fs::path data = kRoot.parent_path() / "shared/data";
  if (!fs::exists(data)) GTEST_SKIP() << "no published tables beside the source tree";
  struct Bar {
    const char* recipe;
    double by_size;
    double by_ranks;
  };
  for (const Bar& bar : {Bar{"nvswitch2", 0.06, 0.12},
                         {"nvswitch3", 0.06, 0.12},
                         {"400g-ib", 0.10, 0.10},
                         {"pcie4", 0.20, 0.20}}) {
    const CollectiveErrors all =
        run_recipe(recipe(bar.recipe), data, tuning(), hosts()).errors.front();
    EXPECT_LE(all.by_size.mape, bar.by_size) << bar.recipe;
    EXPECT_LE(all.by_ranks.mape, bar.by_ranks) << bar.recipe;
    EXPECT_LT(all.by_size.mape, all.nccl_estimate.mape) << bar.recipe << " against NCCL's formula";
  }
}

}  // namespace
}  // namespace paceline
