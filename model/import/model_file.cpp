#include <filesystem>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "model/import/hugging_face.h"
#include "model/import/onnx.h"
#include "model/import/workload_file.h"

namespace paceline {
namespace {

ImportedModel from_catalog(const WorkloadRegistry& registry, const std::string& name) {
  ImportedModel model;
  model.workload = *registry.make(name);
  model.name = registry.find(name)->name;
  model.summary = registry.find(name)->summary;
  return model;
}

bool looks_like_file(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json") || text.ends_with(".onnx");
}

ImportedModel import_model(const std::string& bytes, const std::filesystem::path& path) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && bytes[first] == '{';
  if (!json && path.extension() != ".json") return import_onnx(bytes, path.string());
  // Our own files say so in their schema; Hugging Face's have none.
  if (JsonObject(parse_any_json(bytes, path.string()).value(), path.string() + ":/")
          .has("schema")) {
    return import_workload_file(bytes, path.string());
  }
  return import_hugging_face(bytes, path.string());
}

}  // namespace

ImportedModel load_model(const WorkloadRegistry& registry, const std::string& name_or_file) {
  if (registry.find(name_or_file) != nullptr || !looks_like_file(name_or_file)) {
    return from_catalog(registry, name_or_file);
  }
  // A folder as saved by Hugging Face holds its config.json.
  std::filesystem::path path(name_or_file);
  if (std::filesystem::is_directory(path)) path /= "config.json";
  const std::string bytes = read_text_file(path);
  ImportedModel model = import_model(bytes, path);
  model.file = path.filename().string();
  model.sha256 = sha256_hex(bytes);
  return model;
}

}  // namespace paceline
