// Which kernel families are fitted to which public collections ("paceline.gpu-recipe/1",
// calibration/recipes/gpu/*.json):
//
//   { "schema": "paceline.gpu-recipe/1", "summary": "...", "families": ["gpu.stream.softmax"],
//     "collections": ["neusight"], "unseen": ["aiconfigurator"] }
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibration/recipe_run.h"

namespace paceline {

struct GpuRecipe {
  std::vector<std::string> families;     // in the order of gpu_families()
  std::vector<std::string> collections;  // folders below <data>/calibration, sorted
  std::vector<std::string> unseen;       // folders below <data>/validation, only scored, if there
};

// Throws InputError (file, place, what is allowed).
GpuRecipe read_gpu_recipe(const std::filesystem::path& file);

// One file of parameters per measured device and one per architecture
// ("gpu/architecture-<name>.json"), and docs/accuracy-kernels.md, as far as it is about the
// recipe's families, as the report.
RecipeOutcome refit_gpu_kernels(const GpuRecipe& recipe, const std::filesystem::path& data);

}  // namespace paceline
