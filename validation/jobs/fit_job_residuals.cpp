// paceline_fit_job_residuals OUT: predicts the jobs of every shipped set of published figures and
// writes how far they were off, with all sets and without each (calibration/fitted/jobs).
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "simulator/report/prediction.h"
#include "validation/harness/validation_set.h"
#include "validation/jobs/residual_fit.h"

namespace paceline {
namespace {

constexpr int kDraws = 50;  // of what one device computes, which these jobs are calibrated to

struct JobSet {
  std::string name;
  std::string source;
  std::vector<JobCase> cases;
};

bool counts(const PublishedCase& published) {
  return published.excluded.empty() && published.experiment.devices > 1 &&
         published.experiment.calibrate.has_value();
}

void read_side(const std::vector<IntervalPart>& parts, double IntervalPart::*end, std::size_t size,
               IntervalSide& side) {
  double known = 0;
  for (const IntervalPart& part : parts) {
    if (part.what == "computing in a job") {
      side.computing[size] = part.*end;
    } else if (part.what == "communication in a job") {
      side.communication[size] = part.*end;
    } else {
      known = std::hypot(known, part.*end);
    }
  }
  side.known = known;
}

// Sizes of the grid that are simulated; between them a side is nearly linear.
constexpr std::array<std::size_t, 4> kSimulated = {0, 4, 8, kComputingGrid.size() - 1};

template <std::size_t N>
void interpolate(const std::array<double, N>& grid, std::array<double, N>& side) {
  for (std::size_t k = 0; k + 1 < kSimulated.size(); ++k) {
    const std::size_t from = kSimulated[k], to = kSimulated[k + 1];
    for (std::size_t i = from + 1; i < to; ++i) {
      const double part = (grid[i] - grid[from]) / (grid[to] - grid[from]);
      side[i] = side[from] + part * (side[to] - side[from]);
    }
  }
}

class JobSets {
 public:
  std::vector<JobSet> predict() {
    std::vector<JobSet> out;
    for (const ValidationSet& set : shipped_validation_sets({})) {
      if (!set.published) continue;
      JobSet jobs{set.name, set.published->source, {}};
      for (const PublishedCase& published : set.published->cases) {
        if (counts(published)) add(published, jobs);
      }
      if (!jobs.cases.empty()) out.push_back(std::move(jobs));
    }
    return out;
  }

 private:
  void add(const PublishedCase& published, JobSet& jobs) {
    Experiment e = published.experiment;
    e.draws = kDraws;
    auto& device = devices_[{e.device, e.options}];
    JobCase one;
    try {
      if (!device) device = read_training_device(e.device, e.options);
      for (std::size_t k = 0; k < predictors_.size(); ++k) {
        const std::size_t size = kSimulated[k];
        const Report report = predictors_[k]->predict(e, *device).report;
        one.residual = std::log(published.measured.si() / report.iteration_time_s.median);
        read_side(report.interval_parts, &IntervalPart::low, size, one.low);
        read_side(report.interval_parts, &IntervalPart::high, size, one.high);
      }
    } catch (const Error& error) {
      std::cerr << published.name << ": left out: " << error.what() << '\n';
      return;
    }
    for (IntervalSide* side : {&one.low, &one.high}) {
      interpolate(kComputingGrid, side->computing);
      interpolate(kCommunicationGrid, side->communication);
    }
    jobs.cases.push_back(one);
  }

  static std::vector<std::unique_ptr<const Predictor>> make_predictors() {
    std::vector<std::unique_ptr<const Predictor>> out;
    for (const std::size_t i : kSimulated) {
      const JobResiduals sizes{{-kComputingGrid[i], kComputingGrid[i]},
                               {-kCommunicationGrid[i], kCommunicationGrid[i]}};
      out.push_back(std::make_unique<const Predictor>(sizes));
    }
    return out;
  }

  std::vector<std::unique_ptr<const Predictor>> predictors_ = make_predictors();
  std::map<std::pair<std::string, std::map<std::string, std::string>>,
           std::unique_ptr<const TrainingDevice>>
      devices_;
};

nlohmann::ordered_json to_json(const JobResiduals& residuals) {
  return {{"computing", {{"low", residuals.computing.low}, {"high", residuals.computing.high}}},
          {"communication",
           {{"low", residuals.communication.low}, {"high", residuals.communication.high}}}};
}

JobResiduals fit_without(const std::vector<JobSet>& sets, const std::string& left_out) {
  std::vector<std::vector<JobCase>> cases;
  for (const JobSet& set : sets) {
    if (set.name != left_out) cases.push_back(set.cases);
  }
  return fit_residuals(cases);
}

int run(const char* file) {
  const std::vector<JobSet> sets = JobSets().predict();
  nlohmann::ordered_json out;
  out["schema"] = "paceline.job-residuals/1";
  out["summary"] =
      "ln(factor) at 5 % and 95 % on what a job of several devices computes and sends, from "
      "published jobs by paceline_fit_job_residuals; \"without\" leaves the set itself out";
  out["all"] = to_json(fit_without(sets, ""));
  out["sets"] = nlohmann::ordered_json::array();
  for (const JobSet& set : sets) {
    out["sets"].push_back({{"name", set.name},
                           {"cases", set.cases.size()},
                           {"source", set.source},
                           {"without", to_json(fit_without(sets, set.name))}});
  }
  std::ofstream stream(file);
  stream << out.dump(2) << '\n';
  return stream ? 0 : 1;
}

}  // namespace
}  // namespace paceline

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: paceline_fit_job_residuals OUT\n";
    return 2;
  }
  try {
    return paceline::run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
