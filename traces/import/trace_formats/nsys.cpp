// Nsight Systems reports exported with `nsys export --type sqlite report.nsys-rep`. A table exists
// only if there was something to put into it, so each is looked for; times are nanoseconds.
#include <map>
#include <unordered_map>

#include "core/error.h"
#include "traces/import/sqlite_reader.h"
#include "traces/import/trace_assembly.h"
#include "traces/import/trace_importer.h"
#include "traces/import/trace_ranks.h"

namespace paceline {
namespace {

// Copy kinds of CUPTI (CUpti_ActivityMemcpyKind).
const char* copy_name(std::int64_t kind) {
  switch (kind) {
    case 1:
      return "Memcpy HtoD";
    case 2:
      return "Memcpy DtoH";
    case 8:
      return "Memcpy DtoD";
    case 10:
      return "Memcpy PtoP";
    default:
      return "Memcpy";
  }
}

class NsysReader {
 public:
  explicit NsysReader(std::filesystem::path file) : file_(std::move(file)), database_(file_) {}

  TraceEvents read() {
    read_strings();
    read_devices();
    read_runtime();
    read_kernels();
    read_copies("CUPTI_ACTIVITY_KIND_MEMCPY");
    read_copies("CUPTI_ACTIVITY_KIND_MEMSET");
    read_ranges();
    if (negative_ > 0) {
      trace_.warnings.push_back(file_.filename().string() + ": " + std::to_string(negative_) +
                                " events have a negative duration, which counts as 0");
    }
    return std::move(trace_);
  }

 private:
  void read_strings() {
    if (!database_.has_table("StringIds")) {
      throw InputError(file_.string() + ": no table StringIds; is this an export of nsys?");
    }
    for (SqliteRows rows = database_.rows("SELECT id, value FROM StringIds"); rows.next();) {
      strings_[rows.integer(0)] = trace_.names.intern(rows.text(1));
    }
  }

  void read_devices() {
    if (!database_.has_table("TARGET_INFO_GPU")) return;
    SqliteRows rows = database_.rows("SELECT id, name FROM TARGET_INFO_GPU ORDER BY id");
    while (rows.next()) {
      const auto id = static_cast<std::size_t>(std::max<std::int64_t>(0, rows.integer(0)));
      if (id > 4096) continue;
      if (trace_.devices.size() <= id) trace_.devices.resize(id + 1, "unknown GPU");
      trace_.devices[id] = rows.text(1);
    }
  }

  void read_runtime() {
    const std::string table = "CUPTI_ACTIVITY_KIND_RUNTIME";
    if (!database_.has_table(table)) return;
    SqliteRows rows =
        database_.rows("SELECT start, end, nameId, correlationId, globalTid FROM " + table);
    while (rows.next()) {
      add(TraceEventKind::kRuntime, rows.integer(0), rows.integer(1), string(rows.integer(2)),
          thread(rows.integer(4)), rows.integer(3));
    }
  }

  void read_kernels() {
    const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
    if (!database_.has_table(table)) return;
    const std::string name =
        database_.has_column(table, "demangledName") ? "demangledName" : "shortName";
    SqliteRows rows = database_.rows("SELECT start, end, " + name +
                                     ", correlationId, deviceId, streamId FROM " + table);
    while (rows.next()) {
      add(TraceEventKind::kKernel, rows.integer(0), rows.integer(1), string(rows.integer(2)),
          stream(rows.integer(4), rows.integer(5)), rows.integer(3));
    }
  }

  void read_copies(const std::string& table) {
    if (!database_.has_table(table)) return;
    const bool is_copy = table.ends_with("MEMCPY");
    SqliteRows rows =
        database_.rows("SELECT start, end, " + std::string(is_copy ? "copyKind" : "0") +
                       ", correlationId, deviceId, streamId FROM " + table);
    while (rows.next()) {
      const char* name = is_copy ? copy_name(rows.integer(2)) : "Memset";
      add(is_copy ? TraceEventKind::kCopy : TraceEventKind::kFill, rows.integer(0), rows.integer(1),
          trace_.names.intern(name), stream(rows.integer(4), rows.integer(5)), rows.integer(3));
    }
  }

