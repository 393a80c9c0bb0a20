#include "answers/check/utilization_check.h"

#include <algorithm>
#include <cmath>

#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kSamePeak = 0.02;  // relative: data sheets round
// Shares of the peak that training runs are published with (docs/models/flop-conventions.md); used
// only to order the candidates for a peak that must be wrong.
constexpr double kUsualLow = 0.2;
constexpr double kUsualHigh = 0.65;
constexpr std::size_t kMostCandidates = 4;

bool same(FlopsPerSecond a, FlopsPerSecond b) {
  return std::abs(a.si() - b.si()) <= kSamePeak * b.si();
}

struct Candidate {
  FlopsPerSecond peak;
  std::vector<std::string> devices;
};

std::string describe(const Candidate& candidate) {
  std::string out = to_text(candidate.peak) + " of " + candidate.devices.front();
  if (candidate.devices.size() > 1) out += " and others";
  return out;
}

// Devices of the catalog by peak at this precision; devices of equal peak together, the newest
// first within each.
std::vector<Candidate> peaks_of_others(const DeviceCatalog& catalog, const DeviceSpec& device,
                                       Precision precision) {
  std::vector<const DeviceSpec*> others;
  for (const DeviceSpec& other : catalog.devices()) {
    if (other.name != device.name && other.matrix_peak.contains(precision)) {
      others.push_back(&other);
    }
  }
  // The nearest in time: a program's table of peaks is usually one generation old.
  std::ranges::stable_sort(others, {}, [&](const DeviceSpec* other) {
    return std::abs(other->released - device.released);
  });
  std::vector<Candidate> out;
  for (const DeviceSpec* other : others) {
    const FlopsPerSecond peak = other->peak(precision);
    const auto known = std::ranges::find_if(
        out, [&](const Candidate& candidate) { return same(candidate.peak, peak); });
    if (known == out.end()) {
      out.push_back({peak, {other->name}});
    } else {
      known->devices.push_back(other->name);
    }
  }
  return out;
}

Finding impossible_share(double share, const DeviceSpec& device, Precision precision,
                         const DeviceCatalog& catalog) {
  const FlopsPerSecond peak = device.peak(precision);
  std::string list;
  std::size_t listed = 0;
  std::vector<Candidate> candidates = peaks_of_others(catalog, device, precision);
  // Data-centre parts are met by their number of devices of one peak.
  std::ranges::stable_sort(candidates, std::ranges::greater(),
                           [](const Candidate& c) { return c.devices.size(); });
  for (const Candidate& candidate : candidates) {
    const double true_share = share * (candidate.peak / peak);
    if (true_share < kUsualLow || true_share > kUsualHigh || listed == kMostCandidates) continue;
    list += (listed == 0 ? " such as " : ", ") + describe(candidate) + " (then it is " +
            percent(true_share, 3) + ")";
    ++listed;
  }
  return {.what = "utilization of the arithmetic peak",
          .measured = share,
          .expected = 1,
          .unit = "",
          .cause = "no device does more than its peak, " + to_text(peak) + " dense " +
                   std::string(to_string(precision)) + " for " + device.name +
                   ": either the peak of another GPU was used" + list +
                   ", or operations were counted twice, or the rate of all devices was divided by "
                   "one",
          .remedy = "give the peak that was used with --peak",
          .at_most = true,
          .verdict = Verdict::kImpossible};
}

Finding wrong_peak(FlopsPerSecond assumed, double share, FlopsPerSecond peak, std::string reason) {
  const double true_share = share * (assumed / peak);
  return {.what = "peak that the utilization refers to",
          .measured = assumed.si(),
          .expected = peak.si(),
          .unit = "FLOP/s",
          .cause = std::move(reason) + "; " + percent(share, 3) + " of it is " +
                   percent(true_share, 3) + " of the dense peak " + to_text(peak),
          .remedy = "divide by the dense peak of the device and precision that ran",
          .verdict = true_share > 1 ? Verdict::kImpossible : Verdict::kImplausible};
}

}  // namespace

std::optional<Finding> check_peak(FlopsPerSecond assumed, double claimed_share,
                                  const DeviceSpec& device, Precision precision,
                                  const DeviceCatalog& catalog) {
  const FlopsPerSecond peak = device.peak(precision);
  if (same(assumed, peak)) return std::nullopt;
  const std::string text = to_text(assumed);
  if (same(assumed, 2.0 * peak)) {
    return wrong_peak(assumed, claimed_share, peak,
                      text + " is the sparsity figure of " + device.name +
                          ", twice the dense peak, and training does not use 2:4 sparsity");
  }
  for (const auto& [other, fact] : device.matrix_peak) {
    if (other == precision || !same(assumed, fact.value)) continue;
    return wrong_peak(assumed, claimed_share, peak,
                      text + " is the " + std::string(to_string(other)) + " peak of " +
                          device.name + ", not that of " + std::string(to_string(precision)));
  }
  for (const Candidate& candidate : peaks_of_others(catalog, device, precision)) {
    if (!same(assumed, candidate.peak)) continue;
    return wrong_peak(assumed, claimed_share, peak,
                      text + " is the peak of another GPU, " + candidate.devices.front());
  }
  return wrong_peak(assumed, claimed_share, peak,
                    text + " is no peak in the data sheet of " + device.name);
}

std::vector<Finding> check_utilization(const ClaimedUtilization& claim, const DeviceSpec& device,
                                       Precision precision, const DeviceCatalog& catalog) {
  std::vector<Finding> out;
  if (claim.assumed_peak) {
    std::optional<Finding> finding =
        check_peak(*claim.assumed_peak, claim.share, device, precision, catalog);
    if (finding) {
      out.push_back(std::move(*finding));
      if (claim.share <= 1) return out;
    }
  }
  if (claim.share > 1) {
    out.push_back(impossible_share(claim.share, device, precision, catalog));
  } else if (out.empty()) {
    out.push_back({.what = "utilization of the arithmetic peak",
                   .measured = claim.share,
                   .expected = 1,
                   .unit = "",
                   .cause = "below the dense " + std::string(to_string(precision)) + " peak of " +
                            device.name + ", " + to_text(device.peak(precision)),
                   .at_most = true});
  }
  return out;
}

}  // namespace paceline
