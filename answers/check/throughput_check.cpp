#include "answers/check/throughput_check.h"

#include <algorithm>
#include <cmath>

#include "answers/check/network_check.h"
#include "answers/check/utilization_check.h"
#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kQuarter = 1.25;
constexpr double kMemoryTolerance = 1.1;

constexpr const char* kWhySlow =
    "data loading, stragglers, clocks and power limits, another process, logging that "
    "synchronizes; then the network";

std::string rate_text(double per_second) { return significant(per_second) + " samples/s"; }

// "16 x 15.7 TFLOP/s", so that the sum of many is not taken for the peak of one.
std::string fleet_text(std::int64_t devices, FlopsPerSecond peak) {
  return (devices > 1 ? std::to_string(devices) + " x " : "") + to_text(peak);
}

class ThroughputCheck {
 public:
  explicit ThroughputCheck(const MeasuredRun& run)
      : run_(run),
        devices_(static_cast<double>(run.devices)),
        rate_(samples_per_second(run.rate, run.devices, run.samples_per_iteration,
                                 run.tokens_per_sample)) {}

  std::vector<Finding> findings() && {
    check_assumed_peak();
    check_peak_share();
    check_single_device();
    check_prediction();
    check_memory();
    check_link();
    return std::move(out_);
  }

 private:
  // What the number would be if it had been read another way: (reading, samples/s).
  std::vector<std::pair<std::string, double>> other_readings() const {
    std::vector<std::pair<std::string, double>> out;
    if (run_.devices > 1) {
      if (run_.rate.per_device) {
        out.emplace_back("the rate of all devices, multiplied by their number once more",
                         rate_ / devices_);
      } else {
        out.emplace_back("the rate of one device, not of all " + std::to_string(run_.devices),
                         rate_ * devices_);
        out.emplace_back("multiplied twice by the number of devices", rate_ / devices_);
      }
    }
    if (run_.tokens_per_sample && run_.rate.unit == RateUnit::kSamples) {
      out.emplace_back("tokens/s, not samples/s",
                       rate_ / static_cast<double>(*run_.tokens_per_sample));
    }
    return out;
  }

  // Of the peak of all devices, in the least arithmetic that the samples need.
  double peak_share(double samples_per_s) const {
    return samples_per_s * run_.least_flops_per_sample.si() / (devices_ * run_.peak->si());
  }
  double counted_share(double samples_per_s) const {
    return samples_per_s * run_.flops_per_sample.si() / (devices_ * run_.peak->si());
  }
  Verdict verdict_of(double share) const {
    if (share <= 1) return Verdict::kPlausible;
    if (run_.peak_is_measured && share <= kQuarter) return Verdict::kImplausible;
    return Verdict::kImpossible;
  }

  void check_assumed_peak() {
    if (!run_.assumed_peak || run_.device == nullptr || !run_.peak) return;
    const double claimed = counted_share(rate_) * (*run_.peak / *run_.assumed_peak);
    auto finding =
        check_peak(*run_.assumed_peak, claimed, *run_.device, run_.precision, *run_.devices_known);
    if (finding) out_.push_back(std::move(*finding));
  }

  void check_peak_share() {
    if (!run_.peak || run_.least_flops_per_sample <= Flops(0)) return;
    const double share = peak_share(rate_);
    Finding finding{.what = "utilization of the arithmetic peak",
                    .measured = share,
                    .expected = 1,
                    .unit = "",
                    .cause = percent(share, 3) + " of " + fleet_text(run_.devices, *run_.peak) +
                             (run_.peak_is_measured ? " measured " : " dense ") +
                             std::string(to_string(run_.precision)),
                    .at_most = true,
                    .verdict = verdict_of(share)};
    const double counted = counted_share(rate_);
    if (counted > 1.01 * share) {
      finding.cause += " by the algorithms that need least arithmetic (" + percent(counted, 3) +
                       " if every convolution is counted as direct and every score of attention)";
    }
    if (finding.verdict == Verdict::kPlausible) {
      finding.cause += ": possible";
    } else {
      finding.cause += " is more than the device" + std::string(run_.devices > 1 ? "s" : "") +
                       (finding.verdict == Verdict::kImpossible ? " can do" : " was seen to do");
      explain_excess(finding);
    }
    out_.push_back(std::move(finding));
  }

  // Readings and precisions with which the devices could do it.
  void explain_excess(Finding& finding) const {
    for (const auto& [reading, value] : other_readings()) {
      if (peak_share(value) <= 1) finding.cause += "; possible if it is " + reading;
    }
    if (run_.device == nullptr) return;
    for (const auto& [precision, fact] : run_.device->matrix_peak) {
      const double needed = rate_ * run_.flops_per_sample.si() / devices_;
      if (precision == run_.precision || fact.value.si() <= needed) continue;
      finding.cause += "; possible in " + std::string(to_string(precision));
    }
  }

  // Iterations per second of one device and of several: a rate per device looks like a slow-down.
  void check_single_device() {
    if (!run_.single_device || run_.devices < 2) return;
    const double single = samples_per_second(
        *run_.single_device, 1, run_.samples_per_iteration / run_.devices, run_.tokens_per_sample);
    const double speed_up = rate_ / single;
    const double efficiency = speed_up / devices_;
    Finding finding{.what = "scaling efficiency",
                    .measured = efficiency,
                    .expected = 1,
                    .unit = "",
                    .cause = rate_text(rate_) + " of all " + std::to_string(run_.devices) +
                             " devices is " + significant(speed_up) + " times one device, " +
                             percent(efficiency, 3) + " efficiency",
                    .at_most = true};
    if (run_.rate.unit == RateUnit::kIterations) {
      finding.cause +=
          "; iterations per second are ambiguous: they are of every device at once, so fewer of "
          "them are not a slower job, since each iteration processes " +
          std::to_string(run_.devices) + " batches";
    }
    if (efficiency > 1.03) {
      finding.verdict = Verdict::kImplausible;
      finding.cause +=
          "; more than linear: the single-device figure was slowed by something else "
          "(input, a cold start), or samples are counted twice";
    }
    out_.push_back(std::move(finding));
  }