  // Ranges of NVTX: push/pop (59) and start/end (60). PyTorch's emit_nvtx writes operators as
  // "aten::conv2d, seq = 12, sizes = [[8, 3, 224, 224]]".
  void read_ranges() {
    if (!database_.has_table("NVTX_EVENTS")) return;
    SqliteRows rows = database_.rows(
        "SELECT start, end, text, textId, globalTid FROM NVTX_EVENTS "
        "WHERE eventType IN (59, 60) AND end IS NOT NULL");
    while (rows.next()) {
      std::string text = rows.text(2);
      if (text.empty()) text = trace_.names.text(string(rows.integer(3)));
      add_range(rows.integer(0), rows.integer(1), text, thread(rows.integer(4)));
    }
  }

  void add_range(std::int64_t start, std::int64_t end, const std::string& text,
                 std::uint32_t lane) {
    const std::string name = text.substr(0, text.find(", "));
    const bool is_operator = name.find("::") != std::string::npos;
    TraceEvent& event =
        add(is_operator ? TraceEventKind::kOperator : TraceEventKind::kRange, start, end,
            trace_.names.intern(is_operator ? name : text), lane, TraceEvent::kNone);
    if (const std::size_t at = text.find("seq = "); at != std::string::npos) {
      event.sequence = std::strtoll(text.c_str() + at + 6, nullptr, 10);
    }
    if (const std::size_t at = text.find("sizes = "); at != std::string::npos) {
      event.shape = trace_.names.intern(text.substr(at + 8));
    }
  }

  TraceEvent& add(TraceEventKind kind, std::int64_t start, std::int64_t end, NameId name,
                  std::uint32_t lane, std::int64_t correlation) {
    if (end < start) ++negative_;
    TraceEvent event;
    event.kind = kind;
    event.start_ns = start;
    event.duration_ns = std::max<std::int64_t>(0, end - start);
    event.name = name;
    event.lane = lane;
    event.correlation = correlation > 0 ? correlation : TraceEvent::kNone;
    trace_.events.push_back(event);
    return trace_.events.back();
  }

  NameId string(std::int64_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? NameId{} : found->second;
  }

  std::uint32_t lane(const std::string& name, int device) {
    const auto [found, is_new] = lanes_.try_emplace(
        name + "@" + std::to_string(device), static_cast<std::uint32_t>(trace_.lanes.size()));
    if (is_new) trace_.lanes.push_back({name, device});
    return found->second;
  }
  // globalTid: the process in bits 24 to 47, the thread below.
  std::uint32_t thread(std::int64_t global) {
    return lane("thread " + std::to_string(global & 0xFFFFFF), -1);
  }
  std::uint32_t stream(std::int64_t device, std::int64_t stream) {
    const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(device, 0, 4096)) + 1;
    if (trace_.devices.size() < count) trace_.devices.resize(count, "unknown GPU");
    return lane("stream " + std::to_string(stream), static_cast<int>(device));
  }

  std::filesystem::path file_;
  SqliteDatabase database_;
  TraceEvents trace_;
  std::unordered_map<std::int64_t, NameId> strings_;
  std::map<std::string, std::uint32_t> lanes_;
  std::size_t negative_ = 0;
};

class Nsys final : public TraceImporter {
 public:
  bool recognises(std::string_view head) const override {
    return head.starts_with("SQLite format 3");
  }

  MeasuredTimeline read(const std::vector<std::filesystem::path>& files,
                        const TraceImportOptions& options) const override {
    std::vector<TraceEvents> processes;
    for (const std::filesystem::path& file : files) {
      processes.push_back(NsysReader(file).read());
      processes.back().file = file.string();
    }
    order_by_rank(processes, files, options.rank);
    return assemble_trace(std::move(processes));
  }
};

}  // namespace

void register_nsys(TraceImporterRegistry& registry) {
  registry.add("nsys", "Nsight Systems report exported to SQLite",
               [] { return std::make_unique<Nsys>(); });
}

}  // namespace paceline
