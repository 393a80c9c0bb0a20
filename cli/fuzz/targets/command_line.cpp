// Command lines, one argument a line, and the experiments that they describe.
#include <algorithm>
#include <sstream>

#include "cli/command.h"
#include "cli/experiment_flags.h"
#include "cli/fuzz/fuzz_targets.h"
#include "cli/parse.h"

namespace paceline {
namespace {

// Every kind of flag and of argument: what other commands have differs in names alone.
CommandList commands_to_parse() {
  Command predict;
  predict.name = "predict";
  predict.flags = experiment_flags();
  predict.flags.push_back({"json", "", "one JSON document"});
  Command files;
  files.name = "import";
  files.flags = {output_flag("o", "the file to write")};
  files.positionals = {"KIND", "FILE..."};
  files.choices = {{"KIND", {"trace", "onnx"}}};
  CommandList all;
  all.add(std::move(predict));
  all.add(std::move(files));
  return all;
}

}  // namespace

void register_command_line(FuzzTargets& targets) {
  targets.add("command_line", [](std::string_view text) {
    static const CommandList commands = commands_to_parse();
    std::vector<std::string> argv = {"paceline"};
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      argv.emplace_back(text.substr(start, end - start));
      start = end + 1;
    }
    std::ostringstream out;
    const std::optional<Invocation> invocation = parse_command_line(commands, argv, out);
    if (invocation && invocation->command->name == "predict") {
      read_experiments(invocation->arguments);
    }
  });
}

}  // namespace paceline
