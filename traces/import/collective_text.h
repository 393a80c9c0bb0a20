// What the importers of communication benchmarks share.
//
// Every importer returns measurements named "<library>.<operation>" ("nccl.all-reduce",
// "mpi.all-reduce", "nvbandwidth.host_to_device_memcpy_ce") with axes `bytes`, `ranks`, `machines`
// and `in_place` ("yes" or "no"); the sample is the printed mean time. Nothing is guessed: what a
// file does not say must be given in the options, and is refused where the file says otherwise.
// Messages name the flags by which it is given.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/measurement/measurement.h"

namespace paceline {

struct CollectiveImportOptions {
  std::optional<std::string> operation;  // "all-reduce"
  std::optional<int> ranks;
  std::optional<int> machines;
  // Of the machine that is known to have run it, where neither says.
  std::optional<int> otherwise_ranks{};
  std::optional<int> otherwise_machines{};
  // How the user gives them.
  std::string operation_flag = "--op";
  std::string ranks_flag = "--ranks";
  std::string machines_flag = "--machines";
};

struct TextLine {
  int number = 0;  // from 1
  std::string text;
};

// Lines without the prefixes launchers put in front ("[1,0]<stdout>:", "node3: "), without carriage
// returns; empty lines are dropped.
std::vector<TextLine> unprefixed_lines(std::string_view text);
std::vector<std::string> words_of(std::string_view line);
bool is_number(std::string_view word);
// Throws InputError "name:line: ..." unless `word` is a finite number, not negative.
double number_word(const std::string& word, const std::string& name, const TextLine& line,
                   std::string_view what);

// "all_reduce_perf", "Allreduce" -> "all-reduce"; throws InputError on an unknown operation.
std::string operation_name(std::string_view text, const std::string& name);
// The value of the file or of the options; throws InputError naming `flag` if neither has it or
// they differ.
int agreed(std::optional<int> found, std::optional<int> given, std::string_view what,
           std::string_view flag, const std::string& name);

// One timed message.
Measurement timed_message(std::string benchmark, double bytes, int ranks, int machines,
                          bool in_place, double seconds);
// Provenance of an import: the tool and when; the host is that of the import, not of the run.
Provenance import_provenance(std::string_view kind);

}  // namespace paceline
