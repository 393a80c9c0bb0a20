// Documents made from the commands name every command and flag.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/documentation/completions.h"
#include "cli/documentation/man_page.h"
#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"

namespace paceline {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

CommandList all_commands() {
  CommandList commands;
  register_all(commands);
  return commands;
}

TEST(ManPage, NamesEveryCommandAndFlag) {
  const CommandList commands = all_commands();
  const std::string page = man_page(commands);
  for (const Command& command : commands.all()) {
    EXPECT_THAT(page, HasSubstr(".SS " + command.name));
    for (const FlagSpec& flag : command.flags) {
      std::string text = flag_text(flag.name);
      for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) {
        text.replace(at, 1, "\\-");
      }
      EXPECT_THAT(page, HasSubstr(".B " + text)) << command.name;
    }
  }
}

// Every command has a section, alone or with others: "## measure, calibrate".
TEST(CommandsDocument, DescribesEveryCommand) {
  std::string headings;
  std::istringstream text(read_text_file(data_directory() / "docs/commands.md"));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) headings += line + ",";
  }
  const CommandList commands = all_commands();
  for (const Command& command : commands.all()) {
    if (command.name == "completion" || command.name == "man") continue;  // "manual, completion"
    EXPECT_THAT(headings, AnyOf(HasSubstr(" " + command.name + ","))) << command.name;
  }
}

class Completions : public testing::TestWithParam<const char*> {};

TEST_P(Completions, NameEveryCommandAndFlag) {
  const CommandList commands = all_commands();
  const std::string script = completion_script(GetParam(), commands);
  const bool fish = std::string(GetParam()) == "fish";
  for (const Command& command : commands.all()) {
    EXPECT_THAT(script, HasSubstr(command.name));
    for (const FlagSpec& flag : command.flags) {
      EXPECT_THAT(script, HasSubstr(fish ? (flag.name.size() == 1 ? "-s " : "-l ") + flag.name
                                         : flag_text(flag.name)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shells, Completions, testing::Values("bash", "zsh", "fish"));

TEST(Completion, OfAnotherShellIsRefused) {
  EXPECT_THROW(completion_script("basch", all_commands()), UsageError);
}

// Syntax only: bash reads the script without running it.
TEST(Completion, OfBashIsABashScript) {
  const std::string script = completion_script("bash", all_commands());
  FILE* pipe = ::popen("bash -n", "w");
  ASSERT_NE(pipe, nullptr);
  std::fwrite(script.data(), 1, script.size(), pipe);
  EXPECT_EQ(::pclose(pipe), 0);
}

}  // namespace
}  // namespace paceline
