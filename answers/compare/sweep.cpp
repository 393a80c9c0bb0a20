#include "answers/compare/sweep.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <map>
#include <thread>

#include "answers/compare/sweep_estimator.h"

namespace paceline {
namespace {

// What became of one point.
struct Outcome {
  std::optional<Report> report;
  std::optional<Error> error;
};

std::string device_options(const Experiment& experiment) {
  std::string out = experiment.device;
  for (const auto& [key, value] : experiment.options) {
    if (is_device_option(key)) out += "|" + key + "=" + value;
  }
  return out;
}

// Calls `work` for 0 .. count-1, on several threads. What it throws is kept and thrown at the end.
void in_parallel(std::size_t count, unsigned threads,
                 const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(threads);
  const auto run = [&](unsigned thread) {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (const std::exception&) {
      failures[thread] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned thread = 1; thread < threads; ++thread) pool.emplace_back(run, thread);
    run(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace

const TrainingDevice& SweepDevices::at(const Experiment& experiment) {
  const std::string key = device_options(experiment);
  auto found = devices_.find(key);
  if (found == devices_.end()) {
    found =
        devices_.emplace(key, read_training_device(experiment.device, experiment.options)).first;
  }
  return *found->second;
}

Sweep predict_sweep(const std::vector<Experiment>& points, const SweepOptions& options,
                    SweepDevices& devices) {
  const Predictor predictor;
  std::future<void> clusters;  // read beside the devices
  if (std::ranges::any_of(points, [](const Experiment& e) { return e.devices > 1; })) {
    clusters = std::async(std::launch::async, [&] { predictor.read_clusters(); });
  }
  const unsigned threads =
      std::max(1U, options.threads == 0 ? std::thread::hardware_concurrency() : options.threads);
  std::vector<Outcome> outcomes(points.size());
  std::vector<const TrainingDevice*> device_of(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    try {
      device_of[i] = &devices.at(points[i]);
    } catch (const Error& error) {
      outcomes[i].error = error;
    }
  }
  Sweep sweep;
  if (points.size() == 1 && device_of[0] != nullptr) {
    try {
      sweep.single = predictor.predict(points[0], *device_of[0], options.largest_batch);
      outcomes[0].report = sweep.single->report;
    } catch (const Error& error) {
      outcomes[0].error = error;
    }
  } else {
    SweepEstimator estimator(predictor, points, device_of,
                             {.closed_forms = points.size() > options.most_simulated,
                              .largest_batch = options.largest_batch});
    std::atomic<std::size_t> estimated = 0;
    const std::vector<std::size_t>& order = estimator.order();
    options.done(points.size() - order.size());
    in_parallel(order.size(), threads, [&](std::size_t next) {
      const std::size_t i = order[next];
      try {
        SweepEstimator::Answer answer = estimator.predict(i);
        outcomes[i].report = std::move(answer.report);
        estimated += answer.simulated ? 0 : 1;
      } catch (const Error& error) {
        outcomes[i].error = error;
      }
      options.done(1);
    });
    sweep.in_closed_form = estimated;
  }
  sweep.reports.reserve(outcomes.size());
  for (Outcome& outcome : outcomes) {
    if (outcome.report) {
      sweep.reports.push_back(std::move(*outcome.report));
    } else if (outcome.error) {
      sweep.errors.push_back(*outcome.error);
    }
  }
  return sweep;
}

}  // namespace paceline
