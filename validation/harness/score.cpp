#include "validation/harness/score.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "model/analytic/iteration_time.h"
#include "validation/harness/set_summary.h"

namespace paceline {
namespace {

constexpr double kNoisy = 0.15;  // spread between rounds beyond which a measurement is doubtful

std::string case_name(const RecordedExperiment& e) {
  std::string out = e.model + "-b" + std::to_string(e.batch) + "-t" + std::to_string(e.threads);
  if (e.precision != "fp32") out += "-" + e.precision;
  for (const auto& [key, value] : e.options) out += "-" + key + "=" + value;
  return out;
}

Experiment experiment_of(const RecordedExperiment& recorded) {
  Experiment e;
  e.model = recorded.model;
  e.batch = recorded.batch;
  e.seq = recorded.seq;
  e.device = recorded.device;
  e.threads = recorded.threads;
  e.framework = recorded.framework;
  e.precision = parse_precision(recorded.precision);
  e.options = recorded.options;
  return e;
}

bool is_source(const Recording& recording, const ParameterSet& parameters) {
  return std::any_of(parameters.sources.begin(), parameters.sources.end(),
                     [&](const SourceFile& file) { return file.sha256 == recording.sha256; });
}

class Scorer {
 public:
  Scorer(const ValidationSet& set, const Predictor& predictor)
      : set_(set),
        predictor_(predictor),
        recording_(read_recording(set.recording)),
        device_(read_training_device(set.parameters.string(), {})) {}

  void score(Validation& out) {
    std::vector<ScoredCase> cases;
    std::optional<MissingParameter> missing;
    for (const RecordedRun& run : recording_.runs) {
      if (set_.threads && run.experiment.threads != *set_.threads) continue;
      if (!run.measured()) {
        out.skipped.push_back({case_name(run.experiment), set_.name, run.reason});
      } else {
        try {
          cases.push_back(score_case(run));
        } catch (const MissingParameter& error) {
          // A fit that was refused concerns the networks that need it, unless all of them do.
          out.skipped.push_back({case_name(run.experiment), set_.name, error.what()});
          missing = error;
        }
      }
    }
    if (cases.empty() && missing) throw *missing;
    apply_constant_mfu(cases, flops_);
    out.sets.push_back(summarize(cases));
    out.cases.insert(out.cases.end(), cases.begin(), cases.end());
  }

 private:
  // A name that nobody knows, or a network of another size, is a mistake in the recording.
  Prediction predict(const RecordedRun& run) const {
    try {
      Prediction prediction = predictor_.predict(experiment_of(run.experiment), *device_);
      const std::int64_t parameters = prediction.graph.parameters();
      if (parameters == run.parameters) return prediction;
      throw InputError(run.place + "/parameters: the recorded network has " +
                       std::to_string(run.parameters) + " parameters, " + run.experiment.model +
                       " of the catalog " + std::to_string(parameters));
    } catch (const UsageError& error) {
      throw InputError(run.place + "/experiment: " + error.what());
    }
  }

  ScoredCase score_case(const RecordedRun& run) {
    const Prediction prediction = predict(run);
    const Report& report = prediction.report;
    ScoredCase c;
    c.name = case_name(run.experiment);
    c.set = set_.name;
    c.regime = set_.regime;
    c.measured_s = run.time().si();
    c.predicted_s = report.iteration_time_s.median;
    c.p05_s = report.iteration_time_s.p05;
    c.p95_s = report.iteration_time_s.p95;
    c.error = relative_error(c.predicted_s, c.measured_s);
    c.measured_spread = run.spread();
    const RecordedRound& best = run.best();
    c.measured_phases = {best.forward, best.backward, best.optimizer};
    c.predicted_phases = report.phases;
    c.in_sample = is_source(recording_, device_->parameters()) ||
                  !fitted_kernels(prediction.plan, device_->parameters()).empty();
    const RooflineCostModel roofline(device_->limits(report.experiment.threads));
    c.null_s["roofline"] =
        iteration_time(predictor_.plan(report.experiment, *device_, prediction.graph, roofline, {}))
            .seconds()
            .si();
    flops_.push_back(report.flops_per_iteration.si());
    return c;
  }

  ScoredSet summarize(const std::vector<ScoredCase>& cases) const {
    ScoredSet scored = summarize_set(set_, cases);
    scored.inputs = {{recording_.file, recording_.sha256}, device_->inputs().front()};
    const auto noisy = std::count_if(cases.begin(), cases.end(), [](const ScoredCase& c) {
      return !c.in_sample && c.measured_spread > kNoisy;
    });
    if (recording_.host.cpu != device_->parameters().provenance.host.cpu) {
      scored.warnings.push_back("recorded on " + recording_.host.cpu + ", parameters of " +
                                device_->parameters().provenance.host.cpu);
    }
    if (noisy > 0) {
      scored.warnings.push_back(std::to_string(noisy) +
                                " cases were recorded on a machine that was not quiet");
    }
    return scored;
  }

  const ValidationSet& set_;
  const Predictor& predictor_;
  Recording recording_;
  std::unique_ptr<const TrainingDevice> device_;
  std::vector<double> flops_;  // of the cases, in their order
};

}  // namespace

std::vector<std::string> fitted_kernels(const IterationPlan& plan, const ParameterSet& parameters) {
  std::vector<std::string> found;
  for (const PlannedKernel& planned : plan.kernels) {
    if (std::holds_alternative<StreamShape>(planned.kernel.shape)) continue;
    const std::string text = fitted_shape_text(planned.kernel);
    if (std::binary_search(parameters.fitted_shapes.begin(), parameters.fitted_shapes.end(),
                           text)) {
      found.push_back(text);
    }
  }
  return found;
}

bool Validation::passed() const {
  return std::all_of(sets.begin(), sets.end(), [](const ScoredSet& set) { return set.passed(); });
}

Validation validate(const std::vector<ValidationSet>& sets) {
  const Predictor predictor;
  Validation out;
  for (const ValidationSet& set : sets) {
    if (set.published) {
      score_published(set, predictor, out);
    } else if (set.cluster) {
      score_cluster(set, predictor, out);
    } else {
      Scorer(set, predictor).score(out);
    }
  }
  return out;
}

}  // namespace paceline
