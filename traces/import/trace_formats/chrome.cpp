// Traces in Chrome's format from any program: complete events and begin/end pairs. Of a trace that
// paceline wrote, kinds, exact times, ranks, layers and iterations come back as well.
#include <charconv>
#include <map>
#include <unordered_map>

#include "core/error.h"
#include "traces/import/json_events.h"
#include "traces/import/trace_events.h"
#include "traces/import/trace_importer.h"

namespace paceline {
namespace {

template <typename Integer>
Integer integer_or(std::string_view text, Integer fallback) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : fallback;
}

SpanKind kind_of(std::string_view category) {
  for (int kind = 0; kind < kSpanKinds; ++kind) {
    if (to_text(static_cast<SpanKind>(kind)) == category) return static_cast<SpanKind>(kind);
  }
  return SpanKind::kOther;
}

class ChromeReader {
 public:
  explicit ChromeReader(std::filesystem::path file) : file_(std::move(file)) {}

  MeasuredTimeline read() {
    const JsonEventsResult result =
        read_json_events(file_, [this](const JsonEvent& event) { take(event); });
    for (const auto& [thread, open] : open_) unclosed_ += open.size();
    if (spans_.empty()) {
      throw InputError(file_.string() +
                       ": holds no complete event (\"ph\": \"X\" or \"B\" and \"E\")");
    }
    build();
    warn(negative_, " events have a negative duration, which counts as 0");
    warn(without_time_, " events have no readable time and are left out");
    warn(unclosed_, " events begin without an end, or the other way round, and are left out");
    warn(result.unreadable, " events cannot be read and are left out; " + result.first_error);
    if (!result.damage.empty()) warn(1, ": " + result.damage + "; the end of the run is missing");
    return std::move(out_);
  }

 private:
  struct RawSpan {
    std::int64_t start_ps = 0, end_ps = 0;
    std::string thread;
    Label label;
  };

  void warn(std::size_t count, const std::string& text) {
    if (count == 0) return;
    const std::string number = text.starts_with(':') ? "" : ": " + std::to_string(count);
    out_.warnings.push_back(file_.filename().string() + number + text);
  }

  void take(const JsonEvent& event) {
    const std::string thread = std::string(event.pid) + "/" + std::string(event.tid);
    if (event.phase == 'M') {
      const std::string name(event.argument("name"));
      if (event.name == "process_name") process_names_[std::string(event.pid)] = name;
      if (event.name == "thread_name") thread_names_[thread] = name;
      return;
    }
    if (event.phase != 'X' && event.phase != 'B' && event.phase != 'E') return;
    try {
      const std::int64_t at_ps = 1000 * parse_nanoseconds(event.timestamp, 1000);
      if (event.phase == 'X') add_complete(event, thread, at_ps);
      if (event.phase == 'B') open_[thread].push_back(begin(event, thread, at_ps));
      if (event.phase == 'E') end(thread, at_ps);
    } catch (const InputError&) {
      ++without_time_;
    }
  }

  RawSpan begin(const JsonEvent& event, const std::string& thread, std::int64_t at_ps) {
    RawSpan span{at_ps, at_ps, thread, {}};
    span.label = {.name = out_.timeline.add_name(event.name),
                  .rank = integer_or(event.argument("rank"), std::int32_t{-1}),
                  .layer = -1,
                  .iteration = integer_or(event.argument("iteration"), std::int16_t{0}),
                  .kind = kind_of(event.category)};
    return span;
  }

  void add_complete(const JsonEvent& event, const std::string& thread, std::int64_t at_ps) {
    RawSpan span = begin(event, thread, at_ps);
    std::int64_t duration_ps =
        event.duration.empty() ? 0 : 1000 * parse_nanoseconds(event.duration, 1000);
    span.start_ps = integer_or(event.argument("start_ps"), span.start_ps);
    duration_ps = integer_or(event.argument("duration_ps"), duration_ps);
    if (duration_ps < 0) {
      ++negative_;
      duration_ps = 0;
    }
    span.end_ps = span.start_ps + duration_ps;
    spans_.push_back(std::move(span));
  }

  void end(const std::string& thread, std::int64_t at_ps) {
    std::vector<RawSpan>& open = open_[thread];
    if (open.empty()) {
      ++unclosed_;
      return;
    }
    RawSpan span = std::move(open.back());
    open.pop_back();
    if (at_ps < span.start_ps) ++negative_;
    span.end_ps = std::max(at_ps, span.start_ps);
    spans_.push_back(std::move(span));
  }

  std::string track_name(const std::string& thread) const {
    const std::string pid = thread.substr(0, thread.find('/'));
    const auto process = process_names_.find(pid);
    const auto name = thread_names_.find(thread);
    return (process == process_names_.end() ? "process " + pid : process->second) + "/" +
           (name == thread_names_.end() ? "thread " + thread.substr(pid.size() + 1) : name->second);
  }

  void build() {
    std::int64_t first = spans_.front().start_ps;
    for (const RawSpan& span : spans_) first = std::min(first, span.start_ps);
    std::map<std::string, TrackId> tracks;  // threads of one name are one track
    for (const RawSpan& raw : spans_) {
      const std::string name = track_name(raw.thread);
      auto track = tracks.find(name);
      if (track == tracks.end()) {
        track = tracks.emplace(name, out_.timeline.add_track(name)).first;
      }
      Span span;
      span.start = SimTime::from_picoseconds(raw.start_ps - first);
      span.end = SimTime::from_picoseconds(raw.end_ps - first);
      span.track = track->second;
      span.label = raw.label;
      out_.timeline.add(span);
    }
  }

  std::filesystem::path file_;
  MeasuredTimeline out_;
  std::vector<RawSpan> spans_;
  std::unordered_map<std::string, std::vector<RawSpan>> open_;  // by thread, outermost first
  std::map<std::string, std::string> process_names_, thread_names_;
  std::size_t negative_ = 0, without_time_ = 0, unclosed_ = 0;
};

class Chrome final : public TraceImporter {
 public:
  // What is not PyTorch's.
  bool recognises(std::string_view head) const override {
    const bool events = head.find("\"traceEvents\"") != std::string_view::npos ||
                        (head.starts_with('[') && head.find("\"ph\"") != std::string_view::npos);
    return events && !trace_importers().make("kineto")->recognises(head);
  }

  MeasuredTimeline read(const std::vector<std::filesystem::path>& files,
                        const TraceImportOptions& options) const override {
    if (files.size() != 1 || options.rank) {
      throw UsageError("a chrome trace is one file without ranks of its own");
    }
    return ChromeReader(files.front()).read();
  }
};

}  // namespace

void register_chrome(TraceImporterRegistry& registry) {
  registry.add("chrome", "Chrome trace JSON of any program",
               [] { return std::make_unique<Chrome>(); });
}

}  // namespace paceline
