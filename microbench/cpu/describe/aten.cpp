#include <ATen/Version.h>
#include <torch/csrc/api/include/torch/version.h>

#include "microbench/cpu/libraries.h"
#include "microbench/harness/loaded_libraries.h"

namespace paceline {

void describe_aten(LibraryVersions& versions) {
  versions["torch"] = TORCH_VERSION;
  const std::string config = at::show_config();
  const std::string key = "CPU capability usage: ";
  const std::size_t start = config.find(key);
  if (start != std::string::npos) {
    const std::size_t value = start + key.size();
    versions["aten"] = config.substr(value, config.find('\n', value) - value);
  }
  for (const std::string& file : loaded_libraries_with("libtorch_cpu")) {
    versions["torch_file"] = file;
  }
}

}  // namespace paceline
