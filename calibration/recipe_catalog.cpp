#include "calibration/recipe_catalog.h"

#include <algorithm>

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "core/names.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
  return out;
}

RecipeEntry gpu_entry(const fs::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.gpu-recipe/1");
  return {file.stem().string(), RecipeKind::kGpuKernels, document.root().string("summary"), file};
}

// False for one that only scores what other recipes have fitted, or writes nothing.
bool is_fit(JsonObject root) {
  return !root.boolean_or("validate", false) && root.boolean_or("write", true);
}

}  // namespace

std::vector<RecipeEntry> shipped_recipes() {
  const fs::path folder = data_directory() / "calibration/recipes";
  std::vector<RecipeEntry> out;
  for (const fs::path& file : files_of(folder / "gpu")) out.push_back(gpu_entry(file));
  for (const fs::path& file : files_of(folder / "collectives")) {
    const JsonDocument document = read_json_file(file, "paceline.collective-recipe/1");
    if (!is_fit(document.root())) continue;
    out.push_back(
        {file.stem().string(), RecipeKind::kCollectives, document.root().string("title"), file});
  }
  std::ranges::sort(out, {}, &RecipeEntry::name);
  return out;
}

RecipeEntry recipe_named(std::string_view name) {
  std::vector<std::string> names;
  for (RecipeEntry& entry : shipped_recipes()) {
    if (same_name(entry.name, name)) return entry;
    names.push_back(std::move(entry.name));
  }
  throw UsageError(unknown_name_message("recipe", name, names));
}

}  // namespace paceline
