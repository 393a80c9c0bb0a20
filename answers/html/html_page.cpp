#include "answers/html/html_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/compare/ranking.h"
#include "answers/compare/varying.h"
#include "answers/explain/kernel_rows.h"
#include "answers/html/timeline_bars.h"
#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "simulator/memory/memory_timeline.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostKernels = 200;
constexpr std::size_t kMostSteps = 600;

std::string page_part(const char* name) {
  return read_text_file(data_directory() / "answers/html" / name);
}

std::string chart_library() {
  std::error_code ignored;
  const std::filesystem::path installed = data_directory() / "answers/html/chart.min.js";
  for (const std::filesystem::path& file : {installed, std::filesystem::path(PACELINE_CHART_JS)}) {
    if (!file.empty() && std::filesystem::is_regular_file(file, ignored)) {
      return read_text_file(file);
    }
  }
  throw InputError(
      "--html needs Chart.js, which was not found when paceline was built; install the package "
      "libjs-chart.js and build again");
}

// Inside <script>, "</" would end the element and "<!--" begin a comment.
std::string inside_script(std::string text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends =
        text[i] == '<' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '!');
    if (ends) {
      out += "\\u003c";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string inside_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string headline(const std::vector<Report>& reports) {
  const Experiment& e = reports.front().experiment;
  std::string out = e.model + ", batch " + std::to_string(e.batch);
  if (reports.size() > 1) return e.model + " and " + std::to_string(reports.size() - 1) + " more";
  if (e.devices > 1) out += ", " + std::to_string(e.devices) + " devices";
  return out + ", " + std::string(to_string(e.precision)) + " on " +
         std::filesystem::path(e.device).filename().string() + ", " + e.framework;
}

// The points of a sweep as lines over the first count that varies; the rest names the line.
ordered_json points_json(const std::vector<Report>& reports, std::string& axis) {
  const std::vector<VaryingKey> varying = varying_keys(reports);
  const VaryingKey* along = varying.empty() ? nullptr : &varying.front();
  for (auto key = varying.rbegin(); key != varying.rend(); ++key) {
    if (key->counts) along = &*key;
  }
  axis = along == nullptr ? "point" : along->name;
  ordered_json points = ordered_json::array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    std::string line;
    for (const VaryingKey& key : varying) {
      if (&key == along) continue;
      line += (line.empty() ? "" : ", ") + (key.counts ? key.name + " " : "") + key.values[i];
    }
    ordered_json at = i;
    if (along != nullptr) at = along->values[i];
    if (along != nullptr && along->counts) at = std::stod(along->values[i]);
    points.push_back({{"x", at}, {"line", line}});
  }
  return points;
}

// What all points have in common.
ordered_json common_json(const std::vector<Report>& reports) {
  const ordered_json first = to_json(reports.front().experiment);
  ordered_json common = first;
  for (const Report& report : reports) {
    const ordered_json config = to_json(report.experiment);
    for (const auto& [key, value] : first.items()) {
      if (!config.contains(key) || config.at(key) != value) common.erase(key);
    }
  }
  return common;
}

ordered_json timeline_json(const Timeline& timeline) {
  const TimelineBars bars = timeline_bars(timeline);
  ordered_json spans = ordered_json::array();
  for (const TimelineBar& bar : bars.bars) {
    spans.push_back({{"track", bar.track},
                     {"start_s", bar.start_s},
                     {"end_s", bar.end_s},
                     {"kind", bar.kind},
                     {"name", bar.name}});
  }
  return {{"tracks", bars.tracks},
          {"spans", spans},
          {"note", std::to_string(bars.spans) +
                       " spans; neighbours of one kind are drawn as one. --trace FILE writes all "
                       "of them for ui.perfetto.dev."}};
}

const char* phase_name(TapePhase phase) {
  switch (phase) {
    case TapePhase::kSetup:
      return "set-up";
    case TapePhase::kForward:
      return "forward";
    case TapePhase::kBackward:
      return "backward";
    case TapePhase::kUpdate:
      return "update";
  }
  return "";
}

