// How long ago, in bytes touched since, the operands of a kernel were last used: that decides what
// the caches still hold of them. The unit of the clock is a byte of compulsory traffic.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/units.h"

namespace paceline::pytorch {

// Something in memory: an activation, the gradient of one, a parameter of a layer, its `.grad`.
struct Operand {
  enum class Kind { kActivation, kGradient, kParameter, kParameterGradient };
  Kind kind = Kind::kActivation;
  std::uint64_t id = 0;
  Bytes bytes;
};

// What part of a kernel's traffic comes from far away, and from how far.
struct Reuse {
  double far_share = 0;
  Bytes distance;
};

class ReuseClock {
 public:
  // Operands touched longer ago than the kernel's own `traffic` are far; those never seen before
  // are not counted. Afterwards all of them are fresh, and the clock has moved on by `traffic`.
  Reuse touch(const std::vector<Operand>& operands, Bytes traffic);
  // `to` is the same memory as `from`.
  void alias(const Operand& from, const Operand& to);

 private:
  using Key = std::pair<Operand::Kind, std::uint64_t>;
  static Key key(const Operand& operand) { return {operand.kind, operand.id}; }

  Bytes now_;
  std::map<Key, Bytes> last_;
};

}  // namespace paceline::pytorch
