// Streams the events of a trace in the JSON format that Chrome defined and PyTorch's profiler
// (Kineto) writes: {"schemaVersion": 1, ..., "traceEvents": [{...}, {...}]} or just the array. Only
// one event is held in memory at a time, so a file of any size can be read. Real files are often
// damaged (a run that was killed, a bare NaN in one event), so the events that can be read are read
// and the others are counted.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paceline {

// One event. The texts are valid during the handler only. Numbers are given as written, without
// quotes where a writer made texts of them: a timestamp in epoch microseconds with decimals does
// not fit a double.
struct JsonEvent {
  char phase = '\0';  // "ph"
  std::string_view name, category;
  std::string_view pid, tid, timestamp, duration;
  std::vector<std::pair<std::string_view, std::string_view>> arguments;  // key, JSON text

  // Empty if there is none of this name; quotes around a text are removed.
  std::string_view argument(std::string_view key) const;
};

struct JsonEventsResult {
  std::string frame;  // the file without its events: JSON, complete only if `damage` is empty
  std::size_t events = 0;
  std::size_t unreadable = 0;  // not counted in `events`
  std::string first_error;     // of an unreadable event, with the byte where it begins
  std::string damage;          // why the file ended early; empty if it did not
};

// Throws InputError if the file cannot be read, its compressed data are damaged, or it holds no
// event.
JsonEventsResult read_json_events(const std::filesystem::path& file,
                                  const std::function<void(const JsonEvent&)>& handler);

}  // namespace paceline
