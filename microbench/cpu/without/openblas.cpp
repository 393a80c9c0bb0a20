#include "microbench/cpu/libraries.h"
#include "microbench/cpu/unavailable.h"

namespace paceline {

void register_openblas(BenchmarkRegistry& registry) {
  registry.add(
      "openblas", "matrix products of OpenBLAS (not in this build)",
      std::make_unique<UnavailableBenchmark>(
          "built without it: install libopenblas-dev libopenblas0-openmp and configure with "
          "PACELINE_OPENBLAS=ON"));
}

void describe_openblas(LibraryVersions&) {}

}  // namespace paceline
