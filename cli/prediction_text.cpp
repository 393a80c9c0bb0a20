#include "cli/prediction_text.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "answers/compare/rate_text.h"
#include "answers/compare/varying.h"
#include "core/percent.h"
#include "core/screen_text.h"
#include "core/units_text.h"
#include "simulator/memory/memory_model.h"

namespace paceline {
namespace {

constexpr int kBarWidth = 60;
constexpr std::size_t kMostOrigins = 4;
constexpr std::size_t kRowsOfWarnings = 6;  // of a first screen, at least
constexpr double kLeastShare = 1e-4;        // of the iteration; what is less is rounding

std::string seconds(double value) { return to_text(Seconds(value)); }
Bytes bytes(std::int64_t value) { return Bytes(static_cast<double>(value)); }

struct Part {
  char symbol;
  const char* name;
  double share;
};

std::vector<Part> parts_of(const Report& r) {
  const Breakdown& b = r.breakdown;
  const double total = b.total().si();
  std::vector<Part> parts;
  const auto add = [&](char symbol, const char* name, Seconds time) {
    if (time.si() > kLeastShare * total) parts.push_back({symbol, name, time.si() / total});
  };
  add('F', "forward", b.forward);
  add('B', "backward", b.backward);
  add('O', "optimizer", b.optimizer);
  add('C', "exposed communication", b.exposed_communication);
  add('H', "host", b.host);
  add('I', "input", b.input);
  add('.', "bubble", b.bubble);
  return parts;
}

// Shares in tenths of a percent that add up to 100 %: what rounding down loses goes to the parts
// that lose most.
std::vector<int> tenths_of_parts(const std::vector<Part>& parts) {
  constexpr int kWhole = 1000;
  std::vector<int> tenths;
  std::vector<std::size_t> order;
  int sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tenths.push_back(static_cast<int>(kWhole * parts[i].share));
    order.push_back(i);
    sum += tenths[i];
  }
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return kWhole * parts[i].share - tenths[i]; });
  for (std::size_t next = 0; next < order.size() && sum < kWhole; ++next, ++sum) {
    ++tenths[order[next]];
  }
  return tenths;
}

std::string bar(const std::vector<Part>& parts) {
  std::string out;
  double sum = 0;
  for (const Part& part : parts) {
    sum += part.share;
    const auto end = static_cast<std::size_t>(std::lround(sum * kBarWidth));
    while (out.size() < end) out += part.symbol;
  }
  return out;
}

}  // namespace

std::string experiment_headline(const Experiment& e) {
  std::string out = e.model + ", batch " + std::to_string(e.batch);
  if (e.grad_accumulation > 1) out += " x " + std::to_string(e.grad_accumulation);
  if (e.seq) out += ", sequence " + std::to_string(*e.seq);
  out += ", " + std::string(to_string(e.precision)) + " on " + e.device + ", ";
  if (e.threads > 0) {
    out += std::to_string(e.threads) + (e.threads == 1 ? " thread" : " threads") + ", ";
  }
  return out + e.framework + ", " + e.optimizer;
}

namespace {

// Or there is none.
bool context_was_measured(const MemoryUse& use) {
  return std::ranges::none_of(use.origins, [](const OriginLine& line) {
    return line.what == "context" && line.kind != OriginKind::kMeasured;
  });
}

bool capacity_is_what_processes_get(const MemoryUse& use) {
  return std::ranges::any_of(use.origins,
                             [](const OriginLine& line) { return line.what == "capacity"; });
}

}  // namespace

std::string memory_line(const MemoryUse& use) {
  const MemoryFit fit = use.fit();
  const char* verdict = fit == MemoryFit::kCertain    ? ": fits, "
                        : fit == MemoryFit::kLikely   ? ": likely fits, "
                        : fit == MemoryFit::kPossible ? ": may fit, "
                        : fit == MemoryFit::kUnlikely ? ": UNLIKELY TO FIT, "
                                                      : ": DOES NOT FIT, ";
  return to_text(bytes(use.peak())) + " of " + to_text(bytes(use.capacity)) +
         (capacity_is_what_processes_get(use) ? " usable" : "") +
         (use.fully_equipped ? " if fully equipped" : "") + verdict +
         (use.fits() ? to_text(bytes(use.margin())) + " to spare"
                     : to_text(bytes(-use.margin())) + " too much") +
         (context_was_measured(use) ? "" : "; the context was not measured there");
}

std::string memory_interval_text(const MemoryUse& use) {
  return to_text(bytes(use.p05())) + " .. " + to_text(bytes(use.p95()));
}

std::string largest_batch_text(std::int64_t batch) {
  return batch > 0 ? batch_found_text(batch) : "none: not even one sample fits";
}

