#include "answers/check/scaling_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/names.h"
#include "traces/import/collective_text.h"

namespace paceline {
namespace {

constexpr double kMostDevices = 1e6;

struct ValueColumn {
  std::string_view column;
  RateUnit unit;
  bool is_time;
};
constexpr ValueColumn kValueColumns[] = {{"samples_per_s", RateUnit::kSamples, false},
                                         {"images_per_s", RateUnit::kSamples, false},
                                         {"tokens_per_s", RateUnit::kTokens, false},
                                         {"iterations_per_s", RateUnit::kIterations, false},
                                         {"iteration_s", RateUnit::kIterations, true}};

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    std::string_view cell = line.substr(0, comma);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.emplace_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

class TableReader {
 public:
  TableReader(std::string_view text, std::string name)
      : name_(std::move(name)), lines_(unprefixed_lines(text)) {
    if (lines_.empty()) throw InputError(name_ + ": is empty");
    header_ = cells_of(lines_.front().text);
  }

  MeasuredTable read() {
    MeasuredTable out;
    for (std::size_t i = 1; i < lines_.size(); ++i) {
      line_ = &lines_[i];
      if (line_->text.starts_with('#')) continue;
      cells_ = cells_of(line_->text);
      if (cells_.size() != header_.size()) {
        fail("has " + std::to_string(cells_.size()) + " cells, the header " +
             std::to_string(header_.size()));
      }
      if (has("rank")) {
        out.ranks.push_back({count("rank", 0), number("iteration_s")});
      } else {
        out.points.push_back(point());
      }
    }
    if (lines_.size() < 2 || (out.points.empty() && out.ranks.empty())) {
      throw InputError(name_ + ": holds no rows below the header");
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(name_ + ":" + std::to_string(line_->number) + ": " + message);
  }
  bool has(std::string_view column) const {
    return std::ranges::find(header_, column) != header_.end();
  }
  const std::string& cell(std::string_view column) const {
    const auto found = std::ranges::find(header_, column);
    if (found == header_.end()) {
      throw InputError(name_ + ":1: " + unknown_name_message("column", column, header_));
    }
    return cells_[static_cast<std::size_t>(found - header_.begin())];
  }
  double number(std::string_view column) const {
    const std::string& text = cell(column);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
        value <= 0) {
      fail(std::string(column) + " is \"" + text + "\", not a positive number");
    }
    return value;
  }
  std::int64_t count(std::string_view column, std::int64_t smallest) const {
    const std::string& text = cell(column);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < smallest ||
        static_cast<double>(value) > kMostDevices) {
      fail(std::string(column) + " is \"" + text + "\", not a whole number from " +
           std::to_string(smallest) + " to 1000000");
    }
    return value;
  }
  MeasuredRate rate() const {
    for (const ValueColumn& known : kValueColumns) {
      if (!has(known.column)) continue;
      const double value = number(known.column);
      return {known.is_time ? 1 / value : value, known.unit, false};
    }
    const double value = number("value");
    std::string metric = cell("metric");
    for (const ValueColumn& known : kValueColumns) {
      if (metric == known.column) return {known.is_time ? 1 / value : value, known.unit, false};
    }
    try {
      return parse_measured_rate("metric", cell("value") + " " + metric);
    } catch (const UsageError& error) {
      fail(error.what());
    }
  }
  ScalingPoint point() const {
    ScalingPoint out;
    out.devices = count("gpus", 1);
    if (has("gpus_per_node")) {
      const std::int64_t per_machine = count("gpus_per_node", 1);
      out.machines = (out.devices + per_machine - 1) / per_machine;
    }
    out.rate = rate();
    return out;
  }

  std::string name_;
  std::vector<TextLine> lines_;
  std::vector<std::string> header_;
  const TextLine* line_ = nullptr;
  std::vector<std::string> cells_;
};

}  // namespace

bool is_measured_table(std::string_view text) {
  const std::vector<std::string> header = cells_of(text.substr(0, text.find_first_of("\r\n")));
  const auto has = [&](std::string_view column) {
    return std::ranges::find(header, column) != header.end();
  };
  return header.size() > 1 && (has("gpus") || has("rank"));
}

MeasuredTable read_measured_table(std::string_view text, const std::string& name) {
  return TableReader(text, name).read();
}

}  // namespace paceline
