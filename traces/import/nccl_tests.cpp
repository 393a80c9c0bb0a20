#include "traces/import/nccl_tests.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_reader.h"
#include "core/names.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::size_t kQuad = 4;  // time, algbw, busbw, error

struct NcclHeader {
  std::optional<std::string> operation;
  std::optional<int> ranks;
  std::optional<int> machines;
  bool ended = false;
};

[[noreturn]] void fail(const std::string& name, const TextLine& line, const std::string& message) {
  throw InputError(name + ":" + std::to_string(line.number) + ": " + message);
}

// What the tests print when a run breaks, or when its results are wrong.
void check_success(const std::vector<std::string>& words, const std::string& name,
                   const TextLine& line) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool broke =
        words[i] == "Test" && i + 1 < words.size() &&
        (words[i + 1] == "failure" || (i + 2 < words.size() && words[i + 2] == "failure"));
    if (broke) fail(name, line, "the run failed: \"" + line.text + "\"");
    if (words[0].starts_with("#") && words[i] == "FAILED") {
      fail(name, line, "the results of the run were wrong: \"" + line.text + "\"");
    }
  }
}

// "#   Rank  0 Pid 112424 on localhost device  0 [0x00] A100-SXM4-40GB", also "Rank  0 Group  0
// Pid".
void read_comment(const std::vector<std::string>& words, const std::string& name,
                  const TextLine& line, NcclHeader& header, std::set<std::string>& hosts,
                  std::set<std::string>& ranks) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "starting:") header.operation = words[i + 1];
    if (words[i] == "bus" && words[i + 1] == "bandwidth") {
      if (header.ended) fail(name, line, "a second run ends here; import the runs one by one");
      header.ended = true;
    }
    if (words[i] == "on" && words.size() > 2 && words[1] == "Rank") hosts.insert(words[i + 1]);
  }
  if (words.size() > 2 && words[1] == "Rank") ranks.insert(words[2]);
}

struct Row {
  double bytes = 0;
  double out_of_place_us = 0;
  double in_place_us = 0;
  std::vector<std::string> words = {};  // of a table
};

double element_bytes(const std::string& type, const std::string& name, const TextLine& line) {
  static const std::map<std::string, double> kTypes = {
      {"int8", 1},  {"uint8", 1},  {"f8e4m3", 1}, {"f8e5m2", 1}, {"half", 2},   {"bfloat16", 2},
      {"int32", 4}, {"uint32", 4}, {"float", 4},  {"int64", 8},  {"uint64", 8}, {"double", 8}};
  if (const auto known = kTypes.find(type); known != kTypes.end()) return known->second;
  std::vector<std::string> names;
  for (const auto& [known, bytes] : kTypes) names.push_back(known);
  fail(name, line, unknown_name_message("type", type, names));
}

// Bus bandwidth over algorithm bandwidth, as nccl-tests prints them (its doc/PERFORMANCE.md).
double bus_share(const std::string& operation, double ranks) {
  if (operation == "all-reduce") return 2 * (ranks - 1) / ranks;
  const bool whole = operation == "broadcast" || operation == "reduce" || operation == "send-recv";
  return whole ? 1 : (ranks - 1) / ranks;
}

// Times have at least three digits and bandwidths two after the point.
bool agree(double printed, double expected) {
  return std::abs(printed - expected) <= 0.011 + 0.02 * expected;
}

