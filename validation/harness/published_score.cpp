// Published figures against predictions.
#include <algorithm>
#include <map>
#include <memory>

#include "core/data_directory.h"
#include "core/error.h"
#include "model/analytic/iteration_time.h"
#include "simulator/device/training_device.h"
#include "validation/harness/set_summary.h"

namespace paceline {
namespace {

// A device that is a file of ours lies where the catalogs do, wherever the program runs.
std::string shipped_file(const std::string& device) {
  return device.ends_with(".json") ? (data_directory() / device).string() : device;
}

// What a case says of one thing that cases may agree in: a field of its experiment or an option.
std::string field(const Experiment& e, const std::string& name) {
  if (name == "model") return e.model;
  if (name == "batch") return std::to_string(e.batch);
  if (name == "seq") return e.seq ? std::to_string(*e.seq) : "";
  if (name == "device") return e.device;
  if (name == "framework") return e.framework;
  if (name == "strategy") return e.strategy;
  if (name == "gpus") return std::to_string(e.devices);
  if (name == "precision") return std::string(to_string(e.precision));
  if (name == "intra") return e.intra.value_or("");
  if (name == "net") return e.net.value_or("");
  const auto option = e.options.find(name);
  return option == e.options.end() ? "" : option->second;
}

// Throws InputError for a name that is neither a field nor an option of any case.
void check_field(const std::string& name, const std::vector<PublishedCase>& cases) {
  const std::vector<std::string> known = {"model",    "batch", "seq",       "device", "framework",
                                          "strategy", "gpus",  "precision", "intra",  "net"};
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  for (const PublishedCase& published : cases) {
    if (published.experiment.options.contains(name)) return;
  }
  throw InputError("rank_within: \"" + name +
                   "\" is no field of an experiment and no option of a case; known: model, batch, "
                   "seq, device, framework, strategy, gpus, precision, intra, net");
}

class PublishedScorer {
 public:
  PublishedScorer(const ValidationSet& set, const Predictor& predictor)
      : set_(set), predictor_(predictor) {}

  void score(Validation& out) {
    for (const std::string& name : set_.published->rank_within) {
      check_field(name, set_.published->cases);
    }
    for (const PublishedCase& published : set_.published->cases) {
      if (!published.excluded.empty()) {
        out.skipped.push_back({published.name, set_.name, published.excluded});
        continue;
      }
      try {
        score_case(published);
      } catch (const Error& error) {
        out.skipped.push_back({published.name, set_.name, error.what()});
      }
    }
    apply_constant_mfu(cases_, flops_);
    ScoredSet scored = summarize_set(set_, cases_);
    if (!set_.published->rank_within.empty()) scored.errors.kendall_tau = mean_tau();
    if (set_.published->rank_tie) scored.orders = orders(*set_.published->rank_tie);
    scored.inputs = inputs_;
    out.sets.push_back(std::move(scored));
    out.cases.insert(out.cases.end(), cases_.begin(), cases_.end());
  }

 private:
  const TrainingDevice& device_of(const Experiment& e) {
    auto& device = devices_[{e.device, e.options}];
    if (!device) {
      device = read_training_device(shipped_file(e.device), e.options);
      for (const InputFile& file : device->inputs()) {
        const auto same = [&](const InputFile& known) { return known.file == file.file; };
        if (std::none_of(inputs_.begin(), inputs_.end(), same)) inputs_.push_back(file);
      }
    }
    return *device;
  }

  void score_case(const PublishedCase& published) {
    const TrainingDevice& device = device_of(published.experiment);
    const Prediction prediction = predictor_.predict(published.experiment, device);
    const Report& report = prediction.report;
    ScoredCase c;
    c.name = published.name;
    c.set = set_.name;
    c.regime = set_.regime;
    c.measured_s = published.measured.si();
    c.predicted_s = report.iteration_time_s.median;
    c.p05_s = report.iteration_time_s.p05;
    c.p95_s = report.iteration_time_s.p95;
    c.error = relative_error(c.predicted_s, c.measured_s);
    c.predicted_phases = report.phases;
    const RooflineCostModel roofline(device.limits(std::max(1, report.experiment.threads)));
    c.null_s["roofline"] = iteration_time(predictor_.plan(report.experiment, device,
                                                          prediction.graph, roofline, HostCosts{}))
                               .seconds()
                               .si();
    flops_.push_back(report.flops_per_iteration.si());
    cases_.push_back(std::move(c));
    experiments_.push_back(published.experiment);
  }

  struct Group {
    std::vector<double> predicted, measured;  // seconds of an iteration
    std::vector<double> samples;              // of an iteration
  };
  // Cases with equal fields, by what they say there.
  std::map<std::string, Group> groups() const {
    std::map<std::string, Group> out;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      std::string key;
      for (const std::string& name : set_.published->rank_within) {
        key += (key.empty() ? "" : " ") + field(experiments_[i], name);
      }
      Group& group = out[key];
      group.predicted.push_back(cases_[i].predicted_s);
      group.measured.push_back(cases_[i].measured_s);
      group.samples.push_back(static_cast<double>(experiments_[i].samples_per_iteration()));
    }
    return out;
  }
  // Mean over the groups of how well their order is predicted.
  double mean_tau() const {
    double sum = 0, count = 0;
    for (const auto& [key, group] : groups()) {
      if (group.predicted.size() < 2) continue;
      sum += kendall_tau(group.predicted, group.measured);
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }
  std::vector<GroupOrder> orders(double tie) const {
    const auto rates = [](const std::vector<double>& samples, std::vector<double> seconds) {
      for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = samples[i] / seconds[i];
      return seconds;
    };
    std::vector<GroupOrder> out;
    for (const auto& [key, group] : groups()) {
      const auto by_time = rank_order(group.predicted, group.measured, tie);
      const auto by_rate = rank_order(rates(group.samples, group.predicted),
                                      rates(group.samples, group.measured), tie);
      if (by_time && by_rate) out.push_back({key, *by_time, *by_rate});
    }
    return out;
  }

  const ValidationSet& set_;
  const Predictor& predictor_;
  std::map<std::pair<std::string, std::map<std::string, std::string>>,
           std::unique_ptr<const TrainingDevice>>
      devices_;
  std::vector<InputFile> inputs_;
  std::vector<ScoredCase> cases_;
  std::vector<Experiment> experiments_;
  std::vector<double> flops_;
};

}  // namespace

void score_published(const ValidationSet& set, const Predictor& predictor, Validation& out) {
  const bool jobs = std::ranges::any_of(
      set.published->cases, [](const PublishedCase& c) { return c.experiment.devices > 1; });
  if (!jobs) return PublishedScorer(set, predictor).score(out);
  PublishedScorer(set, Predictor(JobResiduals::shipped(set.name))).score(out);
}

}  // namespace paceline
