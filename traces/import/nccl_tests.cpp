#include "traces/import/nccl_tests.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/json_reader.h"

namespace paceline {
namespace {

constexpr std::size_t kQuad = 4;  // time, algbw, busbw, error

struct Header {
  std::optional<std::string> operation;
  std::optional<int> ranks;
  std::optional<int> machines;
  bool ended = false;
};

// "#   Rank  0 Pid 112424 on localhost device  0 [0x00] A100-SXM4-40GB", also "Rank  0 Group  0
// Pid".
void read_comment(const std::vector<std::string>& words, Header& header,
                  std::set<std::string>& hosts, std::set<std::string>& ranks) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "starting:") header.operation = words[i + 1];
    if (words[i] == "bus" && words[i + 1] == "bandwidth") header.ended = true;
    if (words[i] == "on" && words.size() > 2 && words[1] == "Rank") hosts.insert(words[i + 1]);
  }
  if (words.size() > 2 && words[1] == "Rank") ranks.insert(words[2]);
}

struct Row {
  double bytes = 0;
  double out_of_place_us = 0;
  double in_place_us = 0;
};

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
          number_word(words[first + kQuad], name, line, "an in-place time in us")};
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

std::string operation_of(const Header& header, const CollectiveImportOptions& options,
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

Counts counts_of(const Header& header, const CollectiveImportOptions& options,
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
  Header header;
  std::set<std::string> hosts;
  std::set<std::string> ranks;
  std::vector<std::pair<TextLine, Row>> rows;
  for (const TextLine& line : unprefixed_lines(text)) {
    const std::vector<std::string> words = words_of(line.text);
    if (words[0].starts_with("#")) {
      read_comment(words, header, hosts, ranks);
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
    add_row(set, benchmark, row, counts.ranks, counts.machines,
            name + ":" + std::to_string(line.number));
  }
  return finish(std::move(set), name);
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
  Header header;
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
