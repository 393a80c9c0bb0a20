// Failed calls of CUPTI inside the injected library, where they end what was tried, not the
// program.
#pragma once

#include <cupti_result.h>

#include <stdexcept>
#include <string>

namespace paceline::cuda_trace {

// One line: what was tried, what CUPTI said and, where that is known, what would help.
class CuptiError : public std::runtime_error {
 public:
  CuptiError(const std::string& what, CUptiResult result);
};

// Throws CuptiError unless `result` is success.
void check(CUptiResult result, const char* what);

// "paceline trace: LINE" on stderr.
void report(const std::string& line);

}  // namespace paceline::cuda_trace