// Bytes alive by kind over the operations in issue order, without those that set up the model's
// state; of many, those with most of each few.
ordered_json memory_json(const MemoryTape& tape, const std::vector<std::string>& layers) {
  const std::vector<MemoryTape::Usage> usage = usage_during_steps(tape);
  const auto setup = std::ranges::find_if(
      tape.steps(), [](const MemoryTape::Step& step) { return step.phase != TapePhase::kSetup; });
  const auto begin = static_cast<std::size_t>(setup - tape.steps().begin());
  const std::size_t width = std::max<std::size_t>(1, (usage.size() - begin) / kMostSteps);
  std::vector<std::size_t> shown;
  for (std::size_t from = begin; from < usage.size(); from += width) {
    std::size_t most = from;
    for (std::size_t i = from; i < std::min(from + width, usage.size()); ++i) {
      if (total(usage[i]) > total(usage[most])) most = i;
    }
    shown.push_back(most);
  }
  ordered_json steps = ordered_json::array();
  for (const std::size_t i : shown) {
    const MemoryTape::Step& step = tape.steps()[i];
    steps.push_back(std::string(phase_name(step.phase)) + " " +
                    (step.layer < layers.size() ? layers[step.layer] : ""));
  }
  ordered_json kinds = ordered_json::array();
  for (std::size_t kind = 0; kind < kMemoryKinds; ++kind) {
    ordered_json bytes = ordered_json::array();
    std::int64_t most = 0;
    for (const std::size_t i : shown) {
      bytes.push_back(usage[i][kind]);
      most = std::max(most, usage[i][kind]);
    }
    if (most == 0) continue;
    kinds.push_back({{"kind", to_string(static_cast<MemoryKind>(kind))}, {"bytes", bytes}});
  }
  return {{"steps", steps}, {"kinds", kinds}};
}

ordered_json roofline_json(const RooflineLimits& limits, Precision precision) {
  const auto peak = limits.peak.find(precision);
  if (peak == limits.peak.end()) return nullptr;
  return {{"peak_flops_per_s", peak->second.si()}, {"bytes_per_s", limits.bandwidth.si()}};
}

ordered_json data_of(const PageContent& content) {
  ordered_json data;
  data["headline"] = headline(content.reports);
  data["reports"] = ordered_json::array();
  for (const Report& report : content.reports) data["reports"].push_back(to_json(report));
  if (content.reports.size() > 1) {
    std::string axis;
    data["points"] = points_json(content.reports, axis);
    data["axis"] = axis;
    data["common"] = common_json(content.reports);
    const auto ranking = rank_points(content.reports, RankBy::kThroughput, nullptr);
    const Table table = ranking_table(content.reports, ranking, nullptr);
    data["table"] = {{"header", table.header()}, {"rows", table.rows()}};
    return data;
  }
  data["sensitivities"] = to_json(content.sensitivities);
  if (content.timeline != nullptr) data["timeline"] = timeline_json(*content.timeline);
  if (content.memory != nullptr) {
    data["memory_timeline"] =
        memory_json(*content.memory,
                    content.plan == nullptr ? std::vector<std::string>() : content.plan->layers);
  }
  if (content.plan != nullptr) {
    data["kernels"] = kernels_json(top_kernels(*content.plan, content.scale, kMostKernels));
    if (content.roofline) {
      data["roofline"] =
          roofline_json(*content.roofline, content.reports.front().experiment.precision);
    }
  }
  return data;
}

void replace(std::string& page, const std::string& what, const std::string& by) {
  const std::size_t at = page.find(what);
  if (at == std::string::npos) throw InputError("answers/html/page.html lacks " + what);
  page.replace(at, what.size(), by);
}

}  // namespace

std::string html_page(const PageContent& content) {
  PACELINE_ASSERT(!content.reports.empty(), "a page shows at least one report");
  // The last first, so that no replacement is looked into.
  std::string page = page_part("page.html");
  replace(page, "{{script}}", page_part("page.js"));
  replace(page, "{{data}}", inside_script(to_json_text(data_of(content))));
  replace(page, "{{chart_library}}", chart_library());
  replace(page, "{{style}}", page_part("page.css"));
  replace(page, "{{title}}", "Paceline: " + inside_html(headline(content.reports)));
  return page;
}

}  // namespace paceline
