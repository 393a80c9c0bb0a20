#include "cli/html_file.h"

#include "answers/explain/job_scale.h"
#include "answers/explain/sensitivity.h"
#include "core/json_writer.h"

namespace paceline {

FlagSpec html_flag() { return output_flag("html", "write a report as one page for a browser"); }

void write_html(const Arguments& arguments, SweepResult& sweep) {
  PageContent content{.reports = sweep.reports};
  Timeline timeline;
  if (sweep.single) {
    const Prediction& point = *sweep.single;
    const TrainingDevice& device = sweep.devices.at(sweep.experiments.front());
    timeline = Predictor().timeline(point, device, 2);
    content.plan = &point.plan;
    content.timeline = &timeline;
    content.memory = &point.memory;
    content.roofline = device.limits(point.report.experiment.threads);
    content.scale = phase_scale(point.report, point.plan, timeline);
    content.sensitivities = device_sensitivities(point.plan, content.scale, point.report);
  }
  write_text_file(arguments.text("html"), html_page(content));
}

}  // namespace paceline
