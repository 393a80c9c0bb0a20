#include "calibration/collective/collective_recipe.h"

#include <map>
#include <utility>

#include "core/provenance.h"
#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

ClusterSpec read_machine(JsonObject object, const std::filesystem::path& catalog) {
  const LinkCatalog links = LinkCatalog::load(catalog / "links");
  if (object.has("name")) {
    const std::string name = object.string("name");
    object.finish();
    return read_cluster(catalog / "clusters" / (name + ".json"), links);
  }
  ClusterFlags flags;
  flags.gpus = object.count("gpus", 1);
  flags.gpus_per_node = object.count("gpus_per_node", 1);
  if (object.has("intra")) flags.intra = object.string("intra");
  if (object.has("net")) flags.net = object.string("net");
  flags.transport = object.string_or("transport", "");
  object.finish();
  return build_cluster(flags, links);
}

// Several runs of the same message are rounds of one measurement: its value is the fastest, the
// state that repeats.
void add_run(Measurement run, std::map<std::pair<std::string, Axes>, Measurement>& runs) {
  const auto key = std::pair(run.benchmark, run.axes);
  if (const auto known = runs.find(key); known != runs.end()) {
    known->second.rounds.push_back(std::move(run.rounds.front()));
  } else {
    runs.emplace(key, std::move(run));
  }
}

}  // namespace

CollectiveRecipe read_collective_recipe(const std::filesystem::path& file,
                                        const std::filesystem::path& catalog,
                                        const StagingModel& staging) {
  const JsonDocument document = read_json_file(file, "paceline.collective-recipe/1");
  JsonObject root = document.root();
  CollectiveRecipe recipe;
  recipe.problem.fabric_class = root.string("fabric_class");
  recipe.problem.generation = root.string("generation");
  recipe.problem.cluster = read_machine(root.object("machine"), catalog);
  recipe.problem.staging = staging;
  recipe.write = root.boolean_or("write", true);
  recipe.title = root.string("title");
  recipe.validate = root.boolean_or("validate", false);
  root.string_or("note", "");
  for (JsonObject& object : root.objects("files")) {
    CollectiveRecipeFile source;
    source.path = object.string("path");
    source.licence = object.string("licence");
    source.layout = read_csv_layout(object);
    object.finish();
    recipe.files.push_back(std::move(source));
  }
  root.finish();
  return recipe;
}

std::vector<CollectivePoint> recipe_points(const CollectiveRecipe& recipe,
                                           const std::filesystem::path& data,
                                           std::vector<SourceFile>& sources) {
  std::map<std::pair<std::string, Axes>, Measurement> runs;
  for (const CollectiveRecipeFile& source : recipe.files) {
    const std::string text = read_text_file(data / source.path);
    for (Measurement& m : import_collective_csv(text, source.path, source.layout)) {
      add_run(std::move(m), runs);
    }
    sources.push_back({source.path, sha256_hex(text), source.licence});
  }
  std::vector<Measurement> measurements;
  for (auto& [key, run] : runs) measurements.push_back(std::move(run));
  return collective_points(measurements);
}

CollectiveFitResult run_recipe(const CollectiveRecipe& recipe, const std::filesystem::path& data,
                               const NcclTuning& tuning, const HostTuning& hosts) {
  std::vector<SourceFile> sources;
  const std::vector<CollectivePoint> points = recipe_points(recipe, data, sources);
  CollectiveFitResult result = fit_collectives(recipe.problem, points, tuning, hosts);
  result.parameters.sources = std::move(sources);
  return result;
}

}  // namespace paceline
