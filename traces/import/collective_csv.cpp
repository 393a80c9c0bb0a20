#include "traces/import/collective_csv.h"

#include <algorithm>

#include "core/json_reader.h"
#include "core/names.h"

namespace paceline {
namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

class Columns {
 public:
  Columns(std::vector<std::string> names, std::string file)
      : names_(std::move(names)), file_(std::move(file)) {}

  std::size_t at(const std::string& column) const {
    const auto found = std::ranges::find(names_, column);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    throw InputError(file_ + ":1: " + unknown_name_message("column", column, names_));
  }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::string file_;
};

class RowReader {
 public:
  RowReader(const Columns& columns, const CollectiveCsvLayout& layout, std::string file)
      : columns_(&columns), layout_(&layout), file_(std::move(file)) {}

  bool selected(const std::vector<std::string>& cells) const {
    return std::ranges::all_of(layout_->where, [&](const auto& condition) {
      return cells[columns_->at(condition.first)] == condition.second;
    });
  }

  Measurement read(const std::vector<std::string>& cells, const TextLine& line) const {
    const double bytes =
        number(cells, line, layout_->bytes_column, "a size") * layout_->bytes_per_unit;
    const double seconds =
        number(cells, line, layout_->time_column, "a time") * layout_->seconds_per_unit;
    if (bytes <= 0 || seconds <= 0) {
      throw InputError(file_ + ":" + std::to_string(line.number) +
                       ": size and time must be positive");
    }
    const int machines = count(cells, line, layout_->machines_column, layout_->machines);
    int ranks = count(cells, line, layout_->ranks_column, layout_->ranks);
    if (layout_->ranks_are_per_machine) ranks *= machines;
    const std::string operation = layout_->operation_column.empty()
                                      ? layout_->operation
                                      : cells[columns_->at(layout_->operation_column)];
    return timed_message(layout_->library + "." + operation_name(operation, file_), bytes, ranks,
                         machines, false, seconds);
  }

 private:
  double number(const std::vector<std::string>& cells, const TextLine& line,
                const std::string& column, std::string_view what) const {
    return number_word(cells[columns_->at(column)], file_, line, what);
  }
  int count(const std::vector<std::string>& cells, const TextLine& line, const std::string& column,
            int fixed) const {
    return column.empty() ? fixed : static_cast<int>(number(cells, line, column, "a count"));
  }

  const Columns* columns_;
  const CollectiveCsvLayout* layout_;
  std::string file_;
};

}  // namespace

CollectiveCsvLayout read_csv_layout(JsonObject& object) {
  CollectiveCsvLayout layout;
  JsonObject columns = object.object("columns");
  layout.operation_column = columns.string_or("operation", "");
  layout.ranks_column = columns.string_or("ranks", "");
  layout.machines_column = columns.string_or("machines", "");
  layout.bytes_column = columns.string("bytes");
  layout.time_column = columns.string("time");
  columns.finish();
  layout.library = object.string_or("library", "nccl");
  layout.operation = object.string_or("operation", "");
  layout.ranks = object.count_or("ranks", 0);
  layout.machines = object.count_or("machines", 1, 1);
  layout.ranks_are_per_machine = object.boolean_or("ranks_are_per_machine", false);
  layout.bytes_per_unit = object.number_or("bytes_per_unit", 1);
  layout.seconds_per_unit = parse_seconds("1 " + object.string("time_unit")).si();
  if (object.has("where")) {
    JsonObject where = object.object("where");
    for (const std::string& key : where.keys()) layout.where[key] = where.string(key);
  }
  layout.every = object.count_or("every", 1, 1);
  if (layout.every < 1) object.fail("every", "expected at least 1");
  if (layout.operation.empty() == layout.operation_column.empty()) {
    object.fail("operation", "give either a column or one operation for all rows");
  }
  if ((layout.ranks == 0) == layout.ranks_column.empty()) {
    object.fail("ranks", "give either a column or one number for all rows");
  }
  return layout;
}

std::vector<Measurement> import_collective_csv(std::string_view text, const std::string& name,
                                               const CollectiveCsvLayout& layout) {
  const std::vector<TextLine> lines = unprefixed_lines(text);
  if (lines.empty()) throw InputError(name + ": the file is empty");
  const Columns columns(cells_of(lines[0].text), name);
  const RowReader reader(columns, layout, name);
  std::vector<Measurement> out;
  int selected = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_of(lines[i].text);
    if (cells.size() != columns.size()) {
      throw InputError(name + ":" + std::to_string(lines[i].number) + ": " +
                       std::to_string(cells.size()) + " cells, the header has " +
                       std::to_string(columns.size()));
    }
    if (!reader.selected(cells)) continue;
    if (selected++ % layout.every == 0) out.push_back(reader.read(cells, lines[i]));
  }
  if (out.empty()) throw InputError(name + ": no row fits the conditions");
  return out;
}

}  // namespace paceline
