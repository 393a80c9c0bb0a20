#include "simulator/report/input_pipeline.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/units_text.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

constexpr std::string_view kTime = "loader_ms_per_batch";
constexpr std::string_view kWorkers = "loader_workers";

template <typename Number>
Number positive_number(std::string_view key, const std::string& text, Number most) {
  Number value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || !(value > 0) || value > most) {
    throw UsageError("--set " + std::string(key) + "=" + text +
                     " is not a positive number of at most " +
                     significant(static_cast<double>(most)));
  }
  return value;
}

}  // namespace

bool is_input_option(std::string_view key) { return key == kTime || key == kWorkers; }

std::optional<InputPipeline> read_input_pipeline(
    const std::map<std::string, std::string>& options) {
  constexpr std::int64_t kMostWorkers = 4096;
  constexpr double kMostMilliseconds = 1e9;
  const auto time = options.find(std::string(kTime));
  const auto workers = options.find(std::string(kWorkers));
  if (time == options.end()) {
    if (workers == options.end()) return std::nullopt;
    throw UsageError(
        "--set loader_workers needs --set loader_ms_per_batch: what one of them takes");
  }
  InputPipeline input;
  input.per_batch = Seconds(positive_number(kTime, time->second, kMostMilliseconds) / 1e3);
  if (workers != options.end()) {
    input.workers = positive_number(kWorkers, workers->second, kMostWorkers);
  }
  return input;
}

void add_input_wait(const InputPipeline& input, Seconds training, Report& report) {
  const Seconds wait = input.period() - training;
  if (!(wait > Seconds(0))) return;
  report.breakdown.input += wait;
  add_origin(report.origins, {"input", OriginKind::kMeasured, "--set " + std::string(kTime),
                              wait / input.period()});
  const auto enough = static_cast<std::int64_t>(std::ceil(input.per_batch / training));
  report.bottleneck = {.resource = "input pipeline",
                       .share = wait / input.period(),
                       .text = std::to_string(input.workers) +
                               (input.workers == 1 ? " worker delivers" : " workers deliver") +
                               " a batch every " + to_text(input.period()) + ", training takes " +
                               to_text(training) + "; from " + std::to_string(enough) +
                               " workers on it no longer binds"};
}

}  // namespace paceline
