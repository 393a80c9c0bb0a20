// Predicts the points of a sweep. What points share is made once: the work of one device for all
// that differ in cluster and strategy alone, and, in large sweeps, the messages of a strategy for
// all clusters. At the smallest cluster of each strategy and at its largest on each network the
// closed form over its messages (closed_form.h) is held against the simulation; where it is off by
// more than one per cent it is not used. So parameter servers, priorities and anything else that is
// not a series of collectives stays simulated.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "answers/compare/sweep_networks.h"
#include "simulator/report/prediction.h"

namespace paceline {

class SweepEstimator {
 public:
  struct Options {
    bool closed_forms = false;   // whether families use them
    bool largest_batch = false;  // also that, of points that are simulated
  };
  // All must outlive this. Points whose device is null cannot be predicted.
  SweepEstimator(const Predictor& predictor, const std::vector<Experiment>& points,
                 const std::vector<const TrainingDevice*>& devices, const Options& options);
  ~SweepEstimator();
  SweepEstimator(const SweepEstimator&) = delete;
  SweepEstimator& operator=(const SweepEstimator&) = delete;

  // The points in an order in which those that share work follow one another.
  const std::vector<std::size_t>& order() const { return order_; }

  struct Answer {
    Report report;
    bool simulated = true;
  };
  // Once for each point; from any thread. Throws what the prediction throws.
  Answer predict(std::size_t point);

 private:
  struct Work;     // what one device does
  struct Family;   // one device's work and one strategy
  struct Largest;  // the largest batch of all points that differ in nothing that it depends on

  void prepare(Family& family);
  void find_closed_form(Family& family);
  std::vector<std::size_t> points_to_hold_against(const Family& family) const;
  std::shared_ptr<Work> work_of(const Experiment& resolved, const TrainingDevice& device);
  std::optional<Report> closed(const Family& family, std::size_t point);
  Report simulated(const Family& family, std::size_t point);
  std::int64_t largest_batch(const Family& family, const StrategyMemory& kept);

  const Predictor& predictor_;
  const std::vector<Experiment>& points_;
  const std::vector<const TrainingDevice*>& devices_;
  const Options options_;
  std::vector<std::size_t> family_index_;  // by point
  std::vector<std::unique_ptr<Family>> families_;
  std::vector<std::size_t> order_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Work>> works_;
  std::vector<std::shared_ptr<Work>> latest_;  // kept for families to come
  std::unique_ptr<SweepNetworks> networks_;    // of closed forms
  std::map<std::string, std::unique_ptr<Largest>> largest_;
};

}  // namespace paceline
