// paceline_fit_collectives RECIPE DATA-FOLDER [OUTPUT [MESSAGES]]: fits collectives as the recipe
// says, prints the held-out errors, and writes calibration/fitted/collectives/<class>.json to
// OUTPUT
// ("-": nowhere) and every message with its predictions to MESSAGES, comma-separated.
// paceline_fit_collectives DATA-FOLDER OUTPUT-FOLDER: all recipes of the source tree; writes
// calibration/fitted/collectives/ and docs/accuracy-collectives.md below OUTPUT-FOLDER, which is
// the source tree where they are to be replaced.
#include <algorithm>
#include <iostream>

#include "calibration/collective/collective_accuracy.h"
#include "calibration/collective/collective_recipe.h"
#include "core/data_directory.h"
#include "core/json_writer.h"
#include "model/hardware/copy_model.h"

namespace {

using namespace paceline;
namespace fs = std::filesystem;

CollectiveRecipe read(const fs::path& file) {
  return read_collective_recipe(file, data_directory() / "model/catalog",
                                CopyModel::shipped().staging());
}

CollectiveFitResult fit(const CollectiveRecipe& recipe, const fs::path& data) {
  CollectiveFitResult result =
      run_recipe(recipe, data, NcclTuning::shipped(), HostTuning::shipped());
  result.parameters.provenance = make_provenance("paceline_fit_collectives", {});
  return result;
}

std::vector<UnseenErrors> validate(const CollectiveRecipe& recipe, const fs::path& data,
                                   const CollectiveParameters& parameters) {
  std::vector<SourceFile> sources;
  return unseen_errors(recipe.problem, recipe_points(recipe, data, sources),
                       {NcclTuning::shipped(), HostTuning::shipped(), parameters});
}

void refresh(const fs::path& data, const fs::path& output) {
  const fs::path fitted = output / "calibration/fitted/collectives";
  fs::create_directories(fitted);
  fs::create_directories(output / "docs");
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(data_directory() / "calibration/recipes/collectives")) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<CollectiveAccuracy> sets;
  // Fits first: validation uses their constants.
  CollectiveParameters parameters = CollectiveParameters::shipped();
  for (const bool validating : {false, true}) {
    for (const fs::path& file : files) {
      const CollectiveRecipe recipe = read(file);
      if (recipe.validate != validating) continue;
      CollectiveAccuracy set{recipe.title, {}, {}};
      if (validating) {
        set.unseen = validate(recipe, data, parameters);
      } else {
        const CollectiveFitResult result = fit(recipe, data);
        set.held_out = result.errors;
        if (recipe.write) {
          write_parameters(fitted / (recipe.problem.fabric_class + ".json"), result.parameters);
          parameters.add(result.parameters);
        }
      }
      sets.push_back(std::move(set));
    }
  }
  write_text_file(output / "docs/accuracy-collectives.md", accuracy_document(sets));
}

int run(int argc, char** argv) {
  if (argc == 3 && fs::is_directory(argv[1])) {
    refresh(argv[1], argv[2]);
    return 0;
  }
  if (argc < 3 || argc > 5) {
    throw UsageError(
        "usage: paceline_fit_collectives DATA-FOLDER OUTPUT-FOLDER, or RECIPE DATA-FOLDER "
        "[OUTPUT [MESSAGES]]");
  }
  const CollectiveRecipe recipe = read(argv[1]);
  if (recipe.validate) throw UsageError(std::string(argv[1]) + ": nothing is fitted to this set");
  const CollectiveFitResult result = fit(recipe, argv[2]);
  std::cout << to_text(result);
  const bool named = argc > 3 && std::string(argv[3]) != "-";
  if (named && recipe.write) write_parameters(argv[3], result.parameters);
  if (argc > 4) write_text_file(argv[4], messages_csv(result));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
