// Output of nvprof --print-gpu-trace, with or without --print-api-trace and --csv:
//
//      Start  Duration  Grid Size  ...  Size  Throughput  ...  Device  Context  Stream  Name
//   214.02ms  1.2160us          -  ...  112B  87.833MB/s  ...  Tesla V100-SXM2 (0)  1  7  [CUDA ...
//
// The summary that nvprof prints without options has no times of single kernels, so it is refused.
#include <charconv>
#include <map>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "traces/import/compressed_file.h"
#include "traces/import/trace_assembly.h"
#include "traces/import/trace_importer.h"
#include "traces/import/trace_ranks.h"

namespace paceline {
namespace {

using Fields = std::map<std::string, std::string>;

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

std::optional<std::int64_t> unit_ns(std::string_view unit) {
  if (unit == "s") return 1'000'000'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "us") return 1000;
  if (unit == "ns") return 1;
  return std::nullopt;
}

// "1.2160us", or a number whose unit stands in a line of its own.
std::int64_t time_ns(const std::string& text, const std::string& unit) {
  const std::size_t end = text.find_first_not_of("-+.0123456789eE");
  const std::string own = end == std::string::npos ? unit : text.substr(end);
  const auto scale = unit_ns(own);
  if (!scale) throw InputError("expected a time with unit s, ms, us or ns, found \"" + text + "\"");
  return parse_nanoseconds(text.substr(0, end), *scale);
}

// The table's columns, as a line of text has them: the value of a column ends where its heading
// ends, except the last, which begins there.
class TextColumns {
 public:
  explicit TextColumns(const std::string& header) {
    std::size_t at = 0;
    while ((at = header.find_first_not_of(' ', at)) != std::string::npos) {
      std::size_t end = header.find("  ", at);
      // "Context" and "Stream" are one space from nothing else: headings are two spaces apart.
      if (end == std::string::npos) end = header.size();
      columns_.push_back({header.substr(at, end - at), at, end});
      at = end;
    }
  }

  Fields fields(const std::string& line) const {
    Fields out;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool last = i + 1 == columns_.size();
      const std::size_t from = last ? columns_[i].begin : begin;
      if (from >= line.size()) break;
      out[columns_[i].name] =
          trimmed(std::string_view(line).substr(from, last ? line.npos : columns_[i].end - from));
      begin = columns_[i].end;
    }
    return out;
  }

 private:
  struct Column {
    std::string name;
    std::size_t begin, end;
  };
  std::vector<Column> columns_;
};

class NvprofReader {
 public:
  explicit NvprofReader(std::filesystem::path file) : file_(std::move(file)) {}

  TraceEvents read() {
    std::istringstream stream(whole_text());
    std::string line;
    while (std::getline(stream, line)) {
      ++number_;
      try {
        take(line);
      } catch (const InputError& error) {
        throw InputError(file_.string() + ":" + std::to_string(number_) + ": " + error.what());
      }
    }
    if (trace_.events.empty()) {
      throw InputError(file_.string() +
                       (is_summary_ ? ": is a summary, which has no times of single kernels"
                                    : ": holds no table of kernels") +
                       "; run nvprof --print-gpu-trace --csv");
    }
    return std::move(trace_);
  }

 private:
  std::string whole_text() const {
    CompressedFile stream(file_);
    std::string text, piece(1 << 20, '\0');
    while (const std::size_t got = stream.read(piece.data(), piece.size())) {
      text.append(piece, 0, got);
    }
    return text;
  }

  void take(const std::string& line) {
    if (line.starts_with("==") || line.find("Regs:") == 0 || trimmed(line).empty()) return;
    const bool is_header = line.find("Start") != line.npos && line.find("Duration") != line.npos;
    if (line.find("Time(%)") != line.npos) is_summary_ = true;
    if (is_header && line.find(',') != line.npos) {
      header_ = csv_fields(line);
      units_.clear();
    } else if (is_header) {
      columns_.emplace(line);
    } else if (!header_.empty()) {
      take_csv(csv_fields(line));
    } else if (columns_) {
      Fields fields = columns_->fields(line);
      if (!fields["Start"].empty() && fields["Start"].find_first_of("0123456789") == 0) {
        add(fields);
      }
    }
  }

