// A network read from a file: the same description as one of the catalog, and what had to be
// assumed because the file does not say it.
#pragma once

#include <string>
#include <vector>

#include "model/graph/workload.h"

namespace paceline {

struct ImportedModel {
  std::string name;
  std::string summary;
  Workload workload;
  // The file read and the SHA-256 of its bytes; empty for a network of the catalog.
  std::string file{};
  std::string sha256{};
  std::vector<std::string> assumptions;  // one line each: "n_inner is absent: 4 x n_embd = 3072"
};

// A name of the catalog, a file of our own format, a Hugging Face config.json, or an .onnx file,
// told apart by content. Throws UsageError for a name that is neither known nor a file, InputError
// for a file that cannot be used.
ImportedModel load_model(const WorkloadRegistry& registry, const std::string& name_or_file);

}  // namespace paceline
