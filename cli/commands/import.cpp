// paceline import KIND FILE: foreign measurements and topologies as our own files.
#include <functional>

#include "cli/output.h"
#include "core/json_reader.h"
#include "core/names.h"
#include "traces/import/nccl_tests.h"
#include "traces/import/nvbandwidth.h"
#include "traces/import/osu.h"

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

const Importer& find_importer(const std::string& name) {
  std::vector<std::string> names;
  for (const Importer& importer : kImporters) {
    if (normalized_name(importer.name) == normalized_name(name)) return importer;
    names.emplace_back(importer.name);
  }
  throw UsageError(unknown_name_message("import kind", name, names));
}

ExitCode run(const Arguments& arguments) {
  const Importer& importer = find_importer(arguments.text("KIND"));
  const std::string file = arguments.text("FILE");
  const MeasurementSet set = importer.read(read_text_file(file), file, arguments);
  write_measurements(arguments.text("o"), set);
  return ExitCode::kOk;
}

}  // namespace

void register_import(CommandList& commands) {
  commands.add(
      {.name = "import",
       .summary = "nccl-tests, nvbandwidth or osu output to a measurement file",
       .example = "paceline import nccl-tests all_reduce.log --op all-reduce -o measurements.json",
       .flags = {{.name = "op", .value = "NAME", .summary = "operation, if the file does not say"},
                 {.name = "ranks", .value = "N", .summary = "ranks, if the file does not say"},
                 {.name = "machines", .value = "N", .summary = "machines, likewise"},
                 {.name = "buffer", .value = "SIZE", .summary = "nvbandwidth's buffer, 512 MiB"},
                 output_flag("o", "where the measurements go")},
       .positionals = {"KIND", "FILE"},
       .run = run});
}

}  // namespace paceline