  void take_csv(const std::vector<std::string>& values) {
    if (units_.empty()) {
      units_ = values;
      return;
    }
    Fields fields;
    for (std::size_t i = 0; i < values.size() && i < header_.size(); ++i) {
      fields[header_[i]] = trimmed(values[i]);
    }
    add(fields);
  }

  std::string unit_of(const std::string& column) const {
    for (std::size_t i = 0; i < units_.size() && i < header_.size(); ++i) {
      if (header_[i] == column) return trimmed(units_[i]);
    }
    return "";
  }

  void add(Fields& fields) {
    TraceEvent event;
    event.start_ns = time_ns(fields["Start"], unit_of("Start"));
    event.duration_ns = time_ns(fields["Duration"], unit_of("Duration"));
    std::string name = fields["Name"];
    if (name.empty()) throw InputError("a row without a name");
    event.correlation = correlation(fields, name);
    const bool device = !fields["Stream"].empty() && fields["Stream"] != "-";
    event.kind = TraceEventKind::kRuntime;
    if (device) event.kind = TraceEventKind::kKernel;
    if (name.starts_with("[CUDA memcpy")) event.kind = TraceEventKind::kCopy;
    if (name.starts_with("[CUDA memset")) event.kind = TraceEventKind::kFill;
    event.name = trace_.names.intern(name);
    event.lane = device ? lane("stream " + fields["Stream"], device_number(fields["Device"]))
                        : lane("thread", -1);
    trace_.events.push_back(event);
  }

  // A column of its own in CSV, behind the name in text: "kernel(int) [123]".
  static std::int64_t correlation(Fields& fields, std::string& name) {
    std::string text = fields["Correlation_ID"];
    const std::size_t bracket = name.rfind(" [");
    if (text.empty() && name.ends_with(']') && bracket != name.npos && bracket > 0) {
      text = name.substr(bracket + 2, name.size() - bracket - 3);
      name = name.substr(0, bracket);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && value > 0 ? value : TraceEvent::kNone;
  }

  // "Tesla V100-SXM2-16GB (0)" is device 0 of that name.
  int device_number(const std::string& text) {
    const std::size_t bracket = text.rfind(" (");
    int number = 0;
    if (bracket != text.npos) {
      std::from_chars(text.data() + bracket + 2, text.data() + text.size(), number);
    }
    number = std::clamp(number, 0, 4096);
    const auto count = static_cast<std::size_t>(number) + 1;
    if (trace_.devices.size() < count) trace_.devices.resize(count, "unknown GPU");
    if (!text.empty()) trace_.devices[count - 1] = text.substr(0, bracket);
    return number;
  }

  std::uint32_t lane(const std::string& name, int device) {
    const auto [found, is_new] = lanes_.try_emplace(
        name + "@" + std::to_string(device), static_cast<std::uint32_t>(trace_.lanes.size()));
    if (is_new) trace_.lanes.push_back({name, device});
    return found->second;
  }

  std::filesystem::path file_;
  TraceEvents trace_;
  std::vector<std::string> header_, units_;  // of CSV
  std::optional<TextColumns> columns_;       // of text
  std::map<std::string, std::uint32_t> lanes_;
  std::size_t number_ = 0;
  bool is_summary_ = false;
};

class Nvprof final : public TraceImporter {
 public:
  bool recognises(std::string_view head) const override {
    const auto holds = [&](std::string_view text) {
      return head.find(text) != std::string_view::npos;
    };
    return holds("NVPROF is profiling") ||
           (holds("Start") && holds("Duration") && holds("Name") && !head.starts_with('{') &&
            !head.starts_with('[') && !head.starts_with("SQLite"));
  }

  MeasuredTimeline read(const std::vector<std::filesystem::path>& files,
                        const TraceImportOptions& options) const override {
    std::vector<TraceEvents> processes;
    for (const std::filesystem::path& file : files) {
      processes.push_back(NvprofReader(file).read());
      processes.back().file = file.string();
    }
    order_by_rank(processes, files, options.rank);
    return assemble_trace(std::move(processes));
  }
};

}  // namespace

void register_nvprof(TraceImporterRegistry& registry) {
  registry.add("nvprof", "nvprof --print-gpu-trace [--print-api-trace] [--csv]",
               [] { return std::make_unique<Nvprof>(); });
}

}  // namespace paceline
