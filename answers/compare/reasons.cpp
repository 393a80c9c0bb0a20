#include "answers/compare/reasons.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/units_text.h"
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

constexpr double kWorthNaming = 0.1;  // of the difference: a part that explains it
constexpr const char* kNoKernels[] = {"host", "communication", "bubble", "input"};
constexpr double kSameTime = 0.01;  // a difference this small needs no reason

// The work and the machine, whoever does it and however.
std::string work(const Experiment& e) {
  return e.model + "|" + std::to_string(e.batch) + "|" + std::to_string(e.seq.value_or(0)) + "|" +
         std::string(to_string(e.precision)) + "|" + e.device + "|" + e.device_given.value_or("") +
         "|" + std::to_string(e.threads) + "|" + std::to_string(e.devices) + "|" +
         e.intra.value_or("") + "|" + e.net.value_or("") + "|" + e.cluster.value_or("") + "|" +
         std::to_string(e.grad_accumulation);
}

std::string task(const Experiment& e) {
  return e.model + (e.devices > 1 ? " on " + std::to_string(e.devices) + " devices" : "") +
         (e.threads > 1 ? " on " + std::to_string(e.threads) + " threads" : "") +
         (e.net ? " over " + *e.net : "");
}

std::string who(const Experiment& e, bool framework, bool strategy) {
  const std::string& by = e.strategy.empty() || !strategy ? e.framework : e.strategy;
  return framework && by != e.framework ? e.framework + " with " + by : by;
}

struct Part {
  const char* name;
  Seconds Breakdown::*time;
};
constexpr Part kParts[] = {{"forward", &Breakdown::forward},
                           {"backward", &Breakdown::backward},
                           {"optimizer", &Breakdown::optimizer},
                           {"exposed communication", &Breakdown::exposed_communication},
                           {"host", &Breakdown::host},
                           {"input", &Breakdown::input},
                           {"bubble", &Breakdown::bubble}};

// The parts that explain the difference, largest first.
std::string parts(const Breakdown& slow, const Breakdown& fast, Seconds difference) {
  std::vector<std::pair<Seconds, std::string>> named;
  for (const Part& part : kParts) {
    const Seconds more = slow.*part.time - fast.*part.time;
    if (std::abs(more / difference) < kWorthNaming) continue;
    const std::string sign = more > Seconds(0) ? " +" : " -";
    named.emplace_back(more, part.name + sign + to_text(Seconds(std::abs(more.si()))));
  }
  std::ranges::sort(named, std::ranges::greater(), &std::pair<Seconds, std::string>::first);
  std::string out;
  for (const auto& [more, text] : named) out += (out.empty() ? "" : ", ") + text;
  return out;
}

// Kernels that the slower one spends more on, by implementation; " +8.1 ms" each, at most two.
std::string kernels(const Report& slow, const Report& fast, Seconds difference) {
  constexpr std::size_t kMost = 2;
  std::map<std::string, double> more;  // seconds
  const auto add = [&](const Report& report, double sign) {
    for (const OriginLine& line : report.origins) {
      if (std::ranges::find(kNoKernels, line.what) != std::end(kNoKernels)) continue;
      more[line.what] += sign * line.share * report.iteration_time_s.median;
    }
  };
  add(slow, 1);
  add(fast, -1);
  std::vector<std::pair<double, std::string>> named;
  for (const auto& [name, seconds] : more) {
    if (seconds > kWorthNaming * difference.si()) named.emplace_back(seconds, name);
  }
  std::ranges::sort(named, std::ranges::greater());
  if (named.size() > kMost) named.resize(kMost);
  std::string out;
  for (const auto& [seconds, name] : named) {
    out += (out.empty() ? "; kernels: " : ", ") + name + " +" + to_text(Seconds(seconds));
  }
  return out;
}

// What makes the slower one slower: kernels, the way gradients are aggregated, what binds.
std::string mechanism(const Report& slow, const Report& fast, Seconds difference,
                      const StrategyRegistry& strategies) {
  std::string out = kernels(slow, fast, difference);
  const std::string& strategy = slow.experiment.strategy;
  if (strategy != fast.experiment.strategy) {
    const auto* known = strategies.find(strategy);
    if (known != nullptr) out += "; " + known->summary;
  }
  const Bottleneck& binds = slow.bottleneck;
  return out + "; " + (binds.resource.empty() ? "" : binds.resource + ": ") + binds.text;
}

}  // namespace

std::vector<std::string> reasons(const std::vector<Report>& reports,
                                 const std::vector<RankedPoint>& ranking, std::size_t most) {
  const bool one_way = std::ranges::all_of(reports, [&](const Report& report) {
    return report.experiment.framework == reports.front().experiment.framework &&
           report.experiment.strategy == reports.front().experiment.strategy;
  });
  if (one_way) return {};
  std::map<std::string, std::vector<const Report*>> groups;  // best first
  for (const RankedPoint& point : ranking) {
    const Report& report = reports[point.index];
    groups[work(report.experiment)].push_back(&report);
  }
  const StrategyRegistry strategies = strategy_registry();
  std::vector<std::pair<double, std::string>> out;  // share of the difference
  for (const auto& [key, group] : groups) {
    const Report& best = *group.front();
    for (const Report* slow : group) {
      const Experiment& e = slow->experiment;
      const bool framework = e.framework != best.experiment.framework;
      const bool strategy = e.strategy != best.experiment.strategy;
      const Seconds difference(slow->iteration_time_s.median - best.iteration_time_s.median);
      const double share = difference.si() / best.iteration_time_s.median;
      if (!(framework || strategy) || share < kSameTime) continue;
      out.emplace_back(share, who(e, framework, strategy) + " takes " + to_text(difference) +
                                  " longer than " + who(best.experiment, framework, strategy) +
                                  " for " + task(e) + ": " +
                                  parts(slow->breakdown, best.breakdown, difference) +
                                  mechanism(*slow, best, difference, strategies));
    }
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &std::pair<double, std::string>::first);
  if (out.size() > most) out.resize(most);
  std::vector<std::string> lines;
  for (auto& [share, line] : out) lines.push_back(std::move(line));
  return lines;
}

}  // namespace paceline
