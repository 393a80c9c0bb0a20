// copy.host/1: time of one copy between host and device:
//
//   pinned    t = base + s/link
//   pageable  t = base + s/min(link, processor) + min(s, chunk)/processor
//
// A pageable copy goes through a pinned buffer of the driver: the first chunk is copied by the
// processor before the link starts, the following ones while the previous is on the link.
#pragma once

#include <array>

#include "model/formula/time_parts.h"

namespace paceline::formula {

struct HostCopy {
  static constexpr std::string_view kId = "copy.host/1";
  static constexpr std::array<Declaration, 3> kParameters = {
      {{"base", "s"}, {"processor_rate", "B/s"}, {"chunk", "B"}}};

  template <typename T>
  static T pinned(double bytes, const T& link_rate, const T& base) {
    return base + bytes / link_rate;
  }

  template <typename T>
  static T pageable(double bytes, const T& link_rate, const T* values) {
    const T& processor = values[1];
    const T slower = link_rate < processor ? link_rate : processor;
    const T first = values[2] < bytes ? values[2] : T(bytes);
    return values[0] + bytes / slower + first / processor;
  }
};

}  // namespace paceline::formula
