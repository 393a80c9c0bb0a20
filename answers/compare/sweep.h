// Many experiments to reports: each simulated, or, where there are very many and only the cluster
// varies, most of them in closed form from kernels that are costed once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "simulator/report/prediction.h"

namespace paceline {

struct SweepOptions {
  // Called with the number of points that have been finished, from any thread.
  std::function<void(std::size_t)> done = [](std::size_t) {};
  // More points than this are predicted in closed form where that agrees with the simulation.
  std::size_t most_simulated = 400;
  unsigned threads = 0;  // 0: as many as the machine has processors
  // Also the largest batch that fits, of points that are simulated.
  bool largest_batch = false;
};

struct Sweep {
  std::vector<Report> reports;  // of the points that could be predicted, in input order
  std::vector<Error> errors;    // of the others
  // The only point, with all it was made from; absent for several.
  std::optional<Prediction> single;
  std::size_t in_closed_form = 0;  // how many of the reports
};

// The devices that a sweep asks for, read once each.
class SweepDevices {
 public:
  // Throws what read_training_device throws. Not from several threads.
  const TrainingDevice& at(const Experiment& experiment);

 private:
  std::map<std::string, std::unique_ptr<const TrainingDevice>> devices_;
};

Sweep predict_sweep(const std::vector<Experiment>& points, const SweepOptions& options,
                    SweepDevices& devices);

}  // namespace paceline
