// Time since an arbitrary origin, for what is timed from the host.
#pragma once

#include <chrono>

#include "core/units.h"

namespace paceline {

inline Seconds host_now() {
  return Seconds(
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace paceline
