#include "traces/import/nvbandwidth.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "traces/import/collective_text.h"

namespace paceline {
namespace {

using nlohmann::json;

const json& member(const json& object, const char* key, const std::string& where) {
  if (object.is_object() && object.contains(key)) return object[key];
  throw InputError(where + "/" + key + ": missing; is this the output of nvbandwidth -j?");
}

// GB/s of a cell, negative for "N/A".
double cell_rate(const json& cell, const std::string& where) {
  double rate = 0;
  if (cell.is_number()) {
    rate = cell.get<double>();
  } else if (cell.is_string()) {
    const std::string text = cell.get<std::string>();
    if (text == "N/A") return -1;
    if (!is_number(text)) {
      throw InputError(where + ": expected GB/s or \"N/A\", found \"" + text + "\"");
    }
    std::from_chars(text.data(), text.data() + text.size(), rate);
  } else {
    throw InputError(where + ": expected GB/s or \"N/A\"");
  }
  if (!std::isfinite(rate) || rate <= 0) throw InputError(where + ": the rate is not positive");
  return rate;
}

Measurement cell_measurement(const std::string& test, std::size_t row, std::size_t column,
                             double bytes) {
  Measurement out;
  out.benchmark = "nvbandwidth." + test;
  out.axes = {{"row", static_cast<std::int64_t>(row)},
              {"column", static_cast<std::int64_t>(column)},
              {"bytes", static_cast<std::int64_t>(bytes)}};
  return out;
}

void read_test(const json& test, const std::string& where, double bytes, MeasurementSet& set) {
  const std::string name = member(test, "name", where).get<std::string>();
  const std::string status = member(test, "status", where).get<std::string>();
  if (status != "Passed") {
    Measurement skipped;
    skipped.benchmark = "nvbandwidth." + name;
    skipped.skipped = true;
    skipped.reason = "nvbandwidth reported " + status;
    set.results.push_back(std::move(skipped));
    return;
  }
  const json& matrix = member(test, "bandwidth_matrix", where);
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < matrix[row].size(); ++column) {
      const std::string place =
          where + "/bandwidth_matrix/" + std::to_string(row) + "/" + std::to_string(column);
      const double rate = cell_rate(matrix[row][column], place);
      Measurement measurement = cell_measurement(name, row, column, bytes);
      if (rate < 0) {
        measurement.skipped = true;
        measurement.reason = "nvbandwidth printed N/A";
      } else {
        measurement.rounds.push_back(
            {.start = "", .foreign_cpu = 0, .accepted = true, .samples_s = {bytes / (rate * 1e9)}});
      }
      set.results.push_back(std::move(measurement));
    }
  }
}

}  // namespace

MeasurementSet import_nvbandwidth(std::string_view text, const std::string& name,
                                  double buffer_bytes) {
  const JsonDocument document = parse_any_json(text, name);
  const json& root = member(document.value(), "nvbandwidth", name + ":");
  const json& tests = member(root, "testcases", name + ":/nvbandwidth");
  if (!tests.is_array()) throw InputError(name + ":/nvbandwidth/testcases: expected an array");
  MeasurementSet set;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    read_test(tests[i], name + ":/nvbandwidth/testcases/" + std::to_string(i), buffer_bytes, set);
  }
  if (set.results.empty()) throw InputError(name + ": nvbandwidth ran no test");
  set.provenance = import_provenance("nvbandwidth");
  return set;
}

}  // namespace paceline
