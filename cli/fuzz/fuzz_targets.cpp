#include "cli/fuzz/fuzz_targets.h"

#include <iostream>

#include "core/error.h"

namespace paceline {

bool reads_or_refuses(const FuzzTarget& target, std::string_view bytes) {
  try {
    target.read(bytes);
    return true;
  } catch (const Error& error) {
    const bool refused = error.code() != ExitCode::kInternal && *error.what() != '\0';
    if (!refused) std::cerr << target.name << ": internal error: " << error.what() << "\n";
    return refused;
  } catch (const std::exception& error) {
    std::cerr << target.name << ": " << error.what() << "\n";
    return false;
  }
}

}  // namespace paceline
