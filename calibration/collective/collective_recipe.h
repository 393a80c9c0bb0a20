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
  std::string title;      // what was measured, one line of the accuracy document
  bool validate = false;  // nothing is fitted: shipped constants predict all messages
  bool write = true;  // false: the machine is no good example of its class, only errors are wanted
};

// Throws InputError. `catalog` is the folder model/catalog.
CollectiveRecipe read_collective_recipe(const std::filesystem::path& file,
                                        const std::filesystem::path& catalog,
                                        const StagingModel& staging);

// The messages of the tables below `data`, several runs of one as one; where they come from is
// added to `sources`.
std::vector<CollectivePoint> recipe_points(const CollectiveRecipe& recipe,
                                           const std::filesystem::path& data,
                                           std::vector<SourceFile>& sources);

// Reads the tables below `data`, fits, and puts hashes and licences into the parameters.
CollectiveFitResult run_recipe(const CollectiveRecipe& recipe, const std::filesystem::path& data,
                               const NcclTuning& tuning, const HostTuning& hosts);

}  // namespace paceline
