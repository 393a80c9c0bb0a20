#include "calibration/gpu/gpu_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/text_file.h"
#include "model/cost/gpu_family.h"

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

}  // namespace
}  // namespace paceline
