#include "model/plan/error_shares.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace paceline {

void ErrorShares::add(const std::string& unknown, double contribution) {
  if (contribution == 0) return;
  shares_.push_back({std::hash<std::string>()(unknown), contribution});
}

void ErrorShares::finish() {
  std::ranges::stable_sort(shares_, {}, &ErrorShare::unknown);
  std::vector<ErrorShare> merged;
  double squares = 0;
  for (const ErrorShare& share : shares_) {
    if (!merged.empty() && merged.back().unknown == share.unknown) {
      merged.back().weight += share.weight;
    } else {
      merged.push_back(share);
    }
  }
  for (const ErrorShare& share : merged) squares += share.weight * share.weight;
  for (ErrorShare& share : merged) share.weight /= std::sqrt(squares);
  shares_ = std::move(merged);
}

double correlation(const ErrorShares& a, const ErrorShares& b) {
  double sum = 0;
  auto at = b.shares().begin();
  for (const ErrorShare& share : a.shares()) {
    while (at != b.shares().end() && at->unknown < share.unknown) ++at;
    if (at == b.shares().end()) break;
    if (at->unknown == share.unknown) sum += share.weight * at->weight;
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace paceline
