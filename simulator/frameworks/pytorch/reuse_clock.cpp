#include "simulator/frameworks/pytorch/reuse_clock.h"

#include <algorithm>
#include <cmath>

namespace paceline::pytorch {
namespace {

// Distances are rounded to powers of two and shares to sixteenths: finer differences would make
// every call a kernel of its own without changing its time.
Bytes rounded(double bytes) { return Bytes(std::exp2(std::round(std::log2(bytes)))); }
double rounded_share(double share) { return std::round(16 * std::min(share, 1.0)) / 16; }

}  // namespace

Reuse ReuseClock::touch(const std::vector<Operand>& operands, Bytes traffic) {
  Bytes far;
  double log_distance = 0;  // weighted by bytes
  for (const Operand& operand : operands) {
    const auto last = last_.find(key(operand));
    if (last == last_.end()) continue;
    const Bytes distance = now_ - last->second;
    if (distance <= traffic || operand.bytes <= Bytes(0)) continue;
    far += operand.bytes;
    log_distance += operand.bytes.si() * std::log(distance.si());
  }
  now_ += traffic;
  for (const Operand& operand : operands) last_[key(operand)] = now_;
  if (far <= Bytes(0) || traffic <= Bytes(0)) return {};
  const double share = rounded_share(far / traffic);
  if (share <= 0) return {};
  return {share, rounded(std::exp(log_distance / far.si()))};
}

void ReuseClock::alias(const Operand& from, const Operand& to) {
  const auto last = last_.find(key(from));
  if (last != last_.end()) last_[key(to)] = last->second;
}

}  // namespace paceline::pytorch
