// Benchmarks as --only names them.
#pragma once

#include <string>
#include <string_view>

namespace paceline {

// Whether `word` is the name of `benchmark` ("onednn.conv.forward") or the library before its first
// dot ("onednn").
inline bool selects(std::string_view word, std::string_view benchmark) {
  return word == benchmark || word == benchmark.substr(0, benchmark.find('.'));
}

}  // namespace paceline
