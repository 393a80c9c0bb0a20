// Reading and writing "paceline.timeline/1": columns of whole numbers, one list each, so that a
// million spans are read and written in seconds.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

constexpr char kSchema[] = "paceline.timeline/1";

std::vector<std::string> kind_names() {
  std::vector<std::string> out;
  for (int kind = 0; kind < kSpanKinds; ++kind) {
    out.emplace_back(to_text(static_cast<SpanKind>(kind)));
  }
  return out;
}

void append_number(std::string& text, std::int64_t value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end);
}

void append_column(std::string& text, const char* name, std::size_t count,
                   const std::function<std::int64_t(std::size_t)>& value) {
  text += std::string(text.ends_with('{') ? "\n" : ",\n") + "    \"" + name + "\": [";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    append_number(text, value(i));
  }
  text += ']';
}

std::string spans_text(const Timeline& timeline) {
  const Timeline::Columns& spans = timeline.columns();
  const std::size_t count = timeline.size();
  std::string text = "{";
  const auto column = [&](const char* name, auto value) {
    append_column(text, name, count,
                  [&](std::size_t i) { return static_cast<std::int64_t>(value(i)); });
  };
  column("start_ps", [&](std::size_t i) { return spans.start[i].picoseconds(); });
  column("duration_ps",
         [&](std::size_t i) { return (spans.end[i] - spans.start[i]).picoseconds(); });
  column("track", [&](std::size_t i) { return spans.track[i]; });
  column("name", [&](std::size_t i) { return spans.label[i].name; });
  column("kind", [&](std::size_t i) { return spans.label[i].kind; });
  column("rank", [&](std::size_t i) { return spans.label[i].rank; });
  column("layer", [&](std::size_t i) { return spans.label[i].layer; });
  column("iteration", [&](std::size_t i) { return spans.label[i].iteration; });
  column("cause", [&](std::size_t i) {
    return spans.cause[i] == kNoSpan ? std::int64_t{-1} : static_cast<std::int64_t>(spans.cause[i]);
  });
  return text + "\n  }";
}

// The shortest text that is read as the same number.
void append_number(std::string& text, double value) {
  PACELINE_ASSERT(std::isfinite(value), "a counter holds numbers");
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end);
}

std::string counters_text(const Timeline& timeline) {
  std::string text = "[";
  for (const Counter& counter : timeline.counters()) {
    text += std::string(text.ends_with('[') ? "\n" : ",\n") +
            "    {\"name\": " + ordered_json(counter.name).dump() +
            ", \"unit\": " + ordered_json(counter.unit).dump() + ",\n     \"time_ps\": [";
    for (const Counter::Point& point : counter.points) {
      append_number(text, point.time.picoseconds());
      text += ',';
    }
    if (text.back() == ',') text.pop_back();
    text += "],\n     \"value\": [";
    for (const Counter::Point& point : counter.points) {
      append_number(text, point.value);
      text += ',';
    }
    if (text.back() == ',') text.pop_back();
    text += "]}";
  }
  return text + "\n  ]";
}

ordered_json layers_json(const std::vector<MeasuredLayer>& layers) {
  ordered_json out = ordered_json::array();
  for (const MeasuredLayer& layer : layers) {
    out.push_back(
        {{"operation", layer.operation}, {"module", layer.module}, {"shape", layer.shape}});
  }
  return out;
}

// Columns of equal length whose values lie in their ranges.
class SpanReader {
 public:
  SpanReader(JsonObject object, MeasuredTimeline& out) : object_(std::move(object)), out_(out) {}

  void read(const std::vector<NameId>& names) {
    start_ = object_.integers("start_ps");
    const std::vector<std::int64_t> duration = column("duration_ps", 0, INT64_MAX / 2);
    const auto track = column("track", 0, static_cast<std::int64_t>(out_.timeline.tracks()) - 1);
    const auto name = column("name", 0, static_cast<std::int64_t>(names.size()) - 1);
    const auto kind = column("kind", 0, kSpanKinds - 1);
    const auto rank = column("rank", -1, INT32_MAX);
    const auto layer = column("layer", -1, static_cast<std::int64_t>(out_.layers.size()) - 1);
    const auto iteration = column("iteration", -1, INT16_MAX);
    const auto cause = column("cause", -1, static_cast<std::int64_t>(start_.size()) - 1);
    object_.finish();
    for (std::size_t i = 0; i < start_.size(); ++i) {
      Span span;
      span.start = SimTime::from_picoseconds(start_[i]);
      span.end = SimTime::from_picoseconds(start_[i] + duration[i]);
      span.track = static_cast<TrackId>(track[i]);
      span.label = {.name = names[static_cast<std::size_t>(name[i])],
                    .rank = static_cast<std::int32_t>(rank[i]),
                    .layer = static_cast<std::int32_t>(layer[i]),
                    .iteration = static_cast<std::int16_t>(iteration[i]),
                    .kind = static_cast<SpanKind>(kind[i])};
      span.cause = cause[i] < 0 ? kNoSpan : static_cast<SpanId>(cause[i]);
      out_.timeline.add(span);
    }
  }

