#include "microbench/cuda/trace/cupti_error.h"

#include <cstdio>

namespace paceline::cuda_trace {
namespace {

std::string text_of(CUptiResult result) {
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  std::string out = text == nullptr ? "unknown error" : text;
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
    out +=
        " (only administrators may read counters here; the driver's module option "
        "NVreg_RestrictProfilingToAdminUsers=0 lets all)";
  }
  return out;
}

}  // namespace

CuptiError::CuptiError(const std::string& what, CUptiResult result)
    : std::runtime_error(what + ": " + text_of(result)) {}

void check(CUptiResult result, const char* what) {
  if (result != CUPTI_SUCCESS) throw CuptiError(what, result);
}

void report(const std::string& line) { std::fprintf(stderr, "paceline trace: %s\n", line.c_str()); }

}  // namespace paceline::cuda_trace
