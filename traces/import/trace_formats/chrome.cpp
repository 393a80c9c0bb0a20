// Traces in Chrome's format from any program: complete events, begin/end pairs and counters. Of a
// trace that paceline wrote, kinds, exact times, ranks, layers by name and iterations come back as
// well.
#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "core/error.h"
#include "traces/import/json_events.h"
#include "traces/import/trace_counters.h"
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

// Nanoseconds and picoseconds apart: since 1970 it is too many picoseconds for one number.
struct Instant {
  std::int64_t ns = 0;
  std::int64_t ps = 0;  // 0 to 999
  auto operator<=>(const Instant&) const = default;
};

Instant instant_of(std::int64_t ps) {
  const std::int64_t ns = ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
  return {ns, ps - 1000 * ns};
}

// Half of what a timeline's clock reaches, 53 days.
constexpr std::int64_t kMostNs = INT64_MAX / 2000;

std::int64_t picoseconds(std::int64_t ns) {
  if (ns > kMostNs) throw InputError("longer than a timeline holds");
  return ns < 0 ? -1 : 1000 * ns;  // how far below zero does not matter
}

// From `a` to `b`, which is not before it.
std::int64_t picoseconds_between(const Instant& a, const Instant& b) {
  const std::uint64_t ns = static_cast<std::uint64_t>(b.ns) - static_cast<std::uint64_t>(a.ns);
  if (ns > kMostNs) throw InputError("further apart than a timeline holds");
  return 1000 * static_cast<std::int64_t>(ns) + b.ps - a.ps;
}

class ChromeReader {
 public:
  explicit ChromeReader(std::filesystem::path file) : file_(std::move(file)) {}

  MeasuredTimeline read() {
    const JsonEventsResult result =
        read_json_events(file_, [this](const JsonEvent& event) { take(event); });
    for (const auto& [thread, open] : open_) unclosed_ += open.size();
    if (!result.damage.empty()) leave_out_last_iteration(result.damage);
    if (spans_.empty()) {
      throw InputError(file_.string() +
                       ": holds no complete event (\"ph\": \"X\" or \"B\" and \"E\")");
    }
    try {
      build();
    } catch (const InputError& error) {
      throw InputError(file_.string() + ": events lie " + error.what());
    }
    warn(negative_, " events have a negative duration, which counts as 0");
    warn(without_time_, " events have no readable time and are left out");
    warn(unclosed_, " events begin without an end, or the other way round, and are left out");
    warn(counters_.unreadable(),
         " samples of counters have no time or no finite number and are left out");
    warn(too_far_, " samples of counters lie more than 106 days after the first event");
    warn(result.unreadable, " events cannot be read and are left out; " + result.first_error);
    if (!result.damage.empty()) {
      warn(1, ": " + result.damage + "; the end of the run is missing" +
                  (out_.layers.empty() ? "" : ", and its last iteration does not count"));
    }
    return std::move(out_);
  }

 private:
  struct RawSpan {
    Instant start;
    std::int64_t duration_ps = 0;
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
    if (event.phase == 'C') return counters_.take(event);
    if (event.phase != 'X' && event.phase != 'B' && event.phase != 'E') return;
    try {
      const Instant at{parse_nanoseconds(event.timestamp, 1000), 0};
      if (event.phase == 'X') add_complete(event, thread, at);
      if (event.phase == 'B') open_[thread].push_back(begin(event, thread, at));
      if (event.phase == 'E') end(thread, at);
    } catch (const InputError&) {
      ++without_time_;
    }
  }

  RawSpan begin(const JsonEvent& event, const std::string& thread, const Instant& at) {
    RawSpan span{at, 0, thread, {}};
    span.label = {.name = out_.timeline.add_name(event.name),
                  .rank = integer_or(event.argument("rank"), std::int32_t{-1}),
                  .layer = layer_of(event),
                  .iteration = integer_or(event.argument("iteration"), std::int16_t{0}),
                  .kind = kind_of(event.category)};
    return span;
  }

  // The names of a trace that paceline wrote become the layers, in the order of their appearance.
  std::int32_t layer_of(const JsonEvent& event) {
    const std::string name(event.argument("layer_name"));
    if (name.empty()) return -1;
    const auto next = static_cast<std::int32_t>(out_.layers.size());
    const auto [found, is_new] = layers_.try_emplace(name, next);
    if (is_new) out_.layers.push_back({name, "", ""});
    return found->second;
  }

