// The program `paceline`: finds the subcommand, runs it, and turns what it throws into one line on
// stderr and an exit code. The only place that catches.
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/parse.h"

namespace {

int report(paceline::ExitCode code, const std::string& message) {
  std::string line = message;
  for (char& c : line) c = c == '\n' ? ' ' : c;
  std::cerr << "paceline: " << line << "\n";
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  using paceline::ExitCode;
  std::vector<std::string> words(argv, argv + argc);
  if (!words.empty()) words[0] = std::filesystem::path(words[0]).filename().string();
  try {
    paceline::CommandList commands;
    register_all(commands);
    const std::optional<paceline::Invocation> invocation = parse_command_line(commands, words);
    if (!invocation) return 0;
    return static_cast<int>(invocation->command->run(invocation->arguments));
  } catch (const paceline::Error& error) {
    return report(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::kInternal, "out of memory");
  } catch (const std::exception& error) {
    return report(ExitCode::kInternal, error.what());
  }
}