std::string prediction_head(const Report& r) {
  const Estimate& t = r.iteration_time_s;
  const Estimate& s = r.throughput_samples_per_s;
  std::string out = experiment_headline(r.experiment) + "\n";
  out += "  iteration   " + seconds(t.median) + "  (90 % interval " + seconds(t.p05) + " .. " +
         seconds(t.p95) + ")\n";
  out += "  throughput  " + significant(s.median) + " samples/s  (" + significant(s.p05) + " .. " +
         significant(s.p95) + ")\n";
  if (r.throughput_tokens_per_s) {
    out += "              " + rate_text(r.throughput_tokens_per_s->median) + " tokens/s\n";
  }
  const std::vector<Part> parts = parts_of(r);
  out += "\n  [" + bar(parts) + "]\n  ";
  const std::vector<int> tenths = tenths_of_parts(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += std::string(1, parts[i].symbol) + " " + parts[i].name + " " +
           (tenths[i] == 0 ? "<0.1 %" : percent_in_tenths(tenths[i] / 1000.0)) + "   ";
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n\n";
}

std::string bottleneck_line(const Report& r) {
  return "  bottleneck  " + r.bottleneck.resource + ": " + r.bottleneck.text + "\n";
}

std::string warning_lines(const Report& r, std::size_t rows) {
  std::vector<std::string> lines;
  for (const std::string& warning : r.warnings) lines.push_back("  warning     " + warning);
  return first_lines(lines, rows, "              ", "more (--json lists all)");
}

std::string prediction_screen(const Report& r) {
  std::string out = prediction_head(r) + bottleneck_line(r);
  out += "  arithmetic  " + to_text(r.flops_per_iteration) + " per iteration, " +
         percent(r.model_flops_utilization) + " of the " +
         (r.peak_is_measured ? "measured" : "data-sheet") + " peak\n";
  if (r.model_flops_utilization > 1) {
    const double least = r.least_flops_per_iteration / r.flops_per_iteration;
    out +=
        "              counted as direct convolution; Winograd and FFT algorithms save "
        "arithmetic, down to " +
        percent(least * r.model_flops_utilization) + " of the peak\n";
  }
  out += "  memory      " + memory_line(r.memory) + "\n";
  if (r.largest_batch)
    out += "              largest batch " + largest_batch_text(*r.largest_batch) + "\n";
  const std::size_t above = kScreenRows - kRowsOfWarnings;
  for (std::size_t i = 0; i < r.origins.size() && i < kMostOrigins; ++i) {
    if (i > 0 && screen_rows(out) >= above) break;
    const OriginLine& line = r.origins[i];
    out += (i == 0 ? "  origin      " : "              ") + percent(line.share) + " " + line.what +
           ": " + std::string(to_string(line.kind)) + ", " + line.source + "\n";
  }
  const std::size_t used = screen_rows(out);
  return out + warning_lines(r, kScreenRows - std::min(kScreenRows - 1, used));
}

Table prediction_table(const std::vector<Report>& reports, bool for_people) {
  struct Column {
    std::string name;
    std::function<std::string(const Report&)> cell;
    bool always;
  };
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  const bool on_processors =
      std::ranges::any_of(reports, [](const Report& r) { return r.experiment.threads > 0; });
  const std::vector<Column> columns = {
      {"model", [](const Report& r) { return r.experiment.model; }, true},
      {"device", [](const Report& r) { return r.experiment.device; }, false},
      {"framework", [](const Report& r) { return r.experiment.framework; }, false},
      {"strategy", [](const Report& r) { return r.experiment.strategy; }, false},
      {"precision", [](const Report& r) { return std::string(to_string(r.experiment.precision)); },
       false},
      {"batch", [&](const Report& r) { return text(r.experiment.batch); }, true},
      {"seq", [&](const Report& r) { return text(r.experiment.seq.value_or(0)); }, false},
      {"gpus", [&](const Report& r) { return text(r.experiment.devices); }, false},
      {"grad_accum", [&](const Report& r) { return text(r.experiment.grad_accumulation); }, false},
      {"threads", [&](const Report& r) { return text(r.experiment.threads); }, on_processors},
      {"iteration_s", [](const Report& r) { return significant(r.iteration_time_s.median, 4); },
       true},
      {"p05_s", [](const Report& r) { return significant(r.iteration_time_s.p05, 4); }, true},
      {"p95_s", [](const Report& r) { return significant(r.iteration_time_s.p95, 4); }, true},
      {"samples_per_s",
       [](const Report& r) { return significant(r.throughput_samples_per_s.median, 4); }, true},
      {"mfu", [](const Report& r) { return significant(r.model_flops_utilization, 3); }, true},
      {"memory_gb", [](const Report& r) { return significant(bytes(r.memory.peak()).si() / 1e9); },
       true},
      {"fits", [](const Report& r) { return std::string(r.memory.fits() ? "yes" : "no"); }, true},
      {"spare_gb", [](const Report& r) { return significant(bytes(r.memory.margin()).si() / 1e9); },
       true},
      {"largest_batch",
       [&](const Report& r) {
         if (!r.largest_batch) return std::string("-");
         return for_people ? batch_found_text(*r.largest_batch) : text(*r.largest_batch);
       },
       true},
      {"bottleneck", [](const Report& r) { return r.bottleneck.resource; }, true}};
  std::vector<Column> shown;
  for (const Column& column : columns) {
    bool varies = column.always;
    for (const Report& report : reports) {
      varies = varies || column.cell(report) != column.cell(reports.front());
    }
    if (varies) shown.push_back(column);
  }
  std::vector<Experiment> experiments;
  for (const Report& report : reports) experiments.push_back(report.experiment);
  const std::vector<VaryingKey> options = varying_options(experiments);
  std::vector<std::string> header;
  for (const Column& column : shown) header.push_back(column.name);
  for (const VaryingKey& option : options) header.push_back(option.name);
  Table table(header);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    std::vector<std::string> cells;
    for (const Column& column : shown) cells.push_back(column.cell(reports[i]));
    for (const VaryingKey& option : options) cells.push_back(option.values[i]);
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace paceline
