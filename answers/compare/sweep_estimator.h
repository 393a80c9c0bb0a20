// Closed-form answers for the points of a large sweep.
//
// What one device computes is costed once for all points that share it, and the messages of a
// strategy are taken from one simulation. At the smallest and the largest cluster of each strategy
// the closed form (closed_form.h) is held against the simulation; where it is off by more than one
// per cent it is not used. So parameter servers, priorities and anything else that is not a series
// of collectives stays simulated.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simulator/report/prediction.h"

namespace paceline {

class SweepEstimator {
 public:
  // All must outlive this. `devices` may hold null for points that cannot be predicted. Prepares
  // nothing: families are simulated when the first of their points is asked for.
  SweepEstimator(const Predictor& predictor, const std::vector<Experiment>& points,
                 const std::vector<const TrainingDevice*>& devices);
  ~SweepEstimator();
  SweepEstimator(const SweepEstimator&) = delete;
  SweepEstimator& operator=(const SweepEstimator&) = delete;

  // Nothing if this point must be simulated. From any thread. Throws what the prediction throws.
  std::optional<Report> estimate(std::size_t point);

 private:
  struct Family;   // one device's work and one strategy
  struct Network;  // one cluster shape: machines of one kind on one network

  Network& network_of(const Experiment& resolved, const TrainingDevice& device);
  void prepare(Family& family);
  std::optional<Report> closed(const Family& family, const Experiment& experiment,
                               const TrainingDevice& device);

  const Predictor& predictor_;
  const std::vector<Experiment>& points_;
  const std::vector<const TrainingDevice*>& devices_;
  std::vector<std::size_t> family_index_;  // by point
  std::vector<std::unique_ptr<Family>> families_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Network>> networks_;
  struct Shared;  // catalogs and models, read once
  std::unique_ptr<const Shared> shared_;
};

}  // namespace paceline
