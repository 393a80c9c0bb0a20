// What each compute library contributes to the plug-in; cpu/<library>/ if it was found when
// building, else cpu/without/<library>.cpp, which registers one benchmark that cannot run.
#pragma once

#include <map>
#include <string>

#include "microbench/benchmark.h"

namespace paceline {

void register_system(BenchmarkRegistry& registry);

void register_openblas(BenchmarkRegistry& registry);
void register_onednn(BenchmarkRegistry& registry);
void register_aten(BenchmarkRegistry& registry);

// Adds versions and the kernels that the library selected on this processor.
using LibraryVersions = std::map<std::string, std::string>;
void describe_openblas(LibraryVersions& versions);
void describe_onednn(LibraryVersions& versions);
void describe_aten(LibraryVersions& versions);

}  // namespace paceline
