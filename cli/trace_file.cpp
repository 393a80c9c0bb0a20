#include "cli/trace_file.h"

#include <sstream>

#include "core/json_writer.h"
#include "simulator/engine/engine.h"
#include "simulator/lower/lower.h"
#include "simulator/memory/memory_timeline.h"
#include "traces/export/chrome_trace.h"

namespace paceline {

void write_trace(const Prediction& prediction, const std::filesystem::path& file) {
  const LoweredRun run = lower(prediction.plan, 2);
  Timeline timeline = simulate(run.graph, run.platform);
  add_memory_counters(prediction.memory, "memory", timeline);
  std::ostringstream text;
  write_chrome_trace(timeline, text);
  write_text_file(file, text.str());
}

}  // namespace paceline
