#include "model/collective/overlap_catalog.h"

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "core/names.h"

namespace paceline {
namespace {

OverlapDemand read_demand(JsonObject& object) {
  OverlapDemand demand;
  demand.multiprocessors_per_channel = object.number("multiprocessors_per_channel");
  if (demand.multiprocessors_per_channel < 0) {
    object.fail("multiprocessors_per_channel", "expected a number that is not negative");
  }
  demand.memory_bytes_per_byte = object.number("memory_bytes_per_byte");
  if (demand.memory_bytes_per_byte < 0) {
    object.fail("memory_bytes_per_byte", "expected a number that is not negative");
  }
  JsonObject sources = object.object("sources");
  for (const char* field : {"multiprocessors_per_channel", "memory_bytes_per_byte"}) {
    demand.sources[field] = sources.string(field);
  }
  sources.finish();
  return demand;
}

}  // namespace

OverlapCatalog OverlapCatalog::load(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.overlap/1");
  JsonObject root = document.root();
  OverlapCatalog catalog;
  for (JsonObject& object : root.objects("libraries")) {
    const std::string name = object.string("name");
    object.string("summary");
    catalog.libraries_[name] = read_demand(object);
    object.finish();
  }
  root.finish();
  return catalog;
}

OverlapCatalog OverlapCatalog::shipped() {
  return load(data_directory() / "model/catalog/collectives/overlap.json");
}

std::vector<std::string> OverlapCatalog::names() const {
  std::vector<std::string> out;
  for (const auto& [name, demand] : libraries_) out.push_back(name);
  return out;
}

const OverlapDemand& OverlapCatalog::at(std::string_view library) const {
  const auto found = libraries_.find(library);
  if (found != libraries_.end()) return found->second;
  throw UsageError(unknown_name_message("library", library, names()));
}

}  // namespace paceline
