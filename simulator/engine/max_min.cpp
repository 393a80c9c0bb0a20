#include "simulator/engine/max_min.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace paceline {
namespace {
// Levels closer than this are one level: symmetric resources fill in the same round although their
// sums were rounded differently.
constexpr double kSameLevel = 1 + 1e-12;
}  // namespace

void MaxMinSolver::clear() {
  resources_.clear();
  flows_.clear();
  uses_.clear();
}

std::uint32_t MaxMinSolver::add_resource(double capacity) {
  resources_.push_back({capacity});
  return static_cast<std::uint32_t>(resources_.size() - 1);
}

void MaxMinSolver::add_flow(double share, double cap) {
  const auto use = static_cast<std::uint32_t>(uses_.size());
  flows_.push_back({share, cap, use, use});
}

void MaxMinSolver::add_use(std::uint32_t resource, double weight) {
  uses_.push_back({resource, weight});
  flows_.back().last_use += 1;
}

void MaxMinSolver::index_users() {
  for (const Use& use : uses_) resources_[use.resource].last_user += 1;
  std::uint32_t first = 0;
  for (Resource& resource : resources_) {
    const std::uint32_t count = resource.last_user;
    resource.first_user = resource.last_user = first;
    first += count;
  }
  users_.resize(uses_.size());
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
    for (std::uint32_t i = flows_[flow].first_use; i < flows_[flow].last_use; ++i) {
      Resource& resource = resources_[uses_[i].resource];
      users_[resource.last_user++] = {flow, uses_[i].weight};
      resource.slope += uses_[i].weight * flows_[flow].share;
      resource.growing += 1;
    }
  }
  active_.clear();
  for (std::uint32_t r = 0; r < resources_.size(); ++r) {
    resources_[r].summed_slope = resources_[r].slope;
    if (resources_[r].growing > 0) active_.push_back(r);
  }
}

void MaxMinSolver::sort_caps() {
  by_cap_.clear();
  next_cap_ = 0;
  for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
    if (std::isfinite(flows_[flow].cap)) by_cap_.push_back(flow);
  }
  std::stable_sort(by_cap_.begin(), by_cap_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return flows_[a].cap / flows_[a].share < flows_[b].cap / flows_[b].share;
  });
}

double MaxMinSolver::next_level() {
  std::erase_if(active_, [this](std::uint32_t r) { return resources_[r].growing == 0; });
  while (next_cap_ < by_cap_.size() && !flows_[by_cap_[next_cap_]].growing) ++next_cap_;
  double level = std::numeric_limits<double>::infinity();
  if (next_cap_ < by_cap_.size()) {
    const Flow& flow = flows_[by_cap_[next_cap_]];
    level = flow.cap / flow.share;
  }
  for (const std::uint32_t r : active_) {
    const Resource& resource = resources_[r];
    level = std::min(level, std::max(0.0, resource.capacity - resource.fixed) / resource.slope);
  }
  return level;
}

void MaxMinSolver::fix(std::uint32_t index, double rate) {
  Flow& flow = flows_[index];
  flow.growing = false;
  rates_[index] = rate;
  for (std::uint32_t i = flow.first_use; i < flow.last_use; ++i) {
    Resource& resource = resources_[uses_[i].resource];
    resource.fixed += uses_[i].weight * rate;
    resource.growing -= 1;
    resource.slope -= uses_[i].weight * flow.share;
    if (resource.slope < 0.5 * resource.summed_slope) touched_.push_back(uses_[i].resource);
  }
}

// Subtracting loses digits once little is left: sums anew whenever half is gone, which keeps the
// work for a resource with n users at O(n log n) over all rounds.
void MaxMinSolver::update_slopes() {
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const std::uint32_t r : touched_) {
    Resource& resource = resources_[r];
    resource.slope = 0;
    if (resource.growing == 0) continue;
    for (std::uint32_t u = resource.first_user; u < resource.last_user; ++u) {
      const User& user = users_[u];
      if (flows_[user.flow].growing) resource.slope += user.weight * flows_[user.flow].share;
    }
    resource.summed_slope = resource.slope;
  }
  touched_.clear();
}

// The common case: one link, and no flow is held back by its cap.
bool MaxMinSolver::solve_single() {
  if (resources_.size() != 1 || uses_.size() != flows_.size()) return false;
  double slope = 0;
  for (std::size_t f = 0; f < flows_.size(); ++f) slope += uses_[f].weight * flows_[f].share;
  const double level = resources_[0].capacity / slope;
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    rates_[f] = flows_[f].share * level;
    if (flows_[f].cap < rates_[f] || flows_[f].first_use == flows_[f].last_use) return false;
  }
  return true;
}

std::span<const double> MaxMinSolver::solve() {
  rates_.assign(flows_.size(), 0);
  if (solve_single()) return rates_;
  index_users();
  sort_caps();
  double level = 0;
  while (true) {
    // Rounding must not let the level sink: a resource may be full to the last bit but one.
    level = std::max(level, next_level());
    if (!std::isfinite(level)) break;
    // Full resources are recognized before rates are fixed, which changes their sums.
    const auto is_full = [&](std::uint32_t r) {
      const Resource& resource = resources_[r];
      return resource.capacity - resource.fixed <= level * resource.slope * kSameLevel;
    };
    const auto full_end = std::stable_partition(active_.begin(), active_.end(), is_full);
    while (next_cap_ < by_cap_.size()) {
      const std::uint32_t f = by_cap_[next_cap_];
      if (flows_[f].cap > level * flows_[f].share * kSameLevel) break;
      if (flows_[f].growing) fix(f, flows_[f].cap);
      ++next_cap_;
    }
    for (auto r = active_.begin(); r != full_end; ++r) {
      for (std::uint32_t u = resources_[*r].first_user; u < resources_[*r].last_user; ++u) {
        const std::uint32_t f = users_[u].flow;
        if (flows_[f].growing) fix(f, std::min(flows_[f].cap, flows_[f].share * level));
      }
    }
    update_slopes();
  }
  for (const Flow& flow : flows_) {
    PACELINE_ASSERT(!flow.growing, "each flow has a use or a finite cap");
  }
  return rates_;
}

}  // namespace paceline