  void check_prediction() {
    if (run_.predicted == nullptr) return;
    const Estimate& predicted = run_.predicted->throughput_samples_per_s;
    const RateRange range = believable(predicted);
    Finding finding{.what = "throughput against the prediction",
                    .measured = rate_,
                    .expected = predicted.median,
                    .unit = "samples/s",
                    .cause = significant(rate_ / predicted.median) + " of the prediction (" +
                             significant(predicted.p05) + " .. " + significant(predicted.p95) +
                             ")"};
    if (!range.holds(rate_)) {
      explain_difference(range, finding);
    } else if (rate_ < predicted.p05) {
      finding.cause += ", below its interval: slower than expected, but not beyond belief";
      finding.remark = "slower than expected";
      finding.remedy = kWhySlow;
    } else if (rate_ > predicted.p95) {
      finding.cause += ", above its interval: faster than expected, but not beyond belief";
      finding.remark = "faster than expected";
    }
    out_.push_back(std::move(finding));
  }

  // Whether the job could have run as given; by how much memory is predicted wrong at worst is not
  // known to better than a tenth.
  void check_memory() {
    if (run_.predicted == nullptr || run_.predicted->memory.fits()) return;
    const MemoryUse& use = run_.predicted->memory;
    const auto needed = static_cast<double>(use.peak());
    const auto capacity = static_cast<double>(use.capacity);
    Finding finding{.what = "memory",
                    .measured = needed,
                    .expected = capacity,
                    .unit = "B",
                    .cause = to_text(Bytes(needed)) +
                             " are needed by the prediction, the device has " +
                             to_text(Bytes(capacity)) + ": as given it does not fit",
                    .at_most = true};
    if (needed > kMemoryTolerance * capacity) finding.verdict = Verdict::kImplausible;
    out_.push_back(std::move(finding));
  }

  void explain_difference(const RateRange& range, Finding& finding) const {
    finding.verdict = Verdict::kImplausible;
    bool explained = false;
    for (const auto& [reading, value] : other_readings()) {
      if (!range.holds(value)) continue;
      const Estimate& predicted = run_.predicted->throughput_samples_per_s;
      const bool fits = predicted.p05 <= value && value <= predicted.p95;
      finding.cause += (fits ? "; it fits if it is " : "; it would be near if it is ") + reading +
                       " (" + rate_text(value) + ")";
      explained = true;
    }
    if (explained) return;
    const bool slower = rate_ < finding.expected;
    finding.cause += slower ? "; slower than the model of this configuration: the predicted "
                              "bottleneck is " +
                                  run_.predicted->bottleneck.resource
                            : "; faster than the model of this configuration";
    const std::vector<Alternative> others =
        run_.alternatives ? run_.alternatives(rate_) : std::vector<Alternative>();
    finding.cause += alternatives_text(others);
    explained = !others.empty();
    if (slower) {
      finding.remedy = kWhySlow;
    } else if (!explained) {
      finding.cause +=
          ", and no other precision or option of the framework explains it: another batch or model "
          "than given, or a rate that leaves parts of the iteration out";
    }
  }

  // Those that fit; if none does, the nearest, and that it does not.
  std::string alternatives_text(const std::vector<Alternative>& others) const {
    if (others.empty()) return "";
    const auto shown = [](const Alternative& other) {
      const Estimate& e = other.samples_per_s;
      return other.setting + " (" + rate_text(e.median) + " predicted, " + significant(e.p05) +
             " .. " + significant(e.p95) + ")";
    };
    if (!others.front().fits(rate_)) {
      return "; nothing tried fits it, nearest is " + shown(others.front());
    }
    std::string out;
    for (const Alternative& other : others) {
      if (other.fits(rate_)) out += (out.empty() ? "; it fits with " : ", or ") + shown(other);
    }
    return out;
  }

  // Time of one device alone: measured if given, else the predicted part without communication.
  std::optional<Seconds> time_without_network() const {
    const double samples = static_cast<double>(run_.samples_per_iteration);
    if (run_.single_device) {
      const double single =
          samples_per_second(*run_.single_device, 1, run_.samples_per_iteration / run_.devices,
                             run_.tokens_per_sample);
      return Seconds(samples / devices_ / single);
    }
    if (run_.predicted == nullptr) return std::nullopt;
    return run_.predicted->breakdown.total() - run_.predicted->breakdown.exposed_communication;
  }

  void check_link() {
    if (run_.network == nullptr || run_.machines < 2) return;
    const std::optional<Seconds> without = time_without_network();
    if (!without) return;
    const NetworkRun network{
        .devices = run_.devices,
        .iteration = Seconds(static_cast<double>(run_.samples_per_iteration) / rate_),
        .without = *without,
        .gradient = run_.gradient,
        .link = run_.network};
    std::optional<Finding> finding = check_network(network, *run_.links_known);
    if (finding) out_.push_back(std::move(*finding));
  }

  const MeasuredRun& run_;
  double devices_;
  double rate_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> check_throughput(const MeasuredRun& run) {
  return ThroughputCheck(run).findings();
}

}  // namespace paceline
