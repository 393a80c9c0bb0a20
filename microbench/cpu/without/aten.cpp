#include "microbench/cpu/libraries.h"
#include "microbench/cpu/unavailable.h"

namespace paceline {

void register_aten(BenchmarkRegistry& registry) {
  registry.add("aten", "PyTorch's own CPU kernels (not in this build)",
               std::make_unique<UnavailableBenchmark>(
                   "built without it: install libtorch-dev and configure with PACELINE_TORCH=ON"));
}

void describe_aten(LibraryVersions&) {}

}  // namespace paceline
