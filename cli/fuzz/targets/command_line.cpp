// Command lines, one argument a line, and the experiments that they describe.
#include <algorithm>
#include <sstream>

#include "cli/command.h"
#include "cli/experiment_flags.h"
#include "cli/fuzz/fuzz_targets.h"
#include "cli/parse.h"

namespace paceline {

void register_command_line(FuzzTargets& targets) {
  targets.add("command_line", [](std::string_view text) {
    static const CommandList commands = [] {
      CommandList all;
      register_all(all);
      return all;
    }();
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
