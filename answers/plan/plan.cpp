#include "answers/plan/plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/compare/varying.h"
#include "core/error.h"
#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

void check_goal(const Goal& goal, const PriceList* prices) {
  if (goal.budget && prices == nullptr) {
    throw UsageError("--budget needs --prices FILE: paceline ships no prices, they change");
  }
  if (prices != nullptr && goal.samples == 0) {
    throw UsageError(
        "--prices has no effect without --samples or --tokens, which say for how long");
  }
  if (goal.budget && goal.budget->currency != prices->currency()) {
    throw UsageError("--budget is in " + goal.budget->currency + ", the prices in " +
                     prices->currency());
  }
}

void set_cost(PlannedConfiguration& out, const Report& report, const PriceList* prices) {
  if (!out.time) return;
  out.device_hours =
      static_cast<double>(report.experiment.devices) * out.time->total_s.median / kSecondsPerHour;
  if (prices == nullptr) return;
  const double price = prices->needed_per_hour(report.experiment.device);
  out.cost = Money{price * out.device_hours, prices->currency()};
}

// Sets `feasible` and `reason`.
void judge(PlannedConfiguration& out, const Report& report, const Goal& goal) {
  const auto refuse = [&](std::string reason) {
    if (out.reason.empty()) out.reason = std::move(reason);
    out.feasible = false;
  };
  out.feasible = true;
  if (!report.memory.fits()) {
    const MemoryUse& m = report.memory;
    std::string reason = "does not fit: " + to_text(Bytes(static_cast<double>(m.peak()))) + " of " +
                         to_text(Bytes(static_cast<double>(m.capacity)));
    if (report.largest_batch) {
      reason += *report.largest_batch > 0
                    ? ", the largest batch is " + std::to_string(*report.largest_batch)
                    : ", not even one sample does";
    }
    refuse(std::move(reason));
  }
  if (goal.deadline && out.time) {
    const Estimate& t = out.time->total_s;
    if (t.median > goal.deadline->si()) {
      refuse("takes " + significant(t.median / goal.deadline->si()) + " times the deadline");
    } else if (t.p95 > goal.deadline->si()) {
      out.reason =
          "may miss the deadline: " + to_text(Seconds(t.p95)) + " at the end of the interval";
    }
  }
  if (goal.budget) {
    if (out.cost->amount > goal.budget->amount) {
      refuse("costs " + to_text(*out.cost));
    }
  }
  if (goal.throughput && out.rate.median < goal.throughput->si()) {
    refuse("reaches " + to_text(SamplesPerSecond(out.rate.median)) +
           (out.by_input ? ", which is all that --loader delivers" : ""));
  } else if (goal.throughput && out.feasible && out.rate.p05 < goal.throughput->si()) {
    out.reason += (out.reason.empty() ? "" : "; ") +
                  ("may miss the throughput: " + to_text(SamplesPerSecond(out.rate.p05)) +
                   " at the end of the interval");
  }
  if (out.by_input && out.reason.empty()) out.reason = "--loader limits it";
}

ordered_json to_json(const Estimate& e) {
  return {{"median", e.median}, {"p05", e.p05}, {"p95", e.p95}};
}

ordered_json entry_json(const Report& report, const PlannedConfiguration& planned) {
  ordered_json out = {
      {"feasible", planned.feasible}, {"fits", report.memory.fits()}, {"reason", planned.reason}};
  if (planned.time) {
    const TrainingTime& t = *planned.time;
    out["time_s"] = to_json(t.total_s);
    out["device_hours"] = planned.device_hours;
    out["terms_s"] = {{"training", t.training.si()},
                      {"waiting_for_input", t.waiting_for_input.si()},
                      {"evaluation", t.evaluation.si()},
                      {"checkpoints", t.checkpoints.si()},
                      {"failures", t.failures.si()}};
    if (t.checkpoint_interval) out["checkpoint_interval_s"] = t.checkpoint_interval->si();
  }
  if (planned.cost) {
    out["cost"] = planned.cost->amount;
    out["currency"] = planned.cost->currency;
  }
  out["throughput_samples_per_s"] = to_json(planned.rate);
  out["scaling_efficiency"] = report.scaling_efficiency;
  out["bottleneck"] = planned.by_input ? "input pipeline" : report.bottleneck.resource;
  out["config"] = paceline::to_json(report.experiment);
  out["warnings"] = report.warnings;
  return out;
}

}  // namespace

