// The fits to published timings that ship with Paceline, by name: each is a file of
// calibration/recipes, and `paceline calibrate --recipe NAME --data DIR` repeats it. The timings
// themselves do not ship.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

enum class RecipeKind { kGpuKernels, kCollectives };

struct RecipeEntry {
  std::string name;  // the stem of its file
  RecipeKind kind = RecipeKind::kGpuKernels;
  std::string summary;
  std::filesystem::path file;
};

// In alphabetical order of their names. Recipes that fit nothing, but only score, are left out.
std::vector<RecipeEntry> shipped_recipes();

// Throws UsageError with the nearest names if there is none.
RecipeEntry recipe_named(std::string_view name);

}  // namespace paceline
