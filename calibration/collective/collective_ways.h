// The ways in which measured messages were run (operation, algorithm, protocol) and the fit of
// each. Private to calibration/collective/*.cpp.
#pragma once

#include <string>
#include <vector>

#include "calibration/collective/collective.h"

namespace paceline {

// A message with what the formula needs to know about it.
struct PreparedMessage {
  CollectivePoint point;
  FabricGroup fabric;
  std::string fit_name;
  formula::CollectiveProtocol::Input input;
};

std::vector<PreparedMessage> prepare_messages(const CollectiveProblem& problem,
                                              const std::vector<CollectivePoint>& points,
                                              const NcclTuning& tuning, const HostTuning& hosts);

// One fit for each way that has enough messages. Ways of one algorithm and protocol lean on one
// another: each starts from the fit of all of them together. Reasons of ways without a fit are
// added to `refused`.
ParameterSet fit_ways(const CollectiveProblem& problem,
                      const std::vector<const PreparedMessage*>& points, int starts,
                      std::vector<std::string>& refused);

}  // namespace paceline