std::vector<PlannedConfiguration> make_plan(const std::vector<Report>& reports, const Goal& goal,
                                            const Overheads& overheads, const PriceList* prices) {
  check_goal(goal, prices);
  std::vector<PlannedConfiguration> out;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    PlannedConfiguration planned;
    planned.index = i;
    planned.rate = fed_rate(reports[i], overheads);
    planned.by_input = planned.rate.median < reports[i].throughput_samples_per_s.median;
    if (goal.samples > 0) planned.time = training_time(reports[i], goal.samples, overheads);
    set_cost(planned, reports[i], prices);
    judge(planned, reports[i], goal);
    out.push_back(std::move(planned));
  }
  const auto effort = [&](const PlannedConfiguration& p) {
    const Report& r = reports[p.index];
    if (goal.budget && p.time) return p.time->total_s.median;
    if (p.cost) return p.cost->amount;
    return p.time ? p.device_hours : static_cast<double>(r.experiment.devices);
  };
  std::ranges::stable_sort(out, [&](const PlannedConfiguration& a, const PlannedConfiguration& b) {
    if (a.feasible != b.feasible) return a.feasible;
    return effort(a) < effort(b);
  });
  return out;
}

Table plan_table(const std::vector<Report>& reports,
                 const std::vector<PlannedConfiguration>& plan) {
  const std::vector<VaryingKey> varying = varying_keys(reports);
  const auto any = [&](auto has) { return std::ranges::any_of(plan, has); };
  const bool timed = any([](const PlannedConfiguration& p) { return p.time.has_value(); });
  const bool priced = any([](const PlannedConfiguration& p) { return p.cost.has_value(); });
  std::vector<std::string> header = {"rank"};
  for (const VaryingKey& key : varying) header.push_back(key.name);
  header.emplace_back("samples/s");
  // Of the time where there is one, else of the rate.
  if (!timed) header.insert(header.end(), {"p05", "p95"});
  if (timed) header.insert(header.end(), {"time", "p05", "p95", "device hours"});
  if (priced) header.emplace_back("cost");
  header.insert(header.end(), {"efficiency", "feasible", "remark"});
  Table table(header);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const PlannedConfiguration& p = plan[i];
    const Report& r = reports[p.index];
    std::vector<std::string> cells = {p.feasible ? std::to_string(i + 1) : "-"};
    for (const VaryingKey& key : varying) cells.push_back(key.values[p.index]);
    cells.push_back(significant(p.rate.median));
    if (!timed) {
      cells.push_back(significant(p.rate.p05));
      cells.push_back(significant(p.rate.p95));
    } else {
      cells.push_back(to_text(Seconds(p.time->total_s.median)));
      cells.push_back(to_text(Seconds(p.time->total_s.p05)));
      cells.push_back(to_text(Seconds(p.time->total_s.p95)));
      cells.push_back(significant(p.device_hours));
    }
    if (priced) cells.push_back(p.cost ? to_text(*p.cost) : "-");
    cells.push_back(percent(r.scaling_efficiency, 3));
    cells.emplace_back(p.feasible ? "yes" : "no");
    cells.push_back(p.reason);
    table.add_row(std::move(cells));
  }
  return table;
}

ordered_json plan_json(const std::vector<Report>& reports, const Goal& goal,
                       const std::vector<PlannedConfiguration>& plan, const PriceList* prices) {
  ordered_json out;
  out["schema"] = "paceline.plan/1";
  out["goal"] = {{"samples", goal.samples}};
  if (goal.deadline) out["goal"]["deadline_s"] = goal.deadline->si();
  if (goal.budget) out["goal"]["budget"] = goal.budget->amount;
  if (goal.throughput) out["goal"]["throughput_samples_per_s"] = goal.throughput->si();
  if (prices != nullptr) {
    out["prices"] = {
        {"date", prices->date()}, {"currency", prices->currency()}, {"source", prices->source()}};
  }
  out["configurations"] = ordered_json::array();
  for (std::size_t i = 0; i < plan.size(); ++i) {
    ordered_json entry = {{"rank", i + 1}};
    entry.update(entry_json(reports[plan[i].index], plan[i]));
    out["configurations"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace paceline
