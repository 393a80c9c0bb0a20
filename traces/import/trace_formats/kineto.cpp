// Traces of PyTorch's profiler (Kineto): prof.export_chrome_trace("trace.json.gz"). Versions differ
// in the spelling of categories, in whether times have decimals, and in what they record at all.
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/error.h"
#include "traces/import/json_events.h"
#include "traces/import/trace_assembly.h"
#include "traces/import/trace_counters.h"
#include "traces/import/trace_importer.h"
#include "traces/import/trace_ranks.h"

namespace paceline {
namespace {

std::int64_t integer_or(std::string_view text, std::int64_t fallback) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : fallback;
}

struct Category {
  std::string_view name;
  TraceEventKind kind;
};
constexpr Category kCategories[] = {{"cpu_op", TraceEventKind::kOperator},
                                    {"Operator", TraceEventKind::kOperator},
                                    {"user_annotation", TraceEventKind::kRange},
                                    {"python_function", TraceEventKind::kModule},
                                    {"cuda_runtime", TraceEventKind::kRuntime},
                                    {"cuda_driver", TraceEventKind::kRuntime},
                                    {"Runtime", TraceEventKind::kRuntime},
                                    {"kernel", TraceEventKind::kKernel},
                                    {"Kernel", TraceEventKind::kKernel},
                                    {"gpu_memcpy", TraceEventKind::kCopy},
                                    {"Memcpy", TraceEventKind::kCopy},
                                    {"gpu_memset", TraceEventKind::kFill},
                                    {"Memset", TraceEventKind::kFill}};

// Versions before 1.10 mark the iterations by operators.
bool is_range_name(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name.starts_with("Optimizer.");
}

class KinetoReader {
 public:
  explicit KinetoReader(std::filesystem::path file) : file_(std::move(file)) {}

  TraceEvents read() {
    const JsonEventsResult result =
        read_json_events(file_, [this](const JsonEvent& event) { take(event); });
    name_lanes();
    place_counters();
    read_frame(result);
    count_problems(result);
    return std::move(trace_);
  }

 private:
  void take(const JsonEvent& event) {
    if (event.phase == 'M') return take_name(event);
    if (event.phase == 'C') return counters_.take(event);
    if (event.phase != 'X') return;
    const Category* category = nullptr;
    for (const Category& known : kCategories) {
      if (known.name == event.category) category = &known;
    }
    if (category == nullptr) return;
    TraceEventKind kind = category->kind;
    if (kind == TraceEventKind::kModule && !event.name.starts_with("nn.Module: ")) return;
    if (kind == TraceEventKind::kOperator && is_range_name(event.name)) {
      kind = TraceEventKind::kRange;
    }
    add(event, kind);
  }

  void add(const JsonEvent& event, TraceEventKind kind) {
    TraceEvent out;
    try {
      out.start_ns = parse_nanoseconds(event.timestamp, 1000);
      out.duration_ns = event.duration.empty() ? 0 : parse_nanoseconds(event.duration, 1000);
    } catch (const InputError&) {
      ++without_time_;
      return;
    }
    if (out.duration_ns < 0) {
      ++negative_;
      out.duration_ns = 0;
    }
    out.kind = kind;
    out.name = trace_.names.intern(event.name);
    out.correlation = integer_or(event.argument("correlation"), TraceEvent::kNone);
    out.sequence = integer_or(event.argument("Sequence number"), TraceEvent::kNone);
    if (kind == TraceEventKind::kOperator) {
      out.shape = trace_.names.intern(event.argument("Input Dims"));
    }
    out.lane = lane_of(event, is_device_work(kind));
    trace_.events.push_back(out);
  }

  std::uint32_t lane_of(const JsonEvent& event, bool device) {
    key_.assign(event.pid);
    key_ += '/';
    key_ += event.tid;
    key_ += device ? 'd' : 'h';
    const auto [found, is_new] =
        lanes_.try_emplace(key_, static_cast<std::uint32_t>(trace_.lanes.size()));
    if (!is_new) return found->second;
    TraceLane lane;
    if (device) {
      const std::string_view stream = event.argument("stream");
      lane.device =
          static_cast<int>(integer_or(event.argument("device"), integer_or(event.pid, 0)));
      lane.name = "stream " + std::string(stream.empty() ? event.tid : stream);
      device_count_ = std::max(device_count_, lane.device + 1);
      device_of_process_[std::string(event.pid)] = lane.device;
    } else {
      lane.name = "thread " + std::string(event.tid);
    }
    trace_.lanes.push_back(std::move(lane));
    return found->second;
  }

