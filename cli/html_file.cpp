#include "cli/html_file.h"

#include "core/json_writer.h"
#include "simulator/engine/engine.h"
#include "simulator/lower/lower.h"

namespace paceline {

FlagSpec html_flag() { return output_flag("html", "write a report as one page for a browser"); }

void write_html(const Arguments& arguments, const PageContent& content) {
  write_text_file(arguments.text("html"), html_page(content));
}

void write_html(const Arguments& arguments, const Prediction& prediction) {
  const LoweredRun run = lower(prediction.plan, 2);
  const Timeline timeline = simulate(run.graph, run.platform);
  write_html(arguments,
             {.reports = {prediction.report},
              .plan = &prediction.plan,
              .timeline = &timeline,
              .sensitivities = device_sensitivities(prediction.plan, prediction.report)});
}

}  // namespace paceline
