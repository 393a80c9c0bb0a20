#include "model/collective/overlap_catalog.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/collective/host_tuning.h"

namespace paceline {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog/collectives";

TEST(OverlapCatalog, SaysWhereEachFigureComesFrom) {
  const OverlapCatalog catalog = OverlapCatalog::load(kFolder / "overlap.json");
  for (const std::string& name : catalog.names()) {
    for (const auto& [field, source] : catalog.at(name).sources) EXPECT_GT(source.size(), 8u);
  }
}

// Libraries that work on host memory leave the device alone; NCCL does not.
TEST(OverlapCatalog, KnowsEveryLibraryThatRunsCollectives) {
  const OverlapCatalog catalog = OverlapCatalog::load(kFolder / "overlap.json");
  for (const std::string& name : HostTuning::load(kFolder / "host-libraries.json").names()) {
    EXPECT_EQ(catalog.at(name).multiprocessors_per_channel, 0) << name;
  }
  EXPECT_GT(catalog.at("nccl").multiprocessors_per_channel, 0);
  EXPECT_THROW(catalog.at("oneccl"), UsageError);
}

}  // namespace
}  // namespace paceline
