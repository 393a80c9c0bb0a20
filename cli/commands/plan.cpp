// paceline plan: given what must be reached, which of these configurations do, and at what cost.
//
//   paceline plan --model resnet50 --batch 64 --device a100-sxm-80g,v100-sxm2-16g --gpus 8-64*2
//                 --net 100g-ib --samples 115M --deadline 2d
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>

#include "answers/plan/amount.h"
#include "answers/plan/plan.h"
#include "cli/experiment_flags.h"
#include "cli/first_screen.h"
#include "cli/html_file.h"
#include "cli/infeasible.h"
#include "cli/output.h"
#include "cli/run_sweep.h"
#include "core/json_writer.h"
#include "core/screen_text.h"

namespace paceline {
namespace {

constexpr std::size_t kRowsOfTheBest = 8;  // of a first screen, what limits it and warnings

std::optional<Seconds> seconds(const Arguments& arguments, const char* flag) {
  const auto text = arguments.find(flag);
  if (!text) return std::nullopt;
  Seconds value;
  try {
    value = parse_seconds(*text);
  } catch (const UsageError& error) {
    throw UsageError(flag_text(flag) + ": " + error.what());
  }
  if (value <= Seconds(0)) throw UsageError(flag_text(flag) + " must be positive");
  return value;
}

Overheads read_overheads(const Arguments& arguments) {
  Overheads out;
  if (const auto text = arguments.find("loader")) {
    out.loader = parse_samples_per_second(*text);
    if (out.loader->si() <= 0) throw UsageError("--loader must be positive");
  }
  out.evaluation = seconds(arguments, "evaluation");
  out.evaluations = static_cast<double>(arguments.count_or("evaluations", 0, 1'000'000'000));
  if (out.evaluation.has_value() != arguments.has("evaluations")) {
    throw UsageError("--evaluation (time of one) and --evaluations (how many) go together");
  }
  out.checkpoint = seconds(arguments, "checkpoint");
  out.checkpoint_interval = seconds(arguments, "checkpoint-interval");
  if (out.checkpoint_interval && !out.checkpoint) {
    throw UsageError("--checkpoint-interval needs --checkpoint, the time that one takes");
  }
  out.machine_mtbf = seconds(arguments, "mtbf");
  if (const auto restart = seconds(arguments, "restart")) {
    if (!out.machine_mtbf) throw UsageError("--restart needs --mtbf");
    out.restart = *restart;
  }
  return out;
}

// Samples to train on; tokens are divided by the sequence length of the predictions.
double read_samples(const Arguments& arguments, const std::vector<Report>& reports) {
  if (arguments.has("samples")) {
    const double epochs = static_cast<double>(arguments.count_or("epochs", 1, 1'000'000));
    return epochs * parse_amount("--samples", arguments.text("samples"));
  }
  if (!arguments.has("tokens")) return 0;
  const double tokens = parse_amount("--tokens", arguments.text("tokens"));
  const Report& first = reports.front();
  if (!first.throughput_tokens_per_s) {
    throw UsageError("--tokens: " + first.experiment.model + " has no tokens; give --samples");
  }
  const double per_sample =
      first.throughput_tokens_per_s->median / first.throughput_samples_per_s.median;
  return std::ceil(tokens / per_sample);
}

Goal read_goal(const Arguments& arguments) {
  Goal goal;
  goal.deadline = seconds(arguments, "deadline");
  if (arguments.has("budget")) goal.budget = parse_money("--budget", arguments.text("budget"));
  if (arguments.has("throughput")) {
    goal.throughput = parse_samples_per_second(arguments.text("throughput"));
  }
  const bool amount = arguments.has("samples") || arguments.has("tokens");
  if (arguments.has("samples") && arguments.has("tokens")) {
    throw UsageError("--samples and --tokens exclude one another");
  }
  if (arguments.has("epochs") && !arguments.has("samples")) {
    throw UsageError("--epochs multiplies --samples, the size of the data set");
  }
  if (!amount && (goal.deadline || goal.budget || !goal.throughput)) {
    throw UsageError("plan needs --samples or --tokens: how much to train on");
  }
  return goal;
}

// What the time holds and what it leaves out.
std::string terms_text(const Arguments& arguments) {
  std::string left_out;
  const auto term = [&](const char* flag, const char* name) {
    if (!arguments.has(flag)) left_out += (left_out.empty() ? "" : ", ") + std::string(name);
  };
  term("loader", "data loading");
  term("evaluation", "evaluation");
  term("checkpoint", "checkpoints");
  term("mtbf", "failures");
  return left_out.empty() ? "" : "not counted: " + left_out + " (see paceline plan --help)\n";
}

// One card is easily taken for one of each device.
std::string network_text(const std::vector<Report>& reports) {
  for (const Report& report : reports) {
    const Experiment& e = report.experiment;
    const std::int64_t devices = e.devices_per_machine.value_or(e.devices);
    if (!e.net || devices < 2 || devices >= e.devices) continue;
    if (e.net->find('*') != std::string::npos) continue;
    return "--net " + *e.net + " is one card per machine, shared by its " +
           std::to_string(devices) + " devices; one for each device is --net \"" + *e.net + "*" +
           std::to_string(devices) + "\"\n";
  }
  return "";
}

// What limits the best configuration, and what to know before believing it.
std::vector<std::string> best_lines(const Report& best) {
  std::vector<std::string> out = {"bottleneck of rank 1: " + best.bottleneck.resource + ": " +
                                  best.bottleneck.text};
  for (const std::string& warning : best.warnings) {
    out.push_back("warning of rank 1: " + warning);
  }
  return out;
}

// The first configurations, what they leave out, and the first warnings; with --all, all of them.
std::string screen(const Arguments& arguments, const SweepResult& sweep, const Goal& goal,
                   const std::vector<PlannedConfiguration>& plan, const PriceList* prices) {
  std::string notes = goal.samples > 0 ? terms_text(arguments) : "";
  notes += network_text(sweep.reports);
  if (prices != nullptr) notes += "prices of " + prices->date() + ", " + prices->source() + "\n";
  const std::vector<std::string> best = best_lines(sweep.reports[plan.front().index]);
  const std::vector<std::string> table = lines_of(plan_table(sweep.reports, plan).to_string());
  const bool all = arguments.has("all");
  const std::size_t rest = all ? SIZE_MAX : kScreenRows - screen_rows(notes);
  const std::size_t below =
      all ? 0 : std::min(kRowsOfTheBest, screen_rows(first_lines(best, SIZE_MAX, "", "")));
  const std::string shown = first_lines(table, rest - below, "", "more (--all lists them)");
  return shown + notes +
         first_lines(best, rest - std::min(rest, screen_rows(shown)), "",
                     "more warnings (--all lists them)");
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  wants_all(arguments);  // refuses it with a format before anything is computed
  Goal goal = read_goal(arguments);
  const Overheads overheads = read_overheads(arguments);
  std::optional<PriceList> list;
  if (arguments.has("prices")) list = PriceList::read(arguments.text("prices"));
  const PriceList* prices = list ? &*list : nullptr;
  SweepResult sweep = run_sweep(arguments);
  const std::vector<Report>& reports = sweep.reports;
  goal.samples = read_samples(arguments, reports);
  std::vector<PlannedConfiguration> plan = make_plan(reports, goal, overheads, prices);
  const PlannedConfiguration best = plan.front();
  if (arguments.has("html")) write_html(arguments, sweep);
  if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(plan_json(reports, goal, plan, prices)));
  } else if (format == OutputFormat::kText) {
    write_result(arguments, screen(arguments, sweep, goal, plan, prices));
  } else {
    write_result(arguments, plan_table(reports, plan).to_string(table_format(format)));
  }
  sweep.skipped.print(std::cerr);
  if (best.feasible) return ExitCode::kOk;
  const std::string count = reports.size() == 1
                                ? "the configuration "
                                : "none of " + std::to_string(reports.size()) +
                                      " configurations reaches the goal; the first ";
  return infeasible(count + best.reason, std::cerr);
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = {
      {"samples", "N", "to train on: 50000, 1.28M, 1B"},
      {"epochs", "N", "how often over --samples, default 1"},
      {"tokens", "N", "instead of --samples: 400B, 1T"},
      {"deadline", "TIME", "14d, 36h"},
      {"budget", "MONEY", "\"$50000\" or \"50k EUR\", with --prices"},
      {"throughput", "RATE", "to be reached, \"5000 samples/s\""},
      {"prices", "FILE", "what an hour of each device costs, with a date"},
      {"loader", "RATE", "what the input pipeline of one machine delivers"},
      {"evaluation", "TIME", "of one evaluation, during which training stops"},
      {"evaluations", "N", "how many"},
      {"checkpoint", "TIME", "of writing one, during which training stops"},
      {"checkpoint-interval", "TIME", "between checkpoints; default the optimum for --mtbf"},
      {"mtbf", "TIME", "mean time between failures of one machine"},
      {"restart", "TIME", "until training goes on after a failure"}};
  for (FlagSpec& flag : experiment_flags()) all.push_back(std::move(flag));
  all.push_back(all_flag("every configuration and warning"));
  all.push_back(html_flag());
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_plan(CommandList& commands) {
  commands.add({.name = "plan",
                .summary = "a deadline, budget or throughput to configurations that reach it",
                .example = "paceline plan --model resnet50 --batch 64 --device "
                           "a100-sxm-80g,v100-sxm2-16g --samples 1.28M --epochs 90 --deadline 14d",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