  void take_name(const JsonEvent& event) {
    if (event.name != "thread_name") return;
    thread_names_[std::string(event.pid) + "/" + std::string(event.tid) + "h"] =
        event.argument("name");
  }

  // A thread's name follows its number, unless that is all it says.
  void name_lanes() {
    for (const auto& [key, name] : thread_names_) {
      const auto lane = lanes_.find(key);
      if (lane == lanes_.end() || name.starts_with("thread ")) continue;
      trace_.lanes[lane->second].name += " (" + name + ")";
    }
  }

  // A counter belongs to the device whose work has its process number, or whose number that is.
  void place_counters() {
    trace_.counters = counters_.finish();
    for (TraceCounter& counter : trace_.counters) {
      const auto device = device_of_process_.find(counter.process);
      std::int64_t number = device == device_of_process_.end() ? -1 : device->second;
      if (number < 0 && counter.category == "gpu_counter") number = integer_or(counter.process, 0);
      counter.process = number < 0 ? "cpu" : "gpu" + std::to_string(number);
    }
  }

  void read_frame(const JsonEventsResult& result) {
    for (int i = 0; i < device_count_; ++i) trace_.devices.push_back("unknown GPU");
    nlohmann::json frame = nlohmann::json::parse(
        result.damage.empty() ? result.frame : result.frame + "]}", nullptr, false);
    if (!frame.is_object()) return;
    if (frame.contains("distributedInfo") && frame["distributedInfo"].is_object()) {
      const nlohmann::json& rank = frame["distributedInfo"].value("rank", nlohmann::json());
      if (rank.is_number_integer()) trace_.rank = rank.get<int>();
    }
    if (!frame.contains("deviceProperties") || !frame["deviceProperties"].is_array()) return;
    const nlohmann::json& devices = frame["deviceProperties"];
    for (std::size_t i = 0; i < devices.size() && i < trace_.devices.size(); ++i) {
      if (devices[i].is_object()) trace_.devices[i] = devices[i].value("name", "unknown GPU");
    }
  }

  void count_problems(const JsonEventsResult& result) {
    const std::string where = file_.filename().string() + ": ";
    const auto warn = [&](std::size_t count, const std::string& text) {
      if (count > 0) trace_.warnings.push_back(where + std::to_string(count) + text);
    };
    warn(negative_, " events have a negative duration, which counts as 0");
    warn(without_time_, " events have no readable time and are left out");
    warn(counters_.unreadable(),
         " samples of counters have no time or no finite number and are left out");
    warn(result.unreadable, " events cannot be read and are left out; " + result.first_error);
    if (!result.damage.empty()) {
      trace_.is_cut_off = true;
      trace_.warnings.push_back(where + result.damage + ": the end of the run is missing");
    }
  }

  std::filesystem::path file_;
  TraceEvents trace_;
  std::unordered_map<std::string, std::uint32_t> lanes_;
  std::map<std::string, std::string> thread_names_;
  std::map<std::string, int> device_of_process_;
  TraceCounterReader counters_;
  std::string key_;
  int device_count_ = 0;
  std::size_t negative_ = 0, without_time_ = 0;
};

class Kineto final : public TraceImporter {
 public:
  bool recognises(std::string_view head) const override {
    const auto holds = [&](std::string_view text) {
      return head.find(text) != std::string_view::npos;
    };
    return holds("\"schemaVersion\"") || holds("\"deviceProperties\"") || holds("\"cpu_op\"") ||
           holds("\"distributedInfo\"") || holds("\"cuda_runtime\"") || holds("ProfilerStep#");
  }

  MeasuredTimeline read(const std::vector<std::filesystem::path>& files,
                        const TraceImportOptions& options) const override {
    std::vector<TraceEvents> processes;
    for (const std::filesystem::path& file : files) {
      processes.push_back(KinetoReader(file).read());
      processes.back().file = file.string();
    }
    order_by_rank(processes, files, options.rank);
    return assemble_trace(std::move(processes));
  }
};

}  // namespace

void register_kineto(TraceImporterRegistry& registry) {
  registry.add("kineto", "PyTorch profiler, .json or .json.gz",
               [] { return std::make_unique<Kineto>(); });
}

}  // namespace paceline
