// paceline import KIND FILE: foreign measurements and topologies as our own files.
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "model/import/imported_model.h"
#include "model/kernel/kernel.h"
#include "traces/import/nccl_tests.h"
#include "traces/import/nvbandwidth.h"
#include "traces/import/osu.h"
#include "traces/import/trace_importer.h"
#include "traces/recording/from_timeline.h"

namespace paceline {
namespace {

CollectiveImportOptions collective_options(const Arguments& arguments) {
  CollectiveImportOptions options;
  options.operation = arguments.find("op");
  if (arguments.has("ranks")) {
    options.ranks = static_cast<int>(arguments.count_or("ranks", 1, 1000000));
  }
  if (arguments.has("machines")) {
    options.machines = static_cast<int>(arguments.count_or("machines", 1, 1000000));
  }
  return options;
}

struct Importer {
  const char* name;
  MeasurementSet (*read)(const std::string& text, const std::string& file, const Arguments&);
};

constexpr Importer kImporters[] = {
    {"nccl-tests",
     [](const std::string& text, const std::string& file, const Arguments& arguments) {
       return import_nccl_tests(text, file, collective_options(arguments));
     }},
    {"nvbandwidth",
     [](const std::string& text, const std::string& file, const Arguments& arguments) {
       const Bytes buffer = parse_bytes(arguments.text_or("buffer", "512 MiB"));
       if (buffer.si() <= 0) throw UsageError("--buffer must be positive");
       return import_nvbandwidth(text, file, buffer.si());
     }},
    {"osu", [](const std::string& text, const std::string& file, const Arguments& arguments) {
       return import_osu(text, file, collective_options(arguments));
     }}};

std::vector<std::string> kind_names() {
  std::vector<std::string> names = trace_importers().names();
  for (const Importer& importer : kImporters) names.emplace_back(importer.name);
  return names;
}

const Importer& find_importer(const std::string& name) {
  for (const Importer& importer : kImporters) {
    if (normalized_name(importer.name) == normalized_name(name)) return importer;
  }
  throw UsageError(unknown_name_message("import kind", name, kind_names()));
}

// What was run, for a recording: a profile does not say.
RecordedExperiment experiment_of(const Arguments& arguments) {
  RecordedExperiment out;
  out.model = arguments.text("model");
  out.device = arguments.text("device");
  arguments.text("batch");  // required
  out.batch = arguments.count_or("batch", 1, 1'000'000);
  out.threads = static_cast<int>(arguments.count_or("threads", 1, 4096));
  out.framework = arguments.text_or("framework", "pytorch");
  out.precision = to_string(parse_precision(arguments.text_or("precision", "fp32")));
  if (arguments.has("seq")) out.seq = arguments.count_or("seq", 1, 1'000'000);
  return out;
}

// Of the network as `predict` builds it: `validate` refuses a recording of another one.
std::int64_t parameters_of(const RecordedExperiment& experiment) {
  const ImportedModel model = load_model(workload_registry(), experiment.model);
  return build_workload(model.name, model.workload,
                        {.batch = experiment.batch, .seq = experiment.seq})
      .parameters();
}

// Profiles become timeline files, or with --recording a recording of their iterations.
ExitCode run_trace(const Arguments& arguments, const std::string& kind) {
  for (const char* flag : {"op", "ranks", "machines", "buffer"}) {
    if (arguments.has(flag)) {
      throw UsageError(flag_text(flag) + " does not apply to " + kind + " traces");
    }
  }
  TraceImportOptions options;
  if (const auto rank = arguments.find("rank")) {
    options.rank = static_cast<int>(parse_count("--rank", *rank, 0, 1'000'000));
  }
  const std::vector<std::string> files = arguments.all("FILE");
  const MeasuredTimeline got = import_trace({files.begin(), files.end()}, options, kind);
  if (arguments.has("recording")) {
    const RecordedExperiment experiment = experiment_of(arguments);
    write_json_file(arguments.text("o"),
                    recording_from(got, experiment, parameters_of(experiment)));
  } else {
    write_timeline(arguments.text("o"), got);
  }
  arguments.out() << arguments.text("o") << ": " << got.timeline.size() << " spans on "
                  << got.timeline.tracks() << " tracks, " << got.layers.size() << " layers, "
                  << got.iterations_s.size() << " iterations";
  const std::size_t counters = got.timeline.counters().size();
  if (counters > 0) arguments.out() << ", " << counters << " counters";
  arguments.out() << "\n";
  for (const std::string& warning : got.warnings) std::cerr << "warning: " << warning << "\n";
  return ExitCode::kOk;
}

void refuse_flags(const Arguments& arguments, std::initializer_list<const char*> flags,
                  const std::string& kind) {
  for (const char* flag : flags) {
    if (!arguments.has(flag)) continue;
    throw UsageError(flag_text(flag) + " does not apply to " + kind + " output");
  }
}

ExitCode run(const Arguments& arguments) {
  const std::string kind = arguments.text("KIND");
  const std::vector<std::string> files = arguments.all("FILE");
  if (files.empty()) throw UsageError("FILE is required: what " + kind + " wrote");
  if (trace_importers().find(kind) != nullptr) return run_trace(arguments, kind);
  const Importer& importer = find_importer(kind);
  refuse_flags(
      arguments,
      {"rank", "recording", "model", "batch", "device", "precision", "seq", "threads", "framework"},
      kind);
  if (std::string_view(importer.name) == "nvbandwidth") {
    refuse_flags(arguments, {"op", "ranks", "machines"}, kind);
  } else {
    refuse_flags(arguments, {"buffer"}, kind);
  }
  if (files.size() != 1) throw UsageError(kind + " output is imported one file at a time");
  const std::string& file = files.front();
  const MeasurementSet set = importer.read(read_text_file(file), file, arguments);
  write_measurements(arguments.text("o"), set);
  return ExitCode::kOk;
}

}  // namespace

void register_import(CommandList& commands) {
  commands.add(
      {.name = "import",
       .summary = "other tools' measurements, and profiles of training runs, as our files",
       .example = "paceline import nccl-tests all_reduce.log --op all-reduce -o measurements.json",
       .flags = {{.name = "op", .value = "NAME", .summary = "operation, if the file does not say"},
                 {.name = "ranks", .value = "N", .summary = "ranks, if the file does not say"},
                 {.name = "machines", .value = "N", .summary = "machines, likewise"},
                 {.name = "buffer", .value = "SIZE", .summary = "nvbandwidth's buffer, 512 MiB"},
                 {.name = "rank", .value = "N", .summary = "of a profile that does not say"},
                 {.name = "recording",
                  .value = "",
                  .summary = "of a profile: its iterations, for validate"},
                 {.name = "model", .value = "NAME", .summary = "what ran, for --recording"},
                 {.name = "batch", .value = "N", .summary = "likewise"},
                 {.name = "device", .value = "NAME", .summary = "likewise"},
                 {.name = "precision", .value = "P", .summary = "likewise, default fp32"},
                 {.name = "seq", .value = "N", .summary = "likewise, where the model has one"},
                 {.name = "threads", .value = "N", .summary = "likewise, of a CPU; default 1"},
                 {.name = "framework", .value = "NAME", .summary = "likewise, default pytorch"},
                 output_flag("o", "where the result goes (required)")},
       .positionals = {"KIND", "FILE..."},
       .choices = {{"KIND", kind_names()}},
       .run = run});
}

}  // namespace paceline
