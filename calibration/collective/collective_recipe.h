// How a fitted file of collectives is made: which published tables, read how, on which machine
// ("paceline.collective-recipe/1"; calibration/recipes/collectives/*.json). The tables themselves
// are not shipped; the fitted file carries their names, hashes and licences.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibration/collective/collective.h"
#include "traces/import/collective_csv.h"

namespace paceline {

struct CollectiveRecipeFile {
  std::string path;  // below the data folder
  std::string licence;
  CollectiveCsvLayout layout;
};

struct CollectiveRecipe {
  CollectiveProblem problem;
  std::vector<CollectiveRecipeFile> files;
  bool write =
      true;  // false: only the errors are wanted, the machine is no good example of its class
};

// Throws InputError. `catalog` is the folder model/catalog.
CollectiveRecipe read_collective_recipe(const std::filesystem::path& file,
                                        const std::filesystem::path& catalog,
                                        const StagingModel& staging);

// Reads the tables below `data`, fits, and puts hashes and licences into the parameters.
CollectiveFitResult run_recipe(const CollectiveRecipe& recipe, const std::filesystem::path& data,
                               const NcclTuning& tuning, const HostTuning& hosts);

}  // namespace paceline
