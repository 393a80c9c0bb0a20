#include "microbench/cpu/libraries.h"
#include "microbench/cpu/unavailable.h"

namespace paceline {

void register_onednn(BenchmarkRegistry& registry) {
  registry.add("onednn", "convolutions of oneDNN (not in this build)",
               std::make_unique<UnavailableBenchmark>(
                   "built without it: install libdnnl-dev and configure with PACELINE_DNNL=ON"));
}

void describe_onednn(LibraryVersions&) {}

}  // namespace paceline
