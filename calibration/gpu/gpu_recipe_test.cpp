#include "calibration/gpu/gpu_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "calibration/gpu/gpu_observations.h"
#include "calibration/gpu/public_timings.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/text_file.h"
#include "model/cost/gpu_family.h"
#include "model/cost/gpu_limits.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
const fs::path kRecipes = fs::path(PACELINE_SOURCE_DIR) / "calibration/recipes/gpu";

// Each family can be fitted alone, under its own name, from collections of the recipe of all.
TEST(GpuRecipe, EveryFamilyHasOneAndTheRecipeOfAllHasEveryFamily) {
  const GpuRecipe all = read_gpu_recipe(kRecipes / "gpu.json");
  const std::set<std::string> collections(all.collections.begin(), all.collections.end());
  std::vector<std::string> names;
  for (const GpuFamily& family : gpu_families()) {
    names.emplace_back(family.name);
    const GpuRecipe one = read_gpu_recipe(kRecipes / (names.back() + ".json"));
    EXPECT_EQ(one.families.back(), family.name);
    for (const std::string& name : one.collections) EXPECT_TRUE(collections.contains(name)) << name;
  }
  EXPECT_EQ(all.families, names);
}

TEST(GpuRecipe, RefusesAFamilyThatDoesNotExistAndNamesTheNearest) {
  const TemporaryFolder folder;
  write_text_file(folder / "bad.json",
                  R"({"schema": "paceline.gpu-recipe/1", "summary": "x",
                      "families": ["gpu.gemm.vectors"], "collections": ["neusight"]})");
  try {
    read_gpu_recipe(folder / "bad.json");
    FAIL() << "read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("gpu.gemm.vector"));
    EXPECT_THAT(error.what(), testing::HasSubstr("bad.json"));
  }
}

// What least_time says no run can undercut, none of the published timings does, but for boards
// whose clock rises above the one their data sheet names (Titan X of 2015: by 3 %).
TEST(PublicTimings, NoneIsBelowTheLeastTime) {
  const fs::path data = fs::path(PACELINE_SOURCE_DIR) / "../shared/data/calibration";
  if (!fs::is_directory(data)) GTEST_SKIP() << "the public timings are not in " << data;
  const GpuRecipe all = read_gpu_recipe(kRecipes / "gpu.json");
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  GpuObservations observations;
  for (const PublicTimings& collection : import_public_timings(data, all.collections)) {
    add_observations(collection.timings, catalog, observations);
  }
  std::size_t checked = 0;
  for (const auto& [family, devices] : observations) {
    for (const auto& [device, timings] : devices) {
      const double above_sheet = device == "titan-x-maxwell" ? 1.05 : 1.0;
      for (const GpuObservation& o : timings) {
        const Kernel& kernel = o.observation.kernel;
        EXPECT_GE(o.observation.measured.si() * above_sheet,
                  least_time(kernel, catalog.at(device)).si())
            << device << " " << to_string(kernel.shape);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 10000u);
}

}  // namespace
}  // namespace paceline