 private:
  std::vector<std::int64_t> column(const char* name, std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> values = object_.integers(name);
    if (values.size() != start_.size()) {
      object_.fail(name, "has " + std::to_string(values.size()) + " values, start_ps has " +
                             std::to_string(start_.size()));
    }
    for (const std::int64_t value : values) {
      if (value < least || value > most) {
        object_.fail(name, std::to_string(value) + " is outside " + std::to_string(least) + " to " +
                               std::to_string(most));
      }
    }
    return values;
  }

  JsonObject object_;
  MeasuredTimeline& out_;
  std::vector<std::int64_t> start_;
};

Counter read_counter(JsonObject object) {
  Counter out{object.string("name"), object.string("unit"), {}};
  const std::vector<std::int64_t> times = object.integers("time_ps");
  const std::vector<double> values = object.numbers("value");
  if (values.size() != times.size()) {
    object.fail("value", "has " + std::to_string(values.size()) + " values, time_ps has " +
                             std::to_string(times.size()));
  }
  if (!std::is_sorted(times.begin(), times.end())) object.fail("time_ps", "is not in order");
  object.finish();
  for (std::size_t i = 0; i < times.size(); ++i) {
    out.points.push_back({SimTime::from_picoseconds(times[i]), values[i]});
  }
  return out;
}

}  // namespace

void write_timeline(const std::filesystem::path& file, const MeasuredTimeline& measured) {
  const Timeline& timeline = measured.timeline;
  ordered_json head = {{"schema", kSchema}, {"provenance", to_json(measured.provenance)}};
  head["source"] = measured.source;
  head["devices"] = measured.devices;
  head["warnings"] = measured.warnings;
  head["iterations_s"] = measured.iterations_s;
  head["layers"] = layers_json(measured.layers);
  head["kinds"] = kind_names();
  head["tracks"] = ordered_json::array();
  for (std::size_t i = 0; i < timeline.tracks(); ++i) {
    head["tracks"].push_back(timeline.track_name(static_cast<TrackId>(i)));
  }
  head["names"] = ordered_json::array();
  for (std::size_t i = 0; i < timeline.names().size(); ++i) {
    head["names"].push_back(timeline.names().text(static_cast<NameId>(i)));
  }
  std::string text = to_json_text(head);
  text.erase(text.rfind('}'));
  while (text.back() == '\n') text.pop_back();
  text += ",\n  \"spans\": " + spans_text(timeline);
  if (!timeline.counters().empty()) text += ",\n  \"counters\": " + counters_text(timeline);
  text += "\n}\n";
  write_text_file(file, text);
}

MeasuredTimeline read_timeline(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, kSchema);
  JsonObject root = document.root();
  MeasuredTimeline out;
  out.provenance = read_provenance(root.object("provenance"));
  out.source = root.string("source");
  out.devices = root.strings("devices");
  out.warnings = root.strings("warnings");
  out.iterations_s = root.numbers("iterations_s");
  for (JsonObject& layer : root.objects("layers")) {
    out.layers.push_back(
        {layer.string("operation"), layer.string("module"), layer.string("shape")});
    layer.finish();
  }
  if (root.strings("kinds") != kind_names()) {
    root.fail("kinds", "other kinds of spans than this version has");
  }
  for (std::string& track : root.strings("tracks")) out.timeline.add_track(std::move(track));
  std::vector<NameId> names;
  for (const std::string& name : root.strings("names")) {
    names.push_back(out.timeline.add_name(name));
  }
  SpanReader(root.object("spans"), out).read(names);
  if (root.has("counters")) {
    for (JsonObject& counter : root.objects("counters")) {
      out.timeline.add_counter(read_counter(std::move(counter)));
    }
  }
  root.finish();
  return out;
}

}  // namespace paceline
