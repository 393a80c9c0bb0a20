// Repeats a fit to published timings (calibration/recipe_catalog.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/recipe_catalog.h"
#include "model/parameters/fold_residuals.h"

namespace paceline {

struct RecipeOutcome {
  std::map<std::string, ParameterSet> files;  // by path below calibration/fitted, "gpu/t4.json"
  // Of GPU kernels, "gpu/residuals.json" there; only of the recipe of all families.
  std::optional<FoldResidualFile> residuals;
  std::string report;                // how well the fits do on what they did not see
  std::vector<std::string> remarks;  // what was left out
};

// `data` holds the published timings: the folder above `calibration` with one folder per
// collection, or, for GPU kernels, that folder itself. The same data give the same fits, bit by
// bit; `argv` goes into their provenance. Throws InputError if a collection the recipe rests on is
// missing or not what it should be.
RecipeOutcome run_recipe(const RecipeEntry& recipe, const std::filesystem::path& data,
                         const std::vector<std::string>& argv);

}  // namespace paceline
