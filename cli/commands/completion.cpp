// paceline completion SHELL and paceline man: documents of the program itself.
#include "cli/documentation/completions.h"
#include "cli/documentation/man_page.h"
#include "cli/output.h"

namespace paceline {
namespace {

CommandList all_commands() {
  CommandList commands;
  register_all(commands);
  return commands;
}

ExitCode run_completion(const Arguments& arguments) {
  write_result(arguments, completion_script(arguments.text("SHELL"), all_commands()));
  return ExitCode::kOk;
}

ExitCode run_man(const Arguments& arguments) {
  write_result(arguments, man_page(all_commands()));
  return ExitCode::kOk;
}

}  // namespace

void register_completion(CommandList& commands) {
  const std::vector<FlagSpec> flags = {output_flag("o", "write to FILE instead of the terminal")};
  commands.add(
      {.name = "completion",
       .summary = "completion of commands and names for bash, zsh or fish",
       .example = "paceline completion bash > ~/.local/share/bash-completion/completions/paceline",
       .flags = flags,
       .positionals = {"SHELL"},
       .run = run_completion});
  commands.add({.name = "man",
                .summary = "the manual page",
                .example = "paceline man | man -l -",
                .flags = flags,
                .positionals = {},
                .run = run_man});
}

}  // namespace paceline
