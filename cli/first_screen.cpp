#include "cli/first_screen.h"

#include "core/error.h"

namespace paceline {

FlagSpec all_flag(std::string what) { return {"all", "", std::move(what)}; }

bool wants_all(const Arguments& arguments) {
  if (!arguments.has("all")) return false;
  for (const char* format : {"json", "csv", "md"}) {
    if (!arguments.has(format)) continue;
    throw UsageError("--all has no effect with " + flag_text(format) +
                     ", which leaves nothing out; give one of them");
  }
  return true;
}

}  // namespace paceline
