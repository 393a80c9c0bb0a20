// Soft maximum of two times: how much of the shorter one hides behind the longer.
//
//   pnorm(a, b; p) = (a^p + b^p)^(1/p),   p >= 1
//
// p = 1 adds them (no overlap), p -> infinity is the roofline max(a, b) of Williams, Waterman and
// Patterson, CACM 52(4), 2009. Derivation: docs/models/cpu-stream.md.
#pragma once

#include <cmath>

namespace paceline::formula {

// Both times >= 0 and one > 0. Evaluated relative to the larger, so that no power over- or
// underflows; a time that is negligible against the other is left out.
template <typename T>
T pnorm(const T& a, const T& b, const T& p) {
  using std::exp;
  using std::log;
  const bool a_larger = !(a < b);
  const T& larger = a_larger ? a : b;
  const T& smaller = a_larger ? b : a;
  if (smaller < 1e-9 * larger) return larger;
  const T ratio = exp(p * log(smaller / larger));
  return larger * exp(log(1.0 + ratio) / p);
}

}  // namespace paceline::formula
