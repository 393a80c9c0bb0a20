#include "simulator/strategies/parts/power_sgd.h"

namespace paceline {
namespace {

constexpr double kLeastCompression = 2;  // min_compression_rate of the hook

}  // namespace

PowerSgdShares power_sgd_shares(const std::vector<GradientTensor>& gradients, int rank) {
  PowerSgdShares out;
  Bytes total;
  for (const GradientTensor& gradient : gradients) {
    total += gradient.bytes;
    const auto elements = static_cast<double>(gradient.elements);
    const auto n = static_cast<double>(gradient.rows);
    const double m = n > 0 ? elements / n : 0;
    const double element = gradient.bytes.si() / elements;
    if (n < 2 || m < 2 || (n + m) * rank * kLeastCompression >= elements) {
      out.whole += gradient.bytes.si();
      continue;
    }
    out.p += n * rank * element;
    out.q += m * rank * element;
    out.matrices += 1;
  }
  for (double* part : {&out.whole, &out.p, &out.q, &out.matrices}) *part /= total.si();
  return out;
}

}  // namespace paceline
