#include "simulator/memory/contexts.h"

#include <algorithm>

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "core/units.h"

namespace paceline {
namespace {

std::int64_t bytes_of(JsonObject& entry, const char* key) {
  const auto bytes = static_cast<std::int64_t>(entry.quantity<Bytes>(key).si());
  if (bytes <= 0) entry.fail(key, "is not a positive number of bytes");
  return bytes;
}

DriverUnits read_driver(JsonObject entry) {
  DriverUnits units;
  units.shared_up_to = bytes_of(entry, "shared_up_to");
  units.granularity = bytes_of(entry, "granularity");
  units.chunk = bytes_of(entry, "chunk");
  units.unit = bytes_of(entry, "unit");
  if (units.chunk < units.shared_up_to) entry.fail("chunk", "is less than \"shared_up_to\"");
  entry.string("source");
  entry.finish();
  return units;
}

ProcessOverhead read_process(JsonObject entry) {
  ProcessOverhead process;
  process.libraries = bytes_of(entry, "libraries");
  process.heap_share = entry.positive("heap_share");
  process.source = entry.string("source");
  entry.finish();
  return process;
}

GpuContext read_context(JsonObject& entry) {
  GpuContext context;
  context.bytes = bytes_of(entry, "bytes");
  context.low = bytes_of(entry, "low");
  context.high = bytes_of(entry, "high");
  if (context.low > context.bytes) entry.fail("low", "is more than \"bytes\"");
  if (context.high < context.bytes) entry.fail("high", "is less than \"bytes\"");
  context.kind = entry.boolean("measured") ? OriginKind::kMeasured : OriginKind::kExtrapolated;
  context.source = entry.string("source");
  entry.finish();
  return context;
}

}  // namespace

GpuContext ContextCatalog::unknown() const {
  GpuContext context;
  context.kind = OriginKind::kExtrapolated;
  context.source = "not known, left out; the interval holds that of any architecture";
  for (const auto& [name, other] : contexts) context.high = std::max(context.high, other.high);
  return context;
}

ContextCatalog ContextCatalog::load(const std::filesystem::path& file) {
  const JsonDocument document = read_json_file(file, "paceline.contexts/1");
  JsonObject root = document.root();
  ContextCatalog catalog;
  for (JsonObject& entry : root.objects("contexts")) {
    const std::string name = entry.string("architecture");
    if (catalog.contexts.contains(name)) {
      entry.fail("architecture", "\"" + name + "\" is listed twice");
    }
    catalog.contexts[name] = read_context(entry);
  }
  catalog.driver = read_driver(root.object("cuda_malloc"));
  catalog.process = read_process(root.object("process"));
  root.finish();
  return catalog;
}

ContextCatalog ContextCatalog::shipped() {
  return load(data_directory() / "model/catalog/memory/contexts.json");
}

}  // namespace paceline
