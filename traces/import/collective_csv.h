// Reads tables of timed messages, one row each, in the many column layouts in which such
// measurements are published.
#pragma once

#include <map>

#include "core/json_reader.h"

#include "traces/import/collective_text.h"

namespace paceline {

// Which columns mean what. A quantity has a column or one value for all rows.
struct CollectiveCsvLayout {
  std::string library = "nccl";  // "mpi", "gloo": the first part of the benchmark's name
  std::string operation_column;
  std::string operation;  // if there is no column
  std::string ranks_column;
  int ranks = 0;
  std::string machines_column;
  int machines = 1;
  bool ranks_are_per_machine = false;
  std::string bytes_column;
  double bytes_per_unit = 1;  // 2 where the column counts 16-bit elements
  std::string time_column;
  double seconds_per_unit = 1;
  // Rows whose column has another value are left out.
  std::map<std::string, std::string> where;
  int every = 1;  // of the rows left, the first of so many is kept: dense sweeps
};

// Reads `layout` from JSON: "columns" {operation, ranks, machines, bytes, time}, "operation",
// "ranks", "machines", "library", "ranks_are_per_machine", "bytes_per_unit", "time_unit" ("ms"),
// "where", "every".
CollectiveCsvLayout read_csv_layout(JsonObject& object);

// Measurements "<library>.<operation>" as from nccl-tests, out of place. Throws InputError with the
// line on a missing column, a row that is short, or a number that is not positive; and if no row is
// left.
std::vector<Measurement> import_collective_csv(std::string_view text, const std::string& name,
                                               const CollectiveCsvLayout& layout);

}  // namespace paceline
