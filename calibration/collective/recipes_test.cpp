// Every shipped recipe and fitted file.
#include <gtest/gtest.h>

#include "calibration/collective/collective_recipe.h"
#include "model/collective/collective_parameters.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot(PACELINE_SOURCE_DIR);

TEST(CollectiveRecipes, AllReadAndNameTheirLicences) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "calibration/recipes/collectives")) {
    const CollectiveRecipe recipe =
        read_collective_recipe(entry.path(), kRoot / "model/catalog", StagingModel{1, Seconds()});
    EXPECT_FALSE(recipe.files.empty()) << entry.path();
    for (const CollectiveRecipeFile& file : recipe.files) EXPECT_FALSE(file.licence.empty());
    ++count;
  }
  EXPECT_GE(count, 6);
}

// A fitted file says which published tables it saw, with their hashes and licences, and how well it
// predicts messages it did not see.
TEST(FittedCollectives, CarryTheirSourcesAndHeldOutErrors) {
  for (const auto& entry : fs::directory_iterator(kRoot / "calibration/fitted/collectives")) {
    const ParameterSet set = read_parameters(entry.path());
    SCOPED_TRACE(entry.path().string());
    EXPECT_FALSE(set.sources.empty());
    for (const SourceFile& source : set.sources) {
      EXPECT_EQ(source.sha256.size(), 64u);
      EXPECT_FALSE(source.licence.empty());
      EXPECT_FALSE(source.file.starts_with("/"));
    }
    for (const Fit& fit : set.fits) {
      EXPECT_EQ(fit.formula, formula::CollectiveProtocol::kId);
      EXPECT_GT(fit.quality.own_sd, 0) << fit.implementation;
      EXPECT_LT(fit.quality.own_sd, 1) << fit.implementation;
    }
  }
}

// What the shipped files say of sizes that their fits had not seen.
TEST(FittedCollectives, HeldOutSizesAreWithinTheirBars) {
  const auto held_out = [](const std::string& fabric_class) {
    const ParameterSet set =
        read_parameters(kRoot / "calibration/fitted/collectives" / (fabric_class + ".json"));
    double errors = 0;
    double count = 0;
    for (const Fit& fit : set.fits) {
      errors += fit.quality.held_out_mape * static_cast<double>(fit.quality.held_out);
      count += static_cast<double>(fit.quality.held_out);
    }
    return errors / count;
  };
  EXPECT_LE(held_out("nvswitch2"), 0.06);
  EXPECT_LE(held_out("nvswitch3"), 0.06);
  EXPECT_LE(held_out("400g-ib"), 0.10);
  EXPECT_LE(held_out("pcie4"), 0.20);
  EXPECT_LE(held_out("1gbe"), 0.10) << "Gloo";
}

}  // namespace
}  // namespace paceline
