// What a collective costs when it runs alone on a cluster: the library's tuning picks algorithm,
// protocol and channels; the fit of that choice on the same class of fabric predicts the time.
// Where there is no fit, NCCL's own estimate is used, scaled by what fits of related choices say,
// and the origin and the interval say so. docs/models/collectives.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/collective/collective_parameters.h"
#include "model/collective/fabric_group.h"
#include "model/collective/host_tuning.h"
#include "model/cost/cost_model.h"
#include "model/formula/collective_protocol.h"

namespace paceline {

struct CollectiveCall {
  CollectiveOp op = CollectiveOp::kAllReduce;
  Bytes bytes;  // size as nccl-tests counts it
  CollectiveGroup group;
  std::string library = "nccl";  // or one of HostTuning: "mpi", "gloo"
  // To run it another way than NCCL would choose.
  std::optional<NcclAlgorithm> algorithm;
  std::optional<NcclProtocol> protocol;
};

struct CollectiveCost {
  Seconds time;     // median
  double sd = 0;    // of ln(time)
  Seconds latency;  // the part that does not depend on the size
  Seconds least;    // what the data sheets of the links allow; quantiles do not go below it
  std::string algorithm;
  std::string protocol;
  std::string library;
  int channels = 1;
  BytesPerSecond algorithm_rate;  // bytes / time
  BytesPerSecond bus_rate;        // as nccl-tests defines it
  BytesPerSecond fabric_rate;     // what the links could carry at bus bandwidth
  std::string bottleneck;
  Origin origin;
  std::vector<std::string> warnings;

  Seconds quantile(double p) const;  // log-normal above `least`
};

// By NVLS, alone or between machines.
bool reduces_in_switch(const CollectiveCost& cost);

class CollectiveModel {
 public:
  CollectiveModel(NcclTuning tuning, HostTuning hosts, CollectiveParameters parameters)
      : tuning_(std::move(tuning)), hosts_(std::move(hosts)), parameters_(std::move(parameters)) {}
  static CollectiveModel shipped();

  const NcclTuning& tuning() const { return tuning_; }
  // Throws UsageError if fewer than two ranks take part, the size is not positive, or the wanted
  // algorithm or protocol does not exist for this call; the message lists those that do.
  CollectiveCost cost(const CollectiveCall& call, const FabricGroup& fabric) const;

 private:
  struct Choice;
  Choice choose(const CollectiveCall& call, const FabricGroup& fabric) const;
  CollectiveCost fitted(const CollectiveCall& call, const FabricGroup& fabric,
                        const Choice& choice) const;
  void reconcile(const CollectiveCall& call, const FabricGroup& fabric, const Choice& choice,
                 CollectiveCost& cost) const;
  CollectiveCost estimated(const CollectiveCall& call, const FabricGroup& fabric,
                           const Choice& choice) const;

  CollectiveCost nccl_cost(const CollectiveCall& call, const FabricGroup& fabric) const;
  CollectiveCost host_cost(const CollectiveCall& call, const FabricGroup& fabric) const;
  CollectiveCost with_fit(const Fit& fit, const std::string& fabric_class,
                          const formula::CollectiveProtocol::Input& input,
                          const CollectiveCall& call, const FabricGroup& fabric) const;

  NcclTuning tuning_;
  HostTuning hosts_;
  CollectiveParameters parameters_;
};

// What the formula needs to know about one way to run a call; also used to fit it.
formula::CollectiveProtocol::Input protocol_input(CollectiveOp op, Bytes bytes,
                                                  const CollectiveGroup& group,
                                                  const NcclOption& option,
                                                  BytesPerSecond bus_rate);
}  // namespace paceline
