// Recorded training of several workers against predictions from what one of them does alone.
#include <algorithm>

#include "core/error.h"
#include "core/statistics.h"
#include "model/collective/collective.h"
#include "model/hardware/link_catalog.h"
#include "simulator/device/cpu_device.h"
#include "validation/harness/set_summary.h"

namespace paceline {
namespace {

constexpr std::size_t kToTheMinute = 16;  // of "2026-12-01T00:25:56+00:00"

class ClusterScorer {
 public:
  ClusterScorer(const ValidationSet& set, const Predictor& predictor)
      : set_(set),
        predictor_(predictor),
        device_(read_training_device(set.parameters.string(), {})),
        links_(LinkCatalog::shipped()) {}

  void score(Validation& out) {
    std::vector<InputFile> inputs;
    for (const std::filesystem::path& file : set_.cluster->recordings) {
      const ClusterRecording recording = read_cluster_recording(file);
      inputs.push_back({recording.facts.file, recording.facts.sha256});
      score_recording(recording, out);
    }
    inputs.push_back(device_->inputs().front());
    apply_constant_mfu(cases_, flops_);
    ScoredSet scored = summarize_set(set_, cases_);
    scored.inputs = std::move(inputs);
    out.sets.push_back(std::move(scored));
    out.cases.insert(out.cases.end(), cases_.begin(), cases_.end());
  }

 private:
  void score_recording(const ClusterRecording& recording, Validation& out) {
    for (const ClusterRun& run : recording.runs) {
      const ClusterRunKind* kind = set_.cluster->kind_of(run.experiment);
      if (kind == nullptr || run.experiment.workers < 2) continue;
      const std::string reason = why_not(recording, run, *kind);
      if (reason.empty()) {
        score_case(recording, run, *kind, out);
      } else {
        out.skipped.push_back({case_name(recording, run), set_.name, reason});
      }
    }
  }

  // The same run of several recordings is told apart by the day and time of its recording.
  std::string case_name(const ClusterRecording& recording, const ClusterRun& run) const {
    std::string name = to_string(run.experiment);
    if (set_.cluster->recordings.size() > 1) {
      name += ", recorded " + recording.facts.date.substr(0, kToTheMinute);
    }
    return name;
  }

  // Why a run cannot be held against a prediction; empty if it can.
  static std::string why_not(const ClusterRecording& recording, const ClusterRun& run,
                             const ClusterRunKind& kind) {
    if (!kind.excluded.empty()) return kind.excluded;
    if (!run.worker0.measured()) return run.worker0.reason;
    if (recording.alone(run.experiment) != nullptr) return "";
    return "no worker by itself was measured that trains the same";
  }

  void score_case(const ClusterRecording& recording, const ClusterRun& run,
                  const ClusterRunKind& kind, Validation& out) {
    const std::string name = case_name(recording, run);
    const Seconds alone = recording.alone(run.experiment)->worker0.time();
    try {
      const Experiment experiment = experiment_of(
          run.experiment, kind, set_.cluster->links, set_.parameters.string(), alone,
          kind.compression_time(recording, run.experiment), recording.facts.host.cores);
      add(name, run, kind, alone, predictor_.predict(experiment, *device_));
    } catch (const UsageError& error) {
      out.skipped.push_back({name, set_.name, error.what()});
    }
  }

  void add(const std::string& name, const ClusterRun& run, const ClusterRunKind& kind,
           Seconds alone, const Prediction& prediction) {
    const Report& report = prediction.report;
    check_network(run, kind, prediction);
    ScoredCase c;
    c.name = name;
    c.set = set_.name;
    c.regime = set_.regime;
    c.measured_s = run.worker0.time().si();
    c.predicted_s = report.iteration_time_s.median;
    c.p05_s = report.iteration_time_s.p05;
    c.p95_s = report.iteration_time_s.p95;
    c.error = relative_error(c.predicted_s, c.measured_s);
    c.measured_spread = run.worker0.spread();
    const RecordedRound& best = run.worker0.best();
    c.measured_phases = {best.forward, best.backward + run.communication, best.optimizer};
    c.predicted_phases = report.phases;
    c.null_s["alpha_beta"] = alpha_beta(run.experiment, alone, prediction).si();
    flops_.push_back(report.flops_per_iteration.si());
    cases_.push_back(std::move(c));
  }

  void check_network(const ClusterRun& run, const ClusterRunKind& kind,
                     const Prediction& prediction) const {
    const auto fewer = kind.fewer_parameters.find(run.experiment.worker.model);
    const std::int64_t parameters =
        prediction.graph.parameters() - (fewer == kind.fewer_parameters.end() ? 0 : fewer->second);
    if (parameters == run.worker0.parameters) return;
    throw InputError(run.worker0.place + "/parameters: the recorded network has " +
                     std::to_string(run.worker0.parameters) + " parameters, " +
                     run.experiment.worker.model + " as the set expects it " +
                     std::to_string(parameters));
  }

  // What knows nothing of strategies says: a worker by itself, then one ring all-reduce of all
  // gradients at the rate of the link.
  Seconds alpha_beta(const ClusterExperiment& e, Seconds alone,
                     const Prediction& prediction) const {
    const Experiment& resolved = prediction.report.experiment;
    const Seconds computing = static_cast<double>(resolved.grad_accumulation) * alone;
    if (!e.network || !resolved.net) return computing;
    const LinkSpec link = parse_link(*resolved.net, LinkUse::kNetwork, links_);
    Bytes gradients;
    for (const GradientTensor& gradient : prediction.plan.gradients) gradients += gradient.bytes;
    return computing + bus_factor(CollectiveOp::kAllReduce, e.workers) * gradients / link.achieved;
  }

  const ValidationSet& set_;
  const Predictor& predictor_;
  std::unique_ptr<const TrainingDevice> device_;
  LinkCatalog links_;
  std::vector<ScoredCase> cases_;
  std::vector<double> flops_;
};

}  // namespace

void score_cluster(const ValidationSet& set, const Predictor& predictor, Validation& out) {
  ClusterScorer(set, predictor).score(out);
}

}  // namespace paceline