// Size, count and type, and time and bandwidths of either half of a row say the same thing twice:
// where they differ, columns are shifted, or the file is of another collective than was said.
void check_row(const Row& row, const std::string& operation, int ranks, const std::string& name,
               const TextLine& line) {
  const std::vector<std::string>& words = row.words;
  const double elements = number_word(words[1], name, line, "a count of elements");
  const double counted = elements * element_bytes(words[2], name, line);
  if (counted != row.bytes && counted * ranks != row.bytes) {
    fail(name, line,
         words[1] + " elements of " + words[2] + " are not " + words[0] +
             " bytes, nor is that of each of " + std::to_string(ranks) + " ranks");
  }
  for (const std::size_t first : {words.size() - 2 * kQuad, words.size() - kQuad}) {
    const double us = number_word(words[first], name, line, "a time in us");
    const double algorithm = number_word(words[first + 1], name, line, "an algorithm bandwidth");
    const double bus = number_word(words[first + 2], name, line, "a bus bandwidth");
    const double rate = row.bytes / us * 1e-3;
    if (us > 0 && !agree(algorithm, rate)) {
      fail(name, line,
           words[0] + " bytes in " + words[first] + " us are " + significant(rate) +
               " GB/s, but the row says " + words[first + 1]);
    }
    const double expected = algorithm * bus_share(operation, ranks);
    if (!agree(bus, expected)) {
      fail(name, line,
           "bus bandwidth " + words[first + 2] + " where " + operation + " over " +
               std::to_string(ranks) + " ranks has " + significant(expected) +
               "; is it another collective, or another number of ranks?");
    }
    const std::string& wrong = words[first + 3];
    const bool is_count = wrong.find_first_not_of("0123456789") == std::string::npos;
    if (is_count && wrong.find_first_not_of('0') != std::string::npos) {
      fail(name, line, wrong + " wrong values: the run failed");
    }
  }
}

bool is_row(const std::vector<std::string>& words) {
  return words.size() > 2 && is_number(words[0]) && is_number(words[1]);
}

Row read_row(const std::vector<std::string>& words, const std::string& name, const TextLine& line) {
  if (words.size() < 3 + 2 * kQuad) {
    throw InputError(name + ":" + std::to_string(line.number) + ": a row of " +
                     std::to_string(words.size()) + " columns, expected at least " +
                     std::to_string(3 + 2 * kQuad) +
                     " (size, count, type, time, algbw, busbw, error twice); is it cut off?");
  }
  const std::size_t first = words.size() - 2 * kQuad;
  return {number_word(words[0], name, line, "a size in bytes"),
          number_word(words[first], name, line, "an out-of-place time in us"),
          number_word(words[first + kQuad], name, line, "an in-place time in us"), words};
}

void add_row(MeasurementSet& set, const std::string& benchmark, const Row& row, int ranks,
             int machines, const std::string& place) {
  if (row.bytes <= 0) return;
  for (const bool in_place : {false, true}) {
    const double us = in_place ? row.in_place_us : row.out_of_place_us;
    if (us <= 0) throw InputError(place + ": the time of a message is zero");
    set.results.push_back(
        timed_message(benchmark, row.bytes, ranks, machines, in_place, us * 1e-6));
  }
}

std::string operation_of(const NcclHeader& header, const CollectiveImportOptions& options,
                         const std::string& name) {
  if (!header.operation && !options.operation) {
    throw InputError(name + ": the file does not say which collective it timed; give " +
                     options.operation_flag);
  }
  const std::string given =
      options.operation ? operation_name(*options.operation, name) : std::string();
  const std::string found = header.operation ? operation_name(*header.operation, name) : given;
  if (!given.empty() && given != found) {
    throw InputError(name + ": the file timed " + found + ", but " + options.operation_flag +
                     " says " + given);
  }
  return found;
}

struct Counts {
  int ranks = 0;
  int machines = 0;
};

Counts counts_of(const NcclHeader& header, const CollectiveImportOptions& options,
                 const std::string& name) {
  const auto known = [](std::optional<int> found, std::optional<int> otherwise) {
    return found ? found : otherwise;
  };
  return {agreed(known(header.ranks, options.otherwise_ranks), options.ranks, "ranks",
                 options.ranks_flag, name),
          agreed(known(header.machines, options.otherwise_machines), options.machines, "machines",
                 options.machines_flag, name)};
}

MeasurementSet finish(MeasurementSet set, const std::string& name) {
  if (set.results.empty()) throw InputError(name + ": no row of nccl-tests with a size above 0");
  set.provenance = import_provenance("nccl-tests");
  return set;
}

