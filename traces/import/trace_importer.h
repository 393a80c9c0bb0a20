// Importers of profiles, one file per format in traces/import/trace_formats: each becomes a
// MeasuredTimeline.
//
//   MeasuredTimeline run = import_trace({"rank0.json.gz", "rank1.json.gz"}, {});
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {

struct TraceImportOptions {
  // Of the first file, where it does not say; the others follow.
  std::optional<int> rank;
};

class TraceImporter {
 public:
  virtual ~TraceImporter() = default;
  // Whether a file that begins like this (decompressed) is of this format. At most one importer
  // says so of any file.
  virtual bool recognises(std::string_view head) const = 0;
  // One file per process of the job. Throws InputError naming file and place.
  virtual MeasuredTimeline read(const std::vector<std::filesystem::path>& files,
                                const TraceImportOptions& options) const = 0;
};

using TraceImporterRegistry = Registry<TraceImporter>;
TraceImporterRegistry trace_importers();
// Adds every importer of traces/import/trace_formats (generated).
void register_all(TraceImporterRegistry& registry);

// `kind` empty: recognised from the first file, which may also be a timeline file of our own.
// Throws InputError if no format fits, UsageError for an unknown kind.
MeasuredTimeline import_trace(const std::vector<std::filesystem::path>& files,
                              const TraceImportOptions& options, std::string_view kind = "");

}  // namespace paceline
