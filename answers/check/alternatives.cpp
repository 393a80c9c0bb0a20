#include "answers/check/alternatives.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/error.h"
#include "simulator/frameworks/framework.h"
#include "simulator/report/prediction.h"

namespace paceline {
namespace {

constexpr double kLeastWidening = 1.25;
constexpr std::size_t kMostAlternatives = 3;
constexpr double kLeastChange = 1.05;  // of a rate, to explain anything

struct Change {
  std::string setting;
  std::function<void(Experiment&)> apply;
};

std::vector<Change> other_options(const Experiment& e, DeviceKind kind) {
  std::vector<Change> out;
  const auto framework = framework_registry().make(e.framework);
  for (const FrameworkOption& option : framework->options(kind)) {
    const auto current = e.options.find(option.name);
    for (const std::string& value : option.allowed) {
      if (current != e.options.end() && current->second == value) continue;
      out.push_back({"--set " + option.name + "=" + value,
                     [name = option.name, value](Experiment& x) { x.options[name] = value; }});
    }
  }
  return out;
}

std::vector<Change> other_precisions(const Experiment& e, const DeviceSpec* device) {
  std::vector<Change> out;
  if (device == nullptr) return out;
  for (const auto& [precision, fact] : device->matrix_peak) {
    if (precision == e.precision) continue;
    out.push_back(
        {"--precision " + std::string(to_string(precision)), [p = precision](Experiment& x) {
           x.precision = p;
           // How 16 bits are used says nothing where there are none.
           if (element_size(p) >= Bytes(4)) x.options.erase("mixed");
         }});
  }
  return out;
}

class Search {
 public:
  Search(double rate, const Experiment& experiment, const TrainingDevice& device)
      : rate_(rate),
        experiment_(experiment),
        device_(device),
        plain_(predictor_.predict(experiment, device).report.throughput_samples_per_s.median) {}

  // The rate with these changes, none if they cannot be run. They explain the measured one if the
  // last of them moves the prediction there, from the rate `before` it and from that of none.
  std::optional<double> consider(const std::vector<Change>& changes, std::optional<double> before) {
    Experiment changed = experiment_;
    std::string setting;
    for (const Change& change : changes) {
      change.apply(changed);
      setting += (setting.empty() ? "" : " ") + change.setting;
    }
    try {
      const Estimate predicted =
          predictor_.predict(changed, device_).report.throughput_samples_per_s;
      const double after = predicted.median;
      if (believable(predicted).holds(rate_) && moves(plain_, after) &&
          moves(before.value_or(plain_), after)) {
        found_.push_back({setting, predicted});
      }
      return after;
    } catch (const Error& error) {
      if (error.code() == ExitCode::kInternal) throw;
    }
    return std::nullopt;
  }
  bool fits() const {
    return std::ranges::any_of(found_, [&](const Alternative& a) { return a.fits(rate_); });
  }

  std::vector<Alternative> nearest() && {
    std::ranges::stable_sort(found_, {}, [&](const Alternative& alternative) {
      const double distance = std::abs(std::log(alternative.samples_per_s.median / rate_));
      return std::pair(!alternative.fits(rate_), distance);
    });
    if (found_.size() > kMostAlternatives) found_.resize(kMostAlternatives);
    return std::move(found_);
  }

 private:
  bool moves(double before, double after) const {
    return (rate_ > plain_ ? after / before : before / after) >= kLeastChange;
  }

  double rate_;
  const Experiment& experiment_;
  const TrainingDevice& device_;
  Predictor predictor_;
  double plain_;  // the rate without changes
  std::vector<Alternative> found_;
};

}  // namespace

RateRange believable(const Estimate& predicted) {
  const double below = predicted.median / predicted.p05;
  const double above = predicted.p95 / predicted.median;
  return {predicted.median / std::max(below * below, kLeastWidening),
          predicted.median * std::max(above * above, kLeastWidening)};
}

std::vector<Alternative> alternatives_that_fit(double samples_per_s, const Experiment& resolved,
                                               const TrainingDevice& device) {
  if (resolved.calibrate || resolved.profile) return {};
  const std::vector<Change> options = other_options(resolved, device.kind());
  const std::vector<Change> precisions = other_precisions(resolved, device.spec());
  Search search(samples_per_s, resolved, device);
  for (const Change& option : options) search.consider({option}, std::nullopt);
  std::vector<std::optional<double>> alone;  // by precision
  for (const Change& precision : precisions) {
    alone.push_back(search.consider({precision}, std::nullopt));
  }
  for (std::size_t i = 0; i < precisions.size(); ++i) {
    if (search.fits()) break;
    for (const Change& option : options) search.consider({precisions[i], option}, alone[i]);
  }
  return std::move(search).nearest();
}

}  // namespace paceline
