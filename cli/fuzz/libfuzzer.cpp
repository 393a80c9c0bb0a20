// The entry point of libFuzzer: PACELINE_FUZZ_TARGET names the target.
//
//   PACELINE_FUZZ_TARGET=units build/fuzz/cli/fuzz/paceline_fuzz -max_total_time=60 NEW_CORPUS
//   cli/fuzz/corpus/units
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "cli/fuzz/fuzz_targets.h"

namespace {

const paceline::FuzzTarget& chosen() {
  static const paceline::FuzzTarget target = [] {
    paceline::FuzzTargets targets;
    paceline::register_all(targets);
    const char* name = std::getenv("PACELINE_FUZZ_TARGET");
    std::string known;
    for (const paceline::FuzzTarget& candidate : targets.all()) {
      if (name != nullptr && candidate.name == name) return candidate;
      known += " " + candidate.name;
    }
    std::cerr << "PACELINE_FUZZ_TARGET must be one of:" << known << "\n";
    std::exit(2);
  }();
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!paceline::reads_or_refuses(chosen(), bytes)) std::abort();
  return 0;
}
