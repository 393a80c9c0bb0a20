#include "cli/trace_file.h"

#include <sstream>

#include "core/json_writer.h"
#include "simulator/engine/engine.h"
#include "simulator/lower/lower.h"
#include "traces/export/chrome_trace.h"

namespace paceline {

void write_trace(const IterationPlan& plan, const std::filesystem::path& file) {
  const LoweredRun run = lower(plan, 2);
  std::ostringstream text;
  write_chrome_trace(simulate(run.graph, run.platform), text);
  write_text_file(file, text.str());
}

}  // namespace paceline
