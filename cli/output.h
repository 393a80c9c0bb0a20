// Where a command's result goes and in which form: --json, --csv, --md, -o FILE. Results go to
// stdout or, whole or not at all, to the file; remarks go to stderr.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "core/table.h"

namespace paceline {

enum class OutputFormat { kText, kJson, kCsv, kMarkdown };

// The flags that read_format and write_result understand.
std::vector<FlagSpec> output_flags();
// Throws UsageError if two formats are asked for at once.
OutputFormat read_format(const Arguments& arguments);
// kText is an aligned table; kJson has none.
TableFormat table_format(OutputFormat format);
void write_result(const Arguments& arguments, const std::string& text);

}  // namespace paceline
