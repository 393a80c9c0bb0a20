// A subcommand of `paceline`: what it is called, which flags it takes, what it does. One file in
// cli/commands per subcommand; its register_<stem>() adds it to the list.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "core/error.h"

namespace paceline {

struct FlagSpec {
  std::string name;   // "batch" for --batch, "o" for -o
  std::string value;  // what stands after it in help, "N"; empty for a switch
  std::string summary;
  bool repeatable = false;
  bool output = false;  // its value is a file that the command writes
};

// A flag whose value is a file to write: checked before the command runs (cli/output_files.h).
inline FlagSpec output_flag(std::string name, std::string summary) {
  return {std::move(name), "FILE", std::move(summary), false, true};
}

struct Command {
  std::string name;
  std::string summary;
  std::string example;
  std::vector<FlagSpec> flags;
  // Names of arguments without a flag, in order; "FILE..." may be given several times.
  std::vector<std::string> positionals;
  // What each of them may be, where that is a list; for help.
  std::map<std::string, std::vector<std::string>> choices{};
  std::function<ExitCode(const Arguments&)> run;
};

// In alphabetical order of their files.
class CommandList {
 public:
  void add(Command command) { commands_.push_back(std::move(command)); }
  const std::vector<Command>& all() const { return commands_; }
  const Command* find(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<Command> commands_;
};

// Adds every command of cli/commands (generated).
void register_all(CommandList& commands);

}  // namespace paceline
