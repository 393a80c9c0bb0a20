// collective.protocol/2: time of one collective run by one algorithm and protocol of a library
// such as NCCL over one class of fabric:
//
//   t = base + steps step + spread (1 - 1/channels) + q/(channels channel_rate)
//       + V/(bus_efficiency B) (1 + sqrt(ramp/V)) + copied copy
//
// base      launch, entry and exit of all ranks
// step      hand-over between two ranks; `steps` of them follow one another
// spread    one block of threads runs each channel: the last of several starts and ends later
// q         bytes that one step's worth of channels must carry; small messages use few channels, so
//           the term stays constant while channels grow with the message (the plateaus of NCCL)
// V, B      bus volume of the operation and bus rate of the fabric (model/collective/collective.h)
// ramp      rates still grow with the size far beyond the start-up: half of the final rate at V =
//           ramp, 90 % at 81 ramp
// copied    bytes each rank copies locally whatever the number of ranks
//
// Derivation, and where it breaks: docs/models/collectives.md.
#pragma once

#include <array>
#include <cmath>

#include "model/formula/time_parts.h"

namespace paceline::formula {

struct CollectiveProtocol {
  static constexpr std::string_view kId = "collective.protocol/2";

  struct Input {
    double steps = 0;
    double channel_bytes = 0;  // q
    double channels = 1;
    double volume = 0;    // V, bytes
    double bus_rate = 1;  // B, bytes per second
    double copied = 0;
  };

  static constexpr std::array<Declaration, 7> kParameters = {{{"base", "s"},
                                                              {"step", "s"},
                                                              {"channel_rate", "B/s"},
                                                              {"bus_efficiency", "1"},
                                                              {"copy", "s/B"},
                                                              {"spread", "s"},
                                                              {"ramp", "B"}}};

  // `fixed` is what does not depend on the size, `memory` the rest.
  template <typename T>
  static TimeParts<T> evaluate(const Input& in, const T* values) {
    using std::sqrt;
    TimeParts<T> time;
    time.fixed = values[0] + in.steps * values[1] + (1 - 1 / in.channels) * values[5];
    time.compute = T(0.0);
    time.memory = in.channel_bytes / (in.channels * values[2]) +
                  (in.volume + sqrt(in.volume * values[6])) / (in.bus_rate * values[3]) +
                  in.copied * values[4];
    time.total = time.fixed + time.memory;
    return time;
  }
};

}  // namespace paceline::formula
