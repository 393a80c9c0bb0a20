// Reading and writing "paceline.measurements/1".
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "traces/measurement/measurement.h"

namespace paceline {
namespace {

constexpr char kSchema[] = "paceline.measurements/1";

AxisValue read_axis(JsonObject& axes, const std::string& name) {
  const nlohmann::json& value = axes.raw(name);
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  axes.fail(name, "an axis is a number or text");
}

Axes read_axes(JsonObject object) {
  Axes axes;
  for (const std::string& name : object.keys()) axes.emplace(name, read_axis(object, name));
  return axes;
}

MeasurementRound read_round(JsonObject object) {
  MeasurementRound round;
  round.start = object.string("start");
  round.foreign_cpu = object.number("foreign_cpu");
  round.accepted = object.boolean("accepted");
  round.samples_s = object.numbers("samples_s");
  if (round.samples_s.empty()) object.fail("samples_s", "a round has at least one sample");
  for (const double sample : round.samples_s) {
    if (!(sample > 0)) object.fail("samples_s", "a sample is a positive number of seconds");
  }
  object.finish();
  return round;
}

Measurement read_result(JsonObject object) {
  static const std::vector<std::string> kStatus = {"measured", "skipped"};
  Measurement result;
  result.benchmark = object.string("benchmark");
  result.axes = read_axes(object.object("axes"));
  if (object.has("facts")) result.facts = read_axes(object.object("facts"));
  result.skipped = object.one_of("status", kStatus) == "skipped";
  if (result.skipped) {
    result.reason = object.string("reason");
  } else {
    result.result_checked = object.boolean("result_checked");
    result.warmup = object.count("warmup");
    if (object.has("summary")) object.raw("summary");  // derived: recomputed from the samples
    for (JsonObject& round : object.objects("rounds")) {
      result.rounds.push_back(read_round(std::move(round)));
    }
    if (result.rounds.empty()) object.fail("rounds", "a measured result has at least one round");
  }
  object.finish();
  return result;
}

nlohmann::ordered_json to_json(const Axes& axes) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : axes) {
    std::visit([&, key = name](const auto& plain) { out[key] = plain; }, value);
  }
  return out;
}

nlohmann::ordered_json to_json(const MeasurementRound& round) {
  return {{"start", round.start},
          {"foreign_cpu", round.foreign_cpu},
          {"accepted", round.accepted},
          {"samples_s", round.samples_s}};
}

nlohmann::ordered_json to_json(const Measurement& result) {
  nlohmann::ordered_json out = {{"benchmark", result.benchmark},
                                {"axes", to_json(result.axes)},
                                {"status", result.skipped ? "skipped" : "measured"}};
  if (!result.facts.empty()) out["facts"] = to_json(result.facts);
  if (result.skipped) {
    out["reason"] = result.reason;
    return out;
  }
  out["result_checked"] = result.result_checked;
  out["warmup"] = result.warmup;
  if (result.accepted_rounds() > 0) {
    out["summary"] = {{"value_s", result.value().si()}, {"spread", result.spread()}};
  }
  out["rounds"] = nlohmann::ordered_json::array();
  for (const MeasurementRound& round : result.rounds) out["rounds"].push_back(to_json(round));
  return out;
}

}  // namespace

MeasurementSet read_measurements(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, kSchema);
  JsonObject root = document.root();
  MeasurementSet set;
  set.provenance = read_provenance(root.object("provenance"));
  if (root.has("warnings")) set.warnings = root.strings("warnings");
  for (JsonObject& result : root.objects("results")) {
    set.results.push_back(read_result(std::move(result)));
  }
  root.finish();
  return set;
}

void write_measurements(const std::filesystem::path& file, const MeasurementSet& set) {
  nlohmann::ordered_json root = {{"schema", kSchema}, {"provenance", to_json(set.provenance)}};
  if (!set.warnings.empty()) root["warnings"] = set.warnings;
  root["results"] = nlohmann::ordered_json::array();
  for (const Measurement& result : set.results) root["results"].push_back(to_json(result));
  write_json_file(file, root);
}

}  // namespace paceline
