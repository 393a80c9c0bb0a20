#include "core/error.h"

namespace paceline {

void assertion_failed(std::string_view condition, std::string_view meaning,
                      std::source_location where) {
  throw Error(ExitCode::kInternal, std::string("internal error at ") + where.file_name() + ":" +
                                       std::to_string(where.line()) + ": " +
                                       std::string(condition) +
                                       " is false: " + std::string(meaning));
}

}  // namespace paceline
