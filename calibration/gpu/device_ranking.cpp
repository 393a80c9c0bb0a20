#include "calibration/gpu/device_ranking.h"

#include <cmath>
#include <map>
#include <set>

namespace paceline {
namespace {

// Two collections of one kernel on one GPU model are this far apart at least: smaller differences
// are not the devices'.
constexpr double kNoise = 0.03;

std::string key_of(const Observation& o) {
  return std::string(to_string(o.kernel.precision)) + " " + to_string(o.kernel.shape);
}

std::set<std::string> shapes_of(const std::vector<Observation>& observations) {
  std::set<std::string> out;
  for (const Observation& o : observations) out.insert(key_of(o));
  return out;
}

// The first timing of each shape in `of`.
std::vector<Observation> first_of_each(const std::vector<Observation>& observations,
                                       std::set<std::string> of) {
  std::vector<Observation> out;
  for (const Observation& o : observations) {
    if (of.erase(key_of(o)) > 0) out.push_back(o);
  }
  return out;
}

std::vector<DeviceEstimate> without(const std::vector<DeviceEstimate>& estimates,
                                    const std::string& device) {
  std::vector<DeviceEstimate> out;
  for (const DeviceEstimate& e : estimates) {
    if (e.device != device) out.push_back(e);
  }
  return out;
}

}  // namespace

std::vector<DevicePair> pairs_of_folds(const std::vector<GpuFold>& folds, std::string_view split) {
  std::map<std::string, std::vector<const UnseenShape*>> shapes;
  for (const GpuFold& fold : folds) {
    if (fold.split != split) continue;
    std::set<std::string> once;
    for (const UnseenShape& s : fold.shapes) {
      if (once.insert(s.shape).second) shapes[s.shape].push_back(&s);
    }
  }
  std::vector<DevicePair> out;
  for (const auto& [shape, timed] : shapes) {
    for (std::size_t i = 0; i < timed.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const double measured = std::log(timed[i]->measured / timed[k]->measured);
        out.push_back({measured, measured + timed[i]->log_error - timed[k]->log_error});
      }
    }
  }
  return out;
}

std::vector<DevicePair> pairs_left_out(const GpuPool& pool, const DeviceCatalog& catalog) {
  std::vector<DevicePair> out;
  for (const auto& [one, of_one] : pool.observations) {
    for (const auto& [other, of_other] : pool.observations) {
      if (!(one < other)) continue;
      std::set<std::string> common;
      for (const std::string& shape : shapes_of(of_other)) {
        if (shapes_of(of_one).contains(shape)) common.insert(shape);
      }
      if (common.empty()) continue;
      const auto from = without(pool.without(one), other);
      std::map<std::string, std::vector<UnseenShape>> scored;
      for (const std::string& device : {one, other}) {
        scored[device] = score(pool.expected_of(device, catalog.at(device).architecture, from),
                               first_of_each(pool.observations.at(device), common));
      }
      const std::vector<DevicePair> pairs = pairs_of_folds(
          {{one, kLeftOut, scored.at(one)}, {other, kLeftOut, scored.at(other)}}, kLeftOut);
      out.insert(out.end(), pairs.begin(), pairs.end());
    }
  }
  return out;
}

DeviceRanking ranking_of(const std::string& family, std::string_view split,
                         const std::vector<DevicePair>& pairs) {
  DeviceRanking out{.family = family, .split = std::string(split)};
  double sum = 0, clear_sum = 0;
  for (const DevicePair& pair : pairs) {
    if (pair.log_measured == 0) continue;
    const double told = (pair.log_measured > 0) == (pair.log_predicted > 0) ? 1 : -1;
    sum += told;
    ++out.pairs;
    if (std::abs(pair.log_measured) < kNoise) continue;
    clear_sum += told;
    ++out.clear_pairs;
  }
  out.tau = out.pairs > 0 ? sum / static_cast<double>(out.pairs) : 0;
  out.clear_tau = out.clear_pairs > 0 ? clear_sum / static_cast<double>(out.clear_pairs) : 0;
  return out;
}

}  // namespace paceline
