// Fits the times of collectives on one class of fabric: one fit of collective.protocol/2 for every
// way of running (operation, algorithm, protocol) that NCCL's tuning chose for at least a few of
// the measured messages; and says how well sizes and rank counts are predicted that the fit did not
// see, beside two null models.
#pragma once

#include <string>
#include <vector>

#include "core/statistics.h"
#include "model/collective/collective_model.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// One measured message.
struct CollectivePoint {
  std::string library = "nccl";
  CollectiveOp op = CollectiveOp::kAllReduce;
  Bytes bytes;
  CollectiveGroup group;
  Seconds measured;
  // The rate of the network it ran over, "200 Mb/s", where sweeps over several rates of one kind of
  // link are fitted together; empty: the network of the problem.
  std::string link{};
};

struct CollectiveProblem {
  std::string fabric_class;
  ClusterSpec cluster;
  std::string generation;  // of NCCL's tables
  StagingModel staging;
  int connections = 1;
};

// Points of measurements named "<library>.<operation>" (nccl, mpi, gloo) with axes bytes, ranks,
// machines; in-place ones are left out. With an axis "link" in place of machines each rank is a
// machine with a link of that rate; those without a limit ("unlimited") or with an added latency
// ("200 Mb/s@2ms") are of another class and left out. Throws InputError if
// ranks do not fill the machines or nothing is left.
std::vector<CollectivePoint> collective_points(const std::vector<Measurement>& measurements);

// A prediction's error over points that its fit did not see.
struct CollectiveErrors {
  std::string operation;  // empty: all
  ErrorSummary by_size;   // each half octave of sizes held out in turn
  ErrorSummary by_ranks;  // each rank count held out in turn; count 0 with a single one
  ErrorSummary alpha_beta_by_size;
  ErrorSummary alpha_beta_by_ranks;
  ErrorSummary nccl_estimate;  // NCCL's own formula, nothing fitted; count 0 where it has none
};

// A measured message beside what was predicted for it; 0 where nothing could be.
struct ScoredMessage {
  CollectivePoint point;
  std::string way;                           // name of the fit
  formula::CollectiveProtocol::Input input;  // what the formula saw
  Seconds fitted;                            // by the fit of all messages
  Seconds by_size;                           // with its size held out
  Seconds by_ranks;                          // with its rank count held out
};

struct CollectiveFitResult {
  ParameterSet parameters;               // device = fabric class; provenance left to the caller
  std::vector<CollectiveErrors> errors;  // all operations together first
  std::vector<ScoredMessage> messages;   // in the order of the points
  std::vector<std::string> refused;      // ways with too few points or no solution, with the reason
};

// Deterministic. Throws InputError if no way could be fitted.
CollectiveFitResult fit_collectives(const CollectiveProblem& problem,
                                    const std::vector<CollectivePoint>& points,
                                    const NcclTuning& tuning, const HostTuning& hosts);

// Every message with its predictions, as comma-separated values.
std::string messages_csv(const CollectiveFitResult& result);
// The errors as a table for people.
std::string to_text(const CollectiveFitResult& result);

}  // namespace paceline
