#include "cli/trace_file.h"

#include <sstream>

#include "core/json_writer.h"
#include "simulator/memory/memory_timeline.h"
#include "traces/export/chrome_trace.h"

namespace paceline {

void write_trace(const Prediction& prediction, const TrainingDevice& device,
                 const std::filesystem::path& file) {
  Timeline timeline = Predictor().timeline(prediction, device, 2);
  add_memory_counters(prediction.memory, "memory", timeline);
  std::ostringstream text;
  ChromeTraceOptions options;
  options.layers = prediction.plan.layers;
  write_chrome_trace(timeline, text, options);
  write_text_file(file, text.str());
}

}  // namespace paceline
