#include "cli/copy_calibration.h"

#include <algorithm>
#include <filesystem>

#include "core/statistics.h"
#include "core/units_text.h"
#include "model/hardware/link_catalog.h"

namespace paceline {
namespace {

constexpr std::string_view kPrefix = "nvbandwidth.";

// Copy engines, one direction at a time: what copies of a training job are.
std::vector<std::string> tests_of(const LinkSpec& link) {
  if (link.wiring == Wiring::kHostTree) {
    return {"host_to_device_memcpy_ce", "device_to_host_memcpy_ce"};
  }
  if (link.wiring == Wiring::kSwitch || link.wiring == Wiring::kPairs) {
    return {"device_to_device_memcpy_read_ce", "device_to_device_memcpy_write_ce"};
  }
  throw UsageError("--link " + link.name +
                   ": a matrix does not say which pairs have it; name the link between a device "
                   "and its host, or the switch between all devices");
}

std::vector<double> rates_of(const MeasurementSet& measurements,
                             const std::vector<std::string>& tests) {
  std::vector<double> rates;
  for (const Measurement& cell : measurements.results) {
    if (cell.skipped || !cell.benchmark.starts_with(kPrefix)) continue;
    const std::string test = cell.benchmark.substr(kPrefix.size());
    if (std::ranges::find(tests, test) == tests.end()) continue;
    rates.push_back(static_cast<double>(cell.integer("bytes")) / cell.value().si());
  }
  return rates;
}

}  // namespace

bool holds_copies(const MeasurementSet& measurements) {
  return std::ranges::any_of(measurements.results, [](const Measurement& measurement) {
    return measurement.benchmark.starts_with(kPrefix);
  });
}

CopyCalibration calibrate_copies(const Arguments& arguments, const MeasurementSet& measurements) {
  const std::string file = arguments.text("FILE");
  if (!arguments.has("link")) {
    throw UsageError(
        "the file holds copies of nvbandwidth: name the link they went over, --link "
        "pcie4-x16 for those with the host, --link nvswitch2 for those between devices");
  }
  const LinkCatalog catalog = LinkCatalog::shipped();
  const LinkSpec& known = catalog.at(arguments.text("link"));
  const std::vector<std::string> tests = tests_of(known);
  const std::vector<double> rates = rates_of(measurements, tests);
  if (rates.empty()) {
    throw InputError(file + ": no result of " + tests[0] + " or " + tests[1] + ", which " +
                     known.name + " needs");
  }
  if (known.wiring == Wiring::kPairs && rates.size() > 4) {
    throw UsageError("--link " + known.name +
                     ": of more than two devices the matrix does not say "
                     "which pairs have it; measure with two devices visible");
  }
  CopyCalibration out;
  out.link = known;
  out.link.achieved = BytesPerSecond(median(rates));
  if (out.link.achieved > known.data_sheet) {
    throw InputError(file + ": " + to_text(out.link.achieved) + " exceed the data sheet's " +
                     to_text(known.data_sheet) + " of " + known.name + "; was it another link?");
  }
  out.link.peer.reset();
  out.link.sources.erase("peer");
  out.link.summary = known.summary + ", as measured";
  out.link.sources["achieved"] = "measured: " + std::filesystem::path(file).filename().string() +
                                 ", nvbandwidth " + tests[0] + " and " + tests[1] + ", median of " +
                                 std::to_string(rates.size()) + " cells";
  const auto [least, most] = std::ranges::minmax(rates);
  out.report = known.name + " achieves " + to_text(out.link.achieved) + " (" +
               to_text(BytesPerSecond(least)) + " to " + to_text(BytesPerSecond(most)) + " in " +
               std::to_string(rates.size()) + " cells); the catalog has " +
               to_text(known.achieved) + "\n";
  return out;
}

}  // namespace paceline
