#include "cli/output.h"

#include <ostream>

#include "cli/colour.h"
#include "core/json_writer.h"

namespace paceline {

std::vector<FlagSpec> output_flags() {
  return {{"json", "", "one JSON document"},
          {"csv", "", "comma-separated values"},
          {"md", "", "a Markdown table"},
          {"color", "WHEN", "auto (default: on a terminal), always, never"},
          output_flag("o", "write to FILE instead of the terminal")};
}

OutputFormat read_format(const Arguments& arguments) {
  OutputFormat format = OutputFormat::kText;
  int given = 0;
  const auto take = [&](const char* flag, OutputFormat meaning) {
    if (!arguments.has(flag)) return;
    format = meaning;
    ++given;
  };
  take("json", OutputFormat::kJson);
  take("csv", OutputFormat::kCsv);
  take("md", OutputFormat::kMarkdown);
  wants_colour(arguments);  // refuses a wrong --color before anything is computed
  if (given > 1) throw UsageError("--json, --csv and --md exclude one another");
  return format;
}

TableFormat table_format(OutputFormat format) {
  if (format == OutputFormat::kCsv) return TableFormat::kCsv;
  return format == OutputFormat::kMarkdown ? TableFormat::kMarkdown : TableFormat::kText;
}

void write_result(const Arguments& arguments, const std::string& text) {
  const std::optional<std::string> file = arguments.find("o");
  if (file) {
    write_text_file(*file, text);
    return;
  }
  const bool table = arguments.has("json") || arguments.has("csv") || arguments.has("md");
  arguments.out() << (!table && wants_colour(arguments) ? coloured(text) : text) << std::flush;
  if (!arguments.out()) throw InputError("stdout: could not be written completely");
}

}  // namespace paceline
