#include "answers/check/scaling_check.h"

#include <algorithm>
#include <cmath>

#include "answers/check/network_check.h"
#include "core/error.h"
#include "core/percent.h"
#include "core/statistics.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kSuperLinear = 1.03;  // run-to-run spread of a quiet machine
constexpr double kCliff = 0.75;        // of the efficiency on one machine
constexpr double kStraggler = 1.1;     // of the median

std::string devices_text(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " device" : " devices");
}

class ScalingCheck {
 public:
  ScalingCheck(std::vector<ScalingPoint> points, const ScalingJob& job)
      : points_(std::move(points)), job_(job) {
    std::ranges::stable_sort(points_, {}, &ScalingPoint::devices);
    if (points_.size() < 2 || points_.front().devices == points_.back().devices) {
      throw InputError("scaling needs at least two numbers of devices");
    }
    for (const ScalingPoint& point : points_) {
      if (point.rate.unit != base().rate.unit || point.rate.per_device != base().rate.per_device) {
        throw InputError("the rates of a scaling table must have one unit");
      }
    }
  }

  std::vector<Finding> findings() && {
    const bool per_device = looks_per_device();
    const bool doubled = looks_doubled();
    if (per_device) report_per_device();
    if (doubled) report_doubled();
    if (!per_device && !doubled) {
      report_efficiency();
      report_cliff();
    }
    return std::move(out_);
  }

 private:
  const ScalingPoint& base() const { return points_.front(); }

  // How many times as much as the base the written numbers are.
  double written_ratio(const ScalingPoint& point) const {
    return point.rate.per_second / base().rate.per_second;
  }
  double device_ratio(const ScalingPoint& point) const {
    return static_cast<double>(point.devices) / static_cast<double>(base().devices);
  }
  // Of the job's throughput. Iterations/s and rates "/gpu" are of every device.
  double efficiency(const ScalingPoint& point) const {
    const bool each = base().rate.per_device || base().rate.unit == RateUnit::kIterations;
    return each ? written_ratio(point) : written_ratio(point) / device_ratio(point);
  }
  std::string unit() const { return std::string(to_string(base().rate.unit)); }

  // Iterations per second that hardly fall, or fall, are of each device: the job did more.
  bool looks_per_device() const {
    return base().rate.unit == RateUnit::kIterations && !base().rate.per_device;
  }
  bool looks_doubled() const {
    if (base().rate.unit == RateUnit::kIterations) return false;
    return std::ranges::all_of(points_, [&](const ScalingPoint& point) {
      const double n = device_ratio(point);
      return n == 1 || (n >= 2 && efficiency(point) > 0.6 * n && efficiency(point) < 1.1 * n);
    });
  }

  void report_per_device() {
    for (const ScalingPoint& point : points_) {
      if (point.devices == base().devices) continue;
      const double total = written_ratio(point) * device_ratio(point);
      out_.push_back(
          {.what = "iterations per second of " + std::to_string(point.devices) + " devices",
           .measured = point.rate.per_second,
           .expected = base().rate.per_second,
           .unit = "it/s",
           .cause = "the unit is ambiguous: iterations per second are per device, and each "
                    "iteration processes " +
                    significant(device_ratio(point)) + " times the samples; throughput is " +
                    significant(total) + " times that of " + devices_text(base().devices) + ", " +
                    percent(written_ratio(point), 3) + " efficiency",
           .remedy = "report samples/s of the whole job",
           .verdict =
               written_ratio(point) > kSuperLinear ? Verdict::kImplausible : Verdict::kPlausible});
    }
  }

  void report_doubled() {
    const ScalingPoint& last = points_.back();
    out_.push_back({.what = "throughput of " + std::to_string(last.devices) + " devices",
                    .measured = last.rate.per_second,
                    .expected = base().rate.per_second * device_ratio(last),
                    .unit = unit(),
                    .cause = "grows with the square of the number of devices (" +
                             significant(written_ratio(last)) + " times with " +
                             significant(device_ratio(last)) +
                             " times the devices): the number of devices is counted twice",
                    .remedy = "the log's rate is probably already that of all devices",
                    .verdict = Verdict::kImpossible});
  }

