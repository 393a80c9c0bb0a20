#include "calibration/recipe_run.h"

#include "calibration/collective/collective_recipe.h"
#include "calibration/gpu/gpu_recipe.h"
#include "core/data_directory.h"
#include "core/error.h"
#include "model/hardware/copy_model.h"

namespace paceline {
namespace {

RecipeOutcome refit_collectives(const RecipeEntry& entry, const std::filesystem::path& data) {
  const CollectiveRecipe recipe = read_collective_recipe(
      entry.file, data_directory() / "model/catalog", CopyModel::shipped().staging());
  CollectiveFitResult result =
      run_recipe(recipe, data, NcclTuning::shipped(), HostTuning::shipped());
  RecipeOutcome out;
  out.report = to_text(result);
  out.remarks = std::move(result.refused);
  out.files["collectives/" + recipe.problem.fabric_class + ".json"] = std::move(result.parameters);
  return out;
}

}  // namespace

RecipeOutcome run_recipe(const RecipeEntry& recipe, const std::filesystem::path& data,
                         const std::vector<std::string>& argv) {
  if (!std::filesystem::is_directory(data)) {
    throw InputError(data.string() +
                     ": no such folder; expected one that holds calibration/ with " +
                     "the public collections");
  }
  RecipeOutcome out = recipe.kind == RecipeKind::kCollectives
                          ? refit_collectives(recipe, data)
                          : refit_gpu_kernels(read_gpu_recipe(recipe.file), data);
  for (auto& [path, set] : out.files) {
    set.provenance = make_provenance("paceline calibrate", argv);
    set.provenance.host = {};  // the fits are of published timings, not of this machine
  }
  if (out.residuals) {
    out.residuals->provenance = make_provenance("paceline calibrate", argv);
    out.residuals->provenance.host = {};
  }
  return out;
}

}  // namespace paceline
