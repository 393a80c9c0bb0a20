#include "traces/import/collective_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

// Length of a launcher's prefix: "[1,0]<stdout>:" of Open MPI, "[1,0]<stdout> ", "rank 3: ", "0: ".
std::size_t prefix_length(std::string_view line) {
  const std::size_t tag = line.find("<stdout>");
  if (!line.empty() && line.front() == '[' && tag != std::string_view::npos) {
    std::size_t end = tag + 8;
    while (end < line.size() && (line[end] == ':' || line[end] == ' ')) ++end;
    return end;
  }
  std::size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
  if (digits > 0 && line.substr(digits, 2) == ": ") return digits + 2;
  return 0;
}

}  // namespace

std::vector<TextLine> unprefixed_lines(std::string_view text) {
  std::vector<TextLine> lines;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    line.remove_prefix(prefix_length(line));
    line.remove_suffix(line.size() - (line.find_last_not_of("\r \t") + 1));
    if (!line.empty()) lines.push_back({number, std::string(line)});
  }
  return lines;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    std::size_t end = at;
    while (end < line.size() && line[end] != ' ' && line[end] != '\t') ++end;
    if (end > at) words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && std::isfinite(value);
}

double number_word(const std::string& word, const std::string& name, const TextLine& line,
                   std::string_view what) {
  double value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  if (is_number(word) && value >= 0) return value;
  throw InputError(name + ":" + std::to_string(line.number) + ": expected " + std::string(what) +
                   ", found \"" + word + "\"");
}

std::string operation_name(std::string_view text, const std::string& name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kNames = {
      {{"allreduce", "all-reduce"},
       {"allreduceperf", "all-reduce"},
       {"reducescatter", "reduce-scatter"},
       {"reducescatterperf", "reduce-scatter"},
       {"allgather", "all-gather"},
       {"allgatherperf", "all-gather"},
       {"broadcast", "broadcast"},
       {"broadcastperf", "broadcast"},
       {"reduce", "reduce"},
       {"reduceperf", "reduce"},
       {"alltoall", "all-to-all"},
       {"alltoallperf", "all-to-all"},
       {"sendrecv", "send-recv"},
       {"sendrecvperf", "send-recv"}}};
  const std::string wanted = normalized_name(text);
  std::vector<std::string> known;
  for (const auto& [key, operation] : kNames) {
    if (key == wanted) return std::string(operation);
    if (known.empty() || known.back() != operation) known.emplace_back(operation);
  }
  throw InputError(name + ": " + unknown_name_message("operation", text, known));
}

int agreed(std::optional<int> found, std::optional<int> given, std::string_view what,
           std::string_view flag, const std::string& name) {
  if (!found && !given) {
    throw InputError(name + ": the file does not say the number of " + std::string(what) +
                     "; give " + std::string(flag));
  }
  if (found && given && *found != *given) {
    throw InputError(name + ": the file lists " + std::to_string(*found) + " " + std::string(what) +
                     ", but " + std::string(flag) + " says " + std::to_string(*given));
  }
  return found ? *found : *given;
}

Measurement timed_message(std::string benchmark, double bytes, int ranks, int machines,
                          bool in_place, double seconds) {
  Measurement out;
  out.benchmark = std::move(benchmark);
  out.axes = {{"bytes", static_cast<std::int64_t>(bytes)},
              {"ranks", static_cast<std::int64_t>(ranks)},
              {"machines", static_cast<std::int64_t>(machines)},
              {"in_place", std::string(in_place ? "yes" : "no")}};
  out.rounds.push_back({.start = "", .foreign_cpu = 0, .accepted = true, .samples_s = {seconds}});
  return out;
}

Provenance import_provenance(std::string_view kind) {
  return make_provenance("paceline import " + std::string(kind), {});
}

}  // namespace paceline
