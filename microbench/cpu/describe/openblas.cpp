#include <cblas.h>

#include "microbench/cpu/libraries.h"
#include "microbench/harness/loaded_libraries.h"

namespace paceline {

void describe_openblas(LibraryVersions& versions) {
  versions["openblas"] = openblas_get_config();
  versions["openblas_core"] = openblas_get_corename();
  for (const std::string& file : loaded_libraries_with("libopenblas")) {
    versions["openblas_file"] = file;
  }
}

}  // namespace paceline
