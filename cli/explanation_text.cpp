#include "cli/explanation_text.h"

#include <algorithm>
#include <string_view>

#include "cli/prediction_text.h"
#include "core/percent.h"
#include "core/screen_text.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr const char* kIndent = "              ";
constexpr std::size_t kMostTracks = 3;
constexpr std::size_t kMostGains = 3;
constexpr std::size_t kMostParts = 3;  // of a path, and of the kernels
constexpr const char* kRest =
    "  --all shows the critical path, the sweep of the network, and kernel by kernel\n";

// "  gains       first\n              second\n"
std::string labelled(const std::string& label, const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    std::string start = out.empty() ? "  " + label : "";
    start.resize(std::string_view(kIndent).size(), ' ');
    out += start + line + "\n";
  }
  return out;
}

std::string joined_parts(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string exposed_text(const Explanation& e, Seconds iteration) {
  std::vector<std::string> lines;
  for (const TrackExposure& t : e.links) {
    if (lines.size() == kMostTracks) {
      lines.push_back("and " + std::to_string(e.links.size() - kMostTracks) + " more");
      break;
    }
    lines.push_back(readable_track(t.track) + ": " + to_text(t.exposed) + " of " + to_text(t.busy) +
                    ", " + percent(t.exposed / iteration) + " of the iteration");
  }
  return labelled("exposed", lines);
}

std::string gains_text(const Explanation& e) {
  std::vector<std::string> lines;
  for (const Sensitivity& s : e.sensitivities) {
    if (lines.size() == kMostGains) break;
    lines.push_back(percent(s.change) + (lines.empty() ? " of the iteration with " : " with ") +
                    s.what);
  }
  return labelled("gains", lines);
}

std::string path_text(const Explanation& e) {
  std::vector<std::string> parts;
  for (const PathPart& part : e.path) {
    if (parts.size() == kMostParts) break;
    parts.push_back(part.what + " " + percent(part.share));
  }
  if (parts.empty()) return "";
  return labelled("path", {joined_parts(parts) + " of the critical path"});
}

std::string kernels_text(const Explanation& e, Seconds iteration) {
  std::vector<std::string> parts;
  for (const ImplementationTime& part : time_by_implementation(e.point.plan, e.scale)) {
    if (parts.size() == kMostParts) break;
    parts.push_back(part.implementation + " " + percent(part.time / iteration));
  }
  if (parts.empty()) return "";
  return labelled("kernels", {joined_parts(parts) + " of the iteration"});
}

}  // namespace

std::string explanation_screen(const Explanation& e) {
  const Report& report = e.point.report;
  const Seconds iteration(report.iteration_time_s.median);
  std::string out = prediction_head(report) + bottleneck_line(report) + exposed_text(e, iteration) +
                    gains_text(e);
  if (e.network) out += labelled("knee", {knee_text(*e.network)});
  out +=
      path_text(e) + kernels_text(e, iteration) + labelled("memory", {memory_line(report.memory)});
  const std::size_t used = screen_rows(out) + screen_rows(kRest);
  return out + warning_lines(report, kScreenRows - std::min(kScreenRows - 1, used)) + kRest;
}

std::string explanation_tables(const Explanation& e) {
  const Seconds total(e.point.report.iteration_time_s.median);
  std::string out = prediction_screen(e.point.report) + "\n" +
                    sensitivity_table(e.sensitivities).to_string() + "\n" +
                    path_table(e.path, e.path_iterations).to_string() + "\n";
  if (!e.links.empty()) out += exposure_table(e.links, total).to_string() + "\n";
  if (e.network) {
    out += sweep_table(*e.network).to_string() + "knee: " + knee_text(*e.network) + "\n\n";
  }
  return out + implementation_table(e.point.plan, e.scale, total).to_string() + "\n" +
         kernel_table(e.kernels, total).to_string() + kernel_table_note(e.kernels);
}

}  // namespace paceline