MeasurementSet import_table(std::string_view text, const std::string& name,
                            const CollectiveImportOptions& options) {
  NcclHeader header;
  std::set<std::string> hosts;
  std::set<std::string> ranks;
  std::vector<std::pair<TextLine, Row>> rows;
  for (const TextLine& line : unprefixed_lines(text)) {
    const std::vector<std::string> words = words_of(line.text);
    if (words.empty()) continue;
    check_success(words, name, line);
    if (words[0].starts_with("#")) {
      read_comment(words, name, line, header, hosts, ranks);
    } else if (is_row(words)) {
      rows.emplace_back(line, read_row(words, name, line));
    }
  }
  if (!ranks.empty()) header.ranks = static_cast<int>(ranks.size());
  if (!hosts.empty()) header.machines = static_cast<int>(hosts.size());
  if (!header.ended) {
    throw InputError(name +
                     ": no \"Avg bus bandwidth\" line: not the output of nccl-tests, or "
                     "cut off before its end");
  }
  const std::string benchmark = "nccl." + operation_of(header, options, name);
  const Counts counts = counts_of(header, options, name);
  MeasurementSet set;
  for (const auto& [line, row] : rows) {
    check_row(row, benchmark.substr(5), counts.ranks, name, line);
    add_row(set, benchmark, row, counts.ranks, counts.machines,
            name + ":" + std::to_string(line.number));
  }
  return finish(std::move(set), name);
}

// "nwrong" of a result, "out_of_bounds" of the run.
void check_json_success(const nlohmann::json& result, const std::string& where) {
  for (const char* place : {"out_of_place", "in_place"}) {
    if (!result.contains(place) || !result[place].contains("nwrong")) continue;
    const nlohmann::json& wrong = result[place]["nwrong"];
    const std::string text = wrong.is_string() ? wrong.get<std::string>() : wrong.dump();
    if (!is_number(text) || std::stod(text) == 0) continue;
    throw InputError(where + "/" + place + "/nwrong: " + text + " wrong values: the run failed");
  }
}

double json_time(const nlohmann::json& result, const char* place, const std::string& where) {
  if (!result.contains(place) || !result[place].contains("time") ||
      !result[place]["time"].is_number()) {
    throw InputError(where + ": no number \"" + std::string(place) + "/time\"");
  }
  return result[place]["time"].get<double>();
}

MeasurementSet import_json(std::string_view text, const std::string& name,
                           const CollectiveImportOptions& options) {
  const JsonDocument document = parse_any_json(text, name);
  const nlohmann::json& root = document.value();
  if (!root.contains("results") || !root["results"].is_array()) {
    throw InputError(name + ":/results: expected the array of nccl-tests -J");
  }
  if (root.contains("out_of_bounds") && root["out_of_bounds"].contains("okay") &&
      root["out_of_bounds"]["okay"] == false) {
    throw InputError(name + ":/out_of_bounds: the results of the run were wrong");
  }
  NcclHeader header;
  if (root.contains("collective") && root["collective"].is_string()) {
    header.operation = root["collective"].get<std::string>();
  }
  std::set<std::string> hosts;
  if (root.contains("devices") && root["devices"].is_array()) {
    header.ranks = static_cast<int>(root["devices"].size());
    for (const nlohmann::json& device : root["devices"]) {
      if (device.contains("hostname")) hosts.insert(device["hostname"].get<std::string>());
    }
    if (!hosts.empty()) header.machines = static_cast<int>(hosts.size());
  }
  const std::string benchmark = "nccl." + operation_of(header, options, name);
  const Counts counts = counts_of(header, options, name);
  MeasurementSet set;
  std::size_t index = 0;
  for (const nlohmann::json& result : root["results"]) {
    const std::string where = name + ":/results/" + std::to_string(index++);
    if (!result.contains("size") || !result["size"].is_number()) {
      throw InputError(where + "/size: expected a number of bytes");
    }
    check_json_success(result, where);
    const Row row{result["size"].get<double>(), json_time(result, "out_of_place", where),
                  json_time(result, "in_place", where)};
    add_row(set, benchmark, row, counts.ranks, counts.machines, where);
  }
  return finish(std::move(set), name);
}

}  // namespace

MeasurementSet import_nccl_tests(std::string_view text, const std::string& name,
                                 const CollectiveImportOptions& options) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  return json ? import_json(text, name, options) : import_table(text, name, options);
}

}  // namespace paceline
