#include "traces/import/osu.h"

#include "core/error.h"

namespace paceline {
namespace {

struct OsuHeader {
  std::string operation;
  bool bandwidth = false;  // MB/s instead of us
  bool pair = false;       // point to point
};

// "# OSU MPI Allreduce Latency Test v5.4.0", "# OSU MPI-CUDA Bandwidth Test v5.6".
bool read_title(const std::vector<std::string>& words, OsuHeader& header, const std::string& name) {
  std::size_t at = 0;
  while (at < words.size() && words[at] != "OSU") ++at;
  if (at + 2 >= words.size()) return false;
  const std::string& subject = words[at + 2];
  header.bandwidth = subject == "Bandwidth" || subject == "Bi-Directional";
  header.pair = header.bandwidth || subject == "Latency";
  header.operation = header.pair ? "send-recv" : operation_name(subject, name);
  return true;
}

}  // namespace

MeasurementSet import_osu(std::string_view text, const std::string& name,
                          const CollectiveImportOptions& options) {
  OsuHeader header;
  bool titled = false;
  std::optional<int> ranks;
  MeasurementSet set;
  for (const TextLine& line : unprefixed_lines(text)) {
    const std::vector<std::string> words = words_of(line.text);
    if (words[0].starts_with("#")) {
      if (!titled) titled = read_title(words, header, name);
      continue;
    }
    if (!titled) {
      throw InputError(name + ":" + std::to_string(line.number) +
                       ": no \"# OSU ... Test\" line before the first row");
    }
    if (words.size() < 2) {
      throw InputError(name + ":" + std::to_string(line.number) +
                       ": a row without a value; is it cut off?");
    }
    if (!ranks) {
      ranks = agreed(header.pair ? std::optional<int>(2) : std::nullopt, options.ranks, "ranks",
                     options.ranks_flag, name);
    }
    const double bytes = number_word(words[0], name, line, "a size in bytes");
    const double value = number_word(words[1], name, line, "a time or a bandwidth");
    if (bytes <= 0) continue;
    if (value <= 0) {
      throw InputError(name + ":" + std::to_string(line.number) + ": the value is zero");
    }
    const double seconds = header.bandwidth ? bytes / (value * 1e6) : value * 1e-6;
    set.results.push_back(timed_message("mpi." + header.operation, bytes, *ranks,
                                        options.machines.value_or(*ranks), false, seconds));
  }
  if (set.results.empty()) throw InputError(name + ": no row of an OSU benchmark");
  set.provenance = import_provenance("osu");
  return set;
}

}  // namespace paceline
