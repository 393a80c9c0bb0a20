#include "cli/program.h"

#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <ostream>

#include "cli/output_files.h"
#include "cli/parse.h"
#include "core/one_line.h"

namespace paceline {
namespace {

ExitCode report(std::ostream& errors, ExitCode code, const std::string& message) {
  errors << "paceline: " << one_line(message) << "\n";
  return code;
}

}  // namespace

ExitCode run_program(const std::vector<std::string>& argv, std::ostream& out,
                     std::ostream& errors) {
  try {
    CommandList commands;
    register_all(commands);
    const std::optional<Invocation> invocation = parse_command_line(commands, argv, out);
    if (!invocation) return ExitCode::kOk;
    check_output_files(*invocation->command, invocation->arguments);
    return invocation->command->run(invocation->arguments);
  } catch (const Error& error) {
    return report(errors, error.code(), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    constexpr std::size_t kShown = 60;
    std::string name = error.path1().string();
    if (name.size() > kShown) name = name.substr(0, kShown) + "...";
    return report(errors, ExitCode::kInput, name + ": " + error.code().message());
  } catch (const std::bad_alloc&) {
    return report(errors, ExitCode::kInternal, "out of memory");
  } catch (const std::exception& error) {
    return report(errors, ExitCode::kInternal, error.what());
  }
}

}  // namespace paceline
