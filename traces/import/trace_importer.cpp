#include "traces/import/trace_importer.h"

#include "core/error.h"
#include "traces/import/compressed_file.h"

namespace paceline {
namespace {

bool is_our_timeline(std::string_view head) {
  return head.find("\"paceline.timeline/") != std::string_view::npos;
}

std::string recognised_kind(const std::filesystem::path& file, const std::string& head,
                            const TraceImporterRegistry& registry) {
  std::string known;
  for (const auto& entry : registry.entries()) {
    if (entry.make()->recognises(head)) return entry.name;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw InputError(file.string() + ": is none of the traces that can be imported: " + known +
                   ", a timeline file of paceline");
}

}  // namespace

TraceImporterRegistry trace_importers() {
  TraceImporterRegistry registry("kind of trace");
  register_all(registry);
  return registry;
}

MeasuredTimeline import_trace(const std::vector<std::filesystem::path>& files,
                              const TraceImportOptions& options, std::string_view kind) {
  PACELINE_ASSERT(!files.empty(), "a trace has at least one file");
  const TraceImporterRegistry registry = trace_importers();
  std::string name(kind);
  if (name.empty()) {
    const std::string head = head_of_file(files.front());
    if (is_our_timeline(head)) {
      if (files.size() > 1) throw UsageError("a timeline file holds all ranks: give one");
      return read_timeline(files.front());
    }
    name = recognised_kind(files.front(), head, registry);
  }
  MeasuredTimeline out = registry.make(name)->read(files, options);
  out.provenance = make_provenance("paceline import " + name, {});
  out.source = name;
  return out;
}

}  // namespace paceline