  // Every run that gains too much, and the largest one whatever it gains: one verdict each.
  void report_efficiency() {
    for (const ScalingPoint& point : points_) {
      const bool too_much = efficiency(point) > kSuperLinear;
      if (!too_much && &point != &points_.back()) continue;
      Finding finding{.what = "scaling efficiency at " + std::to_string(point.devices) + " devices",
                      .measured = efficiency(point),
                      .expected = 1,
                      .unit = "",
                      .cause = significant(efficiency(point) * device_ratio(point)) +
                               " times the rate of " + devices_text(base().devices),
                      .at_most = true};
      if (too_much) {
        finding.verdict = Verdict::kImplausible;
        finding.cause += ", more than linear: the run of " + devices_text(base().devices) +
                         " was slowed by something else (input, a cold start, a smaller batch), or "
                         "samples are counted twice";
        finding.remedy = "measure the smallest run again with the same batch per device";
      }
      out_.push_back(std::move(finding));
    }
  }

  // The largest run on one machine, and the first on several.
  void report_cliff() {
    const ScalingPoint* inside = nullptr;
    const ScalingPoint* across = nullptr;
    for (const ScalingPoint& point : points_) {
      if (!point.machines) return;
      if (*point.machines == 1) inside = &point;
      if (*point.machines > 1 && across == nullptr) across = &point;
    }
    if (inside == nullptr || across == nullptr) return;
    const double kept = efficiency(*across) / efficiency(*inside);
    if (kept >= kCliff) return;
    Finding finding{.what = "step from one machine to several",
                    .measured = kept,
                    .expected = 1,
                    .unit = "",
                    .cause = "each device keeps " + percent(kept, 3) +
                             " of its rate when the job leaves the machine: the network limits it",
                    .remedy = "paceline explain with --net shows what another link would give",
                    .at_most = true,
                    .verdict = Verdict::kImplausible};
    if (written_ratio(*across) < written_ratio(*inside)) {
      finding.cause += "; " + std::to_string(across->devices) + " devices are slower than " +
                       std::to_string(inside->devices);
    }
    out_.push_back(std::move(finding));
    check_bandwidth(*inside, *across);
  }

  void check_bandwidth(const ScalingPoint& inside, const ScalingPoint& across) {
    if (job_.network == nullptr || job_.samples_per_device == 0) return;
    const auto iteration = [&](const ScalingPoint& point) {
      const std::int64_t samples = job_.samples_per_device * point.devices;
      return Seconds(static_cast<double>(samples) / samples_per_second(point.rate, point.devices,
                                                                       samples,
                                                                       job_.tokens_per_sample));
    };
    const NetworkRun run{.devices = across.devices,
                         .iteration = iteration(across),
                         .without = iteration(inside),
                         .gradient = job_.gradient,
                         .link = job_.network};
    std::optional<Finding> finding = check_network(run, *job_.links_known);
    if (finding) out_.push_back(std::move(*finding));
  }

  std::vector<ScalingPoint> points_;
  const ScalingJob& job_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> check_scaling(std::vector<ScalingPoint> points, const ScalingJob& job) {
  return ScalingCheck(std::move(points), job).findings();
}

std::vector<Finding> check_stragglers(const std::vector<RankTime>& ranks) {
  if (ranks.size() < 3) throw InputError("stragglers show among at least three ranks");
  std::vector<double> times;
  for (const RankTime& rank : ranks) times.push_back(rank.iteration_s);
  const double usual = median(times);
  std::vector<Finding> out;
  for (const RankTime& rank : ranks) {
    if (rank.iteration_s <= kStraggler * usual) continue;
    out.push_back({.what = "iteration time of rank " + std::to_string(rank.rank),
                   .measured = rank.iteration_s,
                   .expected = usual,
                   .unit = "s",
                   .cause = "a straggler, " + significant(rank.iteration_s / usual) +
                            " times the median of all ranks; in synchronous training all wait "
                            "for it",
                   .remedy = "clocks, power cap, temperature, PCIe width and other processes of "
                             "that device; leave it out and measure again",
                   .verdict = Verdict::kImplausible});
  }
  if (out.empty()) {
    const double slowest = *std::ranges::max_element(times);
    out.push_back({.what = "slowest rank",
                   .measured = slowest,
                   .expected = usual,
                   .unit = "s",
                   .cause = "no rank takes more than a tenth longer than the median"});
  }
  return out;
}

}  // namespace paceline
