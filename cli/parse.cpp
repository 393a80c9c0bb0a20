#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <map>
#include <ostream>

#include "core/names.h"
#include "core/one_line.h"
#include "core/version.h"

namespace paceline {
namespace {

using Values = std::map<std::string, std::vector<std::string>>;

bool is_negative_number(const std::string& text) {
  return text.size() > 1 && text[0] == '-' &&
         (std::isdigit(static_cast<unsigned char>(text[1])) != 0 || text[1] == '.');
}

// "--batch -4" as "--batch=-4", so that a negative number is read as a value, not as a flag.
std::vector<std::string> with_negative_values_joined(const std::vector<std::string>& argv) {
  std::vector<std::string> out;
  for (const std::string& word : argv) {
    const bool after_flag =
        !out.empty() && out.back().starts_with("--") && out.back().find('=') == std::string::npos;
    if (after_flag && is_negative_number(word)) {
      out.back() += "=" + word;
    } else {
      out.push_back(word);
    }
  }
  return out;
}

std::string placeholder_of(const std::string& positional) {
  return positional.ends_with("...") ? positional.substr(0, positional.size() - 3) : positional;
}

std::string summary_of(const std::string& positional, const Command& command) {
  const auto found = command.choices.find(positional);
  if (found == command.choices.end()) return "";
  std::string out;
  for (const std::string& choice : found->second) out += (out.empty() ? "" : ", ") + choice;
  return out;
}

void add_flags(CLI::App& app, const Command& command, Values& values,
               std::map<std::string, bool>& switches) {
  for (const FlagSpec& flag : command.flags) {
    if (flag.value.empty()) {
      app.add_flag(flag_text(flag.name), switches[flag.name], flag.summary)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    } else {
      app.add_option(flag_text(flag.name), values[flag.name], flag.summary)
          ->type_name(flag.value)
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  for (const std::string& positional : command.positionals) {
    const std::string name = placeholder_of(positional);
    CLI::Option* option = app.add_option(name, values[name], summary_of(name, command));
    option->type_name(name == positional ? "" : "...");
    option->option_text(name == positional ? " " : "...");
    if (name != positional) option->expected(0, -1);  // any number
    // Else the first of several would take all words.
    if (name == positional) option->expected(1)->allow_extra_args(false);
  }
}

[[noreturn]] void refuse_extra(const std::string& word, const Command& command) {
  if (!word.starts_with("-")) {
    throw UsageError("unexpected argument \"" + word + "\"; " + command.name +
                     " takes flags, see paceline " + command.name + " --help");
  }
  const std::string name = word.substr(
      word.find_first_not_of('-') == std::string::npos ? word.size() : word.find_first_not_of('-'));
  std::vector<std::string> known;
  for (const FlagSpec& flag : command.flags) known.push_back(flag.name);
  std::string hint;
  for (const std::string& near : nearest_names(name.substr(0, name.find('=')), known)) {
    hint += (hint.empty() ? "; did you mean " : ", ") + flag_text(near);
  }
  throw UsageError("unknown flag " + word.substr(0, word.find('=')) +
                   (hint.empty() ? "; see paceline " + command.name + " --help" : hint + "?"));
}

// CLI11 keeps one value per use of a flag; only some flags may be used twice.
void refuse_repeated(const CLI::App& app, const Command& command) {
  for (const FlagSpec& flag : command.flags) {
    if (!flag.repeatable && app.get_option(flag_text(flag.name))->count() > 1) {
      throw UsageError(flag_text(flag.name) + " is given twice" +
                       (flag.value.empty() ? "" : "; a comma list sweeps"));
    }
  }
}

Arguments parse_command(const Command& command, const std::vector<std::string>& argv,
                        std::ostream& out, bool& help_shown) {
  CLI::App app(command.summary, "paceline " + command.name);
  app.allow_extras();
  app.footer(command.example.empty() ? "" : "Example: " + command.example);
  Values values;
  std::map<std::string, bool> switches;
  add_flags(app, command, values, switches);
  std::vector<std::string> words(argv.begin() + 2, argv.end());
  words = with_negative_values_joined(words);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    help_shown = true;
    return Arguments({}, {}, out);
  } catch (const CLI::ArgumentMismatch&) {
    for (const CLI::Option* option : app.get_options()) {
      if (!words.empty() && option->check_name(words.back())) {
        throw UsageError(words.back() + " needs a value");
      }
    }
    throw UsageError("a flag lacks its value; see paceline " + command.name + " --help");
  } catch (const CLI::ParseError& error) {
    throw UsageError(one_line(error.what()));
  }
  const std::vector<std::string> extras = app.remaining();
  if (!extras.empty()) refuse_extra(extras.front(), command);
  refuse_repeated(app, command);
  for (const auto& [name, given] : switches) {
    if (given) values[name] = {"true"};
  }
  std::erase_if(values, [](const auto& entry) { return entry.second.empty(); });
  return Arguments(argv, std::move(values), out);
}

void print_help(const CommandList& commands, std::ostream& out) {
  out << "paceline " << kVersion
      << ": predicts how fast a deep-learning training job runs, and says why\n\n";
  for (const Command& command : commands.all()) {
    out << "  " << command.name << std::string(12 - command.name.size(), ' ') << command.summary
        << "\n";
  }
  out << "\nExample: paceline predict --model resnet50 --batch 8 --device cpu\n"
      << "Help of a command: paceline predict --help\n";
}

}  // namespace

std::optional<Invocation> parse_command_line(const CommandList& commands,
                                             const std::vector<std::string>& argv,
                                             std::ostream& out) {
  const std::string name = argv.size() > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(commands, out);
    return std::nullopt;
  }
  if (name == "--version") {
    out << "paceline " << kVersion << "\n";
    return std::nullopt;
  }
  const std::vector<std::string> names = commands.names();
  if (name.empty()) throw UsageError("a command is required; see paceline --help");
  const Command* command = commands.find(name);
  if (command == nullptr) throw UsageError(unknown_name_message("command", name, names));
  bool help_shown = false;
  Arguments arguments = parse_command(*command, argv, out, help_shown);
  if (help_shown) return std::nullopt;
  return Invocation{command, std::move(arguments)};
}

}  // namespace paceline
