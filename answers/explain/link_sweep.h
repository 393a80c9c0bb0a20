// What faster links would change, by predicting the same job with them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answers/explain/sensitivity.h"
#include "core/table.h"
#include "model/hardware/link_catalog.h"
#include "model/plan/report.h"

namespace paceline {

// Predicts one experiment; throws what a prediction throws.
using Predict = std::function<Report(const Experiment&)>;

// "network of twice the bandwidth" where the job has a network of its own (--net), and "pcie4-x16
// inside the machine" where the catalog has a link of the same kind and wiring at about twice the
// rate (--intra). Machines by name are what they are: nothing then.
std::vector<Sensitivity> link_sensitivities(const Experiment& experiment, const Predict& predict,
                                            const LinkCatalog& links);

struct BandwidthPoint {
  BytesPerSecond bandwidth;  // line rate of the network, one direction
  Estimate iteration_s;
  double exposed_share = 0;
};
struct BandwidthSweep {
  std::vector<BandwidthPoint> points;  // ascending
  // The least bandwidth of the sweep with an iteration within 5 % of that at the greatest: above
  // it, a faster network gains nothing. Nothing if even the last step still gains.
  std::optional<BytesPerSecond> knee;
};
// The job on networks from a quarter to 32 times the bandwidth, of the same transport, latency and
// limit of a connection; nothing if it has no network of its own.
std::optional<BandwidthSweep> network_sweep(const Experiment& experiment, const Predict& predict,
                                            const LinkCatalog& links);

Table sweep_table(const BandwidthSweep& sweep);
// "above 40.0 Gb/s a faster network gains less than 5 %".
std::string knee_text(const BandwidthSweep& sweep);
nlohmann::ordered_json to_json(const BandwidthSweep& sweep);

}  // namespace paceline
