#include "cli/recipe_calibration.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "calibration/plugin.h"
#include "calibration/recipe_catalog.h"
#include "cli/cluster_flags.h"
#include "core/data_directory.h"
#include "core/percent.h"
#include "core/table.h"
#include "core/text_file.h"
#include "core/units_text.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

void refuse_other_flags(const Arguments& arguments) {
  if (arguments.has("FILE")) {
    throw UsageError("--recipe fits published timings below --data; FILE is for those of your own");
  }
  std::vector<std::string> others = {"install", "host-recording", "plots"};
  for (const FlagSpec& flag : cluster_flags()) others.push_back(flag.name);
  for (const std::string& flag : others) {
    if (arguments.has(flag)) throw UsageError(flag_text(flag) + " does not go with --recipe");
  }
}

// Largest relative difference of a parameter; a parameter around zero is compared with one of its
// standard errors instead.
double difference(const Fit& ours, const Fit& shipped) {
  double largest = 0;
  for (const Parameter& theirs : shipped.parameters) {
    const double scale = std::max(std::abs(theirs.value), 1e-3 * theirs.std_error);
    const double apart = std::abs(ours.value(theirs.name) - theirs.value);
    largest = std::max(largest, scale > 0 ? apart / scale : apart);
  }
  return largest;
}

// Nothing where the file or the fit does not ship.
std::optional<double> difference_from_shipped(const std::string& path, const Fit& fit) {
  const fs::path file = data_directory() / "calibration/fitted" / path;
  if (!fs::exists(file)) return std::nullopt;
  const ParameterSet set = read_parameters(file);
  const Fit* shipped = set.find(fit.implementation);
  if (shipped == nullptr || shipped->formula != fit.formula) return std::nullopt;
  return difference(fit, *shipped);
}

std::string summary(const RecipeOutcome& outcome) {
  Table table({"file", "fit", "held out", "mean error", "median", "90 % below", "from shipped"});
  double largest = 0;
  std::size_t compared = 0;
  for (const auto& [path, set] : outcome.files) {
    for (const Fit& fit : set.fits) {
      const std::optional<double> apart = difference_from_shipped(path, fit);
      if (apart) {
        largest = std::max(largest, *apart);
        ++compared;
      }
      const FitQuality& q = fit.quality;
      if (q.held_out == 0) continue;  // expected of an architecture, from the fits of devices
      table.add_row({path, fit.implementation, std::to_string(q.held_out), percent(q.held_out_mape),
                     percent(q.held_out_median_ape), percent(q.held_out_p90_ape),
                     apart ? significant(*apart, 2) : "not shipped"});
    }
  }
  const std::string comparison =
      compared == 0 ? "none of these fits ships\n"
                    : "largest difference from the shipped parameters: " + significant(largest, 2) +
                          ", in " + std::to_string(compared) + " fits of " +
                          std::to_string(outcome.files.size()) + " files\n";
  return table.to_string() + comparison;
}

void write_folder(const fs::path& folder, const RecipeOutcome& outcome) {
  for (const auto& [path, set] : outcome.files) {
    const fs::path file = folder / path;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) throw InputError(file.parent_path().string() + ": " + error.message());
    write_parameters(file, set);
  }
  if (outcome.residuals) {
    write_text_file(folder / "gpu/residuals.json", fold_residuals_text(*outcome.residuals));
  }
}

}  // namespace

ExitCode calibrate_recipe(const Arguments& arguments) {
  refuse_other_flags(arguments);
  const RecipeEntry recipe = recipe_named(arguments.text("recipe"));
  if (!arguments.has("data")) {
    throw UsageError("--recipe needs --data DIR, the folder of the published timings");
  }
  const bool of_gpus = recipe.kind == RecipeKind::kGpuKernels;
  if (of_gpus && arguments.has("o")) {
    throw UsageError("recipe " + recipe.name +
                     " makes a file for each GPU; give --folder FOLDER instead of -o");
  }
  const RecipeOutcome outcome =
      calibration_plugin().run_recipe(recipe, arguments.text("data"), arguments.argv());
  for (const std::string& remark : outcome.remarks) std::cerr << remark << "\n";
  const std::string compared = summary(outcome);  // before --folder replaces what ships
  if (arguments.has("folder")) write_folder(arguments.text("folder"), outcome);
  if (arguments.has("o")) write_parameters(arguments.text("o"), outcome.files.begin()->second);
  if (arguments.has("report")) {
    std::cerr << compared;
    arguments.out() << outcome.report;
  } else {
    arguments.out() << compared;
  }
  return ExitCode::kOk;
}

}  // namespace paceline
