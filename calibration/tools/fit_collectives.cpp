// paceline_fit_collectives RECIPE DATA-FOLDER [OUTPUT [MESSAGES]]: fits collectives as the recipe
// says, prints the held-out errors, and writes calibration/fitted/collectives/<class>.json to
// OUTPUT
// ("-": nowhere) and every message with its predictions to MESSAGES, comma-separated.
#include <iostream>

#include "calibration/collective/collective_recipe.h"
#include "core/data_directory.h"
#include "core/json_writer.h"
#include "model/hardware/copy_model.h"

namespace {

int run(int argc, char** argv) {
  using namespace paceline;
  if (argc < 3 || argc > 5) {
    throw UsageError("usage: paceline_fit_collectives RECIPE DATA-FOLDER [OUTPUT [MESSAGES]]");
  }
  const CollectiveRecipe recipe = read_collective_recipe(
      argv[1], data_directory() / "model/catalog", CopyModel::shipped().staging());
  CollectiveFitResult result =
      run_recipe(recipe, argv[2], NcclTuning::shipped(), HostTuning::shipped());
  result.parameters.provenance = make_provenance("paceline_fit_collectives", {});
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
  } catch (const paceline::Error& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(error.code());
  }
}
