// Fitted times of collectives, by class of fabric: the files calibration/fitted/collectives/*.json,
// each a "paceline.parameters/1" whose device is the class and whose implementations are named
// "nccl.all-reduce.ring.ll".
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "model/collective/nccl_tuning.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

std::string collective_fit_name(CollectiveOp op, NcclAlgorithm algorithm, NcclProtocol protocol);
// Exchanges without an algorithm: "nccl.all-to-all.direct.ll".
std::string exchange_fit_name(CollectiveOp op, NcclProtocol protocol);

class CollectiveParameters {
 public:
  // Every *.json of `folder`; none is fine, the model then falls back on NCCL's own estimate.
  static CollectiveParameters load(const std::filesystem::path& folder);
  static CollectiveParameters shipped();

  void add(ParameterSet set);
  // Null if the class has no such fit.
  const Fit* find(const std::string& fabric_class, const std::string& fit_name) const;
  // The class itself if it has this fit, else the class of the same family ("nvswitch", "pcie",
  // "-ib", "gbe") that has it, nearest by generation or rate; none if the family has no such fit.
  std::optional<std::string> nearest_class(const std::string& fabric_class,
                                           const std::string& fit_name) const;
  // Between classes of one family: |ln| of the ratio of generations or rates.
  static double distance(const std::string& a, const std::string& b);

 private:
  std::map<std::string, ParameterSet> sets_;
};

}  // namespace paceline
