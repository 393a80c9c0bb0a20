#include "validation/jobs/residual_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace paceline {
namespace {

constexpr double kInside = 0.9;

struct GridSizes {
  std::size_t computing = 0;
  std::size_t communication = 0;
};

using Sets = std::vector<std::vector<JobCase>>;
using Side = IntervalSide JobCase::*;

// One side of every interval under one pair of sizes.
struct SideCandidate {
  GridSizes sizes;
  double width = 0;                       // mean over sets of the mean over cases
  std::vector<std::vector<bool>> inside;  // by set and case
};

double reach(const IntervalSide& side, GridSizes sizes) {
  return std::hypot(side.known, side.computing[sizes.computing],
                    side.communication[sizes.communication]);
}

// `sign` is 1 for the upper side.
SideCandidate candidate(const Sets& sets, Side side, double sign, GridSizes sizes) {
  SideCandidate out{sizes, 0, {}};
  for (const std::vector<JobCase>& set : sets) {
    out.inside.emplace_back();
    double sum = 0;
    for (const JobCase& one : set) {
      const double end = reach(one.*side, sizes);
      sum += end;
      out.inside.back().push_back(sign * one.residual <= end);
    }
    out.width += sum / static_cast<double>(set.size()) / static_cast<double>(sets.size());
  }
  return out;
}

// Narrowest first.
std::vector<SideCandidate> candidates(const Sets& sets, Side side, double sign) {
  std::vector<SideCandidate> out;
  for (std::size_t i = 0; i < kComputingGrid.size(); ++i) {
    for (std::size_t j = 0; j < kCommunicationGrid.size(); ++j) {
      out.push_back(candidate(sets, side, sign, {i, j}));
    }
  }
  std::ranges::stable_sort(out, {}, &SideCandidate::width);
  return out;
}

double coverage(const SideCandidate& low, const SideCandidate& high) {
  double total = 0;
  for (std::size_t set = 0; set < low.inside.size(); ++set) {
    double inside = 0;
    for (std::size_t i = 0; i < low.inside[set].size(); ++i) {
      inside += low.inside[set][i] && high.inside[set][i] ? 1 : 0;
    }
    total += inside / static_cast<double>(low.inside[set].size());
  }
  return total / static_cast<double>(low.inside.size());
}

}  // namespace

JobResiduals fit_residuals(const std::vector<std::vector<JobCase>>& sets) {
  PACELINE_ASSERT(!sets.empty() && std::ranges::none_of(sets, &std::vector<JobCase>::empty),
                  "residuals are of sets with cases");
  const std::vector<SideCandidate> lows = candidates(sets, &JobCase::low, -1);
  const std::vector<SideCandidate> highs = candidates(sets, &JobCase::high, 1);
  const SideCandidate* low = &lows.back();
  const SideCandidate* high = &highs.back();
  double narrowest = std::numeric_limits<double>::infinity();
  for (const SideCandidate& below : lows) {
    for (const SideCandidate& above : highs) {
      if (below.width + above.width >= narrowest) break;
      if (coverage(below, above) < kInside) continue;
      narrowest = below.width + above.width;
      low = &below;
      high = &above;
    }
  }
  return {{0 - kComputingGrid[low->sizes.computing], kComputingGrid[high->sizes.computing]},
          {0 - kCommunicationGrid[low->sizes.communication],
           kCommunicationGrid[high->sizes.communication]}};
}

}  // namespace paceline
