// paceline memory: what an experiment needs on one device, by use; whether it fits, and the largest
// batch that does.
//
//   resnet50, batch 32, fp32 on v100-sxm2-16g, pytorch
//     weights             102 MB     2.4 %  #
//     feature maps       3.04 GB    71.6 %  ############################
//     ...
//     peak               4.25 GB of 16.9 GB usable: fits, 12.7 GB to spare
//     90 % interval      4.04 GB .. 4.47 GB
//     largest batch      160, 152 for certain and none of those between; ...
//     interval from      13 measured totals, nine of ten within 4.4 %: megatron-golden ...
//     capacity from      16.9 GB usable of 17.2 GB: the driver keeps some; ...
//     context from       nvidia-smi beside an idle process ..., recalled, unverified
//
// Without a batch the answer is that of the largest one, with what depends on the batch and what
// does not.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "answers/compare/idle_settings.h"
#include "answers/compare/varying.h"
#include "cli/experiment_flags.h"
#include "cli/output.h"
#include "cli/prediction_text.h"
#include "cli/skipped_points.h"
#include "core/columns.h"
#include "core/json_writer.h"
#include "core/units_text.h"
#include "simulator/memory/memory_model.h"
#include "simulator/memory/memory_timeline.h"
#include "simulator/report/prediction.h"