  void add_complete(const JsonEvent& event, const std::string& thread, const Instant& at) {
    RawSpan span = begin(event, thread, at);
    constexpr std::int64_t kNone = -1;
    const std::int64_t start_ps = integer_or(event.argument("start_ps"), kNone);
    if (start_ps >= 0) span.start = instant_of(start_ps);
    if (!event.duration.empty()) {
      span.duration_ps = picoseconds(parse_nanoseconds(event.duration, 1000));
    }
    span.duration_ps = integer_or(event.argument("duration_ps"), span.duration_ps);
    if (span.duration_ps < 0) {
      ++negative_;
      span.duration_ps = 0;
    }
    spans_.push_back(std::move(span));
  }

  void end(const std::string& thread, const Instant& at) {
    std::vector<RawSpan>& open = open_[thread];
    if (open.empty()) {
      ++unclosed_;
      return;
    }
    RawSpan span = std::move(open.back());
    open.pop_back();
    if (at < span.start) ++negative_;
    span.duration_ps = at < span.start ? 0 : picoseconds_between(span.start, at);
    spans_.push_back(std::move(span));
  }

  std::string process_name(const std::string& pid) const {
    const auto found = process_names_.find(pid);
    return found == process_names_.end() ? "process " + pid : found->second;
  }

  std::string track_name(const std::string& thread) const {
    const std::string pid = thread.substr(0, thread.find('/'));
    const auto name = thread_names_.find(thread);
    return process_name(pid) + "/" +
           (name == thread_names_.end() ? "thread " + thread.substr(pid.size() + 1) : name->second);
  }

  // What a cut left of the last iteration may be shorter than it was: its spans stay, in none.
  void leave_out_last_iteration(const std::string& damage) {
    if (out_.layers.empty()) return;
    constexpr std::int16_t kNone = -1;
    std::int16_t last = kNone;
    for (const RawSpan& span : spans_) last = std::max(last, span.label.iteration);
    if (last == kNone) return;
    bool is_only = true;
    for (RawSpan& span : spans_) {
      std::int16_t& iteration = span.label.iteration;
      if (iteration == last) iteration = kNone;
      is_only = is_only && iteration < 0;
    }
    if (!is_only) return;
    throw InputError(file_.string() + ": " + damage +
                     ", within its only iteration; expected at least one that is whole");
  }

  void build() {
    Instant first = spans_.front().start;
    for (const RawSpan& span : spans_) first = std::min(first, span.start);
    std::map<std::string, TrackId> tracks;  // threads of one name are one track
    for (const RawSpan& raw : spans_) {
      const std::string name = track_name(raw.thread);
      auto track = tracks.find(name);
      if (track == tracks.end()) {
        track = tracks.emplace(name, out_.timeline.add_track(name)).first;
      }
      Span span;
      span.start = SimTime::from_picoseconds(picoseconds_between(first, raw.start));
      span.end = span.start + SimTime::from_picoseconds(raw.duration_ps);
      span.track = track->second;
      span.label = raw.label;
      out_.timeline.add(span);
    }
    for (TraceCounter& counter : counters_.finish()) {
      counter.process = process_name(counter.process);
      too_far_ += add_trace_counter(std::move(counter), "", first.ns, out_.timeline);
    }
    if (!out_.layers.empty()) time_iterations();
  }

  // From the end of one to the end of the next, the first from the start of the trace.
  void time_iterations() {
    std::map<int, SimTime> ends;
    for (std::size_t i = 0; i < out_.timeline.size(); ++i) {
      const Span span = out_.timeline.at(i);
      if (span.label.iteration < 0) continue;
      SimTime& end = ends[span.label.iteration];
      end = std::max(end, span.end);
    }
    SimTime before;
    for (const auto& [iteration, end] : ends) {
      out_.iterations_s.push_back((end - before).seconds().si());
      before = end;
    }
  }

  std::filesystem::path file_;
  MeasuredTimeline out_;
  std::vector<RawSpan> spans_;
  std::unordered_map<std::string, std::vector<RawSpan>> open_;  // by thread, outermost first
  std::map<std::string, std::string> process_names_, thread_names_;
  TraceCounterReader counters_;
  std::map<std::string, std::int32_t> layers_;
  std::size_t negative_ = 0, without_time_ = 0, unclosed_ = 0, too_far_ = 0;
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