namespace paceline {
namespace {

// The line through the peaks of two batches: what every batch needs, and what each sample adds.
struct BatchLine {
  double fixed = 0;       // bytes
  double per_sample = 0;  // bytes
};

struct Point {
  Experiment experiment;
  MemoryResult memory;
  std::int64_t largest_batch = 0;
  BatchAbove largest_certain;
  std::optional<BatchLine> line;  // where no batch was given
};

struct Row {
  const char* name;
  std::int64_t bytes;
};
std::vector<Row> rows_of(const MemoryUse& use) {
  return {{"weights", use.weights},
          {"weight gradients", use.weight_gradients},
          {"optimizer state", use.optimizer_state},
          {"feature maps", use.feature_maps},
          {"workspace", use.workspace},
          {"communication", use.communication},
          {"input", use.input},
          {"context", use.context},
          {"slack", use.slack}};
}

std::string text_of(std::int64_t bytes) { return to_text(Bytes(static_cast<double>(bytes))); }

std::string padded(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// What the numbers are: a larger batch that fits is no contradiction.
std::string batches_text(const Point& point) {
  const auto [sure, step] = point.largest_certain;
  std::string out = largest_batch_text(point.largest_batch);
  if (point.largest_batch < 1) return out;
  out += sure < 1 ? ", none for certain" : ", " + batch_found_text(sure) + " for certain";
  if (sure > 0 && sure < point.largest_batch) {
    out += step == 1 ? " and none of those between"
                     : " (of those between, one in " + std::to_string(step) + " was asked about)";
  }
  if (point.largest_batch >= kLargestBatchTried) return out;
  return out + "; the next does not fit, a larger one still may: memory goes in steps";
}

std::string screen(const Point& point) {
  constexpr double kBarWidth = 40;
  const MemoryUse& use = point.memory.use;
  std::string out = experiment_headline(point.experiment) + "\n";
  for (const Row& row : rows_of(use)) {
    if (row.bytes == 0) continue;
    const double share = static_cast<double>(row.bytes) / static_cast<double>(use.peak());
    std::string name = row.name;
    name.resize(18, ' ');
    out += "  " + name + padded(text_of(row.bytes), 9) + padded(significant(100 * share, 2), 8) +
           " %  " + std::string(static_cast<std::size_t>(kBarWidth * share + 0.5), '#') + "\n";
  }
  out += "  peak               " + memory_line(use) + "\n";
  out += "  90 % interval      " + memory_interval_text(use) + "\n";
  out += "  largest batch      " + batches_text(point) + "\n";
  if (point.line) {
    out += "  each sample        " + to_text(Bytes(point.line->per_sample)) + ", beside " +
           to_text(Bytes(std::max(0.0, point.line->fixed))) + " for any batch\n";
  }
  for (const OriginLine& line : use.origins) {
    std::string name = line.what + " from";
    name.resize(19, ' ');
    out += "  " + name + line.source + "\n";
  }
  for (const std::string& warning : point.memory.warnings) out += "  warning  " + warning + "\n";
  return out;
}

std::string megabytes(double bytes) { return significant(bytes / 1e6, 4); }

void add_memory_columns(Columns<Point>& columns) {
  const auto add_bytes = [&columns](const std::string& heading, const auto& bytes) {
    columns.add(heading + " MB", [&](const Point& point) {
      return megabytes(static_cast<double>(bytes(point.memory.use)));
    });
  };
  const std::size_t uses = rows_of({}).size();
  for (std::size_t i = 0; i < uses; ++i) {
    add_bytes(rows_of({})[i].name, [i](const MemoryUse& use) { return rows_of(use)[i].bytes; });
  }
  add_bytes("peak", [](const MemoryUse& use) { return use.peak(); });
  add_bytes("p05", [](const MemoryUse& use) { return use.p05(); });
  add_bytes("p95", [](const MemoryUse& use) { return use.p95(); });
  add_bytes("capacity", [](const MemoryUse& use) { return use.capacity; });
  columns.add("fits", [](const Point& point) {
    return std::string(point.memory.use.fits() ? "yes" : "no");
  });
  columns.add("fit",
              [](const Point& point) { return std::string(to_string(point.memory.use.fit())); });
  add_bytes("spare", [](const MemoryUse& use) { return use.margin(); });
}

Table table(const std::vector<Point>& points, bool for_people) {
  Columns columns(points);
  const auto add_setting = [&columns](const char* heading, const auto& text) {
    columns.add(heading, [&](const Point& point) { return text(point.experiment); });
  };
  add_setting("model", [](const Experiment& e) { return e.model; });
  add_setting("device", [](const Experiment& e) { return e.device; });
  add_setting("framework", [](const Experiment& e) { return e.framework; });
  add_setting("precision", [](const Experiment& e) { return std::string(to_string(e.precision)); });
  add_setting("batch", [](const Experiment& e) { return std::to_string(e.batch); });
  std::vector<Experiment> experiments;
  for (const Point& point : points) experiments.push_back(point.experiment);
  for (const VaryingKey& option : varying_options(experiments)) {
    columns.add_cells(option.name, option.values);
  }
  add_memory_columns(columns);
  columns.add("largest batch", [for_people](const Point& point) {
    return for_people ? batch_found_text(point.largest_batch) : std::to_string(point.largest_batch);
  });
  // All points have a line, or none has: it is there where no batch was given.
  if (points.front().line) {
    columns.add("any batch MB", [](const Point& point) { return megabytes(point.line->fixed); });
    columns.add("sample MB", [](const Point& point) { return megabytes(point.line->per_sample); });
  }
  return columns.table();
}

nlohmann::ordered_json json(const Point& point) {
  nlohmann::ordered_json out = {{"schema", "paceline.memory/1"},
                                {"config", to_json(point.experiment)},
                                {"memory_bytes", to_json(point.memory.use)},
                                {"largest_batch", point.largest_batch},
                                {"largest_certain_batch", point.largest_certain.batch},
                                {"largest_certain_batch_step", point.largest_certain.step}};
  if (point.line) {
    out["any_batch_bytes"] = std::llround(point.line->fixed);
    out["bytes_per_sample"] = std::llround(point.line->per_sample);
  }
  out["warnings"] = point.memory.warnings;
  return out;
}

// From one sample to the largest batch, or to two where no more fit.
Point at_largest_batch(const Predictor& predictor, Point one, const TrainingDevice& device) {
  Point point = one;
  point.experiment.batch = std::max<std::int64_t>(one.largest_batch, 2);
  point.memory = predictor.memory(point.experiment, device, false).memory;
  const auto peak = [](const Point& at) { return static_cast<double>(at.memory.use.peak()); };
  const double slope = (peak(point) - peak(one)) /
                       static_cast<double>(point.experiment.batch - one.experiment.batch);
  if (one.largest_batch < 2) point = std::move(one);
  const double batch = static_cast<double>(point.experiment.batch);
  point.line = BatchLine{peak(point) - slope * batch, slope};
  return point;
}

Point answer(const Predictor& predictor, const Experiment& experiment, bool any_batch) {
  const auto device = read_training_device(experiment.device, experiment.options);
  Point point;
  point.experiment = predictor.resolve(experiment, *device);
  Predictor::MemoryAnswer found = predictor.memory(point.experiment, *device);
  point.memory = std::move(found.memory);
  point.largest_batch = found.largest_batch.value_or(0);
  point.largest_certain = found.largest_certain_batch;
  if (any_batch) point = at_largest_batch(predictor, std::move(point), *device);
  if (!point.memory.use.fits()) {
    point.memory.warnings.emplace_back("does not fit in the memory of the device");
  }
  return point;
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const Predictor predictor;
  std::vector<Point> points;
  const bool any_batch = !has_batch(arguments);
  ExperimentPoints asked = read_experiments(any_batch ? arguments.with("batch", "1") : arguments);
  SkippedPoints& skipped = asked.skipped;
  for (const Experiment& experiment : asked.points) {
    try {
      points.push_back(answer(predictor, experiment, any_batch));
    } catch (const Error& error) {
      skipped.add(error);
    }
  }
  if (points.empty()) throw *skipped.first();
  SweepDevices devices;
  refuse_idle_settings(asked.points, devices);
  const bool single = points.size() == 1 && skipped.empty();
  if (arguments.has("plot")) {
    if (!single) throw UsageError("--plot draws one experiment; this is a sweep");
    const Point& point = points.front();
    write_text_file(arguments.text("plot"), memory_plot_svg(point.memory.tape, point.memory.use,
                                                            experiment_headline(point.experiment)));
  }
  if (format == OutputFormat::kJson) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Point& point : points) list.push_back(json(point));
    write_result(arguments, to_json_text(single ? list.front() : list));
  } else if (format == OutputFormat::kText && single) {
    write_result(arguments, screen(points.front()));
  } else {
    write_result(arguments,
                 table(points, format == OutputFormat::kText).to_string(table_format(format)));
  }
  skipped.print(std::cerr);
  bool fits = false;
  for (const Point& point : points) fits = fits || point.memory.use.fits();
  return fits ? ExitCode::kOk : ExitCode::kInfeasible;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  all.push_back({"plot", "FILE", "draw what is alive when, as SVG"});
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_memory(CommandList& commands) {
  commands.add({.name = "memory",
                .summary = "what fits: memory by use, and the largest batch",
                .example = "paceline memory --model resnet50 --batch 32 --device v100-sxm2-16g",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
